import { isPlainObject, type JsonObject, memberAt } from './merge.js';

const LAYOUTS = {
  enableAutoLayout: 'automatic layout',
  enableScreenLayout: 'screen layout',
  enableFillLayout: 'fill layout',
  enableSplitLayout: 'split layout',
  enableThreeLayout: 'three-person layout',
  enableFourLayout: 'four-person layout',
  enableFitLayout: 'fit layout',
  enableCrop: 'cropped',
} as const;

const EXTRAS = {
  enableBroll: 'B-roll',
  enableWatermark: 'watermark',
  enableEmoji: 'emoji',
} as const;

/** One line that says what clips with this renderPref will look like. */
export function describeLook(render: JsonObject): string {
  const named = (names: Record<string, string>) =>
    Object.entries(names).flatMap(([member, text]) => (render[member] === true ? [text] : []));
  const layouts = named(LAYOUTS);
  const parts = [
    String(render.layoutAspectRatio ?? 'portrait'),
    layouts.length > 0 ? layouts.join(', ') : 'no layout chosen',
    describeCaptions(render),
    ...named(EXTRAS),
    ...(memberAt(render, 'quickstartConfig.enableRemoveFillerWords') === true
      ? ['filler words removed']
      : []),
  ];
  return `the clips will be ${parts.join('; ')}`;
}

function describeCaptions(render: JsonObject): string {
  if (render.enableCaption !== true) return 'no captions';
  const family = memberAt(render, 'font.family');
  const details = [
    ...(typeof family === 'string' ? [`in ${family}`] : []),
    ...(render.enableUppercase === true ? ['upper case'] : []),
    ...(render.enableHighlight === true ? ['keywords highlighted'] : []),
  ];
  return ['captions', ...details].join(' ');
}

/** What preferences ask for, a line a subject, for a person to look over. Nothing given, nothing said. */
export function describePreferences(preferences: JsonObject): string[] {
  const { curationPref, renderPref, brandTemplateId } = preferences;
  const language = memberAt(preferences, 'importPref.sourceLang');
  const title = memberAt(preferences, 'uploadedVideoAttr.title');
  return [
    ...(title === undefined ? [] : [`title: ${String(title)}`]),
    ...(isPlainObject(curationPref) ? describeCuration(curationPref) : []),
    ...(typeof language === 'string' && language !== '' ? [`spoken language: ${language}`] : []),
    ...(isPlainObject(renderPref) ? [describeLook(renderPref)] : []),
    ...(typeof brandTemplateId === 'string' ? [`brand template: ${brandTemplateId}`] : []),
    ...describeActions(preferences.conclusionActions),
  ];
}

function describeCuration(curation: JsonObject): string[] {
  const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
  const { range, genre, model, customPrompt, forceStrategy } = curation;
  const lengths = list(curation.clipDurations).map((pair) => `${list(pair).join('-')} s`);
  const keywords = list(curation.topicKeywords).map(String);
  return [
    ...(curation.skipCurate === true || curation.skipSlicing === true
      ? ['the whole video, without clipping']
      : []),
    ...(genre === undefined ? [] : [`genre: ${String(genre)}`]),
    ...(model === undefined ? [] : [`model: ${String(model)}`]),
    ...(customPrompt === undefined ? [] : [`prompt: ${String(customPrompt)}`]),
    ...(keywords.length > 0 ? [`keywords: ${keywords.join(', ')}`] : []),
    ...(lengths.length > 0 ? [`length of the clips: ${lengths.join(', ')}`] : []),
    ...(isPlainObject(range)
      ? [`only between ${String(range.startSec)} s and ${String(range.endSec)} s`]
      : []),
    ...(curation.enableAutoHook === true ? ['a headline over the first seconds'] : []),
    ...(forceStrategy === undefined ? [] : [`strategy: ${String(forceStrategy)}`]),
  ];
}

function describeActions(actions: unknown): string[] {
  return (Array.isArray(actions) ? actions.filter(isPlainObject) : []).map(
    ({ email, url, notifyFailure }) =>
      `tells ${String(email ?? url)} when it is done${notifyFailure === true ? ', and when it fails' : ''}`,
  );
}
