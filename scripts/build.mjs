// Bundles the program into dist/: one entry, a chunk for each lazily loaded part. Dependencies are inside, so an
// installed clipctl loads a handful of files. Only libsql (native) stays outside.
// The library (`import … from 'clipctl'`) is a bundle of its own: sharing chunks would give the program more files to
// load at its start. Its zod is the installed one, which its types need anyway.
import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';

const { version } = JSON.parse(await readFile('package.json', 'utf8'));
const shared = {
  outdir: 'dist',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.18',
  minify: true,
  legalComments: 'none',
  define: { CLIPCTL_VERSION: JSON.stringify(version) },
  logLevel: 'warning',
  write: false,
  metafile: true,
};
const program = await build({
  ...shared,
  // The worker is a thread of the local service, started by its file's name.
  entryPoints: { main: 'src/main.ts', 'choose-worker': 'src/service/media/choose-worker.ts' },
  chunkNames: 'chunks/[name]-[hash]',
  external: ['libsql'],
});
const library = await build({
  ...shared,
  entryPoints: { library: 'src/library.ts' },
  chunkNames: 'library/[name]-[hash]',
  external: ['zod'],
});

// Some bundled libraries are CommonJS and require() node's own modules. Only the files that do pay for it.
const REQUIRE =
  "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);\n";

await rm('dist', { recursive: true, force: true });
for (const { path, text } of [...program.outputFiles, ...library.outputFiles]) {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, /\brequire\b/.test(text) ? REQUIRE + text : text);
}

// Only made here; they are checked by `npm run check`.
const tsc = join(dirname(fileURLToPath(import.meta.resolve('typescript/package.json'))), 'bin/tsc');
await promisify(execFile)(process.execPath, [tsc, '-p', 'tsconfig.types.json', '--noCheck']);

// The licences of what is inside the bundles, which ask to be passed on.
const inputs = [program, library].flatMap(({ metafile }) => Object.keys(metafile.inputs));
const bundled = new Set(
  inputs.flatMap((path) => /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []),
);
const notices = [];
for (const name of [...bundled].sort()) {
  const folder = join('node_modules', name);
  const { version: packed, license } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  const file = (await readdir(folder)).find((entry) => /^licen[cs]e/i.test(entry));
  const text = file ? await readFile(join(folder, file), 'utf8') : 'The package has no licence file.';
  notices.push(`${name} ${packed} (${license})\n\n${text.trim()}\n`);
}
await writeFile('dist/THIRD-PARTY-LICENSES.txt', notices.join(`\n${'-'.repeat(80)}\n\n`));
