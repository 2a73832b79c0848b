import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { findMediaTools } from '../../src/service/media/find-tools.js';
import { startTestService } from '../helpers/local-service.js';
import { createProject, listClips, TALK, uploadVideo } from './project-client.js';

const SUBTITLES = `1
00:00:00,500 --> 00:00:05,000
Zebras count quietly at night.

2
00:00:05,600 --> 00:00:10,000
Why would anybody teach them numbers?
`;

it('reads subtitles that lie in the data directory, called like the title', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'clipctl-sidecar-'));
  const service = await startTestService();
  try {
    const path = join(folder, 'mute.mp4');
    const { ffmpegPath } = await findMediaTools(process.env);
    const maps = ['-map', '0:v', '-map', '0:a', '-t', '12', '-c', 'copy'];
    await promisify(execFile)(ffmpegPath, ['-v', 'error', '-i', TALK, ...maps, path]);
    await writeFile(join(service.dataDir, 'subtitles', 'Night talk.srt'), SUBTITLES);
    const project = await createProject(service, {
      videoUrl: await uploadVideo(service, await readFile(path)),
      uploadedVideoAttr: { title: 'Night talk' },
      curationPref: { clipDurations: [[0, 30]] },
    });
    await service.idle();
    const clips = await listClips(service, project.id);
    expect(clips.map(({ text }) => text).join(' ')).toMatch(/Zebras count quietly at night/);
  } finally {
    await service.stop();
    await rm(folder, { recursive: true, force: true });
  }
});
