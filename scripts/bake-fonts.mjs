// Makes the glyphs of pictures, src/image/fonts/*.bin, from fonts:
//
//   node scripts/bake-fonts.mjs JETBRAINS_MONO_DIRECTORY UNIFONT_DIRECTORY
//
// The first holds JetBrainsMono-Regular.ttf and JetBrainsMono-Bold.ttf, the second unifont.hex,
// unifont_upper.otf and plane00-combining.txt; Debian has both, in the packages fonts-jetbrains-mono,
// unifont and fonts-unifont. It is run when a font is renewed. docs/adr has the reasons.
//
// A file is compressed by Brotli. It has sheets, one after another. Numbers are little-endian. A sheet is
// the width and the height of its glyphs in pixels and the bits of a pixel (u8 each), one byte without
// meaning, the number of glyphs (u32), their code points in order (u32 each), and their pixels: row by
// row, the first pixel in the highest bits, each glyph in whole bytes.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import opentype from 'opentype.js';
import { coverage } from './fonts/coverage.mjs';
import { root } from './root.mjs';

const [letters, unifont] = process.argv.slice(2);
if (letters === undefined || unifont === undefined) {
  throw new Error('usage: node scripts/bake-fonts.mjs JETBRAINS_MONO_DIRECTORY UNIFONT_DIRECTORY');
}

/** Straight parts of a curve. */
const parts = 8;

/** @typedef {{ point: number, pixels: ArrayLike<number> }} Glyph pixels from 0 to 1 */

const weights = ['Regular', 'Bold'].map((weight) =>
  fontAt(join(letters, `JetBrainsMono-${weight}.ttf`)),
);
for (const scale of [1, 2]) {
  const cell = { width: 10 * scale, height: 20 * scale };
  save(
    `letters-${scale}x`,
    weights.map((font) => sheet(cell, 4, lettersOf(font, cell))),
  );
}
save('unifont', [
  sheet({ width: 8, height: 16 }, 1, bitmaps(8)),
  sheet({ width: 16, height: 16 }, 1, [...bitmaps(16), ...upper()]),
]);

/** @param {string} path */
function fontAt(path) {
  const file = readFileSync(path);
  return opentype.parse(file.buffer.slice(file.byteOffset, file.byteOffset + file.length));
}

/** Boxes, blocks, braille and private characters are drawn, not taken from a font. */
/** @param {number} point */
function isLetter(point) {
  if (point <= 0x20 || (point >= 0x7f && point <= 0xa0)) return false;
  const isBox = point >= 0x2500 && point <= 0x259f;
  const isBraille = point >= 0x2800 && point <= 0x28ff;
  const isPrivate = point >= 0xd800 && point <= 0xf8ff;
  return !isBox && !isBraille && !isPrivate;
}

/**
 * @param {import('opentype.js').Font} font
 * @param {{ width: number, height: number }} cell
 * @returns {Glyph[]}
 */
function lettersOf(font, { width, height }) {
  const advance = font.charToGlyph('M').advanceWidth ?? 600;
  const size = (width / advance) * font.unitsPerEm;
  const baseline = Math.round(height * 0.77);
  const points = Object.keys(font.tables.cmap.glyphIndexMap).map(Number).filter(isLetter);
  points.sort((a, b) => a - b);
  return points.map((point) => {
    const path = font.charToGlyph(String.fromCodePoint(point)).getPath(0, baseline, size);
    return { point, pixels: coverage(polygons(path), width, height) };
  });
}

/** @param {import('opentype.js').Path} path */
function polygons(path) {
  /** @type {{ x: number, y: number }[][]} */
  const all = [];
  let at = { x: 0, y: 0 };
  for (const command of path.commands) {
    if (command.type === 'Z') continue;
    const to = { x: command.x, y: command.y };
    const polygon = all.at(-1);
    if (command.type === 'M') all.push([to]);
    else if (command.type === 'L') polygon?.push(to);
    else {
      for (let part = 1; part <= parts; part++) polygon?.push(onCurve(at, command, part / parts));
    }
    at = to;
  }
  return all;
}

/**
 * @param {{ x: number, y: number }} from
 * @param {import('opentype.js').Command} curve
 * @param {number} t
 */
function onCurve(from, curve, t) {
  const points = [from, { x: curve.x1, y: curve.y1 }];
  if (curve.type === 'C') points.push({ x: curve.x2, y: curve.y2 });
  points.push({ x: curve.x, y: curve.y });
  while (points.length > 1) {
    points.forEach((point, at) => {
      const next = points[at + 1];
      if (next === undefined) return;
      points[at] = { x: point.x + (next.x - point.x) * t, y: point.y + (next.y - point.y) * t };
    });
    points.pop();
  }
  return points[0] ?? from;
}

/**
 * The glyphs of the Basic Multilingual Plane of a width.
 *
 * @param {number} width
 * @returns {Glyph[]}
 */
function bitmaps(width) {
  const lines = readFileSync(join(unifont ?? '', 'unifont.hex'), 'utf8')
    .trim()
    .split('\n');
  return lines.flatMap((line) => {
    const [code = '', hex = ''] = line.split(':');
    const point = Number.parseInt(code, 16);
    if (!isLetter(point) || hex.length * 4 !== width * 16) return [];
    const bits = [...hex].flatMap((digit) => {
      const value = Number.parseInt(digit, 16);
      return [value >> 3, (value >> 2) & 1, (value >> 1) & 1, value & 1];
    });
    return [{ point, pixels: bits }];
  });
}

/** Symbols and emoji above the plane, from outlines whose units are pixels. */
function upper() {
  const font = fontAt(join(unifont ?? '', 'unifont_upper.otf'));
  const points = Object.keys(font.tables.cmap.glyphIndexMap).map(Number);
  const emoji = points.filter((point) => point >= 0x1f000 && point <= 0x1faff);
  return emoji
    .sort((a, b) => a - b)
    .map((point) => {
      const path = font.charToGlyph(String.fromCodePoint(point)).getPath(0, 14, 16);
      return { point, pixels: coverage(polygons(path), 16, 16) };
    });
}

/**
 * @param {{ width: number, height: number }} cell
 * @param {number} bits
 * @param {Glyph[]} glyphs
 */
function sheet({ width, height }, bits, glyphs) {
  const head = Buffer.alloc(8 + 4 * glyphs.length);
  head.set([width, height, bits, 0]);
  head.writeUInt32LE(glyphs.length, 4);
  for (const [at, { point }] of glyphs.entries()) head.writeUInt32LE(point, 8 + 4 * at);
  const length = Math.ceil((width * height * bits) / 8);
  const most = 2 ** bits - 1;
  const pixels = Buffer.alloc(length * glyphs.length);
  glyphs.forEach((glyph, at) => {
    for (let pixel = 0; pixel < width * height; pixel++) {
      const value = Math.round((glyph.pixels[pixel] ?? 0) * most);
      const bit = pixel * bits;
      const byte = at * length + (bit >> 3);
      pixels[byte] = (pixels[byte] ?? 0) | (value << (8 - bits - (bit & 7)));
    }
  });
  return Buffer.concat([head, pixels]);
}

/**
 * @param {string} name
 * @param {Buffer[]} sheets
 */
function save(name, sheets) {
  const options = { params: { [constants.BROTLI_PARAM_LGWIN]: 24 } };
  const bytes = brotliCompressSync(Buffer.concat(sheets), options);
  writeFileSync(join(root, 'src/image/fonts', `${name}.bin`), bytes);
  process.stdout.write(`${name}.bin: ${bytes.length} bytes\n`);
}
