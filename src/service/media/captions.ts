import { groupWords, textWidth } from './caption-groups.js';
import type { FontOptions, RenderOptions, Word } from './media-types.js';
import { rarity, termsOf } from './text-terms.js';

/**
 * The text over a clip as one ASS script: captions, headline, watermark. All in the output's own pixels.
 */
export interface TextOverlay {
  width: number;
  height: number;
  totalSec: number;
  /** Words with times of the clip; empty for no captions. */
  words: readonly Word[];
  /** Shown during the first seconds; null for none. */
  headline: string | null;
  watermark: string | null;
  /** Installed family, see fonts.ts. */
  family: string;
  render: RenderOptions;
}

const DEFAULT_FONT: FontOptions = {
  color: '#FFFFFF',
  style: ['bold'],
  family: '',
  stroke: { enabled: true, color: '#000000', width: 4 },
  shadow: { enabled: true, color: '#000000', x: 2, y: 2, blur: 2 },
};
const DEFAULT_HIGHLIGHT = { primary: '#FFD84D', secondary: '#5CE1E6' };
/** Height of a line in pixels of a picture whose shorter side is 720. */
const SIZES: Record<string, number> = { Small: 58, Middle: 76, Large: 96 };
/** Average width of a letter of a bold face, as share of the line height. */
const LETTER_SHARE = 0.44;
const UPPERCASE_LETTER_SHARE = 0.52;
const HEADLINE_SEC = 3;
const SIDE_SHARE = 0.06;

/** The script, or null when there is nothing to draw. */
export function overlayScript(overlay: TextOverlay): string | null {
  const events = [...captionEvents(overlay), ...headlineEvents(overlay), ...watermarkEvents(overlay)];
  if (events.length === 0) return null;
  const { width, height } = overlay;
  return `[Script Info]
ScriptType: v4.00+
PlayResX: ${width}
PlayResY: ${height}
WrapStyle: 2
ScaledBorderAndShadow: yes
YCbCr Matrix: None

[V4+ Styles]
Format: Name, Fontname, Fontsize, PrimaryColour, SecondaryColour, OutlineColour, BackColour, Bold, Italic, Underline, StrikeOut, ScaleX, ScaleY, Spacing, Angle, BorderStyle, Outline, Shadow, Alignment, MarginL, MarginR, MarginV, Encoding
${captionStyle(overlay)}
${headlineStyle(overlay)}
${watermarkStyle(overlay)}

[Events]
Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text
${events.join('\n')}
`;
}

/** Line height of captions in output pixels: `numericalSize` counts pixels of a 720-pixel side. */
function captionSize(font: FontOptions | undefined, width: number, height: number): number {
  const scale = Math.min(width, height) / 720;
  const named = SIZES[font?.size ?? 'Middle'] ?? SIZES.Middle ?? 76;
  const asked =
    font?.numericalSize !== undefined && font.numericalSize > 0 ? font.numericalSize * 1.36 : named;
  return Math.round(Math.min(200, Math.max(16, asked)) * scale);
}

function captionStyle({ width, height, family, render }: TextOverlay): string {
  const font = render.font ?? DEFAULT_FONT;
  const styles = font.style.map((one) => one.toLowerCase());
  const bold = styles.length === 0 || styles.some((one) => one.includes('bold'));
  const stroke = font.stroke.enabled ? Math.min(20, Math.max(0, font.stroke.width)) : 0;
  // ASS has one distance for the shadow; \xshad and \yshad of each event carry the two real ones.
  const shadow = font.shadow.enabled ? Math.max(Math.abs(font.shadow.x), Math.abs(font.shadow.y)) : 0;
  const isSet = (value: boolean) => (value ? -1 : 0);
  return [
    ...['Style: Caption', family, captionSize(font, width, height)],
    ...[assColor(font.color, '#FFFFFF'), assColor(font.color, '#FFFFFF')],
    ...[assColor(font.stroke.color, '#000000'), assColor(font.shadow.color, '#000000')],
    ...[isSet(bold), isSet(styles.some((one) => one.includes('italic')))],
    ...[isSet(font.textDecoration === 'underline'), isSet(font.textDecoration === 'line-through')],
    ...[100, 100, 0, 0, 1, stroke, shadow, 2],
    ...[
      Math.round(width * SIDE_SHARE),
      Math.round(width * SIDE_SHARE),
      Math.round(height * (height > width ? 0.16 : 0.08)),
      1,
    ],
  ].join(',');
}

