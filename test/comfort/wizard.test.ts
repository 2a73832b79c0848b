import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeHome, runCli } from '../helpers/run-cli.js';
import { startRecorder } from './recorder.js';
import { KEYS, type Step, typeAt } from './typing.js';

const { enter, down, space, ctrlC, clear } = KEYS;

let home: Awaited<ReturnType<typeof makeHome>>;
let recorder: Awaited<ReturnType<typeof startRecorder>>;
beforeEach(async () => {
  home = await makeHome();
  recorder = await startRecorder();
});
afterEach(async () => {
  await recorder.stop();
  await home.remove();
});

const env = () => ({ CLIPCTL_BASE_URL: recorder.url, CLIPCTL_API_KEY: 'k-1234567890' });
const create = ['project', 'create', 'https://x.example/a talk.mp4'];
const at = (steps: readonly Step[], ...more: string[]) =>
  typeAt([...create, ...more], steps, { home: home.home, env: env() });
const sentBody = () => JSON.parse(recorder.requests.at(-1)?.body ?? 'null');

const LOOK: readonly Step[] = [
  ['Aspect ratio', down + enter],
  ['Layouts', space + enter],
  ['Captions?', enter],
  ['Caption font', enter],
  ['Caption colour', `${clear}${'\u007f'.repeat(8)}#ff0000${enter}`],
  ['upper case?', `y${enter}`],
  ['Highlight keywords?', enter],
  ['Emoji?', enter],
  ['B-roll?', enter],
  ['Watermark?', enter],
  ['Remove filler words?', `y${enter}`],
];

describe('the render question', () => {
  it('sends nothing of the look for the account’s template', async () => {
    const result = await at([['How should the clips look?', enter]]);
    expect([result.exitCode, result.stdout]).toEqual([0, 'P1\n']);
    expect(sentBody()).toEqual({ videoUrl: create[2] });
  });

  it('walks through the look, saves it and says the same without questions', async () => {
    const result = await at([
      ['How should the clips look?', down + enter],
      ...LOOK,
      ['Save this as a preset?', `y${enter}`],
      ['Name of the preset', `red${enter}`],
    ]);
    expect([result.exitCode, result.stdout]).toEqual([0, 'P1\n']);
    const { renderPref } = sentBody();
    expect(renderPref).toMatchObject({
      layoutAspectRatio: 'landscape',
      enableAutoLayout: true,
      enableCaption: true,
      enableUppercase: true,
      enableVisualHook: false,
      font: { color: '#ff0000', family: 'Noto Sans' },
      quickstartConfig: { enableRemoveFillerWords: true },
    });
    expect(result.stderr).toMatch(/the clips will be landscape; automatic layout; captions/);
    const line = /the same again: clipctl (.*)/.exec(result.stderr)?.[1] ?? '';
    expect(line).toContain("'https://x.example/a talk.mp4'");
    const again = await runCli(line, { home: home.home, env: env() });
    expect(again.exitCode).toBe(0);
    expect(sentBody().renderPref).toEqual(renderPref);
    const preset = await readFile(join(home.home, '.config/clipctl/presets/red.yaml'), 'utf8');
    expect(preset).toContain('#ff0000');
    await runCli([...create, '--preset', 'red'], { home: home.home, env: env() });
    expect(sentBody().renderPref).toEqual(renderPref);
  });

  it('offers saved presets', async () => {
    await runCli('preset save wide --aspect landscape', { home: home.home });
    await runCli('preset save square --aspect square', { home: home.home });
    const result = await at([
      ['How should the clips look?', down + enter],
      ['Which preset?', enter],
    ]);
    expect(result.exitCode).toBe(0);
    expect(sentBody().renderPref.layoutAspectRatio).toBe('square');
  });

  it('is not asked when the look was given, by a script, or when questions are off', async () => {
    expect((await at([], '--caption')).exitCode).toBe(0);
    expect((await at([], '--no-input')).exitCode).toBe(0);
    expect((await at([], '--json')).exitCode).toBe(0);
    expect((await at([], '--quiet')).exitCode).toBe(0);
    const ci = await typeAt(create, [], { home: home.home, env: { ...env(), CI: 'true' } });
    expect(ci.exitCode).toBe(0);
    expect((await runCli(create, { home: home.home, env: env() })).exitCode).toBe(0);
    expect(recorder.requests).toHaveLength(6);
  });

  it('comes after all checks', async () => {
    const result = await at([], '--genre', 'Podcst');
    expect([result.exitCode, recorder.requests.length]).toEqual([2, 0]);
  });

  it('draws on stderr only', async () => {
    const result = await at([['How should the clips look?', enter]]);
    expect(result.stdout).toBe('P1\n');
    expect(result.stderr).toContain('How should the clips look?');
  });
});

