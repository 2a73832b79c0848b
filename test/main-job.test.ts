import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findMediaTools } from '../src/service/media/find-tools.js';
import { probeMedia } from '../src/service/media/probe.js';
import { readTranscript } from '../src/service/media/words.js';
import { firstLine, newcomerEnv, REPOSITORY, runBuilt, SAMPLE, startBuilt } from './helpers/built-cli.js';
import { makeFile } from './service/media/media-files.js';

/** The main job as a newcomer runs it: the built program, an empty home, no ffmpeg on the PATH. */

let home: string;
let env: Record<string, string>;
const tools = await findMediaTools(process.env);

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'clipctl-main-'));
  env = await newcomerEnv(home);
});
afterAll(() => rm(home, { recursive: true, force: true }));

/** The words of the sample's subtitles, with their times. */
async function sampleWords() {
  const info = await probeMedia(tools, SAMPLE);
  return (await readTranscript(tools, SAMPLE, info, { workDir: home })).words;
}

describe('the main job', () => {
  it('makes clips of the sample with the command of the README', async () => {
    const readme = await readFile(join(REPOSITORY, 'README.md'), 'utf8');
    const line = /node bin\/clipctl\.js (--local upload examples\/talk\.mp4[^\n]*) --download clips/.exec(
      readme,
    )?.[1];
    const args = (line ?? '').replace('examples/talk.mp4', SAMPLE).split(' ');
    const out = join(home, 'clips');
    const { exitCode, stdout, stderr } = await runBuilt([...args, '--download', out, '--json'], env);
    expect([exitCode, stderr]).toEqual([0, '']);
    const { project, uploadId, file, resumed } = JSON.parse(stdout);
    expect({ stage: project.stage, resumed, file }).toEqual({
      stage: 'COMPLETE',
      resumed: false,
      file: { path: SAMPLE, size: expect.any(Number) },
    });
    expect(uploadId).toEqual(expect.any(String));

    const clips = await readdir(out);
    expect(clips.length).toBeGreaterThanOrEqual(2);
    for (const name of clips) {
      expect(name).toMatch(new RegExp(`^${project.id}\\.[\\w-]+\\.mp4$`));
      const clip = await probeMedia(tools, join(out, name));
      expect(clip.durationSec).toBeLessThanOrEqual(30);
      expect(clip.durationSec).toBeGreaterThan(3);
      expect(clip.width * 16).toBe(clip.height * 9);
      expect(clip.hasAudio).toBe(true);
    }

    const list = await runBuilt(['--local', 'clip', 'list', project.id, '--json'], env);
    const words = await sampleWords();
    const data = JSON.parse(list.stdout) as { startSec: number; endSec: number }[];
    expect(data.length).toBe(clips.length);
    for (const { startSec, endSec } of data) {
      const cut = words.filter((word) =>
        [startSec, endSec].some((at) => at > word.startSec + 0.001 && at < word.endSec - 0.001),
      );
      expect(cut, `a clip from ${startSec} to ${endSec}`).toEqual([]);
    }
  });

  it('says once why captions that were asked for are missing', async () => {
    const input = ['-f', 'lavfi', '-i', 'testsrc=s=320x240:r=25:d=3', '-f', 'lavfi', '-i', 'sine=d=3'];
    const path = await makeFile(home, 'wordless.mp4', [...input, '-c:v', 'libx264', '-preset', 'ultrafast']);
    const line = ['--local', 'upload', path, '--skip-curate', '--caption', '--wait', '--download', home];
    const { exitCode, stderr } = await runBuilt(line, env);
    expect(exitCode, stderr).toBe(0);
    expect(stderr.match(/note: no words: .*/g)).toEqual([expect.stringContaining('no subtitle track')]);
    expect(stderr).toContain('note: captions were left out');
  });

  it('gives the id alone on stdout, in a shell too', async () => {
    const script = `ID=$(node bin/clipctl.js --local upload "$1" --no-title 2>/dev/null) && printf '<%s>' "$ID"`;
    const { stdout } = await promisify(execFile)('/bin/sh', ['-c', script, 'sh', SAMPLE], {
      env,
      cwd: REPOSITORY,
    });
    expect(stdout).toMatch(/^<P[\w-]+>$/);
  });

  it('stalls what is not a video, with the reason and exit 11', async () => {
    const path = join(home, 'notes.mp4');
    await writeFile(path, 'this is text and no video\n'.repeat(100));
    const { exitCode, stdout, stderr } = await runBuilt(['--local', 'upload', path, '--wait', '--json'], env);
    expect([exitCode, stdout]).toEqual([11, '']);
    expect(JSON.parse(stderr)).toMatchObject({
      error: { code: 'job-failed', exitCode: 11, reason: expect.stringMatching(/not a video/) },
    });
  });

  it('says that a port is in use', async () => {
    const first = startBuilt(['serve', '--port', '0', '--data-dir', join(home, 'one')], env);
    try {
      const { port } = new URL(await firstLine(first));
      const second = await runBuilt(['serve', '--port', port, '--data-dir', join(home, 'two')], env);
      expect(second.exitCode).toBe(2);
      expect(second.stderr).toMatch(/in use[\s\S]*--port 0/);
    } finally {
      first.kill('SIGTERM');
    }
    expect(await new Promise((done) => first.once('exit', done))).toBe(0);
  });

  it('ends quietly when nobody reads', async () => {
    const { stdout, stderr } = await promisify(execFile)(
      '/bin/sh',
      ['-c', 'node bin/clipctl.js help environment | head -1'],
      {
        env: { ...env, PATH: `${env.PATH}:/usr/bin:/bin` },
        cwd: REPOSITORY,
      },
    );
    expect(stdout).toMatch(/^Environment variables/);
    expect(stderr).toBe('');
  });
});

describe('serve killed in RENDER', () => {
  it('finishes the project when it is started again', async () => {
    const dataDir = join(home, 'killed');
    const serveArgs = ['serve', '--port', '0', '--data-dir', dataDir, '--json'];
    const first = startBuilt(serveArgs, env);
    const { url, apiKey } = JSON.parse(await firstLine(first));
    const account = { ...env, CLIPCTL_BASE_URL: url, CLIPCTL_API_KEY: apiKey };
    const { stdout } = await runBuilt(['upload', SAMPLE, '--duration', '0-30'], account);
    const id = stdout.trim();
    await untilStage(id, 'RENDER', account);
    first.kill('SIGKILL');
    await new Promise((done) => first.once('exit', done));

    const second = startBuilt(serveArgs, env);
    try {
      const again = JSON.parse(await firstLine(second));
      const wait = await runBuilt(['project', 'wait', id, '--download', join(home, 'killed-clips')], {
        ...account,
        CLIPCTL_BASE_URL: again.url,
      });
      expect(wait.stderr).not.toMatch(/error/);
      expect([wait.exitCode, wait.stdout]).toEqual([0, `${id}\n`]);
      expect((await readdir(join(home, 'killed-clips'))).length).toBeGreaterThanOrEqual(2);
    } finally {
      second.kill('SIGTERM');
      await new Promise((done) => second.once('exit', done));
    }
  });
});

async function untilStage(id: string, stage: string, account: Record<string, string>): Promise<void> {
  for (let tries = 0; tries < 300; tries++) {
    const { stdout } = await runBuilt(['project', 'get', id, '--query', 'stage'], account);
    if (stdout.trim() === stage) return;
    if (stdout.trim() === 'COMPLETE' || stdout.trim() === 'STALLED')
      throw new Error(`already ${stdout.trim()}`);
  }
  throw new Error(`the project never came to ${stage}`);
}
