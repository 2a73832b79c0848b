import type { RenderOptions } from './media-types.js';

/** Preferences without effect here, and what a person is told when one is asked for. Nothing is left out silently. */
const WITHOUT_EFFECT = {
  enableEmoji: 'emoji are not drawn here',
  enableBroll: 'B-roll is not added here: it needs a library of videos',
  enableAutoTransition: 'transitions are not made here',
  enableVoiceEnhancement: 'the voice is not changed here',
  enableCaptionAnimation: 'captions are not animated here',
  enableScreenOverlay: 'overlays are not drawn here',
} as const;

const WITHOUT_EFFECT_WHEN_GIVEN = {
  captionStyle: 'captionStyle has no effect here',
  captionPosition: 'captionPosition has no effect here: captions are in the lower part',
  captionAnimation: 'captions are not animated here',
  emojiStyle: 'emoji are not drawn here',
  screenOverlay: 'overlays are not drawn here',
  screenOverlayFileId: 'overlays are not drawn here',
  screenOverlays: 'overlays are not drawn here',
  selectedTransitions: 'transitions are not made here',
} as const;

/** One sentence for each preference that was asked for and is not made. */
export function unsupportedNotes(render: RenderOptions): string[] {
  const flags = Object.entries(WITHOUT_EFFECT).filter(([name]) => render[name] === true);
  const given = Object.entries(WITHOUT_EFFECT_WHEN_GIVEN).filter(([name]) => isGiven(render[name]));
  const notes: string[] = [...flags, ...given].map(([, note]) => note);
  const { font } = render;
  if (font?.path || font?.type === 'CustomizedFont') {
    notes.push('font files of your own are not read here: only installed families and the one that ships');
  }
  return [...new Set(notes)];
}

function isGiven(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return false;
  return !(Array.isArray(value) && value.length === 0);
}
