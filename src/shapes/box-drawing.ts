import { arc, type Box, type Polygon, rectangle, type Shape, stroke } from './polygons.ts';

// U+2500 to U+257F, Box Drawing. The middle of a cell has an arm to each side; arms of neighbouring
// cells meet at the border.

type Weight = 0 | 1 | 2 | 3;
const [none, , heavy, double] = [0, 1, 2, 3] as const;

/** The arms of each character: left, up, right, down, as weights: 1 light, 2 heavy, 3 double. */
// biome-ignore format: a table
const arms = [
  '1010', '2020', '0101', '0202', '1010', '2020', '0101', '0202', '1010', '2020', '0101', '0202', '0011', '0021', '0012', '0022',
  '1001', '2001', '1002', '2002', '0110', '0120', '0210', '0220', '1100', '2100', '1200', '2200', '0111', '0121', '0211', '0112',
  '0212', '0221', '0122', '0222', '1101', '2101', '1201', '1102', '1202', '2201', '2102', '2202', '1011', '2011', '1021', '2021',
  '1012', '2012', '1022', '2022', '1110', '2110', '1120', '2120', '1210', '2210', '1220', '2220', '1111', '2111', '1121', '2121',
  '1211', '1112', '1212', '2211', '1221', '2112', '1122', '2221', '2122', '2212', '1222', '2222', '1010', '2020', '0101', '0202',
  '3030', '0303', '0031', '0013', '0033', '3001', '1003', '3003', '0130', '0310', '0330', '3100', '1300', '3300', '0131', '0313',
  '0333', '3101', '1303', '3303', '3031', '1013', '3033', '3130', '1310', '3330', '3131', '1313', '3333', '0011', '1001', '1100',
  '0110', '0000', '0000', '0000', '1000', '0100', '0010', '0001', '2000', '0200', '0020', '0002', '1020', '0102', '2010', '0201',
];

/** The dashes of lines that are interrupted. */
const dashes = new Map<number, number>([
  ...[0x04, 0x05, 0x06, 0x07].map((at) => [at, 3] as const),
  ...[0x08, 0x09, 0x0a, 0x0b].map((at) => [at, 4] as const),
  ...[0x4c, 0x4d, 0x4e, 0x4f].map((at) => [at, 2] as const),
]);

/** The corners of round lines, in the order of the characters: where the centre of the circle is. */
const round = [
  { x: 1, y: 1, from: 3, to: 2 },
  { x: -1, y: 1, from: 3, to: 4 },
  { x: -1, y: -1, from: 1, to: 0 },
  { x: 1, y: -1, from: 1, to: 2 },
] as const;

/** @param at the code point less 0x2500 */
export function boxDrawing(at: number, box: Box): Shape {
  const light = Math.max(1, Math.round(box.width / 10));
  const corner = round[at - 0x6d];
  if (corner !== undefined) return { polygons: roundCorner(corner, box, light) };
  if (at >= 0x71 && at <= 0x73) return { polygons: diagonals(at - 0x70, box, light) };
  const sides = [...(arms[at] ?? '0000')].map(Number) as [Weight, Weight, Weight, Weight];
  const count = dashes.get(at);
  if (count !== undefined) return { polygons: dashed(sides, count, box, light) };
  return { polygons: [0, 1, 2, 3].flatMap((side) => arm(sides, side, box, light)) };
}

/** Lines are at whole pixels, so that they are sharp. */
const middleOf = (length: number, thickness: number): number =>
  Math.floor((length - thickness) / 2) + thickness / 2;

