import { asciiLogLine } from './ascii-log.ts';
import { cursorMotionStep } from './cursor-motion.ts';
import { denseSgrLine } from './dense-sgr.ts';
import { longLine } from './long-lines.ts';
import { Random } from './random.ts';
import type { Screen } from './screen.ts';
import { scrollRegionStep } from './scroll-region.ts';
import { truecolorLogLine } from './truecolor-log.ts';
import { recordedTui } from './tui.ts';
import { wideLine } from './wide.ts';

export type { Screen } from './screen.ts';

type Step = (random: Random, screen: Screen) => string;

const steps = {
  'ASCII log': asciiLogLine,
  'truecolor log': truecolorLogLine,
  'dense SGR': denseSgrLine,
  'cursor motion': cursorMotionStep,
  'CJK and emoji': wideLine,
  'scroll region': scrollRegionStep,
  'long lines': longLine,
} satisfies Record<string, Step>;

export type PayloadName = keyof typeof steps | 'recorded TUI';

/** In the order of the tables. */
export const payloadNames: readonly PayloadName[] = [
  'ASCII log',
  'truecolor log',
  'dense SGR',
  'cursor motion',
  'recorded TUI',
  'CJK and emoji',
  'scroll region',
  'long lines',
];

const seed = 20_260_314;

/** Output of about `bytes` bytes, the same at every call. */
export function payload(name: PayloadName, screen: Screen, bytes: number): Buffer {
  if (name === 'recorded TUI') return repeated(recordedTui(), bytes);
  const random = new Random(seed);
  const step: Step = steps[name];
  const parts: Buffer[] = [];
  for (let length = 0; length < bytes; ) {
    const part = Buffer.from(step(random, screen));
    parts.push(part);
    length += part.length;
  }
  return Buffer.concat(parts);
}

function repeated(bytes: Buffer, length: number): Buffer {
  const count = Math.max(1, Math.round(length / bytes.length));
  return Buffer.concat(Array.from({ length: count }, () => bytes));
}
