import { logLine } from './log-line.ts';
import type { Random } from './random.ts';

/** A line of a log without colours. */
export function asciiLogLine(random: Random): string {
  const { time, level, part, message, fields } = logLine(random);
  const tail = fields.map(([name, value]) => `${name}=${value}`).join(' ');
  return `${time} ${level} [${part}] ${message} ${tail}\r\n`;
}
