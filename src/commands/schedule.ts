import type { Command } from '@commander-js/extra-typings';
import type { ScheduleBody } from '../api/schedules.js';
import type { Context } from '../context.js';
import { CancelledError, usageError } from '../errors.js';
import { chooseAccount } from './accounts.js';
import { checkId, expandStdin, readOneClip } from './clip-ids.js';
import { planRequest, showDryRun } from './dry-run.js';
import { eachItem, finishItems } from './each-item.js';
import { addHelp } from './help-text.js';
import { readPublishTime } from './publish-time.js';
import { readTextFile } from './read-preferences.js';
import { recordHistory } from './record-history.js';
import { guardShortForm } from './short-form.js';

interface ScheduleFlags {
  account?: string;
  subAccount?: string;
  project?: string;
  at?: string;
  tz?: string;
  title?: string;
  description?: string;
  descriptionFile?: string;
  privacy?: string;
  mediaType?: string;
}

export function registerSchedule(command: Command, context: Context): void {
  const create = command
    .command('create <clip>', { isDefault: true })
    .description('schedule a post of a clip; prints the schedule id')
    .option('--account <postAccountId>', 'the account to post to; in a terminal chosen from the list')
    .option('--sub-account <id>', 'page or business account of it')
    .option('--at <time>', '2030-01-31T09:00:00+01:00, local time with --tz, or +90m, +2h, +1d')
    .option('--tz <zone>', 'IANA time zone of a local --at, for example Europe/Berlin')
    .option('--title <text>', 'title of the post')
    .option('--description <text>', 'text of the post')
    .option('--description-file <file|->', 'the same, from a file')
    .option('--privacy <value>', 'passed on; the document shows no values')
    .option('--media-type <value>', 'passed on; the document shows no values')
    .option('--project <id>', 'the project of a bare clip id')
    .action(async (clip, options) => createSchedule(clip, options, context));
  guardShortForm(create);
  addHelp(create, {
    about:
      'clipctl schedule <clip> is short for clipctl schedule create <clip>. A time in the past is refused.',
    examples: [
      'schedule create P123.C1 --account A1 --at 2030-01-31T09:00:00+01:00 --title "Part one"',
      'schedule P123.C1 --account A1 --at 2030-01-31T09:00 --tz Europe/Berlin',
      'schedule P123.C1 --account A1 --at +2h',
    ],
    exitCodes: [3, 5, 8, 10, 130],
  });
  const cancel = command
    .command('cancel <scheduleId...>')
    .description('cancel scheduled posts')
    .action(async (ids) => cancelSchedules(ids, context));
  addHelp(cancel, {
    examples: ['schedule cancel S123', 'history list --kind schedule'],
    exitCodes: [3, 5, 8, 12],
  });
}

async function createSchedule(text: string, flags: ScheduleFlags, context: Context): Promise<void> {
  if (text === '-' && flags.descriptionFile === '-') {
    throw usageError('stdin cannot be both the clip and the description', { hint: 'name one of them' });
  }
  const { projectId, clipId } = await readOneClip(text, flags.project, context);
  if (flags.at === undefined) {
    throw usageError('--at is missing', {
      hint: 'for example --at +2h, or --at 2030-01-31T09:00 --tz Europe/Berlin',
    });
  }
  const { io, notes, output } = context;
  const time = await readPublishTime(flags.at, flags.tz, { now: io.now(), env: io.env });
  const postDetail = await readPostDetail(flags, context);
  const body: ScheduleBody = {
    projectId,
    clipId,
    ...(await chooseAccount(flags, context)),
    ...(postDetail === undefined ? {} : { postDetail }),
    publishAt: time.publishAt,
  };
  notes.note(time.said);
  if (context.flags.dryRun) {
    const { scheduleRoutes } = await import('../api/schedules.js');
    return showDryRun(context, [
      await planRequest(context.shownBaseUrl, scheduleRoutes.createSchedule, { body }),
    ]);
  }
  const connection = await context.connect();
  const created = await connection.api.createSchedule(body);
  const { scheduleId } = created;
  await recordHistory(context, connection, {
    kind: 'schedule',
    id: scheduleId,
    projectId,
    clipId,
    accountId: body.postAccountId,
    subAccountId: body.subAccountId,
    title: postDetail?.title,
    publishAt: body.publishAt,
  });
  notes.next(`clipctl schedule cancel ${scheduleId}`);
  await output.result({ json: { ...created, request: body }, lines: [scheduleId] });
}

/** Only what was given; nothing of it is required by the document. */
async function readPostDetail(
  flags: ScheduleFlags,
  { io }: Pick<Context, 'io'>,
): Promise<ScheduleBody['postDetail']> {
  if (flags.description !== undefined && flags.descriptionFile !== undefined) {
    throw usageError('--description and --description-file exclude each other', {
      hint: 'give only one of them',
    });
  }
  const description =
    flags.descriptionFile === undefined
      ? flags.description
      : (await readTextFile(flags.descriptionFile, io)).trimEnd();
  const custom = {
    ...(description === undefined ? {} : { description }),
    ...(flags.privacy === undefined ? {} : { privacy: flags.privacy }),
  };
  const detail = {
    ...(flags.title === undefined ? {} : { title: flags.title }),
    ...(Object.keys(custom).length === 0 ? {} : { custom }),
    ...(flags.mediaType === undefined ? {} : { mediaType: flags.mediaType }),
  };
  return Object.keys(detail).length === 0 ? undefined : detail;
}

async function cancelSchedules(texts: readonly string[], context: Context): Promise<void> {
  const ids = [...new Set(await expandStdin(texts, context))].map((id) => checkId(id, 'schedule id'));
  if (context.flags.dryRun) {
    const { scheduleRoutes } = await import('../api/schedules.js');
    const plan = ids.map((scheduleId) =>
      planRequest(context.shownBaseUrl, scheduleRoutes.cancelSchedule, { params: { scheduleId } }),
    );
    return showDryRun(context, await Promise.all(plan));
  }
  const what = ids.length === 1 ? `scheduled post ${ids[0]}` : `${ids.length} scheduled posts`;
  if (!(await context.confirm(`Cancel ${what}?`)))
    throw new CancelledError('SIGINT', 'not cancelled; nothing was sent');
  const connection = await context.connect();
  const outcomes = await eachItem(ids, async (id) => {
    await connection.api.cancelSchedule(id);
    await recordHistory(context, connection, { kind: 'schedule', id, event: 'cancelled' });
  });
  const { errorAsJson } = await import('../terminal/report-error.js');
  await finishItems(outcomes, context, {
    name: (id) => id,
    print: () =>
      context.output.result({
        json: outcomes.map((outcome) => ({
          scheduleId: outcome.item,
          cancelled: outcome.ok,
          ...(outcome.ok ? {} : errorAsJson(outcome.error)),
        })),
        lines: outcomes.flatMap(({ item, ok }) => (ok ? [item] : [])),
      }),
  });
}
