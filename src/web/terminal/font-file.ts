interface Point {
  readonly x: number;
  readonly y: number;
}

/** What a font has. Lengths are in units of the em. */
export interface FontParts {
  readonly unitsPerEm: number;
  /** The width of each glyph. */
  readonly advance: number;
  /** Above the baseline. */
  readonly ascent: number;
  /** Below the baseline. */
  readonly descent: number;
  /** In the order of their code points. Contours have straight sides. */
  readonly glyphs: readonly {
    readonly point: number;
    readonly contours: readonly (readonly Point[])[];
  }[];
}

/** Returns the file of a TrueType font. OpenType specification 1.9. */
export function writeFont(parts: FontParts): ArrayBuffer {
  const outlines = [new Uint8Array(0), ...parts.glyphs.map(({ contours }) => outline(contours))];
  const box = boundsOf(parts.glyphs.flatMap(({ contours }) => contours.flat()));
  const most = {
    points: Math.max(...parts.glyphs.map(({ contours }) => contours.flat().length)),
    contours: Math.max(...parts.glyphs.map(({ contours }) => contours.length)),
  };
  const count = outlines.length;
  const tables: readonly (readonly [tag: string, bytes: Uint8Array])[] = [
    ['OS/2', os2(parts)],
    ['cmap', cmap(parts.glyphs.map(({ point }) => point))],
    ['glyf', joined(outlines)],
    ['head', head(parts.unitsPerEm, box)],
    ['hhea', hhea(parts, box, count)],
    ['hmtx', hmtx(parts)],
    ['loca', loca(outlines)],
    ['maxp', maxp(count, most)],
    ['name', bytesOf([u16(0), u16(0), u16(6)])],
    ['post', bytesOf([u32(0x30000), ...Array.from({ length: 7 }, () => u32(0))])],
  ];
  return file(tables);
}

type Field = readonly [size: 1 | 2 | 4, value: number];
const u8 = (value: number): Field => [1, value];
const u16 = (value: number): Field => [2, value];
const u32 = (value: number): Field => [4, value];

function bytesOf(fields: readonly Field[]): Uint8Array {
  const bytes = new Uint8Array(fields.reduce((sum, [size]) => sum + size, 0));
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const [size, value] of fields) {
    if (size === 1) view.setUint8(at, value);
    else if (size === 2) view.setUint16(at, value);
    else view.setUint32(at, value);
    at += size;
  }
  return bytes;
}

/** Each part begins at a multiple of four bytes. */
function joined(parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + padded(part), 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += padded(part);
  }
  return all;
}

const padded = ({ length }: Uint8Array): number => Math.ceil(length / 4) * 4;

/** The directory of the tables, which are in the order of their tags, and the tables. */
function file(tables: readonly (readonly [tag: string, bytes: Uint8Array])[]): ArrayBuffer {
  const power = 2 ** Math.floor(Math.log2(tables.length));
  const first = 12 + 16 * tables.length;
  let offset = first;
  const rows = tables.flatMap(([tag, bytes]) => {
    const row = [...[...tag].map((each) => u8(each.charCodeAt(0))), u32(sumOf(bytes)), u32(offset)];
    offset += padded(bytes);
    return [...row, u32(bytes.length)];
  });
  const range = 16 * power;
  const begin = [u32(0x10000), u16(tables.length), u16(range), u16(Math.log2(power))];
  const directory = bytesOf([...begin, u16(16 * tables.length - range), ...rows]);
  const all = joined([directory, ...tables.map(([, bytes]) => bytes)]);
  return all.buffer as ArrayBuffer;
}

/** The checksum of a table. */
function sumOf(bytes: Uint8Array): number {
  const all = joined([bytes]);
  const view = new DataView(all.buffer);
  let sum = 0;
  for (let at = 0; at < all.length; at += 4) sum = (sum + view.getUint32(at)) >>> 0;
  return sum;
}

interface Bounds {
  readonly left: number;
  readonly bottom: number;
  readonly right: number;
  readonly top: number;
}

function boundsOf(points: readonly Point[]): Bounds {
  const bounds = { left: 0, bottom: 0, right: 0, top: 0 };
  for (const [at, { x, y }] of points.entries()) {
    bounds.left = at === 0 ? x : Math.min(bounds.left, x);
    bounds.right = at === 0 ? x : Math.max(bounds.right, x);
    bounds.bottom = at === 0 ? y : Math.min(bounds.bottom, y);
    bounds.top = at === 0 ? y : Math.max(bounds.top, y);
  }
  return bounds;
}

const boundsFields = ({ left, bottom, right, top }: Bounds): Field[] =>
  [left, bottom, right, top].map(u16);

