import { asciiLogLine } from './ascii-log.ts';
import { Random } from './random.ts';

/** So many lines of a log, cut where they would wrap. */
export function logLines(count: number, cols: number): string[] {
  const random = new Random(count);
  return Array.from({ length: count }, () => asciiLogLine(random).trimEnd().slice(0, cols));
}
