import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startTestService, type TestService } from '../helpers/local-service.js';
import { makeHome, runCli } from '../helpers/run-cli.js';

/** `uploads` on what a broken upload leaves behind, against the real service with planned faults. */

let home: Awaited<ReturnType<typeof makeHome>>;
let service: TestService;
let file: string;

beforeEach(async () => {
  home = await makeHome();
  file = join(home.home, 'talk.mp4');
  await writeFile(file, randomBytes(3_000_000));
});
afterEach(() => home.remove());

const cli = (line: string) =>
  runCli(line, { home: home.home, env: { CLIPCTL_BASE_URL: service.url, CLIPCTL_API_KEY: service.apiKey } });

async function breakUpload() {
  const broken = await cli(`upload ${file} --genre News --retries 0`);
  expect(broken.stdout).toBe('');
  expect(broken.stderr).toMatch(/run the same command again/);
  expect(broken.exitCode).toBe(9);
  const listed = await cli('uploads list --json');
  return JSON.parse(listed.stdout);
}

describe('uploads', () => {
  beforeEach(async () => {
    service = await startTestService({
      faults: {
        faults: [
          { on: 'put', action: { type: 'reset', afterBytes: 1_000_000 } },
          { on: 'ask', action: { type: 'status', status: 503 } },
        ],
      },
    });
  });
  afterEach(async () => {
    expect(service.faultsLeft()).toEqual([]);
    await service.stop();
  });
  it('lists what is unfinished, without its secret', async () => {
    const [upload, ...more] = await breakUpload();
    expect(more).toEqual([]);
    expect(upload).toMatchObject({ path: file, size: 3_000_000, stage: 'started', active: false });
    expect(JSON.stringify(upload)).not.toMatch(/storage|http/);
    expect((await cli('uploads list')).stdout).toMatch(
      new RegExp(`^${upload.uploadId}\t\\d+\t3000000\tstarted\t`),
    );
  });

  it('resumes it with the preferences it was started with', async () => {
    await breakUpload();
    const plan = JSON.parse((await cli('uploads resume --dry-run')).stdout);
    expect(plan.requests.map(({ method }: { method: string }) => method)).toEqual(['PUT', 'POST']);
    const resumed = await cli('uploads resume --json');
    expect(resumed.exitCode).toBe(0);
    const { project, file: sent } = JSON.parse(resumed.stdout);
    expect(project.curationPref).toMatchObject({ genre: 'News' });
    expect(sent).toEqual({ path: file, size: 3_000_000 });
    expect(JSON.parse((await cli('uploads list --json')).stdout)).toEqual([]);
    expect(await cli('uploads resume')).toMatchObject({ exitCode: 0, stdout: '' });
  });

  it('forgets it by its path', async () => {
    const [upload] = await breakUpload();
    expect(await cli(`uploads forget ${file}`)).toMatchObject({
      exitCode: 0,
      stdout: `${upload.uploadId}\n`,
    });
    expect(await cli(`uploads forget ${file}`)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(/no unfinished upload is called/),
    });
  });

  it('leaves those of another account alone', async () => {
    await breakUpload();
    const other = await runCli('uploads resume', {
      home: home.home,
      env: { CLIPCTL_BASE_URL: service.url, CLIPCTL_API_KEY: 'another-key-0001' },
    });
    expect(other.exitCode).toBe(0);
    expect(other.stderr).toMatch(/1 of another account/);
  });
});

describe('a creation whose answer was lost', () => {
  beforeEach(async () => {
    service = await startTestService({
      faults: { faults: [{ on: 'create', action: { type: 'drop-answer' } }] },
    });
  });
  afterEach(() => service.stop());

  it('is finished by project create --upload-id, which settles the record', async () => {
    const lost = await cli(`upload ${file} --genre News --json`);
    expect(lost.exitCode).toBe(10);
    const [record] = JSON.parse((await cli('uploads list --json')).stdout);
    expect(record.stage).toBe('creating');
    const again = await cli(`upload ${file}`);
    expect(again.exitCode).toBe(10);
    const advised = (verb: string) =>
      new RegExp(`clipctl (${verb} ${record.uploadId})( |$)`, 'm').exec(again.stderr)?.[1] ?? '';
    const others = await cli(`${advised('project create --upload-id')} --genre Comedy --dry-run`);
    expect(JSON.parse(others.stdout)).toMatchObject({
      requests: [{ body: { videoUrl: record.uploadId, curationPref: { genre: 'Comedy' } } }],
      notes: [expect.stringMatching(/are not used/)],
    });
    const created = await cli(`${advised('project create --upload-id')} --json`);
    expect(created.exitCode).toBe(0);
    // As the upload was started, and not as it was tried again.
    expect(JSON.parse(created.stdout)).toMatchObject({ curationPref: { genre: 'News' } });
    expect(JSON.parse((await cli('uploads list --json')).stdout)).toEqual([]);
  });

  it('is forgotten when its project is there', async () => {
    const lost = await cli(`upload ${file}`);
    expect(lost.exitCode).toBe(10);
    const advised = /clipctl (uploads forget \w+)$/m.exec(lost.stderr)?.[1] ?? '';
    expect((await cli(advised)).exitCode).toBe(0);
    expect(JSON.parse((await cli('uploads list --json')).stdout)).toEqual([]);
    expect(service.faultsLeft()).toEqual([]);
  });
});
