import { Command } from '@commander-js/extra-typings';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ASPECT_RATIOS, FONT_SIZES, FONT_TYPES, GENRES } from '../../src/api/preference-values.js';
import type { ProjectPreferences } from '../../src/api/projects.js';
import { PREFERENCE_FLAGS } from '../../src/preferences/flag-table.js';
import { registerPreferenceFlags } from '../../src/preferences/flags.js';
import { type JsonObject, mergePreferences } from '../../src/preferences/merge.js';
import { resolvePreferences } from '../../src/preferences/resolve.js';
import { inexpressibleMembers, shellQuote, toFlags } from '../../src/preferences/to-flags.js';

async function parse(words: string[]) {
  const command = new Command().exitOverride().configureOutput({ writeErr: () => undefined });
  registerPreferenceFlags(command);
  command.parse(words, { from: 'user' });
  const { preferences } = await resolvePreferences(command.opts(), {
    readText: () => Promise.reject(new Error('no file is named')),
    presetsDir: '/nonexistent',
    defaults: undefined,
    renderSend: 'complete',
  });
  return preferences;
}

const text = fc
  .string({ minLength: 1, maxLength: 20, unit: 'grapheme' })
  .filter((word) => word.trim() !== '');
const hex = fc.stringMatching(/^#([0-9a-f]{3}|[0-9a-f]{6}|[0-9A-F]{8})$/);
const seconds = fc.oneof(
  fc.nat(20_000),
  fc.nat(2_000_000).map((ms) => ms / 1000),
);
const span = fc.tuple(seconds, seconds).filter(([from, to]) => from < to);
const size = fc.integer({ min: 0, max: 400 }).map((tenths) => tenths / 10);
const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });

const subject = fc.oneof(
  fc.record({ model: fc.constant('ClipAnything'), customPrompt: text }),
  fc.record({ topicKeywords: fc.array(text, { minLength: 1, maxLength: 3 }) }),
  fc.constant({}),
);
const curationPref = fc
  .record({
    clipDurations: optional(fc.array(span, { minLength: 1, maxLength: 3 })),
    range: optional(span.map(([startSec, endSec]) => ({ startSec, endSec }))),
    genre: optional(fc.constantFrom(...GENRES)),
    enableAutoHook: optional(fc.boolean()),
    skipCurate: optional(fc.boolean()),
    skipSlicing: optional(fc.boolean()),
    forceStrategy: optional(text),
  })
  .chain((rest) => subject.map((chosen) => ({ ...rest, ...chosen })));
const font = fc.record({
  color: optional(hex),
  family: optional(text),
  style: optional(fc.array(text, { minLength: 1, maxLength: 2 })),
  size: optional(fc.constantFrom(...FONT_SIZES)),
  numericalSize: optional(fc.integer({ min: 1, max: 300 })),
  type: optional(fc.constantFrom(...FONT_TYPES)),
  id: optional(text),
  name: optional(text),
  path: optional(text),
  textDecoration: optional(fc.constantFrom('', 'underline', 'line-through')),
  stroke: optional(fc.record({ enabled: fc.constant(true), color: hex, width: size })),
  shadow: optional(
    fc.record({ enabled: fc.constant(true), color: hex, x: size, y: size.map((y) => 0 - y), blur: size }),
  ),
});
const booleans = PREFERENCE_FLAGS.flatMap(({ boolean, path }) =>
  boolean && path?.startsWith('renderPref.enable') ? [path.split('.')[1] ?? ''] : [],
);
const renderPref = fc
  .record({
    layoutAspectRatio: optional(fc.constantFrom(...ASPECT_RATIOS)),
    fitLayoutCropRatio: optional(fc.constantFrom('4:3', '16:9', '1.5:1')),
    highlightColor: optional(fc.record({ primary: optional(hex), secondary: optional(hex) })),
    quickstartConfig: optional(fc.record({ enableRemoveFillerWords: fc.boolean() })),
    font: optional(font),
  })
  .chain((rest) =>
    fc
      .record(Object.fromEntries(booleans.map((member) => [member, optional(fc.boolean())])))
      .map((switches) => ({ ...switches, ...rest })),
  );
const actions = fc
  .tuple(fc.array(fc.nat(99), { maxLength: 2 }), fc.array(fc.nat(99), { maxLength: 2 }), fc.boolean())
  .map(([mails, hooks, notifyFailure]) => {
    const failure = notifyFailure ? { notifyFailure } : {};
    const list = [
      ...mails.map((n) => ({ type: 'EMAIL', email: `a${n}@b.example`, ...failure })),
      ...hooks.map((n) => ({ type: 'WEBHOOK', url: `https://h.example/${n}`, ...failure })),
    ];
    return list.length > 0 ? list : undefined;
  });
