import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ClipctlError } from '../../src/errors.js';
import { parsePreferences } from '../../src/preferences/files.js';
import { checkBooleanFlagMisuse } from '../../src/preferences/flags.js';
import { preferencesOfProject } from '../../src/preferences/from-project.js';
import { resolvePreferences } from '../../src/preferences/resolve.js';

const usageText = (act: () => unknown) => {
  try {
    act();
  } catch (error) {
    if (error instanceof ClipctlError && error.kind === 'usage') {
      return [error.message, error.details.reason, error.details.hint].join('\n');
    }
    throw error;
  }
  throw new Error('was not refused');
};

const send = (preferences: object, renderSend: 'complete' | 'partial' = 'complete') =>
  resolvePreferences(
    { prefs: ['f'] },
    {
      readText: async () => JSON.stringify(preferences),
      presetsDir: '/nonexistent',
      defaults: undefined,
      renderSend,
    },
  );

describe('preference files', () => {
  it.each([
    ['genre: News', /genre: unknown; it belongs in curationPref/],
    [
      'renderPref: {font: {color: red}}',
      /f has a mistake\nrenderPref\.font\.color: "red" is not a hex colour/,
    ],
    ['renderPref: {highlightColor: {primary: "#12"}}', /renderPref\.highlightColor\.primary/],
    ['renderPref: {fitLayoutCropRatio: "0:1"}', /a ratio such as 4:3/],
    ['importPref: {sourceLang: english}', /a language code/],
    ['conclusionActions: [{type: EMAIL, email: nobody}]', /conclusionActions\.0\.email: "nobody"/],
    ['conclusionActions: [{type: WEBHOOK, url: "ftp://x"}]', /conclusionActions\.0\.url/],
    ['curationPref: {clipDurations: [[30, 10]]}', /clipDurations\.0: the minimum must be below/],
    ['curationPref: {clipDurations: [[1, .inf]]}', /clipDurations\.0\.1/],
    ['conclusionActions: [{type: SMS}]', /conclusionActions\.0\.type: must be "EMAIL" or "WEBHOOK"$/m],
    ['conclusionActions: [{email: a@b.example}]', /conclusionActions\.0\.type: must be "EMAIL" or "WEBHOOK"/],
    ['curationPref: {genre: podcst}', /curationPref\.genre: must be "Auto" [\s\S]*did you mean "Podcast"\?/],
    ['curationPref: {model: clipbasic}', /did you mean "ClipBasic"\?/],
    ['curationPref: {genre: 7}', /curationPref\.genre: must be "Auto"[^?]*$/m],
    ['__proto__: {a: 1}', /__proto__: unknown/],
    ['curationPref: {genre: News}\ncurationPref: {}', /keys must be unique/],
    ['a: 1\n---\nb: 2', /multiple documents/],
    ['curationPref: !!binary aGk=', /curationPref/],
    ['{"curationPref": {"genre": ', /neither YAML nor JSON/],
  ])('%j is refused', (text, words) => {
    expect(usageText(() => parsePreferences(text, 'f'))).toMatch(words);
  });

  it.each([
    ['podcast', 'Podcast'],
    ['PODCAST', 'Podcast'],
    ['qa', 'Q&A'],
    ['q&a', 'Q&A'],
  ])('take the genre as its flag does: %s', async (genre, sent) => {
    const preferences = { curationPref: { genre, range: null } };
    expect(parsePreferences(JSON.stringify(preferences), 'f').curationPref).toEqual({
      genre: sent,
      range: null,
    });
    const readText = async () => '';
    const deps = { readText, presetsDir: '/nonexistent', renderSend: 'complete' as const };
    const resolved = await resolvePreferences({}, { ...deps, defaults: { curationPref: { genre } } });
    expect(resolved.preferences.curationPref).toEqual({ genre: sent });
  });

  it('refuses a few lines that would grow to billions', () => {
    const levels = 'bcdefghi'.split('').map((name, at) => {
      const below = `*${String.fromCharCode(name.charCodeAt(0) - 1)}`;
      return `${at + 1}: &${name} [${Array(9).fill(below).join(', ')}]`;
    });
    expect(usageText(() => parsePreferences(`0: &a [x, x]\n${levels.join('\n')}`, 'f'))).toMatch(/alias/i);
  });

  it('reads JSON however it is laid out', () => {
    const text = '\ufeff{\n\t"curationPref": {\n\t\t"genre": "Q&A",\n\t\t"range": null\n\t}\n}\n';
    expect(parsePreferences(text, 'f')).toEqual({ curationPref: { genre: 'Q&A', range: null } });
  });

  it('never ends otherwise than in preferences or a usage error', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.json(),
          fc.object().map((value) => JSON.stringify(value)),
        ),
        (text) => {
          try {
            parsePreferences(text, 'f');
          } catch (error) {
            expect(error).toMatchObject({ kind: 'usage' });
          }
        },
      ),
      { numRuns: 500 },
    );
  });

  it('completes a font and colours given in part, also when only what was given is sent', async () => {
    const given = { renderPref: { font: { color: '#123456' }, highlightColor: { primary: '#fff' } } };
    const { preferences } = await send(given, 'partial');
    expect(Object.keys(preferences.renderPref ?? {}).sort()).toEqual([
      'enableVisualHook',
      'font',
      'highlightColor',
    ]);
    expect(preferences.renderPref?.font).toMatchObject({ color: '#123456', family: expect.any(String) });
    expect(preferences.renderPref?.highlightColor).toMatchObject({
      primary: '#fff',
      secondary: expect.any(String),
    });
  });

  it('sends no empty objects', async () => {
    const { preferences, lookGiven } = await send({
      curationPref: {},
      renderPref: { font: {} },
      importPref: {},
    });
    expect([preferences, lookGiven]).toEqual([{}, false]);
  });
});

