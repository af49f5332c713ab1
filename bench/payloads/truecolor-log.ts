import { logLine } from './log-line.ts';
import type { Random } from './random.ts';

/** The colours of an editor theme: red, green, blue. */
const theme = [
  '122;162;247',
  '158;206;106',
  '224;175;104',
  '247;118;142',
  '187;154;247',
  '125;207;255',
];
const faint = '86;95;137';

const paint = (color: string, text: string): string => `\x1b[38;2;${color}m${text}\x1b[39m`;

/** A log line in a truecolor theme; sometimes a gradient. */
export function truecolorLogLine(random: Random): string {
  if (random.chance(0.1)) return gradient(random);
  const { time, level, part, message, fields } = logLine(random);
  const tail = fields.map(
    ([name, value]) => `${paint(faint, `${name}=`)}${paint(random.pick(theme), value)}`,
  );
  const head = `${paint(faint, time)} \x1b[1m${paint(random.pick(theme), level)}\x1b[22m`;
  return `${head} ${paint(random.pick(theme), part)} ${message} ${tail.join(' ')}\r\n`;
}

/** A bar in which every cell has another colour. */
function gradient(random: Random): string {
  const length = random.integer(20, 60);
  const base = random.integer(0, 255);
  const cells = Array.from({ length }, (_, cell) => {
    const shade = Math.floor((255 * cell) / length);
    return `\x1b[48;2;${base};${shade};${255 - shade}m `;
  });
  return `${cells.join('')}\x1b[0m\r\n`;
}
