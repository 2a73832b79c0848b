import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ClipctlError } from '../../errors.js';
import { packageFile } from '../package-file.js';
import type { MediaTools } from './media-types.js';
import { runFfmpeg } from './run-ffmpeg.js';

/** The font that ships: one bold face, Latin, Greek and Cyrillic. The family is the face's exact name. */
const SHIPPED_FAMILY = 'Noto Sans';
const SHIPPED_FILE = 'NotoSans-Bold.ttf';
/** Folder inside the work folder, so that the filter argument is a plain name whatever the paths look like. */
export const FONTS_DIR = 'fonts';

/** Copies the shipped font to `workDir/fonts`. A fresh machine has no fonts at all. */
export async function placeFonts(workDir: string): Promise<void> {
  await mkdir(join(workDir, FONTS_DIR), { recursive: true });
  await copyFile(shippedFont(), join(workDir, FONTS_DIR, SHIPPED_FILE));
}

/** assets/fonts lies beside src and beside dist, at different depths from this file. */
function shippedFont(): string {
  const path = packageFile('assets', 'fonts', SHIPPED_FILE);
  if (path !== undefined) return path;
  throw new ClipctlError('service', `the caption font is missing: assets/fonts/${SHIPPED_FILE}`, {
    hint: 'install clipctl again',
  });
}

/** A line of libass about a font: which was asked for, which is used. */
export function parseFontSelect(line: string): { asked: string; used: string } | undefined {
  const match = /fontselect: \((.+?), -?\d+, -?\d+\) -> (.+)$/.exec(line);
  if (match === null) return undefined;
  const parts = (match[2] ?? '').split(',').map((part) => part.trim());
  return { asked: match[1] ?? '', used: parts.at(-1) ?? '' };
}

/** Whether libass took the family asked for: faces are named like "NotoSans-Bold" for "Noto Sans". */
export function isSameFamily(asked: string, used: string): boolean {
  const bare = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
  return bare(used).startsWith(bare(asked));
}

/**
 * The family to write into the captions: the asked one when libass finds it on this machine, else the shipped one.
 * libass takes any other family without a word when it does not know one, so it is asked before.
 */
export async function resolveFamily(
  tools: MediaTools,
  asked: string | undefined,
  { workDir, signal }: { workDir: string; signal?: AbortSignal | undefined },
): Promise<{ family: string; notes: string[] }> {
  const family = (asked ?? '').replace(/[,{}\\\r\n]/g, ' ').trim();
  if (family === '' || isSameFamily(family, SHIPPED_FAMILY)) return { family: SHIPPED_FAMILY, notes: [] };
  let used: string | undefined;
  await writeFile(join(workDir, 'font-probe.ass'), probeScript(family));
  await runFfmpeg(
    tools.ffmpegPath,
    [
      ...['-f', 'lavfi', '-i', 'color=c=black:s=64x64:r=5:d=0.4'],
      ...['-vf', `ass=font-probe.ass:fontsdir=${FONTS_DIR}`, '-frames:v', '1', '-f', 'null', '-'],
    ],
    {
      signal,
      cwd: workDir,
      timeoutMs: 120_000,
      onStderrLine: (line) => {
        used ??= parseFontSelect(line)?.used;
      },
    },
  );
  if (used !== undefined && isSameFamily(family, used)) return { family, notes: [] };
  return {
    family: SHIPPED_FAMILY,
    notes: [`font "${family}" is not installed here: captions use ${SHIPPED_FAMILY}`],
  };
}

function probeScript(family: string): string {
  return `[Script Info]
ScriptType: v4.00+

[V4+ Styles]
Format: Name, Fontname, Fontsize, Bold
Style: D,${family},20,-1

[Events]
Format: Layer, Start, End, Style, Text
Dialogue: 0,0:00:00.00,0:00:09.00,D,Aa
`;
}
