import { Random } from './random.ts';

export type LineLook = 'plain' | 'coloured';

/** The number of colours of a line; each word has another one, as of `ls` and linters. */
const colorsPerLine = 8;

/** Lines that fill the width of the screen. */
export function fullLines(look: LineLook, cols: number, count: number): Buffer {
  const random = new Random(count);
  const lines = Array.from({ length: count }, () =>
    look === 'plain' ? text(random, cols) : coloured(random, cols),
  );
  return Buffer.from(`${lines.join('\r\n')}\r\n`);
}

function coloured(random: Random, cols: number): string {
  const width = Math.floor(cols / colorsPerLine);
  const words = Array.from(
    { length: colorsPerLine },
    () => `\x1b[38;5;${random.integer(0, 255)}m${text(random, width)}`,
  );
  return `${words.join('')}\x1b[m`;
}

const text = (random: Random, length: number): string =>
  String.fromCharCode(...Array.from({ length }, () => random.integer(0x21, 0x7e)));
