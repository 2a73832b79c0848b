import { once } from 'node:events';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { RouteName } from '../../src/api/routes.js';
import { real, sample, setScene } from '../helpers/scene.js';

const scene = setScene();
const [one, two] = sample.clips;
const dir = () => join(scene.home, 'clips');
const saved = (id: string) => join(dir(), `${id}.mp4`);
/** What the service has of a clip. */
const videoOf = ({ id }: { id: string }) => join(scene.service.dataDir, 'clips', `${id}.mp4`);
/** Requests for files, which go to addresses that are signed and need no key. */
const fetched = () => scene.requests.filter(({ path }) => path.startsWith('/media/'));

describe('clip download', () => {
  it('saves all clips of a project under their full ids, without the key', async () => {
    const result = await scene.cli(real(['clip', 'download', '--project', 'P1', '--dir', dir()]));
    expect([result.exitCode, result.stdout]).toEqual([0, `${saved(one.id)}\n${saved(two.id)}\n`]);
    expect((await readdir(dir())).sort()).toEqual([`${one.id}.mp4`, `${two.id}.mp4`].sort());
    expect((await readFile(saved(two.id))).equals(await readFile(videoOf(two)))).toBe(true);
    expect(fetched().map(({ headers }) => headers.authorization)).toEqual([undefined, undefined]);
    expect(result.stdout + result.stderr).not.toContain('/media/');
  });

  it('saves named clips of several projects, asking for each project once', async () => {
    // Another project, whose service lists bare ids.
    const uriForExport = await addressOf(one.id);
    scene.planAnswer('listClips', { body: { data: [{ id: 'C9', uriForExport }] } }, { nth: 2 });
    const ids = [two.id, 'P2.C9', one.id];
    const { exitCode, stdout } = await scene.cli(['clip', 'download', ...ids, '--dir', dir(), '--json']);
    expect([exitCode, JSON.parse(stdout)]).toEqual([0, ids.map((id) => ({ id, path: saved(id) }))]);
    expect(scene.requests.length - fetched().length).toBe(2);
  });

  it('takes the project of bare ids from --project, or from the environment', async () => {
    const download = ['clip', 'download', '--dir', dir()];
    expect((await scene.cli(real([...download, 'C1', '--project', 'P1']))).exitCode).toBe(0);
    const env = { CLIPCTL_PROJECT: real('P1') };
    expect((await scene.cli([...download, real('C2')], { env })).exitCode).toBe(0);
    expect((await scene.cli(['clip', 'download', '--dir', join(dir(), 'all')], { env })).exitCode).toBe(0);
    expect(fetched()).toHaveLength(4);
  });

  it('never replaces a file without --overwrite', async () => {
    await mkdir(dir());
    await writeFile(saved(one.id), 'mine');
    const words = real(['clip', 'download', '--project', 'P1', '--dir', dir()]);
    const some = await scene.cli(words);
    expect([some.exitCode, some.stdout]).toEqual([12, `${saved(two.id)}\n`]);
    expect(some.stderr).toMatch(new RegExp(`${one.id}: .*exists already`));
    const only = await scene.cli(['clip', 'download', one.id, '--dir', dir(), '--json']);
    expect([only.exitCode, only.stdout]).toEqual([2, '']);
    const sent = scene.requests.length;
    const both = await scene.cli(['clip', 'download', one.id, two.id, '--dir', dir()]);
    expect([both.exitCode, both.stdout, scene.requests.length]).toEqual([2, '', sent]);
    expect(both.stderr).toMatch(/exist already\nfix: give --overwrite/);
    expect(await readFile(saved(one.id), 'utf8')).toBe('mine');
    expect((await scene.cli([...words, '--overwrite'])).exitCode).toBe(0);
    expect((await readFile(saved(one.id))).equals(await readFile(videoOf(one)))).toBe(true);
  });

  it('says what is not there', async () => {
    const missing = await scene.cli(real(['clip', 'download', 'P1.C1', 'P1.C7', '--dir', dir()]));
    expect([missing.exitCode, missing.stdout, fetched()]).toEqual([5, '', []]);
    expect((await scene.cli('clip download --project P2')).exitCode).toBe(5);
    scene.planAnswer('listClips', { body: { data: [] } });
    expect((await scene.cli(real('clip download --project P1'))).exitCode).toBe(5);
    scene.planAnswer('listClips', { body: { data: [{ id: one.id }] } });
    const noAddress = await scene.cli(`clip download ${one.id}`);
    expect(noAddress.exitCode).toBe(8);
    expect(noAddress.stderr).toContain(`no download address for clip ${one.id}`);
  });

  it('plans its requests in a dry run', async () => {
    const plan = JSON.parse((await scene.cli('clip download P1.C1 P2.C9 -n')).stdout);
    expect(plan.requests.map(({ url }: { url: string }) => url)).toEqual(
      ['P1', 'P2'].map((id) => `${scene.url}/api/exportable-clips?q=findByProjectId&projectId=${id}`),
    );
    await scene.cli('config set endpoints.clip-list /api/my-clips/{projectId}');
    const other = JSON.parse((await scene.cli('clip download --project P1 -n')).stdout);
    expect(other.requests).toMatchObject([{ url: `${scene.url}/api/my-clips/P1` }]);
    expect(scene.requests).toEqual([]);
  });
});

