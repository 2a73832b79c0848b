import { findProblems } from '../../src/api/describe-issue.js';
import type { Route } from '../../src/api/route.js';
import { ROUTES } from '../../src/api/routes.js';
import { type Recorded, startRecorder } from '../comfort/recorder.js';

interface Answer {
  status?: number;
  headers?: Record<string, string>;
  body?: unknown;
}

/** Answers in the shapes of the interface document, by route. */
const DOCUMENTED: Record<string, unknown> = {
  createProject: { id: 'P1', projectId: 'P1', stage: 'QUEUED', extra: { kept: true } },
  getProject: { id: 'P1', stage: 'COMPLETE' },
  updateVisibility: { id: 'P1', visibility: 'PUBLIC', novel: 1 },
  createUploadLink: {
    url: 'http://127.0.0.1:1/up',
    uploadId: 'U1',
    dnsUrl: '',
    useAmount: 0,
    totalAmount: 1,
  },
  listClips: {
    data: [
      { id: 'P1.C1', title: 'One', durationMs: 1500 },
      { id: 'P1.C2', title: 'Two' },
    ],
  },
  createCollection: { data: { collectionId: 'L1', collectionName: 'May', novel: true } },
  addToCollection: { data: { collectionId: 'L1', contentId: 'P1.C1' } },
  removeFromCollection: { data: 'success' },
  exportCollection: {
    data: { contentList: [{ contentId: 'P1.C1', uriForExport: 'https://files.example/1?sig=x' }] },
  },
  listAccounts: {
    data: [
      { postAccountId: 'A1', platform: 'TIKTOK_BUSINESS', extUserName: 'Ada', novel: 'x' },
      { postAccountId: 'A2', subAccountId: 'S2', platform: 'FACEBOOK_PAGE', extUserName: 'Bo' },
    ],
  },
  createSchedule: { data: { scheduleId: 'S1' } },
  cancelSchedule: { data: {} },
  createCensorJob: { jobId: 'J1', message: 'started' },
  getCensorJob: { status: 'CONCLUDED', error: '' },
  createCopyJob: { data: { jobId: 'J2' } },
  getCopyJob: { data: { jobId: 'J2', status: 'CONCLUDED', title: 'A title' } },
};

/**
 * A server that answers as the interface document shows and holds every request against the contract's schemas.
 * `answers` replaces the answer of a route. `faults` are what did not fit; a test expects none.
 */
export async function startContractRecorder(
  answers: Record<string, Answer | ((request: Recorded) => Answer)> = {},
) {
  const faults: string[] = [];
  const recorder = await startRecorder((request) => {
    const found = matchRoute(request);
    if (!found) {
      faults.push(`${request.method} ${request.path} is no route`);
      return { status: 404, body: { errorName: 'NotFound', errorMessage: 'no such route' } };
    }
    const { name, route } = found;
    faults.push(...checkRequest(route, request).map((problem) => `${name}: ${problem}`));
    const answer = answers[name];
    if (answer) return typeof answer === 'function' ? answer(request) : answer;
    return { status: route.status, body: DOCUMENTED[name] };
  });
  return { ...recorder, faults, answers };
}

function matchRoute({ method, path }: Recorded): { name: string; route: Route } | undefined {
  const bare = path.split('?')[0] ?? '';
  for (const [name, route] of Object.entries<Route>(ROUTES)) {
    const pattern = new RegExp(`^${route.path.replace(/\{\w+\}/g, '[^/]+')}$`);
    if (route.method === method && pattern.test(bare)) return { name, route };
  }
  return undefined;
}

function checkRequest(route: Route, { headers, body, path }: Recorded): string[] {
  const problems: string[] = [];
  if (headers.authorization !== `Bearer ${KEY}`) problems.push('no key');
  if (route.request) {
    if (headers['content-type'] !== 'application/json') problems.push('content type');
    problems.push(
      ...findProblems(route.request, JSON.parse(body)).map(({ path: at, message }) => `${at} ${message}`),
    );
  } else if (body !== '') problems.push('a body where there is none');
  if (route.query) {
    const query = Object.fromEntries(new URL(path, 'http://x').searchParams);
    problems.push(
      ...findProblems(route.query, query).map(({ path: at, message }) => `query ${at} ${message}`),
    );
  }
  return problems;
}

export const KEY = 'recorder-key-0123';
