// Bundles the program into dist/: one entry, a chunk for each lazily loaded part. Dependencies are inside, so an
// installed clipctl loads a handful of files. Only libsql (native) stays outside.
import { rm } from 'node:fs/promises';
import { build } from 'esbuild';

await rm('dist', { recursive: true, force: true });
await build({
  entryPoints: { main: 'src/main.ts' },
  outdir: 'dist',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.18',
  chunkNames: 'chunks/[name]-[hash]',
  minify: true,
  keepNames: false,
  legalComments: 'none',
  external: ['libsql'],
  // Some bundled libraries are CommonJS and require() node's own modules.
  banner: {
    js: "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);",
  },
  logLevel: 'warning',
});
