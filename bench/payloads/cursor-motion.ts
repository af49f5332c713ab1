import type { Random } from './random.ts';
import type { Screen } from './screen.ts';

const texts = ['*', '##', '100%', 'load 0.42', '[ok]', '-----', 'x'];
const shortMoves = ['\x1b[A', '\x1b[B', '\x1b[C', '\x1b[D', '\r', '\b', '\x1b[H'];

/** One step of a program that paints all over the screen: a move, sometimes an erase, a few characters. */
export function cursorMotionStep(random: Random, { cols, rows }: Screen): string {
  const text = random.chance(0.1) ? '\x1b[K' : random.pick(texts);
  return `${move(random, cols, rows)}${text}`;
}

function move(random: Random, cols: number, rows: number): string {
  switch (random.integer(0, 5)) {
    case 0:
      return random.pick(shortMoves);
    case 1:
      return `\x1b[${random.integer(1, rows)}d`;
    case 2:
      return `\x1b[${random.integer(1, cols)}G`;
    case 3:
      return `\x1b[${random.integer(1, 9)}${random.pick(['A', 'B', 'C', 'D'])}`;
    default:
      return `\x1b[${random.integer(1, rows)};${random.integer(1, cols)}H`;
  }
}
