import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from '@commander-js/extra-typings';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GENRES, RENDER_REQUIRED } from '../../src/api/preference-values.js';
import { PREFERENCE_FLAGS } from '../../src/preferences/flag-table.js';
import { checkBooleanFlagMisuse, registerPreferenceFlags } from '../../src/preferences/flags.js';
import { resolvePreferences } from '../../src/preferences/resolve.js';

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'clipctl-prefs-'));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

/** Flags through a real commander command into the body. */
async function resolveArgs(
  args: string[],
  options: { files?: Record<string, string>; defaults?: unknown; partial?: boolean } = {},
) {
  const command = new Command().exitOverride().configureOutput({ writeErr: () => undefined });
  registerPreferenceFlags(command);
  checkBooleanFlagMisuse(args);
  command.parse(args, { from: 'user' });
  return resolvePreferences(command.opts(), {
    readText: async (path) => options.files?.[path] ?? '',
    presetsDir: dir,
    defaults: options.defaults,
    renderSend: options.partial ? 'partial' : 'complete',
  });
}

const body = async (...args: string[]) => (await resolveArgs(args)).preferences;
const notes = async (...args: string[]) => (await resolveArgs(args)).notes.join('\n');
async function refusal(...args: string[]) {
  const error = await resolveArgs(args).then(
    () => undefined,
    (thrown: unknown) => thrown as Error & { kind: string; details: { hint?: string; reason?: string } },
  );
  expect(error?.kind, args.join(' ')).toBe('usage');
  return `${error?.message}\n${error?.details.reason ?? ''}\n${error?.details.hint ?? ''}`;
}

describe('flags', () => {
  it.each([
    [['--genre', 'podcast'], { curationPref: { genre: 'Podcast' } }],
    [['--genre', 'qa'], { curationPref: { genre: 'Q&A' } }],
    [
      ['--duration', '0-30', '--duration', '60-90s'],
      {
        curationPref: {
          clipDurations: [
            [0, 30],
            [60, 90],
          ],
        },
      },
    ],
    [['--duration', '1m30s-3m'], { curationPref: { clipDurations: [[90, 180]] } }],
    [['--keyword', 'tea', '--keyword', 'rice'], { curationPref: { topicKeywords: ['tea', 'rice'] } }],
    [['--range', '1:30-01:02:03'], { curationPref: { range: { startSec: 90, endSec: 3723 } } }],
    [['--start', '10', '--end', '1m'], { curationPref: { range: { startSec: 10, endSec: 60 } } }],
    [['--auto-hook'], { curationPref: { enableAutoHook: true } }],
    [['--no-auto-hook'], { curationPref: { enableAutoHook: false } }],
    [['--model', 'clipanything'], { curationPref: { model: 'ClipAnything' } }],
    [
      ['--model', 'ClipAnything', '--prompt', 'jokes'],
      { curationPref: { model: 'ClipAnything', customPrompt: 'jokes' } },
    ],
    [['--skip-curate'], { curationPref: { skipCurate: true } }],
    [['--skip-slicing'], { curationPref: { skipSlicing: true } }],
    [['--force-strategy', 'x'], { curationPref: { forceStrategy: 'x' } }],
    [['--lang', 'pt-BR'], { importPref: { sourceLang: 'pt-BR' } }],
    [['--brand-template', 'b1'], { brandTemplateId: 'b1' }],
    [['--title', 'My talk'], { uploadedVideoAttr: { title: 'My talk' } }],
    [['--notify-email', 'a@b.example'], { conclusionActions: [{ type: 'EMAIL', email: 'a@b.example' }] }],
    [
      ['--notify-webhook', 'https://h.example/x', '--notify-failure'],
      { conclusionActions: [{ type: 'WEBHOOK', notifyFailure: true, url: 'https://h.example/x' }] },
    ],
  ])('%j', async (args, expected) => {
    expect(await body(...args)).toEqual(expected);
  });

  it.each([
    [['--caption'], 'enableCaption', true],
    [['--no-caption'], 'enableCaption', false],
    [['--aspect', '1:1'], 'layoutAspectRatio', 'square'],
    [['--aspect', 'landscape'], 'layoutAspectRatio', 'landscape'],
    [['--fit-crop-ratio', '16:9'], 'fitLayoutCropRatio', '16:9'],
    [['--broll'], 'enableBroll', true],
    [['--remove-filler'], 'quickstartConfig', { enableRemoveFillerWords: true }],
    [['--highlight-primary', '#abc'], 'highlightColor', { primary: '#abc', secondary: '#00E5FF' }],
  ])('%j sets renderPref.%s', async (args, member, value) => {
    expect((await body(...args)).renderPref).toMatchObject({ [member]: value });
  });

  it('sets every boolean of the look, and unsets it', async () => {
    const rows = PREFERENCE_FLAGS.filter(
      ({ boolean, path }) => boolean && path?.startsWith('renderPref.enable'),
    );
    expect(rows.length).toBe(14);
    for (const { flag, path } of rows) {
      const member = path?.split('.')[1] ?? '';
      expect((await body(flag)).renderPref).toMatchObject({ [member]: true });
      expect((await body(flag.replace('--', '--no-'))).renderPref).toMatchObject({ [member]: false });
    }
  });

  it('makes a whole font of its parts', async () => {
    const { renderPref } = await body(
      ...['--font-family', 'Inter', '--font-color', '#fff', '--font-style', 'italic', '--font-size', 'large'],
      ...[
        '--font-px',
        '48',
        '--font-type',
        'system',
        '--font-id',
        'i',
        '--font-name',
        'n',
        '--font-path',
        'p',
      ],
      ...['--font-decoration', 'none', '--font-stroke', '#000000,3', '--font-shadow', '#111111,1,-2,3,word'],
    );
    expect(renderPref?.font).toEqual({
      color: '#fff',
      style: ['italic'],
      family: 'Inter',
      size: 'Large',
      numericalSize: 48,
      type: 'System',
      id: 'i',
      name: 'n',
      path: 'p',
      textDecoration: '',
      stroke: { enabled: true, color: '#000000', width: 3 },
      shadow: { enabled: true, color: '#111111', x: 1, y: -2, blur: 3, useWordHighlightColor: true },
    });
    expect((await body('--no-font-stroke', '--no-font-shadow')).renderPref?.font).toMatchObject({
      stroke: { enabled: false },
      shadow: { enabled: false },
    });
  });

  it('sends a complete renderPref when anything of the look is given, and none otherwise', async () => {
    const { renderPref } = await body('--caption');
    expect(Object.keys(renderPref ?? {})).toEqual(expect.arrayContaining([...RENDER_REQUIRED]));
    expect(renderPref).toMatchObject({
      enableVisualHook: false,
      fitLayoutCropRatio: '4:3',
      enableCrop: false,
    });
    expect(await body('--genre', 'News')).not.toHaveProperty('renderPref');
    const partial = await resolveArgs(['--caption'], { partial: true });
    expect(partial.preferences.renderPref).toEqual({ enableCaption: true, enableVisualHook: false });
  });
});

