import { spawn } from 'node:child_process';
import * as z from 'zod/mini';
import { ClipctlError } from '../../errors.js';
import type { ServiceContext } from '../service-context.js';
import { type ClipRow, listClips } from '../store/clips.js';
import { concludeJob, type JobRow } from '../store/jobs.js';
import type { JobRunner } from './job-work.js';
import { type SocialCopy, writeSocialCopy } from './social-copy.js';

/** Environment variable that names a program of the user's own: JSON on its stdin, JSON on its stdout. */
export const COPY_COMMAND_VARIABLE = 'CLIPCTL_COPY_COMMAND';

const COMMAND_LIMIT_MS = 120_000;
const MAX_ANSWER_BYTES = 1024 * 1024;

/** What the user's program answers. */
const CommandAnswer = z.object({
  title: z.string(),
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
    const copy = command
      ? await askCommand(command, job, clip, { env, signal })
      : writeSocialCopy({
          moment: clip.moment,
          projectTexts: listClips(db, clip.projectId).map(({ moment }) => moment.text),
          platform: String(job.request.platform ?? ''),
          prompt: String(job.request.prompt ?? ''),
        });
    concludeJob(db, job.jobId, { result: { ...copy } }, now().toISOString());
  };
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
  const answer = await runCommand(command, question, run);
  const parsed = CommandAnswer.safeParse(parseJson(answer));
  if (!parsed.success) {
    throw new ClipctlError(
      'rejected',
      `the program in ${COPY_COMMAND_VARIABLE} did not answer {"title",…} as JSON`,
    );
  }
  const { title: newTitle, description = '', hashtags = [] } = parsed.data;
  return {
    title: newTitle,
    description,
    hashtags,
    text: [newTitle, description, hashtags.join(' ')].filter((part) => part !== '').join('\n\n'),
    madeBy: `the program in ${COPY_COMMAND_VARIABLE}`,
    notes: [],
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Runs a program without a shell: the variable is its path, not a command line. */
function runCommand(
  program: string,
  input: string,
  { env, signal }: { env: Record<string, string | undefined>; signal: AbortSignal },
): Promise<string> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(COMMAND_LIMIT_MS)]);
  return new Promise((resolve, reject) => {
    const fail = (reason: string, cause?: unknown) =>
      reject(
        new ClipctlError('service', `the program in ${COPY_COMMAND_VARIABLE} failed`, { reason, cause }),
      );
    const child = spawn(program, [], { stdio: ['pipe', 'pipe', 'ignore'], env, signal: limit });
    const chunks: Buffer[] = [];
    let sizeBytes = 0;
    child.stdout.on('data', (chunk: Buffer) => {
      sizeBytes += chunk.length;
      if (sizeBytes > MAX_ANSWER_BYTES) child.kill();
      else chunks.push(chunk);
    });
    child.once('error', (error) => fail(error.message, error));
    child.once('close', (code) => {
      if (code === 0) resolve(Buffer.concat(chunks).toString('utf8'));
      else fail(code === null ? 'it was ended' : `exit code ${code}`);
    });
    child.stdin.on('error', () => undefined); // it may not read its input; its exit code tells
    child.stdin.end(input);
  });
}
