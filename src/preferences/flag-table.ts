import type { PARSERS } from './parse-values.js';

export const GROUPS = ['Preferences', 'Choosing clips', 'Look', 'Captions', 'When it is done'] as const;

/**
 * One preference flag. `path` is the member of the creation body it sets; those without one are read together with
 * others (see flags.ts). Registration, parsing, help, the equivalent command line and the README read this table.
 */
export interface PreferenceFlag {
  /** As typed, without its placeholder: `--genre`. */
  flag: string;
  placeholder?: string;
  about: string;
  group: (typeof GROUPS)[number];
  path?: string;
  parse?: keyof typeof PARSERS;
  /** May be given more than once; the values make a list. */
  many?: true;
  /** Has a `--no-…` form: `on` both are booleans, `off` only the negative exists beside the value. */
  negatable?: true;
  boolean?: true;
}

const look = (flag: string, member: string, about: string): PreferenceFlag => ({
  flag: `--${flag}`,
  about,
  group: 'Look',
  path: `renderPref.${member}`,
  boolean: true,
  negatable: true,
});

const captions = (flag: string, member: string, about: string): PreferenceFlag => ({
  ...look(flag, member, about),
  group: 'Captions',
});

const font = (
  flag: string,
  member: string,
  placeholder: string,
  parse: keyof typeof PARSERS,
  about: string,
) =>
  ({
    flag: `--font-${flag}`,
    placeholder,
    about,
    group: 'Captions',
    path: `renderPref.font.${member}`,
    parse,
  }) as const;