const anyPreferences = fc.record({
  conclusionActions: actions,
  curationPref: optional(curationPref),
  renderPref: optional(renderPref),
  importPref: optional(fc.record({ sourceLang: fc.constantFrom('auto', 'en', 'pt-BR', '') })),
  brandTemplateId: optional(text),
  uploadedVideoAttr: optional(fc.record({ title: text })),
});

/** What is sent for preferences given as a file: complete, and without members that hold nothing. */
async function sent(preferences: JsonObject): Promise<ProjectPreferences> {
  const resolved = await resolvePreferences(
    { prefs: ['f'] },
    {
      readText: async () => JSON.stringify(preferences),
      presetsDir: '/nonexistent',
      defaults: undefined,
      renderSend: 'complete',
    },
  );
  return resolved.preferences;
}

describe('preferences as flags', () => {
  it('come back the same, whatever they are', async () => {
    await fc.assert(
      fc.asyncProperty(anyPreferences, async (preferences) => {
        const body = await sent(JSON.parse(JSON.stringify(preferences)));
        expect(await parse(toFlags(body))).toEqual(body);
        expect(inexpressibleMembers(body)).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });

  it('use every flag that sets one member', async () => {
    const used = new Set<string>();
    await fc.assert(
      fc.asyncProperty(anyPreferences, async (preferences) => {
        for (const word of toFlags(await sent(JSON.parse(JSON.stringify(preferences))))) used.add(word);
      }),
      { numRuns: 300, seed: 1 },
    );
    const setting = PREFERENCE_FLAGS.filter(({ path }) => path !== undefined).map(({ flag }) => flag);
    expect(setting.filter((flag) => !used.has(flag))).toEqual([]);
  });

  it.each([
    [{ curationPref: { genre: 'Q&A' } }, "--genre 'Q&A'"],
    [{ renderPref: { enableCaption: false } }, '--no-caption'],
    [{ renderPref: { font: { color: '#fff' } } }, "--font-color '#fff'"],
    [{ renderPref: { font: { stroke: { enabled: false } } } }, '--no-font-stroke'],
    [{ renderPref: { font: { textDecoration: '' } } }, '--font-decoration none'],
    [{ curationPref: { range: { startSec: 90, endSec: 240.5 } } }, '--range 90-240.5'],
    [{ uploadedVideoAttr: { title: "it's" } }, "--title 'it'\\''s'"],
    [{ brandTemplateId: null }, ''],
  ])('%j reads %s', (preferences, line) => {
    expect(toFlags(preferences).map(shellQuote).join(' ')).toBe(line);
  });

  it('names what no flag can say', () => {
    const preferences = {
      conclusionActions: [
        { type: 'EMAIL', email: 'a@b.example', notifyFailure: true },
        { type: 'EMAIL', email: 'c@d.example' },
      ],
      renderPref: { captionStyle: 'x', font: { style: [] }, enableCaption: true },
    };
    expect(inexpressibleMembers(preferences)).toEqual([
      'conclusionActions',
      'renderPref.captionStyle',
      'renderPref.font.style',
    ]);
  });
});

describe('merging', () => {
  const anyObject = fc.dictionary(
    fc.constantFrom('a', 'b', '__proto__', 'constructor'),
    fc.oneof(
      fc.nat(3),
      fc.constant(null),
      fc.array(fc.nat(3)),
      fc.dictionary(fc.constantFrom('x', 'y'), fc.nat(3)),
    ),
  ) as fc.Arbitrary<JsonObject>;

  it('is the same with nothing beside it, and with itself', () => {
    fc.assert(
      fc.property(anyObject, (object) => {
        for (const list of [[object], [{}, object], [object, {}], [object, object]]) {
          expect(JSON.stringify(mergePreferences(list))).toBe(JSON.stringify(object));
        }
      }),
    );
  });

  it('has every member of the last, and does not touch what it merges', () => {
    fc.assert(
      fc.property(anyObject, anyObject, (base, over) => {
        const before = JSON.stringify([base, over]);
        const merged = mergePreferences([base, over]);
        expect(JSON.stringify([base, over])).toBe(before);
        expect(new Set(Object.keys(merged))).toEqual(new Set([...Object.keys(base), ...Object.keys(over)]));
        for (const [key, value] of Object.entries(over)) {
          if (Array.isArray(value) || typeof value !== 'object') expect(merged[key]).toEqual(value);
        }
        expect(({} as JsonObject).x).toBeUndefined();
      }),
    );
  });
});
