import type { Command } from '@commander-js/extra-typings';
import type { ExportedClip } from '../api/collections.js';
import type { Route } from '../api/route.js';
import type { ClipClient } from '../client/clip-client.js';
import type { Context } from '../context.js';
import { usageError } from '../errors.js';
import { type ClipId, checkId, readClipIds } from './clip-ids.js';
import { planRequest, showDryRun } from './dry-run.js';
import { eachItem, finishItems } from './each-item.js';
import { addHelp } from './help-text.js';
import { recordHistory } from './record-history.js';
import { checkFolder, downloadItems } from './wait-and-download.js';

export function registerCollection(command: Command, context: Context): void {
  const create = command
    .command('create <name>')
    .description('create a collection; prints its id')
    .action(async (name) => createCollection(name, context));
  addHelp(create, { examples: ['collection create "Best of May"'], exitCodes: [3, 7, 8, 10] });
  const add = command
    .command('add <collectionId> <clip...>')
    .description('add clips to a collection')
    .option('--project <id>', 'the project of bare clip ids')
    .action(async (collectionId, clips, options) =>
      changeContents('add', collectionId, clips, options, context),
    );
  addHelp(add, {
    about: '- in the place of a clip reads ids from stdin, one a line or JSON lines.',
    examples: [
      'collection add L1 P123.C1 P123.C2',
      'clip list P123 --query "[].id" | jq -r ".[]" | clipctl collection add L1 -',
    ],
    exitCodes: [3, 5, 8, 10, 12],
  });
  const remove = command
    .command('remove <collectionId> <clip...>')
    .description('remove clips from a collection; the clips stay')
    .option('--project <id>', 'the project of bare clip ids')
    .action(async (collectionId, clips, options) =>
      changeContents('remove', collectionId, clips, options, context),
    );
  addHelp(remove, { examples: ['collection remove L1 P123.C1'], exitCodes: [3, 5, 8, 10, 12] });
  const exported = command
    .command('export <collectionId>')
    .description('download addresses of the clips of a collection, or the files themselves')
    .option('--download <dir>', 'download the clips into this directory')
    .option('--overwrite', 'with --download: replace files that are there')
    .action(async (collectionId, options) => exportCollection(collectionId, options, context));
  addHelp(exported, {
    about: 'Downloads go to a temporary file first, resume a partial one, and check the length.',
    examples: ['collection export L1', 'collection export L1 --download clips'],
    exitCodes: [3, 5, 8, 12],
  });
}

async function createCollection(name: string, context: Context): Promise<void> {
  const collectionName = name.trim();
  if (collectionName === '') throw usageError('the name of the collection is empty');
  if (context.flags.dryRun) {
    const { collectionRoutes } = await import('../api/collections.js');
    const planned = await planRequest(context.shownBaseUrl, collectionRoutes.createCollection, {
      body: { collectionName },
    });
    return showDryRun(context, [planned]);
  }
  const connection = await context.connect();
  const collection = await connection.api.createCollection(collectionName);
  const id = collection.collectionId;
  await recordHistory(context, connection, { kind: 'collection', id, title: collectionName });
  context.notes.next(`clipctl collection add ${collection.collectionId} <clip...>`);
  await context.output.result({ json: collection, lines: [collection.collectionId] });
}

/** The two changes of a collection's contents, by the word people type. */
const CHANGES = {
  add: {
    send: (api: ClipClient, collectionId: string, contentId: string) =>
      api.addToCollection(collectionId, contentId),
    plan: async (collectionId: string, contentId: string) => {
      const { collectionRoutes } = await import('../api/collections.js');
      return { route: collectionRoutes.addToCollection as Route, body: { collectionId, contentId } };
    },
  },
  remove: {
    send: (api: ClipClient, collectionId: string, contentId: string) =>
      api.removeFromCollection(collectionId, contentId),
    plan: async (collectionId: string, contentId: string) => {
      const { collectionRoutes, REMOVAL_QUERY } = await import('../api/collections.js');
      return {
        route: collectionRoutes.removeFromCollection as Route,
        body: { q: REMOVAL_QUERY, collectionId, contentId },
      };
    },
  },
} as const;

async function changeContents(
  change: keyof typeof CHANGES,
  collectionId: string,
  texts: readonly string[],
  options: { project?: string },
  context: Context,
): Promise<void> {
  checkId(collectionId, 'collection id');
  const clips = await readClipIds(texts, options.project, context);
  const { send, plan } = CHANGES[change];
  if (context.flags.dryRun) {
    const planned = clips.map(async ({ contentId }) => {
      const { route, body } = await plan(collectionId, contentId);
      return planRequest(context.shownBaseUrl, route, { body });
    });
    return showDryRun(context, await Promise.all(planned));
  }
  const { api } = await context.connect();
  const outcomes = await eachItem(clips, (clip: ClipId) => send(api, collectionId, clip.contentId));
  const { errorAsJson } = await import('../terminal/report-error.js');
  await finishItems(outcomes, context, {
    name: ({ contentId }) => contentId,
    print: () =>
      context.output.result({
        json: outcomes.map((outcome) => ({
          ok: outcome.ok,
          collectionId,
          contentId: outcome.item.contentId,
          ...(outcome.ok ? {} : errorAsJson(outcome.error)),
        })),
        lines: outcomes.flatMap(({ ok, item }) => (ok ? [item.contentId] : [])),
      }),
  });
}

async function exportCollection(
  collectionId: string,
  options: { download?: string; overwrite?: true },
  context: Context,
): Promise<void> {
  checkId(collectionId, 'collection id');
  if (options.overwrite && options.download === undefined) {
    throw usageError('--overwrite needs --download', { hint: 'add --download <dir>' });
  }
  if (context.flags.dryRun) {
    const { collectionRoutes } = await import('../api/collections.js');
    const input = { params: { collectionId }, body: {} };
    return showDryRun(context, [
      await planRequest(context.shownBaseUrl, collectionRoutes.exportCollection, input),
    ]);
  }
  const { download } = options;
  if (download !== undefined) await checkFolder(download, context);
  const connection = await context.connect();
  const content = await connection.api.exportCollection(collectionId);
  if (content.length === 0) context.notes.note(`collection ${collectionId} is empty`);
  const fileOf = ({ contentId, uriForExport }: ExportedClip) => ({
    url: uriForExport,
    fileName: `${contentId}.mp4`,
  });
  const outcomes =
    download === undefined
      ? content.map((item) => ({ item, ok: true as const, value: undefined }))
      : await downloadItems(content, fileOf, download, options, connection, context);
  const done = outcomes.flatMap((outcome) =>
    outcome.ok ? [{ item: outcome.item, path: outcome.value }] : [],
  );
  await finishItems(outcomes, context, {
    name: ({ contentId }) => contentId,
    print: () =>
      context.output.result({
        json: done.map(({ item, path }) => (path === undefined ? item : { ...item, path })),
        table: {
          header: ['CONTENT', 'ADDRESS', ...(download === undefined ? [] : ['PATH'])],
          whole: [0, 1],
          rows: done.map(({ item: { contentId, uriForExport }, path }) => [
            contentId,
            uriForExport,
            ...(path === undefined ? [] : [path]),
          ]),
        },
      }),
  });
}