/** A glyph of the table `glyf`; nothing if it has no contours. */
function outline(contours: readonly (readonly Point[])[]): Uint8Array {
  const points = contours.flat();
  if (points.length === 0) return new Uint8Array(0);
  const ends: Field[] = [];
  let end = -1;
  for (const { length } of contours) {
    end += length;
    ends.push(u16(end));
  }
  const steps = (along: 'x' | 'y') =>
    points.map((point, at) => u16(point[along] - (points[at - 1]?.[along] ?? 0)));
  // All points are on the outline; the first one says that contours overlap.
  const flags = points.map((_, at) => u8(at === 0 ? 0x41 : 0x01));
  const bounds = boundsFields(boundsOf(points));
  const before = [u16(contours.length), ...bounds, ...ends, u16(0)];
  return bytesOf([...before, ...flags, ...steps('x'), ...steps('y')]);
}

/** Format 4 and, as all code points are in the basic plane, no other. */
function cmap(points: readonly number[]): Uint8Array {
  const segments: { first: number; last: number; glyph: number }[] = [];
  for (const [at, point] of points.entries()) {
    const last = segments.at(-1);
    if (last !== undefined && point === last.last + 1) last.last = point;
    else segments.push({ first: point, last: point, glyph: at + 1 });
  }
  segments.push({ first: 0xffff, last: 0xffff, glyph: 0 });
  const count = segments.length;
  const power = 2 ** Math.floor(Math.log2(count));
  const search = [u16(2 * count), u16(2 * power), u16(Math.log2(power)), u16(2 * (count - power))];
  return bytesOf([
    ...[u16(0), u16(1), u16(3), u16(1), u32(12)],
    ...[u16(4), u16(16 + 8 * count), u16(0), ...search],
    ...segments.map(({ last }) => u16(last)),
    u16(0),
    ...segments.map(({ first }) => u16(first)),
    ...segments.map(({ first, glyph }) => u16(first === 0xffff ? 1 : glyph - first)),
    ...segments.map(() => u16(0)),
  ]);
}

/** Of each glyph its width and where it begins, first of the one for unknown characters. */
function hmtx({ advance, glyphs }: FontParts): Uint8Array {
  const lefts = glyphs.map(({ contours }) => boundsOf(contours.flat()).left);
  return bytesOf([0, ...lefts].flatMap((left) => [u16(advance), u16(left)]));
}

function loca(outlines: readonly Uint8Array[]): Uint8Array {
  let at = 0;
  const offsets = outlines.map((each) => {
    const offset = at;
    at += padded(each);
    return u32(offset);
  });
  return bytesOf([...offsets, u32(at)]);
}

const head = (unitsPerEm: number, bounds: Bounds): Uint8Array =>
  bytesOf([
    ...[u32(0x10000), u32(0x10000), u32(0), u32(0x5f0f3cf5), u16(0x000b), u16(unitsPerEm)],
    ...[u32(0), u32(0), u32(0), u32(0), ...boundsFields(bounds)],
    // No style; at least 6 pixels; left to right; long offsets.
    ...[u16(0), u16(6), u16(2), u16(1), u16(0)],
  ]);

const hhea = (
  { advance, ascent, descent }: FontParts,
  { left, right }: Bounds,
  count: number,
): Uint8Array =>
  bytesOf([
    ...[u32(0x10000), u16(ascent), u16(-descent), u16(0), u16(advance), u16(left)],
    ...[u16(advance - right), u16(right), u16(1), ...Array.from({ length: 7 }, () => u16(0))],
    u16(count),
  ]);

const maxp = (count: number, most: { readonly points: number; readonly contours: number }) =>
  bytesOf([
    ...[u32(0x10000), u16(count), u16(most.points), u16(most.contours)],
    ...[u16(0), u16(0), u16(1), ...Array.from({ length: 8 }, () => u16(0))],
  ]);

/** Version 4. */
function os2({ advance, ascent, descent, glyphs }: FontParts): Uint8Array {
  const points = glyphs.map(({ point }) => point);
  const zeros = (count: number) => Array.from({ length: count }, () => u16(0));
  return bytesOf([
    ...[u16(4), u16(advance), u16(400), u16(5), u16(0), ...zeros(10), u16(0)],
    // PANOSE, the ranges, and the vendor.
    ...Array.from({ length: 10 }, () => u8(0)),
    ...[u32(0), u32(0), u32(0), u32(0), u32(0x20202020)],
    ...[u16(0x40), u16(Math.min(...points)), u16(Math.max(...points))],
    ...[u16(ascent), u16(-descent), u16(0), u16(ascent), u16(descent)],
    ...[u32(0), u32(0), ...zeros(2), u16(0), u16(0x20), u16(0)],
  ]);
}
