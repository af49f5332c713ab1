// Formats generated tables of code points as hexadecimal ranges in a string literal.

/** @param {Iterable<number>} points */
function asRanges(points) {
  const sorted = [...points].sort((a, b) => a - b);
  const ranges = [];
  for (let index = 0; index < sorted.length; index++) {
    const first = sorted[index];
    while (sorted[index + 1] === sorted[index] + 1) index++;
    const last = sorted[index];
    ranges.push(first === last ? first.toString(16) : `${first.toString(16)}-${last.toString(16)}`);
  }
  return ranges;
}

/** @param {string[]} ranges */
function asLines(ranges) {
  const lines = [''];
  for (const range of ranges) {
    const last = lines.length - 1;
    if (lines[last].length + range.length > 90) lines.push(range);
    else lines[last] += lines[last] === '' ? range : ` ${range}`;
  }
  return lines
    .map((line) => `  '${line} ' +`)
    .join('\n')
    .replace(/ ' \+$/, "'");
}

/**
 * Returns the source of a string literal with inclusive hexadecimal ranges, separated by spaces.
 *
 * @param {Iterable<number>} points
 */
export function rangesLiteral(points) {
  return asLines(asRanges(points));
}