describe('project wait --download', () => {
  it('names what it could not get in its error, in one line under --json', async () => {
    const uriForExport = await addressOf(one.id);
    const body = {
      data: [
        { id: one.id, uriForExport },
        { id: two.id, uriForExport: gone() },
      ],
    };
    scene.planAnswer('listClips', { body }, { repeat: 2 });
    const words = ['project', 'wait', real('P1'), '--download', dir()];
    const json = await scene.cli([...words, '--json']);
    expect([json.exitCode, json.stdout]).toEqual([12, '']);
    expect(JSON.parse(json.stderr)).toMatchObject({
      error: { code: 'partial', reason: expect.stringContaining(two.id) },
    });
    const text = await scene.cli([...words, '--overwrite']);
    expect(text.stderr).toMatch(/error: 1 of 2 clips were not downloaded\n {2}\S[^\n]*\nfix: /);
  });
});

describe('--retries', () => {
  it.each([
    'clip download P1.C1 --dir D',
    'project wait P1 --download D',
    'collection export L1 --download D',
  ])('limits the tries of a file: %s', async (line) => {
    const tried: unknown[] = [];
    const broken = createServer(({ url }, response) => {
      tried.push(url);
      response.writeHead(503, { 'retry-after': '0' }).end();
    }).listen(0, '127.0.0.1');
    await once(broken, 'listening');
    const { port } = broken.address() as AddressInfo;
    const uriForExport = `http://127.0.0.1:${port}/clip`;
    const [route, body]: [RouteName, object] = line.startsWith('collection')
      ? ['exportCollection', { data: { contentList: [{ contentId: one.id, uriForExport }] } }]
      : ['listClips', { data: [{ id: one.id, uriForExport }] }];
    try {
      for (const retries of [0, 2]) {
        scene.planAnswer(route, { body });
        const words = [...real(line.split(' ')).with(-1, dir()), '--retries', String(retries)];
        expect((await scene.cli(words)).exitCode).toBe(8);
      }
    } finally {
      broken.closeAllConnections();
      broken.close();
    }
    expect(tried).toHaveLength(1 + 3);
  });
});

describe('collection export', () => {
  it('downloads the files, and says where', async () => {
    const text = await scene.cli(['collection', 'export', real('L1'), '--download', dir()]);
    expect(text.exitCode).toBe(0);
    const addresses = await Promise.all(sample.clips.map(({ id }) => addressOf(id)));
    expect(text.stdout.trimEnd().split('\n').sort()).toEqual(
      sample.clips.map(({ id }, at) => `${id}\t${addresses[at]}\t${saved(id)}`).sort(),
    );
    expect((await readdir(dir())).sort()).toEqual([`${one.id}.mp4`, `${two.id}.mp4`].sort());
    expect(scene.bodies()[0]).toEqual({});
  });

  it('downloads under safe names, and keeps members nobody knows', async () => {
    const contentList = [
      { contentId: one.id, uriForExport: await addressOf(one.id), novel: true },
      { contentId: '../P1:C2', uriForExport: await addressOf(two.id) },
    ];
    scene.planAnswer('exportCollection', { body: { data: { contentList } } });
    const words = ['collection', 'export', real('L1'), '--download', dir(), '--json'];
    expect(JSON.parse((await scene.cli(words)).stdout)).toEqual([
      { ...contentList[0], path: saved(one.id) },
      { ...contentList[1], path: saved('_P1_C2') },
    ]);
    expect((await readdir(dir())).sort()).toEqual([`${one.id}.mp4`, '_P1_C2.mp4'].sort());
  });

  it('keeps what it could get when some cannot be had', async () => {
    const contentList = [
      { contentId: one.id, uriForExport: await addressOf(one.id) },
      { contentId: two.id, uriForExport: gone() },
    ];
    scene.planAnswer('exportCollection', { body: { data: { contentList } } });
    const result = await scene.cli(['collection', 'export', real('L1'), '--download', dir(), '--json']);
    expect(result.exitCode).toBe(12);
    expect(JSON.parse(result.stdout)).toMatchObject([{ contentId: one.id }]);
    expect(await readdir(dir())).toEqual([`${one.id}.mp4`]);
  });

  it('refuses a file as the folder before anything is sent', async () => {
    const file = join(scene.home, 'file');
    await writeFile(file, '');
    expect((await scene.cli(['collection', 'export', 'L1', '--download', file])).exitCode).toBe(2);
    expect((await scene.cli(['clip', 'download', 'P1.C1', '--dir', file])).exitCode).toBe(2);
    expect(scene.requests).toEqual([]);
  });

  it('of an empty collection is an empty list', async () => {
    const empty = (await scene.cli('collection create Empty')).stdout.trim();
    expect(await scene.cli(`collection export ${empty}`)).toMatchObject({ exitCode: 0, stdout: '' });
    expect((await scene.cli(`collection export ${empty} --json`)).stdout).toBe('[]\n');
  });
});

/** An address at which there is nothing. */
const gone = () => `${scene.url}/media/gone.mp4`;

/** Where a clip can be fetched, through the tap. */
async function addressOf(id: string): Promise<string> {
  const { body } = await scene.service.call('POST', real('/api/collections/L1/export'), {});
  const { contentList } = (body as { data: { contentList: { contentId: string; uriForExport: string }[] } })
    .data;
  const { uriForExport = '' } = contentList.find(({ contentId }) => contentId === id) ?? {};
  return uriForExport.replace(scene.service.url, scene.url);
}
