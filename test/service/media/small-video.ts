import { makeFile, writeText } from './media-files.js';

/** What is said from one second to another. */
export type CueLine = readonly [startSec: number, endSec: number, text: string];

/** A small picture that moves, a tone, and subtitle tracks by their language: rendered within a second or two. */
export async function makeSmallVideo(
  dir: string,
  name: string,
  { lengthSec, tracks = {} }: { lengthSec: number; tracks?: Record<string, readonly CueLine[]> },
): Promise<string> {
  const languages = Object.keys(tracks);
  const subtitles = await Promise.all(
    Object.entries(tracks).map(([language, cues]) => writeText(dir, `${name}.${language}.srt`, srtOf(cues))),
  );
  return makeFile(dir, name, [
    ...['-f', 'lavfi', '-i', `testsrc2=size=320x180:rate=25:duration=${lengthSec}`],
    ...['-f', 'lavfi', '-i', `sine=frequency=300:sample_rate=48000:duration=${lengthSec}`],
    ...subtitles.flatMap((path) => ['-i', path]),
    ...['-map', '0:v', '-map', '1:a', ...subtitles.flatMap((_, index) => ['-map', `${index + 2}:s`])],
    ...languages.flatMap((language, index) => [`-metadata:s:s:${index}`, `language=${language}`]),
    ...['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '25', '-c:a', 'aac', '-c:s', 'mov_text'],
    ...['-movflags', '+faststart'],
  ]);
}

function srtOf(cues: readonly CueLine[]): string {
  return cues
    .map(
      ([startSec, endSec, text], index) => `${index + 1}\n${clock(startSec)} --> ${clock(endSec)}\n${text}\n`,
    )
    .join('\n');
}

function clock(sec: number): string {
  return new Date(sec * 1000).toISOString().slice(11, 23).replace('.', ',');
}
