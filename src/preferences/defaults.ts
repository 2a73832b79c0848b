import type { FontDto, HighlightColor } from '../api/preferences.js';

/**
 * What completes a renderPref: the documented defaults (booleans false, `4:3`). The document requires a font and
 * highlight colours but shows no defaults of them; these are ours, and readable on any picture.
 */
export const DEFAULT_RENDER = {
  enableAutoLayout: false,
  enableScreenLayout: false,
  enableCrop: false,
  enableCaption: false,
  enableUppercase: false,
  enableHighlight: false,
  enableEmoji: false,
  enableFillLayout: false,
  enableSplitLayout: false,
  enableThreeLayout: false,
  enableFourLayout: false,
  enableFitLayout: false,
  fitLayoutCropRatio: '4:3',
  enableVisualHook: false,
  enableWatermark: false,
  font: {
    color: '#FFFFFF',
    style: ['bold'],
    family: 'Noto Sans',
    stroke: { enabled: true, color: '#000000', width: 4 },
    shadow: { enabled: false, color: '#000000', x: 0, y: 2, blur: 4 },
  } satisfies FontDto,
  highlightColor: { primary: '#FFD400', secondary: '#00E5FF' } satisfies HighlightColor,
} as const;
