import { type Polygon, type Shape, shapeOf } from '#shapes';
import { writeFont } from './font-file.ts';

/** First and last code points of the characters that are drawn. */
const ranges = [
  [0x23be, 0x23bf],
  [0x23cb, 0x23cc],
  [0x23f4, 0x23fa],
  [0x2500, 0x259f],
  [0x276e, 0x276f],
  [0x2800, 0x28ff],
  [0xe0b0, 0xe0bf],
] as const;
const unicodeRange = ranges
  .map(([first, last]) => `U+${first.toString(16)}-${last.toString(16)}`)
  .join(', ');

/** Units of the em: the smallest part of a pixel is far below what can be seen. */
const unitsPerEm = 8_192;
const maxFonts = 16;

/** Cells of a terminal in which characters are drawn, in device pixels. */
export interface ShapeCells {
  readonly width: number;
  readonly height: number;
  /** From the top of a cell to the baseline of its text. */
  readonly baseline: number;
  /** The size of the font. */
  readonly font: number;
  /** How far the browser goes on behind each character, before `letter-spacing`. */
  readonly advance: number;
  /** How far lines go on into the rows above and below: a browser may put text at other pixels than cells. */
  readonly overlap: number;
}

const readyFonts = new Map<string, Promise<unknown>>();

/**
 * Returns the name of a font whose boxes, blocks, braille and Powerline signs fill their cells exactly, so that they join
 * in all directions; signs that fonts have too wide fit into theirs. Text stays text. The font has no other characters.
 *
 * @param onLoad called when it can be used, later
 */
export function shapeFont(cells: ShapeCells, onLoad: () => void): string {
  const { width, height, baseline, font, advance, overlap } = cells;
  const rounded = [width, height, baseline, font, advance, overlap].map((each) =>
    Math.round(each * 64),
  );
  const name = `shapes-${rounded.join('-')}`;
  let ready = readyFonts.get(name);
  if (ready === undefined) {
    const face = new FontFace(name, shapeFontFile(cells), { unicodeRange });
    document.fonts.add(face);
    ready = face.load();
    readyFonts.set(name, ready);
    dropOldest();
  }
  ready.then(onLoad, () => {});
  return name;
}

/** A window that is being resized has many sizes, of which the last ones are used. */
function dropOldest(): void {
  const [oldest] = readyFonts.keys();
  if (readyFonts.size <= maxFonts || oldest === undefined) return;
  readyFonts.delete(oldest);
  for (const face of document.fonts) if (face.family === oldest) document.fonts.delete(face);
}

/** Returns the file of the font. */
export function shapeFontFile(cells: ShapeCells): ArrayBuffer {
  const { width, height, baseline, font, advance, overlap } = cells;
  const units = unitsPerEm / font;
  const box = { width: Math.round(width), height: Math.round(height) };
  const glyphs = ranges.flatMap(([first, last]) =>
    Array.from({ length: last - first + 1 }, (_, at) => {
      const point = first + at;
      const shape = shapeOf(String.fromCodePoint(point), box);
      const over = point <= 0x257f || point === 0x2588 ? overlap : 0;
      const contours = polygonsOf(shape, box).map((polygon) =>
        clockwise(polygon).map(({ x, y }) => ({
          x: Math.round(x * units),
          y: Math.round((baseline - overlapping(y, box.height, over)) * units),
        })),
      );
      return { point, contours };
    }),
  );
  return writeFont({
    unitsPerEm,
    advance: Math.round(advance * units),
    ascent: Math.round(baseline * units),
    descent: Math.round((height - baseline) * units),
    glyphs,
  });
}

const overlapping = (y: number, height: number, over: number): number =>
  y <= 0 ? y - over : y >= height ? y + over : y;

/** A font has no shades: they are dots. */
function polygonsOf(
  shape: Shape | null,
  { width, height }: { readonly width: number; readonly height: number },
): readonly Polygon[] {
  const { polygons = [], share = 1 } = shape ?? {};
  if (share === 1) return polygons;
  // Twice as large on screens with small pixels.
  const dot = width >= 14 ? 2 : 1;
  const dots: Polygon[] = [];
  for (let y = 0; y < height; y += dot) {
    for (let x = 0; x < width; x += dot) {
      if (!isDot(x / dot, y / dot, share)) continue;
      const [right, bottom] = [Math.min(width, x + dot), Math.min(height, y + dot)];
      dots.push([
        { x, y },
        { x: right, y },
        { x: right, y: bottom },
        { x, y: bottom },
      ]);
    }
  }
  return dots;
}

/** Whether a dot of a shade has the colour: one, two or three of four dots. */
function isDot(x: number, y: number, share: number): boolean {
  if (share === 0.5) return (x + y) % 2 === 0;
  const isOne = y % 2 === 0 ? x % 4 === 0 : x % 4 === 2;
  const isOther = y % 2 === 0 ? x % 2 === 1 : x % 2 === 1;
  return share < 0.5 ? isOne : isOne || isOther || (x + y) % 2 === 0;
}

/** Contours of one direction add up where they overlap. */
function clockwise(polygon: Polygon): Polygon {
  const area = polygon.reduce((sum, { x, y }, at) => {
    const next = polygon[(at + 1) % polygon.length] ?? { x, y };
    return sum + x * next.y - next.x * y;
  }, 0);
  return area < 0 ? polygon.toReversed() : polygon;
}
