import { type JsonObject, memberAt } from './merge.js';

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
