import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { setScene } from './scene.js';

const scene = setScene();
let files: Server;
let base: string;
let fetched: { path: string; headers: IncomingHttpHeaders }[];
const dir = () => join(scene.home, 'clips');

/** A storage that serves the last part of the path as the file, and refuses `gone`. */
beforeEach(async () => {
  fetched = [];
  files = createServer((request, response) => {
    fetched.push({ path: request.url ?? '', headers: request.headers });
    const name = (request.url ?? '').split('?')[0]?.split('/').at(-1) ?? '';
    response.writeHead(name === 'gone' ? 404 : 200);
    response.end(`bytes of ${name}`);
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => files.once('listening', resolve));
  base = `http://127.0.0.1:${(files.address() as AddressInfo).port}`;
  const clip = (id: string, file: string) => ({
    id,
    uriForExport: `${base}/${file}?sig=s3cret`,
    title: 'One',
  });
  scene.service.answers.listClips = ({ path }) => ({
    body: { data: path.includes('P2') ? [clip('C9', 'nine')] : [clip('P1.C1', 'one'), clip('P1.C2', 'two')] },
  });
  scene.service.answers.exportCollection = {
    body: {
      data: {
        contentList: [
          { contentId: 'P1.C1', uriForExport: `${base}/one`, novel: true },
          { contentId: '../P1:C2', uriForExport: `${base}/two` },
        ],
      },
    },
  };
});
afterEach(() => new Promise((resolve) => files.close(resolve)));

describe('clip download', () => {
  it('saves all clips of a project under their full ids, without the key', async () => {
    const result = await scene.cli(['clip', 'download', '--project', 'P1', '--dir', dir()]);
    expect([result.exitCode, result.stdout]).toEqual([0, `${dir()}/P1.C1.mp4\n${dir()}/P1.C2.mp4\n`]);
    expect((await readdir(dir())).sort()).toEqual(['P1.C1.mp4', 'P1.C2.mp4']);
    expect(await readFile(join(dir(), 'P1.C2.mp4'), 'utf8')).toBe('bytes of two');
    expect(fetched.map(({ headers }) => headers.authorization)).toEqual([undefined, undefined]);
    expect(result.stdout + result.stderr).not.toContain('s3cret');
  });

  it('saves named clips of several projects, asking for each project once', async () => {
    const words = ['clip', 'download', 'P1.C2', 'P2.C9', 'P1.C1', '--dir', dir(), '--json'];
    const { exitCode, stdout } = await scene.cli(words);
    expect([exitCode, JSON.parse(stdout)]).toEqual([
      0,
      ['P1.C2', 'P2.C9', 'P1.C1'].map((id) => ({ id, path: join(dir(), `${id}.mp4`) })),
    ]);
    expect(scene.service.requests).toHaveLength(2);
  });

  it('takes the project of bare ids from --project, or from the environment', async () => {
    expect((await scene.cli(['clip', 'download', 'C1', '--project', 'P1', '--dir', dir()])).exitCode).toBe(0);
    const env = { CLIPCTL_PROJECT: 'P1' };
    expect((await scene.cli(['clip', 'download', 'C2', '--dir', dir()], { env })).exitCode).toBe(0);
    expect((await scene.cli(['clip', 'download', '--dir', join(dir(), 'all')], { env })).exitCode).toBe(0);
    expect(fetched).toHaveLength(4);
  });

  it('never replaces a file without --overwrite', async () => {
    await mkdir(dir());
    await writeFile(join(dir(), 'P1.C1.mp4'), 'mine');
    const words = ['clip', 'download', '--project', 'P1', '--dir', dir()];
    const some = await scene.cli(words);
    expect([some.exitCode, some.stdout]).toEqual([12, `${dir()}/P1.C2.mp4\n`]);
    expect(some.stderr).toMatch(/P1\.C1: .*exists already/);
    const only = await scene.cli(['clip', 'download', 'P1.C1', '--dir', dir(), '--json']);
    expect([only.exitCode, only.stdout]).toEqual([2, '']);
    expect(await readFile(join(dir(), 'P1.C1.mp4'), 'utf8')).toBe('mine');
    expect((await scene.cli([...words, '--overwrite'])).exitCode).toBe(0);
    expect(await readFile(join(dir(), 'P1.C1.mp4'), 'utf8')).toBe('bytes of one');
  });

  it('says what is not there', async () => {
    const missing = await scene.cli(['clip', 'download', 'P1.C1', 'P1.C7', '--dir', dir()]);
    expect([missing.exitCode, missing.stdout, fetched]).toEqual([5, '', []]);
    scene.service.answers.listClips = { body: { data: [] } };
    expect((await scene.cli('clip download --project P1')).exitCode).toBe(5);
    scene.service.answers.listClips = { body: { data: [{ id: 'P1.C1' }] } };
    const noAddress = await scene.cli('clip download P1.C1');
    expect(noAddress.exitCode).toBe(8);
    expect(noAddress.stderr).toMatch(/no download address for clip P1\.C1/);
  });

  it('plans its requests in a dry run', async () => {
    const plan = JSON.parse((await scene.cli('clip download P1.C1 P2.C9 -n')).stdout);
    expect(plan.requests.map(({ url }: { url: string }) => url)).toEqual(
      ['P1', 'P2'].map((id) => `${scene.service.url}/api/exportable-clips?q=findByProjectId&projectId=${id}`),
    );
    expect(scene.service.requests).toEqual([]);
  });
});

describe('collection export', () => {
  it('downloads under safe names, and says where', async () => {
    const text = await scene.cli(['collection', 'export', 'L1', '--download', dir()]);
    expect(text.exitCode).toBe(0);
    expect(text.stdout.split('\n')[0]).toBe(`P1.C1\t${base}/one\t${dir()}/P1.C1.mp4`);
    expect((await readdir(dir())).sort()).toEqual(['P1.C1.mp4', '_P1_C2.mp4']);
    expect(scene.bodies()).toEqual([{}]);
    const words = ['collection', 'export', 'L1', '--download', dir(), '--overwrite', '--json'];
    expect(JSON.parse((await scene.cli(words)).stdout)).toMatchObject([
      { contentId: 'P1.C1', uriForExport: `${base}/one`, novel: true, path: join(dir(), 'P1.C1.mp4') },
      { contentId: '../P1:C2' },
    ]);
  });

  it('keeps what it could get when some cannot be had', async () => {
    const contentList = ['one', 'gone'].map((name) => ({
      contentId: `P1.${name}`,
      uriForExport: `${base}/${name}`,
    }));
    scene.service.answers.exportCollection = { body: { data: { contentList } } };
    const result = await scene.cli(['collection', 'export', 'L1', '--download', dir(), '--json']);
    expect(result.exitCode).toBe(12);
    expect(JSON.parse(result.stdout)).toMatchObject([{ contentId: 'P1.one' }]);
    expect(await readdir(dir())).toEqual(expect.arrayContaining(['P1.one.mp4']));
  });

  it('refuses a file as the folder before anything is sent', async () => {
    const file = join(scene.home, 'file');
    await writeFile(file, '');
    expect((await scene.cli(['collection', 'export', 'L1', '--download', file])).exitCode).toBe(2);
    expect((await scene.cli(['clip', 'download', 'P1.C1', '--dir', file])).exitCode).toBe(2);
    expect(scene.service.requests).toEqual([]);
  });

  it('of an empty collection is an empty list', async () => {
    scene.service.answers.exportCollection = { body: { data: { contentList: [] } } };
    expect(await scene.cli('collection export L1')).toMatchObject({ exitCode: 0, stdout: '' });
    expect((await scene.cli('collection export L1 --json')).stdout).toBe('[]\n');
  });
});
