import { copyFile, link, mkdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../../errors.js';
import { syncFolder, writeWhole } from '../../write-whole.js';
import { requireAccount } from '../accounts-file.js';
import { DISK_FULL, isDiskFull } from '../disk-full.js';
import { newId } from '../ids.js';
import type { LoopWork } from '../pipeline/loop.js';
import { clipFileName } from '../project-view.js';
import type { ServiceContext } from '../service-context.js';
import { type ClipRow, findClipById } from '../store/clips.js';
import { insertDelivery } from '../store/deliveries.js';
import {
  nextSchedule,
  type ScheduleRow,
  setPublished,
  setScheduleFailed,
  startPublishing,
} from '../store/schedules.js';

/** Folder of the outbox that holds one folder for each published post. */
export const POSTS_FOLDER = 'posts';

/** A post this long after its time is marked as late. */
export const LATE_AFTER_MS = 60_000;

type ScheduleContext = Pick<ServiceContext, 'db' | 'now' | 'paths' | 'log' | 'signer' | 'wake'>;

/**
 * Scheduled posts. At its time a post becomes a folder with the clip and `post.json`: made aside, then renamed, so
 * it is there once and whole. What a crash leaves between the folder and the row is only the row to be written.
 */
export function createScheduleWork(context: ScheduleContext): LoopWork<ScheduleRow> {
  const { db, now, log, paths } = context;
  return {
    takeNext() {
      const next = nextSchedule(db);
      if (!next || next.publishAt > now().toISOString()) return undefined;
      startPublishing(db, next.scheduleId);
      return next;
    },
    nextDueAt: () => nextSchedule(db)?.publishAt,
    async run(schedule) {
      const clip = findClipById(db, schedule.clipId);
      if (!clip?.file || !(await stat(join(paths.clips, clip.file)).catch(() => undefined))) {
        setScheduleFailed(db, schedule.scheduleId, 'the clip is not here any more');
        return;
      }
      try {
        await publish(schedule, clip, context);
      } catch (error) {
        // Not tried again: a post that comes at a random later time is worse than one that is told as failed.
        setScheduleFailed(db, schedule.scheduleId, isDiskFull(error) ? DISK_FULL : messageOf(error));
        throw error;
      }
      log(`schedule ${schedule.scheduleId}: published`);
    },
  };
}

async function publish(schedule: ScheduleRow, clip: ClipRow, context: ScheduleContext): Promise<void> {
  const { db, paths, now } = context;
  const at = now();
  const isLate = at.getTime() - Date.parse(schedule.publishAt) > LATE_AFTER_MS;
  const post = describePost(schedule, clip, { at, isLate });
  await makePostFolder(paths.outbox, schedule.scheduleId, join(paths.clips, clip.file ?? ''), clip, post);
  const { webhookUrl, error } = await findWebhook(schedule, paths);
  if (error !== null) context.log(`schedule ${schedule.scheduleId}: ${error}`);
  db.transaction(() => {
    const end = { folder: schedule.scheduleId, at: at.toISOString(), isLate, error };
    if (!setPublished(db, schedule.scheduleId, end) || !webhookUrl) return;
    const deliveryId = newId('delivery');
    const body = JSON.stringify({ event: 'schedule.published', deliveryId, ...post });
    const subject = `Published: ${schedule.scheduleId}`;
    insertDelivery(db, { deliveryId, kind: 'WEBHOOK', target: webhookUrl, subject, body }, end.at);
  });
  context.wake();
}

/** Who is told of a post, as accounts.json has it now; a post whose account cannot be looked up is published all the same. */
async function findWebhook(
  { request }: ScheduleRow,
  paths: ServiceContext['paths'],
): Promise<{ webhookUrl?: string | undefined; error: string | null }> {
  try {
    const { webhookUrl } = await requireAccount(paths, request);
    return { webhookUrl, error: null };
  } catch (error) {
    return { error: `published, but no webhook was told: ${messageOf(error)}` };
  }
}

function describePost(schedule: ScheduleRow, clip: ClipRow, { at, isLate }: { at: Date; isLate: boolean }) {
  const { request } = schedule;
  return {
    scheduleId: schedule.scheduleId,
    clipId: `${clip.projectId}.${clip.clipId}`,
    file: clipFileName(clip),
    postAccountId: request.postAccountId,
    subAccountId: request.subAccountId ?? null,
    postDetail: request.postDetail ?? {},
    publishAt: schedule.publishAt,
    publishedAt: at.toISOString(),
    late: isLate,
  };
}

async function makePostFolder(
  outbox: string,
  scheduleId: string,
  clipPath: string,
  clip: ClipRow,
  post: object,
): Promise<void> {
  const posts = join(outbox, POSTS_FOLDER);
  const target = join(posts, scheduleId);
  if (await stat(target).catch(() => undefined)) return; // made before a crash
  const aside = join(posts, `.${scheduleId}.part`);
  await rm(aside, { recursive: true, force: true });
  await mkdir(aside, { recursive: true, mode: 0o700 });
  const copyPath = join(aside, clipFileName(clip));
  // A second name costs nothing, and a later version of the clip is another file.
  await link(clipPath, copyPath).catch(() => copyFile(clipPath, copyPath));
  await writeWhole(join(aside, 'post.json'), `${JSON.stringify(post, undefined, 2)}\n`);
  await rename(aside, target);
  await syncFolder(posts);
}
