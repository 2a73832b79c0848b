import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SAMPLE } from '../helpers/built-cli.js';
import { startTestService, type TestService } from '../helpers/local-service.js';
import { type CliRun, runCli } from '../helpers/run-cli.js';

/** The whole interface from the command line, against the real service: one project and all that is made of it. */

let home: string;
let service: TestService;
let projectId: string;
let clip: string;

const cli = (line: string): Promise<CliRun> =>
  runCli(line, { home, env: { CLIPCTL_BASE_URL: service.url, CLIPCTL_API_KEY: service.apiKey } });

/** Runs a line that must succeed; its stdout. */
async function stdoutOf(line: string): Promise<string> {
  const { exitCode, stdout, stderr } = await cli(line);
  expect(stderr).not.toMatch(/^(error|warning):/m);
  expect(exitCode, stderr).toBe(0);
  return stdout;
}

const jsonOf = async (line: string) => JSON.parse(await stdoutOf(`${line} --json`));

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'clipctl-walk-'));
  service = await startTestService();
  projectId = (await stdoutOf(`upload ${SAMPLE} --range 0-45 --duration 0-30 --caption --wait`)).trim();
  clip = (await stdoutOf(`clip list ${projectId} --query [0].id`)).trim();
});
afterAll(async () => {
  await service.stop();
  await rm(home, { recursive: true, force: true });
});

describe('the interface against the local service', () => {
  it('projects: get, wait, visibility', async () => {
    expect(await jsonOf(`project get ${projectId}`)).toMatchObject({ id: projectId, stage: 'COMPLETE' });
    expect(await stdoutOf(`project wait ${projectId}`)).toBe(`${projectId}\n`);
    expect(await jsonOf(`visibility ${projectId} public`)).toMatchObject({ visibility: 'PUBLIC' });
    expect(await jsonOf(`visibility ${projectId} default`)).toMatchObject({ visibility: 'DEFAULT' });
    expect(await cli('project get Pnothere')).toMatchObject({ exitCode: 5, stdout: '' });
  });

  it('collections: create, add, export with the files, remove', async () => {
    const collectionId = (await stdoutOf('collection create Best')).trim();
    expect(await stdoutOf(`collection add ${collectionId} ${clip}`)).toBe(`${clip}\n`);
    const dir = join(home, 'best');
    const exported = await jsonOf(`collection export ${collectionId} --download ${dir}`);
    expect(exported).toMatchObject([{ contentId: clip, path: join(dir, `${clip}.mp4`) }]);
    expect(await readdir(dir)).toEqual([`${clip}.mp4`]);
    expect((await cli(`collection export ${collectionId} --download ${dir}`)).stderr).toMatch(/--overwrite/);
    await stdoutOf(`collection remove ${collectionId} ${clip}`);
    expect(await jsonOf(`collection export ${collectionId}`)).toEqual([]);
  });

  it('clips are downloaded one by one and all together', async () => {
    await stdoutOf(`clip download ${clip} --dir ${join(home, 'one')}`);
    expect(await readdir(join(home, 'one'))).toEqual([`${clip}.mp4`]);
    await stdoutOf(`clip download --project ${projectId} --dir ${join(home, 'all')}`);
    expect((await readdir(join(home, 'all'))).length).toBe((await jsonOf(`clip list ${projectId}`)).length);
  });

  it('accounts, schedules and the history of them', async () => {
    const [account] = await jsonOf('accounts list');
    const made = await jsonOf(`schedule ${clip} --account ${account.postAccountId} --at +1d --title T`);
    expect(made.request).toMatchObject({ projectId, publishAt: expect.stringMatching(/Z$/) });
    expect(await stdoutOf('history list --kind schedule')).toContain(made.scheduleId);
    expect(await jsonOf(`schedule cancel ${made.scheduleId}`)).toEqual([
      { scheduleId: made.scheduleId, cancelled: true },
    ]);
    expect(await stdoutOf('history list --kind schedule')).not.toContain(made.scheduleId);
  });

  it('social copy and censoring, with their jobs', async () => {
    const [account] = await jsonOf('accounts list');
    const copy = await jsonOf(`copy ${clip} --account ${account.postAccountId} --wait`);
    expect(copy).toMatchObject({ jobId: expect.any(String), status: 'CONCLUDED' });
    expect(await jsonOf(`copy get ${copy.jobId}`)).toMatchObject({ text: expect.any(String) });
    const censor = await jsonOf(`censor ${clip} --beep --wait`);
    expect(await jsonOf(`censor status ${censor.jobId}`)).toMatchObject({ status: 'CONCLUDED' });
  });

  it('raw requests', async () => {
    expect(JSON.parse(await stdoutOf('api GET /api/social-accounts -f q=mine')).data.length).toBeGreaterThan(
      0,
    );
    expect(await cli('api POST /api/collections -f nothing=1')).toMatchObject({ exitCode: 7 });
  });
});
