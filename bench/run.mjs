// Prints the figures of bench/README.md: `npm run bench`, or `npm run bench -- startup`.
// Each is a ratio of medians against something a user knows, measured in turn in the same run.
import { readdir } from 'node:fs/promises';

const wanted = process.argv.slice(2);
const entries = await readdir(import.meta.dirname, { withFileTypes: true });
const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
for (const name of names.sort()) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  const files = await readdir(new URL(`./${name}/`, import.meta.url)).catch(() => []);
  if (!files.includes('run.mjs')) continue;
  console.log(`\n## ${name}\n`);
  await (await import(`./${name}/run.mjs`)).run();
}
