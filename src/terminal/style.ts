import type { Env } from './io.js';

/** The few styles the program uses. Plain functions when colour is off. */
export interface Style {
  bold(text: string): string;
  dim(text: string): string;
  red(text: string): string;
  green(text: string): string;
  yellow(text: string): string;
  cyan(text: string): string;
}

const same = (text: string) => text;
export const PLAIN: Style = { bold: same, dim: same, red: same, green: same, yellow: same, cyan: same };

/** Colour on this stream? `--no-color` and NO_COLOR win, then FORCE_COLOR, then TERM=dumb, then whether it is a terminal. */
export function wantsColor(stream: { isTTY?: boolean }, env: Env, noColor: boolean): boolean {
  if (noColor || (env.NO_COLOR ?? '') !== '') return false;
  if (env.FORCE_COLOR !== undefined) return env.FORCE_COLOR !== '0' && env.FORCE_COLOR !== 'false';
  return env.TERM !== 'dumb' && stream.isTTY === true;
}

/** chalk is loaded only where colour is wanted. */
export async function loadStyle(color: boolean): Promise<Style> {
  if (!color) return PLAIN;
  const { Chalk } = await import('chalk');
  return new Chalk({ level: 1 });
}
