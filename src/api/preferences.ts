import * as z from 'zod/mini';
import {
  ASPECT_RATIOS,
  FONT_SIZES,
  FONT_TYPES,
  GENRES,
  MODELS,
  TEXT_DECORATIONS,
} from './preference-values.js';
import { nonEmpty, Rect } from './wire.js';

const durationPair = z
  .tuple([z.number().check(z.nonnegative()), z.number().check(z.positive())])
  .check(z.refine(([min, max]) => min < max, 'the minimum must be below the maximum'));

export const Range = z
  .strictObject({ startSec: z.number().check(z.nonnegative()), endSec: z.number().check(z.positive()) })
  .check(z.refine((range) => range.startSec < range.endSec, 'startSec must be below endSec'));

const curationShape = {
  clipDurations: z.optional(z.array(durationPair)),
  topicKeywords: z.optional(z.array(z.string())),
  range: z.optional(z.nullable(Range)),
  genre: z.optional(z.enum(GENRES)),
  enableAutoHook: z.optional(z.boolean()),
  model: z.optional(z.enum(MODELS)),
  customPrompt: z.optional(z.string()),
  skipCurate: z.optional(z.boolean()),
  skipSlicing: z.optional(z.boolean()),
  forceStrategy: z.optional(z.string()),
};
export const CurationPref = z.strictObject(curationShape);
export type CurationPref = z.infer<typeof CurationPref>;

export const ImportPref = z.strictObject({ sourceLang: z.optional(z.string()) });
export type ImportPref = z.infer<typeof ImportPref>;

export const Stroke = z.strictObject({ enabled: z.boolean(), color: z.string(), width: z.number() });

export const Shadow = z.strictObject({
  enabled: z.boolean(),
  color: z.string(),
  x: z.number(),
  y: z.number(),
  blur: z.number(),
  useWordHighlightColor: z.optional(z.boolean()),
});

export const FontDto = z.strictObject({
  color: z.string(),
  style: z.array(z.string()),
  family: z.string(),
  stroke: Stroke,
  shadow: Shadow,
  id: z.optional(z.string()),
  name: z.optional(z.string()),
  path: z.optional(z.string()),
  type: z.optional(z.enum(FONT_TYPES)),
  size: z.optional(z.enum(FONT_SIZES)),
  numericalSize: z.optional(z.number()),
  textDecoration: z.optional(z.enum(TEXT_DECORATIONS)),
});
export type FontDto = z.infer<typeof FontDto>;

export const HighlightColor = z.strictObject({ primary: z.string(), secondary: z.string() });
export type HighlightColor = z.infer<typeof HighlightColor>;

const optionalBoolean = z.optional(z.boolean());
const returnedBoolean = z.optional(z.nullable(z.boolean()));

/** Members the document shows only in returned render preferences; sent on when a preference file has them. */
const returnedOnlyShape = {
  skipReframe: returnedBoolean,
  enableGameLayout: returnedBoolean,
  disableFitLayout: returnedBoolean,
  disableFillLayout: returnedBoolean,
  enableScreenOverlay: returnedBoolean,
  disableScreenOverlay: returnedBoolean,
  enableAutoTransition: returnedBoolean,
  enableVoiceEnhancement: returnedBoolean,
  enableCaptionAnimation: returnedBoolean,
  captionStyle: z.optional(z.nullable(z.string())),
  captionPosition: z.optional(z.nullable(z.string())),
  captionAnimation: z.optional(
    z.nullable(
      z.looseObject({
        name: z.optional(z.nullable(z.string())),
        highlightColor: z.optional(z.nullable(z.string())),
        bgColor: z.optional(z.nullable(z.string())),
      }),
    ),
  ),
  emojiStyle: z.optional(
    z.nullable(
      z.looseObject({
        pos: z.optional(z.unknown()),
        scaleX: z.optional(z.nullable(z.number())),
        scaleY: z.optional(z.nullable(z.number())),
        rect: z.optional(z.nullable(Rect)),
      }),
    ),
  ),
  screenOverlay: z.optional(z.unknown()),
  screenOverlayFileId: z.optional(z.unknown()),
  screenOverlays: z.optional(
    z.nullable(
      z.array(
        z.looseObject({
          object: z.optional(z.unknown()),
          style: z.optional(z.unknown()),
          rect: z.optional(Rect),
        }),
      ),
    ),
  ),
  selectedTransitions: z.optional(z.nullable(z.array(z.string()))),
};
export const RETURNED_ONLY_RENDER = Object.keys(returnedOnlyShape);

/** A renderPref as sent: every member optional here; completeness is the client's choice (`render.send`). */
export const RenderPref = z.strictObject({
  enableAutoLayout: optionalBoolean,
  enableScreenLayout: optionalBoolean,
  enableCrop: optionalBoolean,
  enableCaption: optionalBoolean,
  enableUppercase: optionalBoolean,
  enableHighlight: optionalBoolean,
  enableEmoji: optionalBoolean,
  enableFillLayout: optionalBoolean,
  enableSplitLayout: optionalBoolean,
  enableThreeLayout: optionalBoolean,
  enableFourLayout: optionalBoolean,
  enableFitLayout: optionalBoolean,
  enableVisualHook: z.optional(z.literal(false, 'deprecated, must be false')),
  enableWatermark: optionalBoolean,
  enableBroll: optionalBoolean,
  fitLayoutCropRatio: z.optional(nonEmpty),
  layoutAspectRatio: z.optional(z.enum(ASPECT_RATIOS)),
  font: z.optional(FontDto),
  highlightColor: z.optional(HighlightColor),
  quickstartConfig: z.optional(z.strictObject({ enableRemoveFillerWords: optionalBoolean })),
  ...returnedOnlyShape,
});
export type RenderPref = z.infer<typeof RenderPref>;
