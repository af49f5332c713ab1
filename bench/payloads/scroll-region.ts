import { logLine } from './log-line.ts';
import type { Random } from './random.ts';
import type { Screen } from './screen.ts';

/**
 * One step of a program that scrolls the rows between a header and a status line, as pagers, package
 * managers and chat programs do.
 */
export function scrollRegionStep(random: Random, { rows }: Screen): string {
  const margins = `\x1b[2;${rows - 1}r`;
  const { part, message } = logLine(random);
  switch (random.integer(0, 9)) {
    case 0:
      return `${margins}\x1b[2;1H\x1bM${part}: ${message}`;
    case 1:
      return `${margins}\x1b[${random.integer(2, rows - 1)};1H\x1b[L${message}`;
    case 2:
      return `${margins}\x1b[${random.integer(2, rows - 1)};1H\x1b[2M`;
    case 3:
      return `\x1b[r\x1b[${rows};1H\x1b[7m ${random.integer(0, 100)}% \x1b[27m\x1b[K`;
    default:
      return `${margins}\x1b[${rows - 1};1H\r\n${part}: ${message}`;
  }
}
