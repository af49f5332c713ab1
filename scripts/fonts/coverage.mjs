/**
 * How much of each pixel a shape covers.
 *
 * @typedef {readonly (readonly { x: number, y: number }[])[]} Outline closed polygons in pixels, filled by
 * the nonzero rule
 */

/** Lines of samples in a row of pixels. Across, coverage is exact. */
const linesPerRow = 16;

/**
 * @param {Outline} outline
 * @param {number} width
 * @param {number} height
 * @returns {Float64Array} from 0 to 1, row by row
 */
export function coverage(outline, width, height) {
  const covered = new Float64Array(width * height);
  for (let line = 0; line < height * linesPerRow; line++) {
    const y = (line + 0.5) / linesPerRow;
    const row = Math.floor(line / linesPerRow) * width;
    for (const [from, to] of insideAt(outline, y)) addSpan(covered, row, width, from, to);
  }
  return covered;
}

/**
 * Returns the stretches of a horizontal line that are inside.
 *
 * @param {Outline} outline
 * @param {number} y
 */
function insideAt(outline, y) {
  /** @type {{ x: number, winds: number }[]} */
  const crossings = [];
  for (const points of outline) {
    points.forEach((a, at) => {
      const b = points[(at + 1) % points.length];
      if (b === undefined || a.y <= y === b.y <= y) return;
      const x = a.x + ((y - a.y) / (b.y - a.y)) * (b.x - a.x);
      crossings.push({ x, winds: a.y < b.y ? 1 : -1 });
    });
  }
  crossings.sort((a, b) => a.x - b.x);
  /** @type {[number, number][]} */
  const spans = [];
  let winding = 0;
  crossings.forEach(({ x, winds }, at) => {
    winding += winds;
    const next = crossings[at + 1];
    if (winding !== 0 && next !== undefined) spans.push([x, next.x]);
  });
  return spans;
}

/**
 * @param {Float64Array} covered
 * @param {number} row
 * @param {number} width
 * @param {number} from
 * @param {number} to
 */
function addSpan(covered, row, width, from, to) {
  const begin = Math.max(0, from);
  const end = Math.min(width, to);
  for (let col = Math.floor(begin); col < end; col++) {
    const part = Math.min(end, col + 1) - Math.max(begin, col);
    covered[row + col] = Math.min(1, (covered[row + col] ?? 0) + part / linesPerRow);
  }
}
