// Draws and speaks examples/talk.mp4: a cartoon speaker who moves over the stage, one background a topic,
// a voice from espeak-ng, and a subtitle track whose cues are exact because each is one spoken sentence.
// Everything visible is one ASS script of vector shapes, so no picture has to be in the repository.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const SAMPLE_RATE = 44100;
const LEAD_SEC = 0.7;
const SENTENCE_PAUSE_SEC = 0.5;
const TOPIC_PAUSE_SEC = 1.2;
const TAIL_SEC = 1.3;
const BODY_Y = 400;

const TOPICS = [
  {
    title: 'The first eight seconds',
    colors: { back: '2B1D4E', glow: '6A3FB5', accent: 'FFC857', shirt: 'E8505B' },
    at: 300,
    sentences: [
      'Why do most people stop watching a talk after eight seconds?',
      'Because the first sentence told them nothing at all.',
      'I watched two hundred talks last winter, and one pattern kept coming back.',
      'The speakers who held the audience asked a question before they said their name.',
    ],
  },
  {
    title: 'What coffee teaches',
    colors: { back: '4A2A16', glow: '9C5A2B', accent: 'FFE0A3', shirt: '2F7F79' },
    at: 910,
    sentences: [
      'Have you ever wondered why good coffee takes exactly four minutes?',
      'Hot water pulls the sweetness out of the beans first, and the bitterness later.',
      'Stop too early, and the cup is sour.',
      'Wait too long, and all that is left in the coffee is ash.',
    ],
  },
  {
    title: 'Cool streets',
    colors: { back: '0F3D2E', glow: '2E8B57', accent: 'C8F169', shirt: 'F4A259' },
    at: 380,
    sentences: [
      'Here is a number that surprised me: twelve degrees.',
      'That is how much cooler a street with old trees can be in the middle of July.',
      'One grown tree does the work of ten air conditioners, and it never sends a bill.',
      'So the cheapest machine a city can buy is a tree, and the best day to plant trees was yesterday.',
    ],
  },
  {
    title: 'Saying no',
    colors: { back: '123A63', glow: '2F7FC1', accent: '9FE3FF', shirt: 'F2C14E' },
    at: 860,
    sentences: [
      'Um, so, saying no at work is, uh, really hard, you know.',
      'I used to say yes to every meeting, and, um, I was, you know, always late.',
      'Then a friend gave me one rule that changed my calendar.',
      'If it is not worth moving lunch, the meeting is not worth an hour.',
    ],
  },
  {
    title: 'Sleep on it',
    colors: { back: '1B2735', glow: '51638A', accent: 'F7D6E0', shirt: '7FB069' },
    at: 470,
    sentences: [
      'What does your brain do all night while you are asleep?',
      'It files the day, like a librarian who only works in the dark.',
      'Students who slept seven hours before an exam remembered forty percent more.',
      'So ask a better question, plant a tree, and then go to sleep.',
    ],
  },
];

const out = resolve(process.argv[2] ?? 'examples/talk.mp4');
const dir = mkdtempSync(join(tmpdir(), 'make-sample-'));
try {
  const talk = speak();
  writeFileSync(join(dir, 'talk.wav'), wavFile(talk.samples));
  writeFileSync(join(dir, 'talk.srt'), srt(talk.cues));
  writeFileSync(join(dir, 'talk.ass'), picture(talk));
  encode(talk);
} finally {
  rmSync(dir, { recursive: true, force: true });
}

/** Speaks each sentence by itself; returns mono float samples, cues {startSec, endSec, text, topic} and topics' spans. */
function speak() {
  const parts = [];
  const cues = [];
  const spans = [];
  let at = Math.round(LEAD_SEC * SAMPLE_RATE);
  for (const [index, topic] of TOPICS.entries()) {
    const from = index === 0 ? 0 : at - Math.round((TOPIC_PAUSE_SEC / 2) * SAMPLE_RATE);
    for (const text of topic.sentences) {
      const voice = sayIt(text);
      parts.push({ at, voice });
      cues.push({
        startSec: at / SAMPLE_RATE,
        endSec: (at + voice.length) / SAMPLE_RATE,
        text,
        topic: index,
      });
      at += voice.length + Math.round(SENTENCE_PAUSE_SEC * SAMPLE_RATE);
    }
    at += Math.round((TOPIC_PAUSE_SEC - SENTENCE_PAUSE_SEC) * SAMPLE_RATE);
    spans.push({ from: from / SAMPLE_RATE, to: at / SAMPLE_RATE - TOPIC_PAUSE_SEC / 2 });
  }
  const last = cues[cues.length - 1];
  const durationSec = Math.ceil((last.endSec + TAIL_SEC) * 25) / 25;
  spans[spans.length - 1].to = durationSec;
  const samples = new Float32Array(Math.round(durationSec * SAMPLE_RATE));
  for (const { at: offset, voice } of parts) samples.set(voice, offset);
  // A quiet room instead of digital zero: what silence looks like in a real recording.
  let seed = 7;
  for (let i = 0; i < samples.length; i += 1) {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    samples[i] += (seed / 2147483648 - 0.5) * 0.0012;
  }
  return { samples, cues, spans, durationSec };
}