describe('--interactive', () => {
  const CURATION: readonly Step[] = [
    ['What is in the video?', enter],
    ['Genre', down + enter],
    ['Length of the clips', `${space}${enter}`],
    ['Keywords', `growth, it's ok${enter}`],
    ['Only a part', `1:30-2${enter}`],
    ['first time must be below', `${clear}1:30-3:00${enter}`],
    ['Spoken language', enter],
    ['headline', `y${enter}`],
  ];

  it('asks for everything, and its command line gives the same', async () => {
    const result = await at(
      [['How should the clips look?', down + enter], ...CURATION, ...LOOK, ['Save this', enter]],
      '-i',
      '--lang',
      'de',
      '--notify-email',
      'a@b.example',
    );
    expect([result.exitCode, result.stdout]).toEqual([0, 'P1\n']);
    const sent = sentBody();
    expect(sent).toMatchObject({
      curationPref: {
        genre: 'Q&A',
        clipDurations: [[0, 30]],
        topicKeywords: ['growth', "it's ok"],
        range: { startSec: 90, endSec: 180 },
        enableAutoHook: true,
      },
      importPref: { sourceLang: 'de' },
      conclusionActions: [{ type: 'EMAIL', email: 'a@b.example' }],
      renderPref: { layoutAspectRatio: 'landscape' },
    });
    const line = /the same again: clipctl (.*)/.exec(result.stderr)?.[1] ?? '';
    expect(line).not.toMatch(/ -i\b|--interactive/);
    await runCli(unquote(line), { home: home.home, env: env() });
    expect(sentBody()).toEqual(sent);
  });

  it('takes a prompt for ClipAnything', async () => {
    const result = await at(
      [
        ['How should the clips look?', enter],
        ['What is in the video?', down + enter],
        ['Genre', enter],
        ['Length', enter],
        ['What to look for', `cats${enter}`],
        ['Only a part', enter],
        ['Spoken language', enter],
        ['headline', enter],
        ['Save this', enter],
      ],
      '--interactive',
    );
    expect(result.exitCode).toBe(0);
    expect(sentBody().curationPref).toMatchObject({ model: 'ClipAnything', customPrompt: 'cats' });
    expect(sentBody()).not.toHaveProperty('renderPref');
  });

  it('needs somebody to ask', async () => {
    const piped = await runCli([...create, '-i'], { home: home.home, env: env() });
    expect(piped).toMatchObject({ exitCode: 2, stdout: '', stderr: expect.stringMatching(/terminal/) });
    for (const flag of ['--json', '--no-input', '--quiet', '--dry-run']) {
      expect((await at([], '-i', flag)).exitCode).toBe(2);
    }
    expect(recorder.requests).toHaveLength(0);
  });

  it.each([0, 1, 3, 5, 8, 10])('sends nothing after Ctrl-C at question %i', async (count) => {
    const steps = [['How should the clips look?', down + enter], ...CURATION, ...LOOK] as Step[];
    const last = steps[count]?.[0] ?? '';
    const result = await at([...steps.slice(0, count), [last, ctrlC]], '-i');
    expect(result).toMatchObject({
      exitCode: 130,
      stdout: '',
      stderr: expect.stringMatching(/nothing was sent/),
    });
    expect(recorder.requests).toHaveLength(0);
  });
});

/** The words a POSIX shell makes of a line of `shellQuote`d words. */
function unquote(line: string): string[] {
  return [...line.matchAll(/(?:'[^']*'|\\.|[^\s'\\])+/g)].map(([word]) =>
    word.replace(/'([^']*)'|\\(.)/g, (_, quoted?: string, escaped?: string) => quoted ?? escaped ?? ''),
  );
}

describe('auth login', () => {
  const key = 'typed-key-1234';
  const login = (steps: readonly Step[], env: Record<string, string> = {}) =>
    typeAt(['auth', 'login'], steps, { home: home.home, env });

  it('asks for the address and, masked, for the key; keeps it after checking it', async () => {
    await recorder.stop();
    recorder = await startRecorder(() => ({ body: { data: [] } }));
    const result = await login([
      ['Base address', `nonsense${enter}`],
      ['an address such as', `${clear}${recorder.url}${enter}`],
      ['API key for', key + enter],
    ]);
    expect([result.exitCode, result.stdout]).toEqual([0, '']);
    expect(result.rawStderr).not.toContain(key);
    expect(result.stderr).toMatch(/\*{14}[\s\S]*logged in to .* with the key …1234/);
    expect(recorder.requests[0]?.headers.authorization).toBe(`Bearer ${key}`);
    const kept = await readFile(join(home.home, '.config/clipctl/credentials.json'), 'utf8');
    expect(JSON.parse(kept)).toEqual({ default: { baseUrl: recorder.url, key } });
  });

  it('keeps and sends nothing after Ctrl-C', async () => {
    const env = { CLIPCTL_BASE_URL: recorder.url };
    const result = await login([['API key for', `half${ctrlC}`]], env);
    expect([result.exitCode, recorder.requests.length]).toEqual([130, 0]);
    await expect(readFile(join(home.home, '.config/clipctl/credentials.json'))).rejects.toThrow(/ENOENT/);
  });
});
