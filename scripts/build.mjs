// Bundles the program into dist/: one entry, a chunk for each lazily loaded part. Dependencies are inside, so an
// installed clipctl loads a handful of files. Only libsql (native) stays outside.
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { build } from 'esbuild';

const { version } = JSON.parse(await readFile('package.json', 'utf8'));
const { outputFiles } = await build({
  entryPoints: { main: 'src/main.ts' },
  outdir: 'dist',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.18',
  chunkNames: 'chunks/[name]-[hash]',
  minify: true,
  legalComments: 'none',
  external: ['libsql'],
  define: { CLIPCTL_VERSION: JSON.stringify(version) },
  logLevel: 'warning',
  write: false,
});

// Some bundled libraries are CommonJS and require() node's own modules. Only the files that do pay for it.
const REQUIRE = "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);\n";

await rm('dist', { recursive: true, force: true });
for (const { path, text } of outputFiles) {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, /\brequire\b/.test(text) ? REQUIRE + text : text);
}
