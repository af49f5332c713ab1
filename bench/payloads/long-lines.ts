import type { Random } from './random.ts';

const keys = ['id', 'name', 'children', 'updated_at', 'url', 'tags', 'owner', 'size'];

/** A line of 2 to 6 KB, as of minified files and base64, which wraps over many rows. */
export function longLine(random: Random): string {
  const width = random.integer(2_000, 6_000);
  let line = '{';
  while (line.length < width) {
    line += `"${random.pick(keys)}":"${random.integer(0, 0xfffffff).toString(36)}",`;
  }
  return `${line}"end":1}\r\n`;
}
