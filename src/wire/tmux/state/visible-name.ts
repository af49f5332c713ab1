import { basename } from 'node:path';

/** Returns a name as it is kept: on one line, with control characters and backslashes as in C. */
export const visibleName = (text: string): string =>
  text.replace(
    /[\\\x00-\x1f\x7f]/g,
    (each) => escapes.get(each) ?? `\\${each.charCodeAt(0).toString(8).padStart(3, '0')}`,
  );

const escapes: ReadonlyMap<string, string> = new Map([
  ['\\', '\\\\'],
  ['\x07', '\\a'],
  ['\b', '\\b'],
  ['\t', '\\t'],
  ['\n', '\\n'],
  ['\v', '\\v'],
  ['\f', '\\f'],
  ['\r', '\\r'],
]);

/** The name of a window for a command line: the file of its program, without `exec` and `-`. */
export function commandName(line: string): string {
  const plain = line.replace(/^exec /, '').replace(/^[ -]+/, '');
  const [word = ''] = plain.split(' ');
  return word.includes('/') ? basename(word) : word;
}