describe('local checks', () => {
  it.each([
    [['--genre', 'Podcst'], /did you mean Podcast/],
    [['--model', 'ClipAnythin'], /did you mean ClipAnything/],
    [['--aspect', '4:5'], /portrait, landscape, square/],
    [['--duration', '30-30'], /first time must be below/],
    [['--duration', 'x'], /like 30-60/],
    [['--range', '60-30'], /below its second/],
    [['--start', '10'], /--start needs --end/],
    [['--end', '10'], /--end needs --start/],
    [['--start', '20', '--end', '10'], /is not before/],
    [['--range', '1-2', '--start', '1', '--end', '2'], /excludes/],
    [['--keyword', 'x', '--model', 'ClipAnything'], /only with the model ClipBasic/],
    [['--prompt', 'x', '--model', 'ClipBasic'], /only with the model ClipAnything/],
    [['--prompt', 'x', '--keyword', 'y'], /only with the model ClipBasic/],
    [['--prompt', 'x', '--prompt-file', 'f'], /exclude each other/],
    [['--notify-failure'], /needs an action/],
    [['--notify-email', 'nobody'], /not an e-mail address/],
    [['--notify-webhook', 'ftp://x'], /not an http\(s\) address/],
    [['--lang', 'english!'], /language code/],
    [['--font-color', 'red'], /hex colour/],
    [['--font-stroke', '#000'], /colour and a width/],
    [['--font-shadow', '#000,1,2'], /blur/],
    [['--font-size', 'Huge'], /Large, Middle, Small/],
    [['--fit-crop-ratio', '4-3'], /a ratio/],
    [['--caption=false'], /write --no-caption/],
    [['--caption', 'false'], /write --no-caption/],
    [['--caption=true'], /write --caption/],
  ])('%j is refused', async (args, message) => {
    expect(await refusal(...args)).toMatch(message);
  });

  it('does not mistake values and words after -- for misused booleans', () => {
    expect(() => checkBooleanFlagMisuse(['--title', '--caption', 'false'])).not.toThrow();
    expect(() => checkBooleanFlagMisuse(['--', '--caption', 'false'])).not.toThrow();
  });

  it('knows all 18 genres', async () => {
    for (const genre of GENRES)
      expect((await body('--genre', genre.toLowerCase())).curationPref?.genre).toBe(genre);
  });

  it('says what it passes on', async () => {
    expect(await notes('--duration', '10-20')).toMatch(/not one of the documented/);
    expect(await notes('--duration', '30-60')).toBe('');
    expect(await notes('--prompt', 'x')).toMatch(/selects the model ClipAnything/);
    expect(await notes('--auto-hook', '--skip-curate')).toMatch(/no effect/);
    expect(await notes('--caption', '--aspect', 'square')).toMatch(/square.*captions in Noto Sans/);
  });
});

