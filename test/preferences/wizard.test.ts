import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { savePreset } from '../../src/preferences/presets.js';
import { resolvePreferences } from '../../src/preferences/resolve.js';
import { askEverything, askRender } from '../../src/preferences/wizard.js';
import { KEYS, type Step, typist } from './typist.js';

const { enter, down, space, erase } = KEYS;

let presetsDir: string;
let said: string[];
beforeEach(async () => {
  presetsDir = await mkdtemp(join(tmpdir(), 'clipctl-wizard-'));
  said = [];
});
afterEach(() => rm(presetsDir, { recursive: true, force: true }));

const deps = () => ({
  presetsDir,
  say: (line: string) => void said.push(line),
  sentence: (line: string) => void said.push(line),
  command: ['clipctl', 'upload', 'a b.mp4'],
});

async function answer(ask: typeof askRender, steps: readonly Step[], start?: Record<string, unknown>) {
  const { prompts, left } = await typist(steps);
  const chosen = await ask(prompts, { ...deps(), ...(start ? { start } : {}) });
  expect(left).toEqual([]);
  return chosen;
}

const resolved = async (chosen: Awaited<ReturnType<typeof askRender>>, values = {}) =>
  (
    await resolvePreferences(values, {
      readText: () => Promise.reject(new Error('no file is named')),
      presetsDir,
      defaults: undefined,
      renderSend: 'complete',
      chosen,
    })
  ).preferences;

describe('the render question', () => {
  it('leaves the look to the brand template', async () => {
    const chosen = await answer(askRender, [['How should the clips look?', enter]]);
    expect(await resolved(chosen)).toEqual({});
    expect(said).toEqual([]);
  });

  it('offers saved presets', async () => {
    await savePreset(presetsDir, 'loud', { renderPref: { enableUppercase: true } }, { overwrite: false });
    await savePreset(presetsDir, 'quiet', { renderPref: { enableCaption: false } }, { overwrite: false });
    const chosen = await answer(askRender, [
      ['How should the clips look?', down + enter],
      ['Which preset?', enter],
    ]);
    expect(chosen).toEqual({ preset: 'loud' });
    expect((await resolved(chosen)).renderPref).toMatchObject({
      enableUppercase: true,
      enableCaption: false,
    });
  });

  it('walks through the look, saves it and gives the command line', async () => {
    const chosen = await answer(askRender, [
      ['How should the clips look?', down + enter],
      ['Aspect ratio', down + down + enter],
      ['Layouts', down + space + down + space + enter],
      ['Captions?', enter],
      ['Caption font', `${erase}Noto Serif${enter}`],
      ['Caption colour', `${erase}red${enter}`],
      ['not a hex colour', `${erase}#ff0${enter}`],
      ['Captions in upper case?', `y${enter}`],
      ['Highlight keywords?', `y${enter}`],
      ['First highlight colour', enter],
      ['Second highlight colour', `${erase}#00ff00${enter}`],
      ['Emoji?', `n${enter}`],
      ['B-roll?', `y${enter}`],
      ['Watermark?', enter],
      ['Remove filler words?', `y${enter}`],
      ['Save this as a preset?', `y${enter}`],
      ['Name of the preset', `my look${enter}`],
      ['is no name', `${erase}mine${enter}`],
    ]);
    expect(chosen.answers).toEqual({
      renderPref: {
        layoutAspectRatio: 'square',
        enableFillLayout: true,
        enableSplitLayout: true,
        enableCaption: true,
        font: { family: 'Noto Serif', color: '#ff0' },
        enableUppercase: true,
        enableHighlight: true,
        highlightColor: { primary: '#FFD400', secondary: '#00ff00' },
        enableBroll: true,
        quickstartConfig: { enableRemoveFillerWords: true },
      },
    });
    expect(said.join('\n')).toMatch(
      /clips will be square; fill layout, split layout; captions in Noto Serif/,
    );
    expect(said.at(-1)).toBe(
      "the same again: clipctl upload 'a b.mp4' --aspect square --fill-layout --split-layout --broll --remove-filler " +
        "--caption --uppercase --highlight --highlight-primary '#FFD400' --highlight-secondary '#00ff00' " +
        "--font-family 'Noto Serif' --font-color '#ff0'",
    );
    expect(await readFile(join(presetsDir, 'mine.yaml'), 'utf8')).toContain('layoutAspectRatio: square');
    expect(await resolved({ preset: 'mine' })).toEqual(await resolved(chosen));
  });

  it('can be left with Ctrl-C', async () => {
    const { prompts } = await typist([['How should the clips look?', KEYS.interrupt]]);
    await expect(askRender(prompts, deps())).rejects.toMatchObject({ kind: 'cancelled' });
  });
});