/** One sentence as float samples at 44.1 kHz, without the silence espeak puts around it. */
function sayIt(text) {
  const raw = join(dir, 'one.wav');
  execFileSync('espeak-ng', ['-v', 'en-us+m3', '-s', '158', '-p', '42', '-a', '140', '-w', raw, text]);
  const pcm = execFileSync(
    'ffmpeg',
    [
      '-v',
      'error',
      '-i',
      raw,
      '-af',
      'highpass=f=90,bass=g=3:f=180,lowpass=f=7000,volume=0.9',
      '-ac',
      '1',
      '-ar',
      String(SAMPLE_RATE),
      '-f',
      'f32le',
      '-',
    ],
    { maxBuffer: 64e6 },
  );
  const all = new Float32Array(pcm.buffer.slice(pcm.byteOffset, pcm.byteOffset + pcm.byteLength));
  let from = 0;
  let to = all.length;
  while (from < to && Math.abs(all[from]) < 0.004) from += 1;
  while (to > from && Math.abs(all[to - 1]) < 0.004) to -= 1;
  return all.subarray(Math.max(0, from - 400), Math.min(all.length, to + 400));
}

function wavFile(samples) {
  const data = Buffer.alloc(44 + samples.length * 2);
  data.write('RIFF', 0);
  data.writeUInt32LE(36 + samples.length * 2, 4);
  data.write('WAVEfmt ', 8);
  data.writeUInt32LE(16, 16);
  data.writeUInt16LE(1, 20);
  data.writeUInt16LE(1, 22);
  data.writeUInt32LE(SAMPLE_RATE, 24);
  data.writeUInt32LE(SAMPLE_RATE * 2, 28);
  data.writeUInt16LE(2, 32);
  data.writeUInt16LE(16, 34);
  data.write('data', 36);
  data.writeUInt32LE(samples.length * 2, 40);
  for (let i = 0; i < samples.length; i += 1) {
    data.writeInt16LE(Math.round(Math.max(-1, Math.min(1, samples[i])) * 32767), 44 + i * 2);
  }
  return data;
}

function clock(sec, mark, digits) {
  const units = Math.round(sec * 10 ** digits);
  const whole = Math.floor(units / 10 ** digits);
  const pad = (n, width = 2) => String(n).padStart(width, '0');
  const hours = Math.floor(whole / 3600);
  return `${digits === 2 ? hours : pad(hours)}:${pad(Math.floor(whole / 60) % 60)}:${pad(whole % 60)}${mark}${pad(units % 10 ** digits, digits)}`;
}

function srt(cues) {
  return cues
    .map((c, i) => `${i + 1}\n${clock(c.startSec, ',', 3)} --> ${clock(c.endSec, ',', 3)}\n${c.text}\n`)
    .join('\n');
}

/** ASS wants BGR. */
function color(rgb) {
  return `&H${rgb.slice(4, 6)}${rgb.slice(2, 4)}${rgb.slice(0, 2)}&`;
}

/** An ellipse round 0,0 as an ASS path of four curves. */
function ellipse(rx, ry, cx = 0, cy = 0) {
  const k = 0.5523;
  const p = (x, y) => `${(cx + x * rx).toFixed(1)} ${(cy + y * ry).toFixed(1)}`;
  return `m ${p(-1, 0)} b ${p(-1, -k)} ${p(-k, -1)} ${p(0, -1)} b ${p(k, -1)} ${p(1, -k)} ${p(1, 0)} b ${p(1, k)} ${p(k, 1)} ${p(0, 1)} b ${p(-k, 1)} ${p(-1, k)} ${p(-1, 0)}`;
}