describe('files', () => {
  it('merges defaults < presets < files < flags; objects by key, lists replaced', async () => {
    await writeFile(
      join(dir, 'house.yaml'),
      'curationPref: {genre: News, topicKeywords: [a, b]}\nrenderPref: {enableCaption: true}\n',
    );
    const { preferences } = await resolveArgs(
      ['--preset', 'house', '--prefs', 'one.json', '--aspect', 'square'],
      {
        defaults: { curationPref: { genre: 'Vlog', forceStrategy: 'f' }, importPref: { sourceLang: 'en' } },
        files: {
          'one.json':
            '{"curationPref": {"topicKeywords": ["c"]}, "renderPref": {"font": {"family": "Inter"}}}',
        },
      },
    );
    expect(preferences.curationPref).toEqual({ genre: 'News', forceStrategy: 'f', topicKeywords: ['c'] });
    expect(preferences.importPref).toEqual({ sourceLang: 'en' });
    expect(preferences.renderPref).toMatchObject({
      enableCaption: true,
      layoutAspectRatio: 'square',
      font: { family: 'Inter', color: '#FFFFFF' },
    });
  });

  it('reads the prompt and preferences from stdin', async () => {
    const { preferences } = await resolveArgs(['--prompt-file', '-'], { files: { '-': ' find jokes \n' } });
    expect(preferences.curationPref).toEqual({ customPrompt: 'find jokes', model: 'ClipAnything' });
  });

  it.each([
    ['renderPref: {enableCaptoin: true}', /renderPref\.enableCaptoin: unknown; did you mean enableCaption\?/],
    ['curationPrefs: {}', /curationPrefs: unknown; did you mean curationPref\?/],
    ['renderPref: {enableVisualHook: true}', /deprecated, must be false/],
    ['renderPref: {enableCaption: "yes"}', /renderPref\.enableCaption: must be a boolean/],
    ['renderPref: {layoutAspectRatio: tall}', /"portrait" or "landscape" or "square"/],
    ['videoUrl: https://x.example', /does not belong here/],
    ['importPreference: {sourceLang: en}', /did you mean importPref/],
    ['curationPref: {range: {startSec: 1}}', /range\.endSec: is missing/],
    ['curationPref: {range: {}}', /range\.startSec/],
    ['conclusionActions: [{type: EMAIL}]', /conclusionActions\.0\.email: is missing/],
    ['[1]', /must hold members/],
    ['a: [', /neither YAML nor JSON/],
    ['', /is empty/],
    ['a: !!js/function x', /neither YAML nor JSON/],
  ])('%s is refused', async (text, message) => {
    const error = await resolveArgs(['--prefs', 'f'], { files: { f: text } }).catch((thrown) => thrown);
    expect(error.kind).toBe('usage');
    expect(`${error.message}\n${error.details.reason ?? ''}`).toMatch(message);
  });

  it('reports all mistakes of a file at once', async () => {
    const text = 'renderPref: {enableCaptoin: true, enableCrop: 1}\nfoo: 2';
    const error = await resolveArgs(['--prefs', 'f'], { files: { f: text } }).catch((thrown) => thrown);
    expect(error.message).toMatch(/3 mistakes/);
  });

  it('passes members on that the document shows only in answers', async () => {
    const { preferences, notes: said } = await resolveArgs(['--prefs', 'f'], {
      files: { f: 'renderPref: {captionStyle: bold, selectedTransitions: [fade]}' },
    });
    expect(preferences.renderPref).toMatchObject({ captionStyle: 'bold', selectedTransitions: ['fade'] });
    expect(said.join('\n')).toMatch(/captionStyle, selectedTransitions/);
  });

  it('names the saved presets when one is unknown', async () => {
    await writeFile(join(dir, 'podcast.yaml'), 'curationPref: {genre: Podcast}');
    expect(await refusal('--preset', 'podcst')).toMatch(/did you mean podcast/);
  });
});