const PLAIN_LOOK: readonly Step[] = [
  ['Aspect ratio', enter],
  ['Layouts', enter],
  ['Captions?', `n${enter}`],
  ['B-roll?', enter],
  ['Watermark?', enter],
  ['Remove filler words?', enter],
  ['Save this as a preset?', enter],
];

describe('the whole wizard', () => {
  it('asks for the moments too', async () => {
    const chosen = await answer(askEverything, [
      ['How should the clips look?', down + enter],
      ['What is in the video?', enter],
      ['Genre', down + enter],
      ['Length of the clips', space + enter],
      ['Keywords', `tea, green rice${enter}`],
      ['Only a part', `5-2${enter}`],
      ['must be below', `${erase}1:30-12:00${enter}`],
      ['Spoken language', `${erase}pt-BR${enter}`],
      ['A headline', `y${enter}`],
      ...PLAIN_LOOK,
    ]);
    expect(await resolved(chosen)).toMatchObject({
      curationPref: {
        genre: 'Q&A',
        clipDurations: [[0, 30]],
        topicKeywords: ['tea', 'green rice'],
        range: { startSec: 90, endSec: 720 },
        enableAutoHook: true,
      },
      importPref: { sourceLang: 'pt-BR' },
      renderPref: { layoutAspectRatio: 'portrait', enableCaption: false },
    });
    expect(said.at(-1)).toContain("--keyword tea --keyword 'green rice'");
  });

  it('takes back what was given before', async () => {
    const start = {
      curationPref: { topicKeywords: ['tea'], range: { startSec: 1, endSec: 2 }, enableAutoHook: true },
      renderPref: { enableBroll: true },
    };
    const chosen = await answer(
      askEverything,
      [
        ['How should the clips look?', down + enter],
        ['What is in the video?', down + enter],
        ['Genre', enter],
        ['Length of the clips', enter],
        ['What to look for', `jokes${enter}`],
        ['Only a part', `-${enter}`],
        ['Spoken language', enter],
        ['A headline', `n${enter}`],
        ...PLAIN_LOOK.map(
          ([question, keys]): Step => [question, question === 'B-roll?' ? `n${enter}` : keys],
        ),
      ],
      start,
    );
    const flags = { keyword: ['tea'], range: '1-2', autoHook: true, broll: true };
    expect(await resolved(chosen, flags)).toMatchObject({
      curationPref: { model: 'ClipAnything', customPrompt: 'jokes', enableAutoHook: false },
      renderPref: { enableBroll: false },
    });
    expect((await resolved(chosen, flags)).curationPref).not.toHaveProperty('range');
    expect((await resolved(chosen, flags)).curationPref).not.toHaveProperty('topicKeywords');
  });

  it('starts from the chosen preset', async () => {
    await savePreset(
      presetsDir,
      'team',
      { curationPref: { model: 'ClipAnything', customPrompt: 'jokes' } },
      { overwrite: false },
    );
    const chosen = await answer(askEverything, [
      ['How should the clips look?', down + enter],
      ['Which preset?', enter],
      ['What is in the video?', enter],
      ['Genre', enter],
      ['Length of the clips', enter],
      ['What to look for', `${erase}goals${enter}`],
      ['Only a part', enter],
      ['Spoken language', enter],
      ['A headline', enter],
      ['Save this as a preset?', enter],
    ]);
    expect(chosen).toEqual({ preset: 'team', answers: { curationPref: { customPrompt: 'goals' } } });
    expect(said.at(-1)).toBe("the same again: clipctl upload 'a b.mp4' --preset team --prompt goals");
    expect((await resolved(chosen)).curationPref).toEqual({ model: 'ClipAnything', customPrompt: 'goals' });
  });
});