function headlineStyle({ width, height, family }: TextOverlay): string {
  const size = headlineSize(width, height);
  const side = Math.round(width * SIDE_SHARE);
  const top = Math.round(height * (height > width ? 0.12 : 0.07));
  const colors = '&H00141414,&H00141414,&H00FFFFFF,&H00FFFFFF';
  return `Style: Headline,${family},${size},${colors},-1,0,0,0,100,100,0,0,3,12,0,8,${side},${side},${top},1`;
}

function headlineSize(width: number, height: number): number {
  return Math.round((Math.min(width, height) / 720) * (height > width ? 60 : 52));
}

function watermarkStyle({ width, height, family }: TextOverlay): string {
  const size = Math.round((Math.min(width, height) / 720) * 34);
  const side = Math.round(width * 0.04);
  const colors = '&H59FFFFFF,&H59FFFFFF,&H80000000,&H80000000';
  return `Style: Watermark,${family},${size},${colors},-1,0,0,0,100,100,0,0,1,2,0,3,${side},${side},${Math.round(height * 0.03)},1`;
}

function captionEvents({ width, height, totalSec, words, render }: TextOverlay): string[] {
  const font = render.font ?? DEFAULT_FONT;
  const upper = render.enableUppercase === true;
  const said = upper ? words.map((word) => ({ ...word, text: word.text.toLocaleUpperCase() })) : words;
  const letter = captionSize(font, width, height) * (upper ? UPPERCASE_LETTER_SHARE : LETTER_SHARE);
  const lineChars = Math.max(6, Math.floor((width * (1 - 2 * SIDE_SHARE)) / letter));
  const colors = render.enableHighlight === true ? highlights(words, render) : new Map<string, string>();
  const shadow = shadowTags(font);
  return groupWords(said, { lineChars, totalSec }).map(({ startSec, endSec, lines }) => {
    const widest = Math.max(...lines.map((line) => textWidth(line.join(' '))));
    const shrink =
      widest > lineChars
        ? `\\fscx${Math.floor((100 * lineChars) / widest)}\\fscy${Math.floor((100 * lineChars) / widest)}`
        : '';
    const text = lines.map((line) => line.map((word) => paint(word, colors, font)).join(' ')).join('\\N');
    const tags = shadow + shrink;
    return dialogue(1, startSec, endSec, 'Caption', `${tags === '' ? '' : `{${tags}}`}${text}`);
  });
}

function shadowTags({ shadow, stroke }: FontOptions): string {
  if (!shadow.enabled) return '';
  const blur = Math.min(10, Math.max(0, shadow.blur));
  // \blur softens the stroke too; with a stroke a little is enough.
  const soft = stroke.enabled ? Math.min(blur, 1.2) : blur;
  return `\\xshad${shadow.x}\\yshad${shadow.y}${soft > 0 ? `\\blur${soft}` : ''}`;
}

function paint(word: string, colors: ReadonlyMap<string, string>, font: FontOptions): string {
  const color = colors.get(termsOf(word)[0] ?? '');
  if (color === undefined) return assText(word);
  const shade = font.shadow.enabled && font.shadow.useWordHighlightColor === true ? `\\4c${color}` : '';
  const back = shade === '' ? '' : `\\4c${tagColor(font.shadow.color, '#000000')}`;
  return `{\\1c${color}${shade}}${assText(word)}{\\1c${tagColor(font.color, '#FFFFFF')}${back}}`;
}

