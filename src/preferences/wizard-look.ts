import type { Prompts } from '../terminal/prompts.js';
import { DEFAULT_RENDER } from './defaults.js';
import { isPlainObject, type JsonObject, memberAt } from './merge.js';
import { PARSERS } from './parse-values.js';
import { askText, textOr } from './wizard-curation.js';

const ASPECTS = [
  { name: 'portrait, 9:16', value: 'portrait' },
  { name: 'landscape, 16:9', value: 'landscape' },
  { name: 'square, 1:1', value: 'square' },
] as const;

const LAYOUTS = [
  { name: 'choose by what is seen', value: 'enableAutoLayout' },
  { name: 'fill: one person', value: 'enableFillLayout' },
  { name: 'split: two people', value: 'enableSplitLayout' },
  { name: 'three people', value: 'enableThreeLayout' },
  { name: 'four people', value: 'enableFourLayout' },
  { name: 'fit: many people, the whole picture', value: 'enableFitLayout' },
  { name: 'screen: a shared screen', value: 'enableScreenLayout' },
  { name: 'crop to the speaker', value: 'enableCrop' },
] as const;

/** The questions about the look of the clips. `start` holds what is known already, offered as the answers. */
export async function askLook(prompts: Prompts, start: JsonObject): Promise<JsonObject> {
  const known = (member: string) => memberAt(start, `renderPref.${member}`);
  const yes = (message: string, member: string) =>
    prompts.confirm({ message, default: known(member) === true });
  const layoutAspectRatio = await prompts.select<string>({
    message: 'Aspect ratio',
    choices: ASPECTS,
    default: textOr(known('layoutAspectRatio'), 'portrait'),
  });
  const layouts = await prompts.checkbox<string>({
    message: 'Layouts the service may use (none: as it likes)',
    choices: LAYOUTS.map((layout) => ({ ...layout, checked: known(layout.value) === true })),
  });
  const captions = await askCaptions(prompts, known, yes);
  const enableBroll = await yes('B-roll?', 'enableBroll');
  const enableWatermark = await yes('Watermark?', 'enableWatermark');
  const enableRemoveFillerWords = await yes(
    'Remove filler words?',
    'quickstartConfig.enableRemoveFillerWords',
  );
  return {
    renderPref: {
      layoutAspectRatio,
      ...Object.fromEntries(LAYOUTS.map(({ value }) => [value, layouts.includes(value)])),
      ...captions,
      enableBroll,
      enableWatermark,
      quickstartConfig: { enableRemoveFillerWords },
    },
  };
}

async function askCaptions(
  prompts: Prompts,
  known: (member: string) => unknown,
  yes: (message: string, member: string) => Promise<boolean>,
): Promise<JsonObject> {
  const enableCaption = await prompts.confirm({
    message: 'Captions?',
    default: known('enableCaption') !== false,
  });
  if (!enableCaption) return { enableCaption };
  const font = DEFAULT_RENDER.font;
  const family = await askText(prompts, {
    message: 'Caption font',
    default: textOr(known('font.family'), font.family),
    parse: (text) => PARSERS.text(text, 'the font'),
  });
  const color = await askColor(prompts, 'Caption colour', textOr(known('font.color'), font.color));
  const enableUppercase = await yes('Captions in upper case?', 'enableUppercase');
  const enableHighlight = await yes('Highlight keywords?', 'enableHighlight');
  const highlight = enableHighlight ? await askHighlight(prompts, known) : {};
  const enableEmoji = await yes('Emoji?', 'enableEmoji');
  return {
    enableCaption,
    font: { family, color },
    enableUppercase,
    enableHighlight,
    ...highlight,
    enableEmoji,
  };
}

async function askHighlight(prompts: Prompts, known: (member: string) => unknown): Promise<JsonObject> {
  const given = known('highlightColor');
  const { primary, secondary } = { ...DEFAULT_RENDER.highlightColor, ...(isPlainObject(given) ? given : {}) };
  return {
    highlightColor: {
      primary: await askColor(prompts, 'First highlight colour', primary),
      secondary: await askColor(prompts, 'Second highlight colour', secondary),
    },
  };
}

function askColor(prompts: Prompts, message: string, fallback: string): Promise<string> {
  return askText(prompts, { message, default: fallback, parse: (text) => PARSERS.color(text, 'the colour') });
}
