// Makes the fonts of the page's terminals, src/web/terminal/font/*.woff2, from JetBrains Mono: one without ligatures, and
// the signs of ASCII with them:
//
//   node scripts/bake-web-font.mjs DIRECTORY
//
// npm install jetbrains-mono@1.0.6 subset-font@2.9.0 was run in the directory. The script is run when the font is
// renewed; docs/adr has the reasons.

import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { root } from './root.mjs';

const [directory] = process.argv.slice(2);
if (directory === undefined) throw new Error('usage: node scripts/bake-web-font.mjs DIRECTORY');
const require = createRequire(join(resolve(directory), 'package.json'));
const [library, fonts] = ['subset-font', 'jetbrains-mono/fonts/webfonts'];
/** @type {(font: Buffer, text: string, options: object) => Promise<Buffer>} */
const subset = require(library);

/**
 * First and last code points of what stays: letters of Latin, Greek and Cyrillic scripts, and signs. Boxes, blocks,
 * braille and Powerline are not there: the page draws them.
 */
const ranges = [
  [0x20, 0x7e],
  [0xa0, 0x17f],
  [0x18f, 0x192],
  [0x218, 0x21b],
  [0x2c6, 0x2dd],
  [0x37e, 0x3ce],
  [0x400, 0x45f],
  [0x490, 0x491],
  [0x1e80, 0x1e85],
  [0x2010, 0x205e],
  [0x2070, 0x209c],
  [0x20ac, 0x20bf],
  [0x2100, 0x21ff],
  [0x2200, 0x22ff],
  [0x2300, 0x23ff],
  [0x25a0, 0x27bf],
  [0x2b00, 0x2bff],
  [0xfffd, 0xfffd],
];
const text = ranges
  .flatMap(([first = 0, last = 0]) =>
    Array.from({ length: last - first + 1 }, (_, at) => String.fromCodePoint(first + at)),
  )
  .join('');

const ascii = Array.from({ length: 0x7f - 0x20 }, (_, at) => String.fromCodePoint(0x20 + at)).join(
  '',
);

for (const [kind, family, characters] of [
  ['terminal', 'JetBrainsMonoNL', text],
  ['ligatures', 'JetBrainsMono', ascii],
]) {
  for (const [weight, name] of [
    ['400', 'Regular'],
    ['700', 'Bold'],
  ]) {
    const from = require.resolve(`${fonts}/${family}-${name}.woff2`);
    const font = await subset(readFileSync(from), characters ?? '', { targetFormat: 'woff2' });
    const to = join(root, 'src/web/terminal/font', `${kind}-${weight}.woff2`);
    writeFileSync(to, font);
    console.log(`${to}: ${font.length} bytes`);
  }
}