function picture({ cues, spans, samples, durationSec }) {
  const events = [];
  const add = (layer, from, to, tags, text) =>
    events.push(
      `Dialogue: ${layer},${clock(from, '.', 2)},${clock(to, '.', 2)},D,,0,0,0,,{\\an7\\bord0\\shad0${tags}}${text}`,
    );
  const shape = (layer, from, to, tags, path) => add(layer, from, to, `\\p1${tags}`, `${path}{\\p0}`);

  for (const [index, span] of spans.entries()) stage(index, span, shape, add);
  const legs = walk(cues, spans, durationSec);
  for (const leg of legs) figure(leg, shape);
  mouth(legs, samples, durationSec, shape);
  return `[Script Info]
ScriptType: v4.00+
PlayResX: 1280
PlayResY: 720
ScaledBorderAndShadow: yes

[V4+ Styles]
Format: Name, Fontname, Fontsize, PrimaryColour, SecondaryColour, OutlineColour, BackColour, Bold, Italic, Underline, StrikeOut, ScaleX, ScaleY, Spacing, Angle, BorderStyle, Outline, Shadow, Alignment, MarginL, MarginR, MarginV, Encoding
Style: D,DejaVu Sans,40,&H00FFFFFF,&H00FFFFFF,&H00000000,&H00000000,-1,0,0,0,100,100,0,0,1,0,0,7,0,0,0,1

[Events]
Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text
${events.join('\n')}
`;
}

/** The background of a topic: a wall, two slow lights, a floor, and a card with the topic's name. */
function stage(index, { from, to }, shape, add) {
  const { title, colors } = TOPICS[index];
  const side = TOPICS[index].at < 640 ? 1 : -1;
  const box = (x0, y0, x1, y1) => `m ${x0} ${y0} l ${x1} ${y0} ${x1} ${y1} ${x0} ${y1}`;
  shape(0, from, to, `\\c${color(colors.back)}\\pos(0,0)`, box(0, 0, 1280, 720));
  shape(
    1,
    from,
    to,
    `\\c${color(colors.glow)}\\alpha&H90&\\blur30\\move(${640 - side * 260},240,${640 - side * 120},300)`,
    ellipse(330, 330),
  );
  shape(
    1,
    from,
    to,
    `\\c${color(colors.glow)}\\alpha&HB0&\\blur20\\move(${640 + side * 420},520,${640 + side * 330},420)`,
    ellipse(220, 220),
  );
  shape(2, from, to, '\\c&H000000&\\alpha&H90&\\pos(0,0)', box(0, 640, 1280, 720));
  const cardX = side > 0 ? 690 : 90;
  shape(2, from, to, `\\c&HFFFFFF&\\alpha&HE0&\\pos(${cardX},150)\\fad(250,0)`, box(0, 0, 500, 170));
  shape(3, from, to, `\\c${color(colors.accent)}\\pos(${cardX},150)\\fad(250,0)`, box(0, 0, 12, 170));
  add(
    3,
    from,
    to,
    `\\fs34\\c${color(colors.accent)}\\pos(${cardX + 40},172)\\fad(250,0)`,
    `Part ${index + 1}`,
  );
  add(
    3,
    from,
    to,
    `\\fs${title.length > 18 ? 35 : 44}\\c&HFFFFFF&\\pos(${cardX + 40},232)\\fad(250,0)`,
    title,
  );
  for (let i = 0; i < 5; i += 1) {
    const lit = i <= index;
    shape(
      3,
      from,
      to,
      `\\c${lit ? color(colors.accent) : '&HFFFFFF&'}\\alpha${lit ? '&H00&' : '&HC0&'}\\pos(${cardX + 22 + i * 36},352)`,
      ellipse(9, 9),
    );
  }
}

/** Where the speaker stands: legs {from, to, x0, x1, topic}; a step at each sentence's start, a sway while talking. */
function walk(cues, spans, durationSec) {
  const legs = [];
  for (const [index, span] of spans.entries()) {
    const home = TOPICS[index].at;
    const mine = cues.filter((cue) => cue.topic === index);
    let x = home;
    let at = span.from;
    for (const [i, cue] of mine.entries()) {
      const target = home + [0, 30, -22, 16][i % 4] * (index % 2 === 0 ? 1 : -1);
      const until = mine[i + 1]?.startSec ?? span.to;
      const step = Math.min(cue.startSec + 0.7, until);
      legs.push({ from: at, to: step, x0: x, x1: target, topic: index });
      const sway = target + (i % 2 === 0 ? 14 : -14);
      legs.push({ from: step, to: until, x0: target, x1: sway, topic: index });
      x = sway;
      at = until;
    }
  }
  legs[legs.length - 1].to = durationSec;
  return legs;
}

