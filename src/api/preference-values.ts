/** Names and values of the preferences, without schemas: flags, help and completion need them at every start. */

/** The 18 genres of the interface document, as sent. */
export const GENRES = [
  'Auto',
  'Q&A',
  'Commentary',
  'Marketing',
  'Webinar',
  'Motivational speech',
  'Podcast',
  'Academic',
  'Listicle',
  'Product reviews',
  'How-to',
  'Comedy',
  'Sports commentary',
  'Church',
  'News',
  'Vlog',
  'Gaming',
  'Others',
] as const;

export const MODELS = ['ClipBasic', 'ClipAnything'] as const;
export const ASPECT_RATIOS = ['portrait', 'landscape', 'square'] as const;
export const FONT_TYPES = ['CustomizedFont', 'System'] as const;
export const FONT_SIZES = ['Large', 'Middle', 'Small'] as const;
export const TEXT_DECORATIONS = ['line-through', 'underline', ''] as const;

/** Documented [minSeconds, maxSeconds] pairs; others are passed with a note. */
export const DOCUMENTED_CLIP_DURATIONS = [
  [0, 30],
  [30, 60],
  [60, 90],
  [90, 180],
  [0, 90],
  [0, 180],
] as const;

/** Members of renderPref the schema requires when renderPref is sent complete. */
export const RENDER_REQUIRED = [
  'enableAutoLayout',
  'enableScreenLayout',
  'enableCrop',
  'enableCaption',
  'enableUppercase',
  'enableHighlight',
  'enableEmoji',
  'enableFillLayout',
  'enableSplitLayout',
  'enableThreeLayout',
  'enableFourLayout',
  'enableFitLayout',
  'fitLayoutCropRatio',
  'enableVisualHook',
  'enableWatermark',
  'font',
  'highlightColor',
] as const;