describe('misused booleans', () => {
  it.each([
    [['--no-caption=false'], '--caption'],
    [['--no-caption', 'true'], '--no-caption'],
    [['--no-caption', 'false'], '--caption'],
    [['--skip-curate=0'], '--no-skip-curate'],
    [['--notify-failure', 'false'], 'no --notify-failure'],
  ])('%j: write %s', (argv, instead) => {
    expect(usageText(() => checkBooleanFlagMisuse(argv))).toMatch(new RegExp(`write ${instead}$`));
  });

  it('are not found in the values of other options', () => {
    const others = new Set(['--description']);
    for (const argv of [
      ['--prompt', '--caption=false'],
      ['--description', '--caption=false'],
      ['--title=--caption=false'],
      ['--caption', 'false.mp4'],
    ]) {
      expect(() => checkBooleanFlagMisuse(argv, others)).not.toThrow();
    }
  });
});

describe('preferences of a returned project', () => {
  it('are those that can be sent again', async () => {
    const { preferences, dropped } = preferencesOfProject({
      id: 'P1',
      stage: 'COMPLETE',
      curationPref: {
        model: 'ClipAnything',
        customPrompt: 'jokes',
        topicKeywords: ['tea'],
        range: { startSec: 3 },
        clipDurations: [[0, 30]],
        genre: 'Opera',
        range2: 1,
      },
      renderPref: {
        enableCaption: true,
        enableVisualHook: true,
        captionStyle: null,
        future: 1,
        font: { color: '#fff' },
      },
      importPref: { sourceLang: '' },
      brandTemplateId: null,
    });
    expect(preferences).toEqual({
      curationPref: { model: 'ClipAnything', customPrompt: 'jokes', clipDurations: [[0, 30]] },
      renderPref: { enableCaption: true, font: { color: '#fff' } },
    });
    expect(new Set(dropped)).toEqual(
      new Set([
        'curationPref.range',
        'curationPref.range2',
        'curationPref.genre',
        'curationPref.topicKeywords',
        'renderPref.future',
      ]),
    );
    await expect(send(preferences)).resolves.toMatchObject({ lookGiven: true });
  });

  it('can be sent, whatever the service answered', async () => {
    const member = fc.constantFrom('curationPref', 'renderPref', 'importPref', 'brandTemplateId', 'id');
    const inner = fc.dictionary(
      fc.constantFrom(
        'range',
        'font',
        'model',
        'customPrompt',
        'topicKeywords',
        'clipDurations',
        'a.b',
        '__proto__',
      ),
      fc.oneof(
        fc.jsonValue(),
        fc.constantFrom('ClipAnything', 'ClipBasic', { startSec: 1 }, { stroke: { width: 1 } }),
      ),
    );
    await fc.assert(
      fc.asyncProperty(fc.dictionary(member, fc.oneof(inner, fc.jsonValue())), async (project) => {
        const { preferences } = preferencesOfProject(project);
        await send(preferences);
      }),
      { numRuns: 500 },
    );
  });
});