function figure({ from, to, x0, x1, topic }, shape) {
  const { colors } = TOPICS[topic];
  const part = (layer, tags, path) =>
    shape(layer, from, to, `${tags}\\move(${x0},${BODY_Y},${x1},${BODY_Y})`, path);
  const torso = 'm -150 320 b -150 190 -130 120 -60 105 l 60 105 b 130 120 150 190 150 320';
  part(10, `\\c${color(colors.shirt)}`, torso);
  part(11, '\\c&H000000&\\alpha&HC0&', 'm -60 105 b -40 150 40 150 60 105');
  part(12, '\\c&H8FB4E8&', 'm -32 60 l 32 60 32 112 b 20 138 -20 138 -32 112');
  part(13, '\\c&H9CC2F4&', ellipse(92, 108, 0, -20));
  part(
    14,
    '\\c&H2B3A52&',
    'm -98 -20 b -112 -150 -40 -160 0 -158 b 60 -160 116 -130 98 -20 b 88 -60 70 -84 30 -88 b -10 -80 -70 -90 -82 -56 b -90 -44 -92 -34 -98 -20',
  );
  part(14, '\\c&H9CC2F4&', `${ellipse(16, 22, -92, -8)} ${ellipse(16, 22, 92, -8)}`);
  part(15, '\\c&HFFFFFF&', `${ellipse(18, 14, -36, -22)} ${ellipse(18, 14, 36, -22)}`);
  part(16, '\\c&H3A2A20&', `${ellipse(8, 9, -34, -21)} ${ellipse(8, 9, 38, -21)}`);
  part(16, '\\c&H2B3A52&', 'm -58 -48 l -18 -54 -18 -46 -58 -40 m 58 -48 l 18 -54 18 -46 58 -40');
  part(16, '\\c&H7FA6DC&', 'm -6 -14 l 8 14 -10 16');
}

/** A mouth that opens with the voice and hands that follow it, every 80 ms. */
function mouth(legs, samples, durationSec, shape) {
  const step = 0.08;
  let hand = 0;
  for (let at = 0; at < durationSec - step; at += step) {
    const leg = legs.find((l) => at >= l.from && at < l.to);
    if (leg === undefined) continue;
    const x = leg.x0 + ((leg.x1 - leg.x0) * (at - leg.from)) / Math.max(0.01, leg.to - leg.from);
    let sum = 0;
    const from = Math.round(at * SAMPLE_RATE);
    const count = Math.round(step * SAMPLE_RATE);
    for (let i = 0; i < count; i += 1) sum += (samples[from + i] ?? 0) ** 2;
    const open = Math.min(1, Math.sqrt(sum / count) * 9);
    hand += (open - hand) * 0.3;
    const until = Math.min(at + step, durationSec);
    shape(
      17,
      at,
      until,
      `\\c&H3B2F7A&\\pos(${x.toFixed(1)},${BODY_Y})`,
      ellipse(26 - open * 4, 4 + open * 17, 0, 42),
    );
    const lift = hand * 70 + Math.sin(at * 3.1) * 12 * hand;
    const { colors } = TOPICS[leg.topic];
    const arms = (s) => `m ${s * 100} 190 l ${s * 165} ${250 - lift} ${s * 150} ${286 - lift} ${s * 96} 290`;
    shape(
      9,
      at,
      until,
      `\\c${color(colors.shirt)}\\pos(${x.toFixed(1)},${BODY_Y})`,
      `${arms(1)} ${arms(-1)}`,
    );
    shape(
      18,
      at,
      until,
      `\\c&H9CC2F4&\\pos(${x.toFixed(1)},${BODY_Y})`,
      `${ellipse(24, 26, 163, 250 - lift)} ${ellipse(24, 26, -163, 250 - lift)}`,
    );
  }
}

function encode({ durationSec, cues }) {
  const args = [
    '-v',
    'error',
    '-y',
    '-f',
    'lavfi',
    '-i',
    `color=c=black:s=1280x720:r=25:d=${durationSec}`,
    '-i',
    'talk.wav',
    '-i',
    'talk.srt',
    '-vf',
    'ass=talk.ass,format=yuv420p',
    '-map',
    '0:v',
    '-map',
    '1:a',
    '-map',
    '2:s',
    '-c:v',
    'libx264',
    '-preset',
    'slow',
    '-crf',
    '27',
    '-g',
    '50',
    '-profile:v',
    'main',
    '-c:a',
    'aac',
    '-b:a',
    '64k',
    '-ac',
    '1',
    '-c:s',
    'mov_text',
    '-metadata:s:s:0',
    'language=eng',
    '-metadata:s:a:0',
    'language=eng',
    '-metadata',
    'title=Five short ideas',
    '-movflags',
    '+faststart',
    '-t',
    String(durationSec),
    'talk.mp4',
  ];
  execFileSync('ffmpeg', args, { cwd: dir, stdio: 'inherit' });
  const bytes = readFileSync(join(dir, 'talk.mp4'));
  writeFileSync(out, bytes);
  console.log(`${out}: ${durationSec} s, ${cues.length} sentences, ${(bytes.length / 1e6).toFixed(2)} MB`);
}