/** Returns the lines of one arm. It is computed to the right and turned. */
function arm(
  sides: readonly Weight[],
  side: number,
  { width, height }: Box,
  light: number,
): Polygon[] {
  const weight = sides[side] ?? none;
  if (weight === none) return [];
  const isAcross = side % 2 === 0;
  const length = isAcross ? width : height;
  const along = middleOf(length, light);
  const beside = middleOf(isAcross ? height : width, light);
  // What is on the sides of the arm as it points to the right: above and below it.
  const [above = none, below = none] = isAcross ? [sides[1], sides[3]] : [sides[0], sides[2]];
  const opposite = sides[(side + 2) % 4] ?? none;
  const gap = 1.5 * light;
  const isForward = side >= 2;
  return linesOf(weight, light, gap).map(({ offset, thickness }) => {
    const near = offset < 0 ? above : below;
    const far = offset < 0 ? below : above;
    const start =
      weight === double
        ? startOfDouble(near, far, gap, light)
        : startOfLine(above, below, opposite, { gap, light });
    const begin = isForward ? along + start : along - start;
    const end = isForward ? length : 0;
    const [from, to] = begin < end ? [begin, end] : [end, begin];
    const [low, high] = [beside + offset - thickness / 2, beside + offset + thickness / 2];
    return isAcross ? rectangle(from, low, to, high) : rectangle(low, from, high, to);
  });
}

function linesOf(weight: Weight, light: number, gap: number) {
  if (weight !== double) return [{ offset: 0, thickness: weight === heavy ? 2 * light : light }];
  return [-gap, gap].map((offset) => ({ offset, thickness: light }));
}

/** Where one of two lines begins, from the middle: at the lines that it meets. */
function startOfDouble(near: Weight, far: Weight, gap: number, light: number): number {
  if (near === double) return gap - light / 2;
  if (near !== none) return -light / 2;
  return far === double ? -gap - light / 2 : -light / 2;
}

interface Lines {
  readonly gap: number;
  readonly light: number;
}

function startOfLine(
  above: Weight,
  below: Weight,
  opposite: Weight,
  { gap, light }: Lines,
): number {
  if (above === double && below === double) return opposite === none ? gap : -light / 2;
  if (above === double || below === double) return opposite === none ? -gap - light / 2 : 0;
  const thickness = above === heavy || below === heavy ? 2 * light : light;
  return -thickness / 2;
}

function dashed(
  [left, up]: readonly Weight[],
  count: number,
  { width, height }: Box,
  light: number,
): Polygon[] {
  const isAcross = left !== none;
  const thickness = (isAcross ? left : up) === heavy ? 2 * light : light;
  const [length, other] = isAcross ? [width, height] : [height, width];
  const beside = middleOf(other, light);
  const step = length / count;
  const gap = Math.max(light, Math.round(step / 3));
  return Array.from({ length: count }, (_, dash) => {
    const from = Math.round(dash * step + gap / 2);
    const to = Math.round((dash + 1) * step - gap / 2);
    const [low, high] = [beside - thickness / 2, beside + thickness / 2];
    return isAcross ? rectangle(from, low, to, high) : rectangle(low, from, high, to);
  });
}

function roundCorner(
  { x, y, from, to }: (typeof round)[number],
  { width, height }: Box,
  light: number,
): Polygon[] {
  const middle = { x: middleOf(width, light), y: middleOf(height, light) };
  const radius = Math.min(x > 0 ? width - middle.x : middle.x, height - middle.y, middle.y);
  const centre = { x: middle.x + x * radius, y: middle.y + y * radius };
  const sideEnd = { x: x > 0 ? width : 0, y: middle.y };
  const upEnd = { x: middle.x, y: y > 0 ? height : 0 };
  const curve = arc(centre, { x: radius, y: radius }, from, to);
  return [stroke([sideEnd, ...curve, upEnd], light)];
}

function diagonals(lines: number, { width, height }: Box, light: number): Polygon[] {
  const rising = stroke(
    [
      { x: 0, y: height },
      { x: width, y: 0 },
    ],
    light,
  );
  const falling = stroke(
    [
      { x: 0, y: 0 },
      { x: width, y: height },
    ],
    light,
  );
  return [...(lines & 1 ? [rising] : []), ...(lines & 2 ? [falling] : [])];
}
