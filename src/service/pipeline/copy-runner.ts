import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { ClipctlError } from '../../errors.js';
import { parseJson } from '../../parse-json.js';
import type { ServiceContext } from '../service-context.js';
import { type ClipRow, listClips } from '../store/clips.js';
import { concludeJob, findCached, type JobRow } from '../store/jobs.js';
import type { JobRunner } from './job-work.js';
import { type SocialCopy, writeSocialCopy } from './social-copy.js';
import { runUserProgram } from './user-program.js';

/** Environment variable with the path of a program of the user's own: JSON on its stdin, JSON on its stdout. */
const COPY_COMMAND_VARIABLE = 'CLIPCTL_COPY_COMMAND';
const PROGRAM_NAME = `the program in ${COPY_COMMAND_VARIABLE}`;

const COMMAND_LIMIT_MS = 120_000;
const MAX_ANSWER_BYTES = 1024 * 1024;

/** What the user's program answers. */
const CommandAnswer = z.object({
  title: z.string().check(z.regex(/\S/)),
  description: z.optional(z.string()),
  hashtags: z.optional(z.array(z.string())),
});

/** Writes social copy: with the user's own program when one is named, else from the clip's words. */
export function createCopyRunner(
  { db, now }: Pick<ServiceContext, 'db' | 'now'>,
  env: Record<string, string | undefined>,
): JobRunner {
  return async (job, clip, signal) => {
    if (clip.moment.text.trim() === '') {
      throw new ClipctlError('rejected', 'no copy can be written: what is said in the clip is not known');
    }
    const command = env[COPY_COMMAND_VARIABLE];
    const cacheKey = cacheKeyOf(job, clip, command);
    const cached = job.request.forceRegenerate === true ? undefined : findCached(db, cacheKey);
    if (cached) {
      concludeJob(db, job.jobId, { result: { ...cached, cached: true }, cacheKey }, now().toISOString());
      return;
    }
    const copy = command
      ? await askCommand(command, job, clip, { env, signal })
      : writeSocialCopy({
          moment: clip.moment,
          projectTexts: listClips(db, clip.projectId).map(({ moment }) => moment.text),
          platform: String(job.request.platform ?? ''),
          prompt: String(job.request.prompt ?? ''),
        });
    concludeJob(db, job.jobId, { result: { ...copy }, cacheKey }, now().toISOString());
  };
}

/** The same question: who is asked belongs to it, and a censored clip says something else. */
function cacheKeyOf({ request }: JobRow, clip: ClipRow, command = ''): string {
  const { postAccountId, subAccountId, platform, prompt } = request;
  const parts = [clip.clipId, clip.version, postAccountId, subAccountId, platform, prompt, command];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

async function askCommand(
  command: string,
  job: JobRow,
  clip: ClipRow,
  run: { env: Record<string, string | undefined>; signal: AbortSignal },
): Promise<SocialCopy> {
  const { platform, prompt } = job.request;
  const { title, text } = clip.moment;
  const question = JSON.stringify({
    clipId: `${clip.projectId}.${clip.clipId}`,
    title,
    text,
    platform,
    prompt,
  });
  const answer = await runUserProgram(command, {
    ...run,
    name: PROGRAM_NAME,
    input: question,
    timeoutMs: COMMAND_LIMIT_MS,
    maxOutputBytes: MAX_ANSWER_BYTES,
  });
  const parsed = CommandAnswer.safeParse(parseJson(answer));
  if (!parsed.success) {
    throw new ClipctlError('rejected', `${PROGRAM_NAME} did not answer {"title",…} as JSON`);
  }
  const { title: newTitle, description = '', hashtags = [] } = parsed.data;
  return {
    title: newTitle,
    description,
    hashtags,
    text: [newTitle, description, hashtags.join(' ')].filter((part) => part !== '').join('\n\n'),
    madeBy: PROGRAM_NAME,
    notes: [],
  };
}
