import type { RenderOptions } from './media-types.js';

const OUTPUT_SIZES = {
  portrait: { width: 720, height: 1280 },
  square: { width: 720, height: 720 },
  landscape: { width: 1280, height: 720 },
} as const;
type AspectName = keyof typeof OUTPUT_SIZES;

export interface LayoutChoice {
  aspect: AspectName;
  width: number;
  height: number;
  /** `auto`: fill when the speaker is found, else fit. */
  mode: 'auto' | 'fill' | 'fit';
  /** Ratio the picture is cropped to before it is fitted; null keeps all of it. */
  fitRatio: number | null;
  notes: string[];
}

const NEEDS_FIT = {
  enableSplitLayout: 'split layout (two people)',
  enableThreeLayout: 'three layout',
  enableFourLayout: 'four layout',
  enableScreenLayout: 'screen layout',
  enableGameLayout: 'game layout',
} as const;

/** What the layout preferences ask for, and notes on those that are done another way. */
export function chooseLayout(render: RenderOptions): LayoutChoice {
  const notes: string[] = [];
  const aspect = aspectOf(render.layoutAspectRatio, notes);
  const fallbacks = Object.entries(NEEDS_FIT).filter(([name]) => render[name] === true);
  const fill = render.enableFillLayout === true && render.disableFillLayout !== true;
  const fit = render.enableFitLayout === true && render.disableFitLayout !== true;
  let mode: LayoutChoice['mode'] = 'auto';
  if (render.skipReframe === true || render.disableFillLayout === true) mode = 'fit';
  else if (fill !== fit) mode = fill ? 'fill' : 'fit';
  else if (!fill && fallbacks.length > 0) mode = 'fit';
  else if (!fill && (render.enableCrop === true || render.disableFitLayout === true)) mode = 'fill';
  for (const [, words] of fallbacks) {
    notes.push(
      `${words} is not made here: ${mode === 'fit' ? 'the whole picture on a blurred background instead' : `${mode} layout is used`}`,
    );
  }
  const explicitFit = fit && mode === 'fit';
  const fitRatio = explicitFit ? ratioOf(render.fitLayoutCropRatio, notes) : null;
  return { aspect, ...OUTPUT_SIZES[aspect], mode, fitRatio, notes };
}

function aspectOf(asked: string | undefined, notes: string[]): AspectName {
  if (asked === undefined || asked === 'portrait') return 'portrait';
  if (asked === 'square' || asked === 'landscape') return asked;
  notes.push(`aspect ratio "${asked}" is unknown: portrait is used`);
  return 'portrait';
}

/** Wider than any screen. */
const MAX_RATIO = 4;

function ratioOf(asked: string | undefined, notes: string[]): number | null {
  if (asked === undefined || asked === '') return null;
  const [width = 0, height = 0] = asked.split(/[:/x]/).map(Number);
  const ratio = width / height;
  if (!(width > 0 && height > 0 && Number.isFinite(ratio))) {
    notes.push(`fitLayoutCropRatio "${asked}" is not of the form 4:3: nothing is cropped`);
    return null;
  }
  const taken = Math.min(MAX_RATIO, Math.max(1 / MAX_RATIO, ratio));
  if (taken !== ratio) {
    const bound = ratio > taken ? `${MAX_RATIO}:1` : `1:${MAX_RATIO}`;
    notes.push(`fitLayoutCropRatio "${asked}" leaves a stripe of the picture: ${bound} is used`);
  }
  return taken;
}
