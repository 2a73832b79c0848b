import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../src/command-table.js';
import { EXIT_CODES } from '../src/exit-codes.js';
import { SETTINGS, type Setting } from '../src/settings/table.js';

/** The README's tables are those of the program. `README_WRITE=1 npx vitest run test/readme.test.ts` writes them anew. */

const README = resolve(import.meta.dirname, '../README.md');
const code = (text: string | undefined) => (text === undefined ? '' : `\`${text}\``);

const TABLES: Record<string, string[]> = {
  commands: [
    '| command | what it does |',
    '|---|---|',
    ...COMMANDS.map(({ name, summary }) => `| \`clipctl ${name}\` | ${summary} |`),
  ],
  settings: [
    '| key | flag | environment | built in | meaning |',
    '|---|---|---|---|---|',
    ...(SETTINGS as readonly Setting[]).map(
      ({ key, flag, env, builtIn, about }) =>
        `| \`${key}\` | ${code(flag)} | ${code(env)} | ${builtIn === null ? '' : code(String(builtIn))} | ${about} |`,
    ),
  ],
  'exit-codes': [
    '| code | meaning |',
    '|---|---|',
    ...EXIT_CODES.map(({ code: number, meaning }) => `| ${number} | ${meaning} |`),
  ],
};

function fill(readme: string): string {
  return Object.entries(TABLES).reduce(
    (text, [name, rows]) =>
      text.replace(
        new RegExp(`(<!-- table: ${name} -->\n)[\\s\\S]*?(<!-- end -->)`),
        (_, start: string, end: string) => `${start}${rows.join('\n')}\n${end}`,
      ),
    readme,
  );
}

describe('README', () => {
  it('has the tables of the program', async () => {
    const readme = await readFile(README, 'utf8');
    if (process.env.README_WRITE) await (await import('node:fs/promises')).writeFile(README, fill(readme));
    else expect(readme).toBe(fill(readme));
    for (const name of Object.keys(TABLES)) expect(readme).toContain(`<!-- table: ${name} -->`);
  });

  it('names scripts that exist', async () => {
    const readme = await readFile(README, 'utf8');
    const { scripts } = JSON.parse(await readFile(resolve(import.meta.dirname, '../package.json'), 'utf8'));
    for (const [, name = ''] of readme.matchAll(/npm run (\w+)/g))
      expect(Object.keys(scripts)).toContain(name);
    expect(scripts.demo).toContain(
      /node bin\/clipctl\.js (--local upload examples\/talk\.mp4[^\n]*)/.exec(readme)?.[1],
    );
  });
});