/** The telling words of a clip: said again and again or rare, numbers in the second colour. Term → ASS colour. */
function highlights(
  words: readonly Word[],
  { highlightColor = DEFAULT_HIGHLIGHT }: RenderOptions,
): Map<string, string> {
  const terms = words.map((word) => termsOf(word.text));
  const weights = rarity(terms);
  const scores = new Map<string, number>();
  for (const term of terms.flat())
    scores.set(term, (scores.get(term) ?? 0) + Math.sqrt(term.length) / (weights.get(term) ?? 1));
  const telling = [...scores].sort((a, b) => b[1] - a[1]).slice(0, Math.max(3, Math.ceil(words.length / 7)));
  const primary = tagColor(highlightColor.primary, DEFAULT_HIGHLIGHT.primary);
  const secondary = tagColor(highlightColor.secondary, DEFAULT_HIGHLIGHT.secondary);
  const numbers = [...scores.keys()].filter((term) => NUMBER.test(term));
  return new Map([
    ...telling.map(([term]) => [term, primary] as const),
    ...numbers.map((term) => [term, secondary] as const),
  ]);
}

const NUMBER =
  /^(?:[\d.,]+|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|million|billion|percent)$/;

function headlineEvents({ width, height, totalSec, headline }: TextOverlay): string[] {
  if (headline === null || headline.trim() === '') return [];
  const size = headlineSize(width, height);
  const chars = Math.max(10, Math.floor((width * (1 - 2 * SIDE_SHARE) - 24) / (size * LETTER_SHARE)));
  const text = wrap(headline, chars).map(assText).join('\\N');
  return [dialogue(2, 0, Math.min(HEADLINE_SEC, totalSec), 'Headline', `{\\fad(150,200)}${text}`)];
}

function watermarkEvents({ totalSec, watermark }: TextOverlay): string[] {
  return watermark === null ? [] : [dialogue(0, 0, totalSec, 'Watermark', assText(watermark))];
}

function wrap(text: string, chars: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(/\s+/)) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length + 1 <= chars)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

function dialogue(layer: number, startSec: number, endSec: number, style: string, text: string): string {
  return `Dialogue: ${layer},${assTime(startSec)},${assTime(endSec)},${style},,0,0,0,,${text}`;
}

function assTime(sec: number): string {
  const hundredths = Math.max(0, Math.round(sec * 100));
  const pad = (value: number) => String(value).padStart(2, '0');
  const minutes = Math.floor(hundredths / 6000);
  return `${Math.floor(minutes / 60)}:${pad(minutes % 60)}:${pad(Math.floor(hundredths / 100) % 60)}.${pad(hundredths % 100)}`;
}

/** Text that libass takes as text: its own marks are replaced by letters that look alike. */
export function assText(text: string): string {
  return text
    .replace(/\{/g, '(')
    .replace(/\}/g, ')')
    .replace(/\\/g, '⧵')
    .replace(/[\r\n]+/g, ' ');
}

/** `#RRGGBB` (or `#RGB`, `#RRGGBBAA`) as a style's colour `&HAABBGGRR`, where AA is transparency. */
export function assColor(hex: string, fallback: string): string {
  const { red, green, blue, alpha } = channels(hex) ??
    channels(fallback) ?? { red: 'FF', green: 'FF', blue: 'FF', alpha: 'FF' };
  const clear = (255 - Number.parseInt(alpha, 16)).toString(16).padStart(2, '0').toUpperCase();
  return `&H${clear}${blue}${green}${red}`;
}

function tagColor(hex: string, fallback: string): string {
  return `&H${assColor(hex, fallback).slice(4)}&`;
}

function channels(hex: string): { red: string; green: string; blue: string; alpha: string } | undefined {
  const digits = hex.trim().replace(/^#/, '').toUpperCase();
  const full = digits.length === 3 ? [...digits].map((digit) => digit + digit).join('') : digits;
  const match = /^([0-9A-F]{2})([0-9A-F]{2})([0-9A-F]{2})([0-9A-F]{2})?$/.exec(full);
  const [, red, green, blue, alpha = 'FF'] = match ?? [];
  return red !== undefined && green !== undefined && blue !== undefined
    ? { red, green, blue, alpha }
    : undefined;
}
