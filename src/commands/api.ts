import type { Command } from '@commander-js/extra-typings';
import type { Context } from '../context.js';
import { usageError } from '../errors.js';
import type { GivenField } from './api-fields.js';
import { showDryRun } from './dry-run.js';
import { addHelp } from './help-text.js';
import { readTextFile } from './read-preferences.js';

interface ApiFlags {
  input?: string;
  include?: true;
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

export function registerApi(command: Command, context: Context): void {
  // Both flags fill one list: the order of -f and -F on the command line is that of the body.
  const fields: GivenField[] = [];
  const collect = (typed: boolean) => (text: string) => fields.push({ text, typed });
  const declared = command
    .argument('<METHOD>', METHODS.join(', '))
    .argument('</api/path>', 'path below the base address')
    .option(
      '-f, --raw-field <key=value>',
      'a text member of the body, or of the query with GET; repeatable',
      collect(false),
    )
    .option(
      '-F, --field <key=value>',
      'the same, with true, false, null and numbers as such, and @file for its text; repeatable',
      collect(true),
    )
    .option('--input <file|->', 'the body as it is')
    .option('-i, --include', 'print the status and the headers before the body');
  declared.action(async (method, path, options) =>
    rawRequest({ method, path, fields }, options as ApiFlags, context),
  );
  addHelp(command, {
    about:
      'Sends one authenticated request and prints the body as it came, also that of a refusal. Only to the base\n' +
      'address. Fields are the query of GET and the JSON body of everything else; key[sub]=v and key[]=v nest.',
    examples: [
      'api GET /api/social-accounts -f q=mine',
      'api POST /api/collections -f collectionName=May',
      'api POST /api/clip-projects --input body.json',
    ],
    exitCodes: [3, 4, 5, 6, 7, 8, 10],
  });
}

async function rawRequest(
  given: { method: string; path: string; fields: readonly GivenField[] },
  flags: ApiFlags,
  context: Context,
): Promise<void> {
  const method = METHODS.find((known) => known === given.method.toUpperCase());
  if (method === undefined)
    throw usageError(`${JSON.stringify(given.method)} is no method`, { hint: METHODS.join(', ') });
  const { path } = given;
  checkPath(path);
  const { readFields, toBody, withQuery } = await import('./api-fields.js');
  const fields = await readFields(given.fields, (file) => readTextFile(file, context.io));
  if (flags.input !== undefined && fields.length > 0) {
    throw usageError('--input and fields exclude each other', { hint: 'put everything into the file' });
  }
  const isRead = method === 'GET' || method === 'HEAD';
  if (isRead && flags.input !== undefined) {
    throw usageError(`${method} has no body`, { hint: 'give the query with -f key=value' });
  }
  const body = flags.input === undefined ? undefined : await readTextFile(flags.input, context.io);
  const hasBody = (body !== undefined || fields.length > 0) && !isRead;
  const headers: Record<string, string> = hasBody ? { 'Content-Type': 'application/json' } : {};
  const request = {
    method,
    path: isRead ? withQuery(path, fields) : path,
    headers,
    body: body ?? (fields.length > 0 && !isRead ? JSON.stringify(toBody(fields)) : undefined),
    repeatable: isRead,
  };
  if (context.flags.dryRun) {
    const url = `${context.shownBaseUrl}${request.path}`;
    return showDryRun(context, [{ method, url, headers, body: parseOrText(request.body) }]);
  }
  const { api } = await context.connect();
  const answer = await api.transport.raw(request);
  await printAnswer(answer, flags, context);
  if (isSuccess(answer.status)) return;
  const { errorOfAnswer } = await import('../client/answer-errors.js');
  throw errorOfAnswer(answer, { what: `${method} ${path}`, undocumented: false, nowMs: Date.now() });
}

/** The key goes to one origin: a path, never an address, and none that a parser could read as another host. */
function checkPath(path: string): void {
  if (/^\/(?![/\\])[\x21-\x7e]*$/.test(path) && !path.includes('\\')) return;
  throw usageError(`${JSON.stringify(path)} is no path of the service`, {
    hint: 'it starts with one / like /api/social-accounts; the base address comes from the settings',
  });
}

function parseOrText(body: string | undefined): unknown {
  if (body === undefined) return null;
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}

interface RawAnswer {
  status: number;
  headers: Record<string, unknown>;
  body: Buffer;
}

/**
 * As it came to a program; for a person at a terminal without what could steer it. Under `--json` a failure leaves
 * stdout empty, like everywhere; the error on stderr has its words.
 */
async function printAnswer(
  answer: RawAnswer,
  flags: ApiFlags,
  { output, io }: Pick<Context, 'output' | 'io'>,
): Promise<void> {
  const { status, headers, body } = answer;
  const text = body.toString('utf8');
  if (output.json) {
    if (!isSuccess(status)) return;
    const value = text === '' ? null : parseOrText(text);
    return output.document(flags.include ? { status, headers, body: value } : value);
  }
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${String(value)}`);
  if (flags.include) output.text(`HTTP ${status}\n${head.join('\n')}\n\n`);
  if (io.stdout.isTTY !== true) return output.raw(body);
  if (text !== '') output.text(text.endsWith('\n') ? text : `${text}\n`);
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}
