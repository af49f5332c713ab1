import { asciiLogLine } from './ascii-log.ts';
import { Random } from './random.ts';

/** Lines of a log, cut at the width of the screen. */
export function logLines(count: number, cols: number): string[] {
  const random = new Random(count);
  return Array.from({ length: count }, () => asciiLogLine(random).trimEnd().slice(0, cols));
}
