import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { REPOSITORY } from '../helpers/built-cli.js';
import { real, setScene } from '../helpers/scene.js';

/** The packed tarball, installed into a project of its own, as people get it. The build comes before (npm test). */

const run = promisify(execFile);
let project = '';
let packed: string[] = [];

beforeAll(async () => {
  project = await realpath(await mkdtemp(join(tmpdir(), 'clipctl-consumer-')));
  const { stdout } = await npm(
    REPOSITORY,
    'pack',
    '--ignore-scripts',
    '--json',
    '--pack-destination',
    project,
  );
  const [tarball] = JSON.parse(stdout) as [{ filename: string; files: { path: string }[] }];
  packed = tarball.files.map(({ path }) => path);
  // zod is what the package depends on; from here, so that the test needs no network.
  const dependencies = {
    clipctl: `file:${tarball.filename}`,
    zod: `file:${join(REPOSITORY, 'node_modules/zod')}`,
  };
  await writeFile(
    join(project, 'package.json'),
    JSON.stringify({ private: true, type: 'module', dependencies }),
  );
  await npm(
    project,
    'install',
    '--omit=optional',
    '--ignore-scripts',
    '--offline',
    '--no-audit',
    '--no-fund',
  );
});
afterAll(() => rm(project, { recursive: true, force: true }));

/** npm, with a home of its own apart from its cache. */
function npm(cwd: string, ...args: string[]) {
  return run('npm', args, { cwd, env: { ...process.env, npm_config_update_notifier: 'false' } });
}

const CONSUMER = `
import { ClipClient, ClipctlError, type Project, uploadFiles, type UploadOutcome, waitForProject } from 'clipctl';

const client = new ClipClient({ baseUrl: process.env.BASE ?? '', apiKey: process.env.KEY ?? '', retries: 0 });
const project: Project = await client.createProject({
  videoUrl: 'https://x.example/a.mp4',
  curationPref: { genre: 'Podcast', clipDurations: [[0, 30]] },
});
const kinds: string[] = [];
try {
  await client.getProject('nosuch');
} catch (error) {
  if (error instanceof ClipctlError) kinds.push(error.kind);
}
const refused = client.createProject({ videoUrl: '' }).catch((error: unknown) =>
  error instanceof ClipctlError ? error.kind : 'other',
);
const outcomes: Promise<UploadOutcome[]> = uploadFiles(client, [{ path: 'nosuch.mp4' }]);
const missing = await outcomes.then(() => '', (error: unknown) => (error as ClipctlError).kind);
const done = await waitForProject(client, process.env.PROJECT ?? '', { everyMs: 1 });
console.log(JSON.stringify({ genre: project.curationPref?.genre, kinds, refused: await refused, missing, stage: done.stage }));
client.close();
// @ts-expect-error an unknown genre is an error of types already
void (() => client.createProject({ videoUrl: 'x', curationPref: { genre: 'Nonsense' } }));
`;

describe('the package', () => {
  const scene = setScene();

  it('holds only what runs', () => {
    const folders = new Set(
      packed.map((path) =>
        path
          .split('/')
          .slice(0, path.startsWith('dist/') ? 2 : 1)
          .join('/'),
      ),
    );
    expect([...folders].sort()).toEqual([
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'assets',
      'bin',
      'dist/THIRD-PARTY-LICENSES.txt',
      'dist/choose-worker.js',
      'dist/chunks',
      'dist/library',
      'dist/library.js',
      'dist/main.js',
      'dist/types',
      'package.json',
    ]);
    expect(packed.filter((path) => /\.map$|\.test\.|(?<!\.d)\.ts$/.test(path))).toEqual([]);
  });

  it('installs one dependency, and its program runs', async () => {
    expect((await readdir(join(project, 'node_modules'))).filter((name) => !name.startsWith('.'))).toEqual([
      'clipctl',
      'zod',
    ]);
    const { version } = JSON.parse(await readFile(join(REPOSITORY, 'package.json'), 'utf8'));
    const bin = join(project, 'node_modules/.bin/clipctl');
    const env = { PATH: process.env.PATH, HOME: project };
    expect((await run(bin, ['--version'], { env })).stdout).toBe(`${version}\n`);
    expect((await run(bin, ['--help'], { env })).stdout).toContain('Usage: clipctl <command>');
    const dry = ['project', 'create', 'https://x.example/a.mp4', '--genre', 'qa', '--dry-run'];
    expect(JSON.parse((await run(bin, dry, { env })).stdout)).toMatchObject({ dryRun: true });
    expect((await run(bin, ['completion', 'zsh'], { env })).stdout).toContain('#compdef clipctl');
    const doctor = JSON.parse((await run(bin, ['doctor', '--json'], { env })).stdout);
    expect(doctor.ok).toBe(true);
  });

  it('is a library with types', async () => {
    await writeFile(join(project, 'consumer.ts'), CONSUMER);
    await mkdir(join(project, 'node_modules/@types'), { recursive: true });
    await symlink(join(REPOSITORY, 'node_modules/@types/node'), join(project, 'node_modules/@types/node'));
    const options = {
      target: 'es2022',
      module: 'nodenext',
      strict: true,
      types: ['node'],
      outDir: 'out',
      rootDir: '.',
    };
    await writeFile(
      join(project, 'tsconfig.json'),
      JSON.stringify({ compilerOptions: options, files: ['consumer.ts'] }),
    );
    const tsc = join(REPOSITORY, 'node_modules/.bin/tsc');
    // What it finds wrong is on stdout.
    const checked = await run(tsc, ['-p', project]).catch((error: { stdout: string }) => error);
    expect(checked.stdout).toBe('');
    const env = {
      PATH: process.env.PATH,
      HOME: project,
      BASE: scene.url,
      KEY: scene.service.apiKey,
      PROJECT: real('P1'),
    };
    const { stdout } = await run(process.execPath, [join(project, 'out/consumer.js')], { cwd: project, env });
    expect(JSON.parse(stdout)).toEqual({
      genre: 'Podcast',
      kinds: ['not-found'],
      refused: 'usage',
      missing: 'usage',
      stage: 'COMPLETE',
    });
    expect(scene.asked()).toEqual([
      'POST /api/clip-projects',
      'GET /api/clip-projects/nosuch',
      real('GET /api/clip-projects/P1'),
    ]);
    expect(scene.bodies()[0]).toEqual({
      videoUrl: 'https://x.example/a.mp4',
      curationPref: { genre: 'Podcast', clipDurations: [[0, 30]] },
    });
  });
});