export const PREFERENCE_FLAGS: readonly PreferenceFlag[] = [
  {
    flag: '--preset',
    placeholder: '<name|file>',
    about: 'start from a saved preset',
    group: 'Preferences',
    many: true,
  },
  {
    flag: '--prefs',
    placeholder: '<file|->',
    about: "preferences from a YAML or JSON file, in the interface document's names",
    group: 'Preferences',
    many: true,
  },
  {
    flag: '--title',
    placeholder: '<t>',
    about: 'title of the project',
    group: 'Preferences',
    path: 'uploadedVideoAttr.title',
    parse: 'anyText',
  },
  {
    flag: '--brand-template',
    placeholder: '<id>',
    about: 'brand template of the account',
    group: 'Preferences',
    path: 'brandTemplateId',
    parse: 'text',
  },
  {
    flag: '--lang',
    placeholder: '<code>',
    about: 'spoken language, or auto',
    group: 'Preferences',
    path: 'importPref.sourceLang',
    parse: 'language',
  },

  {
    flag: '--duration',
    placeholder: '<min>-<max>',
    about: 'length of the clips in seconds; repeatable',
    group: 'Choosing clips',
    path: 'curationPref.clipDurations',
    parse: 'pair',
    many: true,
  },
  {
    flag: '--range',
    placeholder: '<a>-<b>',
    about: 'look only between these times',
    group: 'Choosing clips',
    path: 'curationPref.range',
    parse: 'range',
  },
  {
    flag: '--start',
    placeholder: '<t>',
    about: 'with --end: the same as --range',
    group: 'Choosing clips',
    parse: 'seconds',
  },
  {
    flag: '--end',
    placeholder: '<t>',
    about: 'with --start: the same as --range',
    group: 'Choosing clips',
    parse: 'seconds',
  },
  {
    flag: '--genre',
    placeholder: '<g>',
    about: 'what kind of video it is, for example Podcast',
    group: 'Choosing clips',
    path: 'curationPref.genre',
    parse: 'genre',
  },
  {
    flag: '--model',
    placeholder: '<m>',
    about: 'ClipBasic (talking heads) or ClipAnything',
    group: 'Choosing clips',
    path: 'curationPref.model',
    parse: 'model',
  },
  {
    flag: '--keyword',
    placeholder: '<k>',
    about: 'find moments about this (ClipBasic); repeatable',
    group: 'Choosing clips',
    path: 'curationPref.topicKeywords',
    parse: 'text',
    many: true,
  },
  {
    flag: '--prompt',
    placeholder: '<text>',
    about: 'say what to look for (ClipAnything)',
    group: 'Choosing clips',
    path: 'curationPref.customPrompt',
    parse: 'text',
  },
  { flag: '--prompt-file', placeholder: '<file|->', about: 'the same, from a file', group: 'Choosing clips' },
  {
    flag: '--auto-hook',
    about: 'a headline over the first seconds',
    group: 'Choosing clips',
    path: 'curationPref.enableAutoHook',
    boolean: true,
    negatable: true,
  },
  {
    flag: '--skip-curate',
    about: 'process the whole video without clipping',
    group: 'Choosing clips',
    path: 'curationPref.skipCurate',
    boolean: true,
    negatable: true,
  },
  {
    flag: '--skip-slicing',
    about: 'the same as --skip-curate',
    group: 'Choosing clips',
    path: 'curationPref.skipSlicing',
    boolean: true,
    negatable: true,
  },
  {
    flag: '--force-strategy',
    placeholder: '<s>',
    about: 'pin the curation strategy',
    group: 'Choosing clips',
    path: 'curationPref.forceStrategy',
    parse: 'text',
  },

  {
    flag: '--aspect',
    placeholder: '<a>',
    about: 'portrait, landscape or square (9:16, 16:9, 1:1)',
    group: 'Look',
    path: 'renderPref.layoutAspectRatio',
    parse: 'aspect',
  },
  look('auto-layout', 'enableAutoLayout', 'choose the layout by what is seen'),
  look('screen-layout', 'enableScreenLayout', 'layout for shared screens'),
  look('crop', 'enableCrop', 'crop to the speaker'),
  look('fill-layout', 'enableFillLayout', 'one person fills the picture'),
  look('split-layout', 'enableSplitLayout', 'two people'),
  look('three-layout', 'enableThreeLayout', 'three people'),
  look('four-layout', 'enableFourLayout', 'four people'),
  look('fit-layout', 'enableFitLayout', 'the whole picture fits, for groups'),
  {
    flag: '--fit-crop-ratio',
    placeholder: '<w:h>',
    about: 'crop ratio of the fit layout',
    group: 'Look',
    path: 'renderPref.fitLayoutCropRatio',
    parse: 'ratio',
  },
  look('watermark', 'enableWatermark', 'watermark'),
  look('broll', 'enableBroll', 'B-roll'),
  look('remove-filler', 'quickstartConfig.enableRemoveFillerWords', 'remove filler words'),

  captions('caption', 'enableCaption', 'captions'),
  captions('uppercase', 'enableUppercase', 'captions in upper case'),
  captions('highlight', 'enableHighlight', 'highlight keywords'),
  captions('emoji', 'enableEmoji', 'emoji'),
  {
    flag: '--highlight-primary',
    placeholder: '<hex>',
    about: 'first highlight colour',
    group: 'Captions',
    path: 'renderPref.highlightColor.primary',
    parse: 'color',
  },
  {
    flag: '--highlight-secondary',
    placeholder: '<hex>',
    about: 'second highlight colour',
    group: 'Captions',
    path: 'renderPref.highlightColor.secondary',
    parse: 'color',
  },
  font('family', 'family', '<name>', 'text', 'font family'),
  font('color', 'color', '<hex>', 'color', 'font colour'),
  { ...font('style', 'style', '<style>', 'text', 'font style, for example bold; repeatable'), many: true },
  font('size', 'size', '<size>', 'fontSize', 'Large, Middle or Small'),
  font('px', 'numericalSize', '<n>', 'positive', 'font size as a number'),
  font('type', 'type', '<type>', 'fontType', 'CustomizedFont or System'),
  font('id', 'id', '<id>', 'text', 'id of a font of the account'),
  font('name', 'name', '<name>', 'text', 'name of a font of the account'),
  font('path', 'path', '<path>', 'text', 'path of a font of the account'),
  font('decoration', 'textDecoration', '<d>', 'decoration', 'none, underline or line-through'),
  { ...font('stroke', 'stroke', '<color,width>', 'stroke', 'outline of the letters'), negatable: true },
  {
    ...font('shadow', 'shadow', '<color,x,y,blur[,word]>', 'shadow', 'shadow of the letters'),
    negatable: true,
  },

  {
    flag: '--notify-email',
    placeholder: '<a>',
    about: 'send a mail when the project concludes; repeatable',
    group: 'When it is done',
    parse: 'email',
    many: true,
  },
  {
    flag: '--notify-webhook',
    placeholder: '<url>',
    about: 'call this address when the project concludes; repeatable',
    group: 'When it is done',
    parse: 'url',
    many: true,
  },
  { flag: '--notify-failure', about: 'tell of failures too', group: 'When it is done', boolean: true },
];
