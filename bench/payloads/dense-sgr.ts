import type { Random } from './random.ts';

const letters = 'abcdefghijklmnopqrstuvwxyz0123456789 ';
const renditions = [
  '0',
  '1',
  '2',
  '3',
  '4',
  '7',
  '22',
  '23',
  '24',
  '27',
  '39',
  '49',
  '4:3',
  '58:5:9',
];

/** A line whose style changes every one to three characters. */
export function denseSgrLine(random: Random): string {
  let line = '';
  for (let col = 0; col < 72; ) {
    const count = random.integer(1, 3);
    line += `\x1b[${rendition(random)}m`;
    for (let at = 0; at < count; at++) line += letters[random.integer(0, letters.length - 1)];
    col += count;
  }
  return `${line}\x1b[m\r\n`;
}

/** Half of them set the whole style, as most programs do; the others change one attribute. */
function rendition(random: Random): string {
  switch (random.integer(0, 3)) {
    case 0:
      return random.pick(renditions);
    case 1:
      return `${random.pick(['3', '4', '9', '10'])}${random.integer(0, 7)}`;
    case 2:
      return `0;38;5;${random.integer(0, 255)}`;
    default:
      return `0;1;38;5;${random.integer(0, 255)};48;5;${random.integer(232, 255)}`;
  }
}
