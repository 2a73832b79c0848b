import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { setScene } from '../helpers/scene.js';
import { KEYS, type Step, typeAt } from './typing.js';

const { enter, down, space, ctrlC, clear } = KEYS;

const scene = setScene();
const create = ['project', 'create', 'https://x.example/a talk.mp4'];
const at = (steps: readonly Step[], ...more: string[]) =>
  typeAt([...create, ...more], steps, scene.options());
const sentBody = () => scene.bodies().at(-1);
const created = [0, expect.stringMatching(/^P\w+\n$/)];

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
    expect([result.exitCode, result.stdout]).toEqual(created);
    expect(sentBody()).toEqual({ videoUrl: create[2] });
  });

  it('walks through the look, saves it and says the same without questions', async () => {
    const result = await at([
      ['How should the clips look?', down + enter],
      ...LOOK,
      ['Save this as a preset?', `y${enter}`],
      ['Name of the preset', `red${enter}`],
    ]);
    expect([result.exitCode, result.stdout]).toEqual(created);
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
    const again = await scene.cli(line);
    expect(again.exitCode).toBe(0);
    expect(sentBody().renderPref).toEqual(renderPref);
    const preset = await readFile(join(scene.home, '.config/clipctl/presets/red.yaml'), 'utf8');
    expect(preset).toContain('#ff0000');
    await scene.cli([...create, '--preset', 'red']);
    expect(sentBody().renderPref).toEqual(renderPref);
  });

  it('offers saved presets', async () => {
    await scene.cli('preset save wide --aspect landscape');
    await scene.cli('preset save square --aspect square');
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
    const ci = await typeAt(create, [], scene.options({ env: { CI: 'true' } }));
    expect(ci.exitCode).toBe(0);
    expect((await scene.cli(create)).exitCode).toBe(0);
    expect(scene.requests).toHaveLength(6);
  });

  it('comes after all checks', async () => {
    const result = await at([], '--genre', 'Podcst');
    expect([result.exitCode, scene.requests.length]).toEqual([2, 0]);
    const noKey = await typeAt(create, [], scene.options({ env: { CLIPCTL_API_KEY: undefined } }));
    expect([noKey.exitCode, noKey.stderr]).toEqual([3, expect.stringContaining('no API key')]);
  });

  it('draws on stderr only', async () => {
    const result = await at([['How should the clips look?', enter]]);
    expect([result.exitCode, result.stdout]).toEqual(created);
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
    expect([result.exitCode, result.stdout]).toEqual(created);
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
    expect((await scene.cli(unquote(line))).exitCode).toBe(0);
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
    const piped = await scene.cli([...create, '-i']);
    expect(piped).toMatchObject({ exitCode: 2, stdout: '', stderr: expect.stringMatching(/terminal/) });
    for (const flag of ['--json', '--no-input', '--quiet', '--dry-run']) {
      expect((await at([], '-i', flag)).exitCode).toBe(2);
    }
    expect(scene.requests).toHaveLength(0);
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
    expect(scene.requests).toHaveLength(0);
  });
});

/** The words a POSIX shell makes of a line of `shellQuote`d words. */
function unquote(line: string): string[] {
  return [...line.matchAll(/(?:'[^']*'|\\.|[^\s'\\])+/g)].map(([word]) =>
    word.replace(/'([^']*)'|\\(.)/g, (_, quoted?: string, escaped?: string) => quoted ?? escaped ?? ''),
  );
}

describe('auth login', () => {
  const login = (steps: readonly Step[], env: Record<string, string> = {}) =>
    typeAt(['auth', 'login'], steps, { home: scene.home, env });

  it('asks for the address and, masked, for the key; keeps it after checking it', async () => {
    const { apiKey: key } = scene.service;
    const result = await login([
      ['Base address', `nonsense${enter}`],
      ['an address such as', `${clear}${scene.url}${enter}`],
      ['API key for', key + enter],
    ]);
    expect([result.exitCode, result.stdout]).toEqual([0, '']);
    expect(result.rawStderr).not.toContain(key);
    expect(result.stderr).toContain('*'.repeat(key.length));
    expect(result.stderr).toContain(`logged in to ${scene.url} with the key …${key.slice(-4)}`);
    expect(scene.requests[0]?.headers.authorization).toBe(`Bearer ${key}`);
    const kept = await readFile(join(scene.home, '.config/clipctl/credentials.json'), 'utf8');
    expect(JSON.parse(kept)).toEqual({ default: { baseUrl: scene.url, key } });
  });

  it('keeps and sends nothing after Ctrl-C', async () => {
    const result = await login([['API key for', `half${ctrlC}`]], { CLIPCTL_BASE_URL: scene.url });
    expect([result.exitCode, scene.requests.length]).toEqual([130, 0]);
    await expect(readFile(join(scene.home, '.config/clipctl/credentials.json'))).rejects.toThrow(/ENOENT/);
  });
});
