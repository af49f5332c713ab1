/** The text that each named wildcard stands for. */
export type Bindings = ReadonlyMap<string, string>;

/** Stands for any lines, also none. */
const anyLines = '...';

/**
 * Matches output against the expected lines. In these, `...` stands for any lines, `[..]` for any text in
 * a line, and `[..NAME..]` for a text that is the same everywhere.
 *
 * @returns the named texts, with those known before; null if the output does not match
 */
export function matchOutput(
  expected: readonly string[],
  output: readonly string[],
  before: Bindings = new Map(),
): Bindings | null {
  const parts = splitAt(expected, anyLines);
  const [first = [], ...rest] = parts;
  let bindings = matchLines(first, output.slice(0, first.length), before);
  let at = first.length;
  for (const [index, part] of rest.entries()) {
    if (bindings === null) return null;
    const isLast = index === rest.length - 1;
    const end = output.length - part.length;
    if (end < at) return null;
    const position = isLast ? end : firstMatch(part, output, at, bindings);
    if (position === null) return null;
    bindings = matchLines(part, output.slice(position, position + part.length), bindings);
    at = position + part.length;
  }
  return at === output.length ? bindings : null;
}

function splitAt(lines: readonly string[], border: string): string[][] {
  const parts: string[][] = [[]];
  for (const line of lines) {
    if (line === border) parts.push([]);
    else parts.at(-1)?.push(line);
  }
  return parts;
}

function firstMatch(
  part: readonly string[],
  output: readonly string[],
  from: number,
  bindings: Bindings,
): number | null {
  for (let at = from; at + part.length <= output.length; at++) {
    if (matchLines(part, output.slice(at, at + part.length), bindings) !== null) return at;
  }
  return null;
}

function matchLines(
  expected: readonly string[],
  output: readonly string[],
  before: Bindings,
): Bindings | null {
  if (expected.length !== output.length) return null;
  let bindings: Bindings | null = before;
  for (const [at, line] of expected.entries()) {
    bindings = matchLine(line, output[at] ?? '', bindings);
    if (bindings === null) return null;
  }
  return bindings;
}

const wildcard = /\[\.\.(?:([A-Za-z_]\w*)\.\.)?\]/g;

function matchLine(expected: string, line: string, bindings: Bindings): Bindings | null {
  if (!expected.includes('[..')) return expected === line ? bindings : null;
  const names: string[] = [];
  let pattern = '';
  let at = 0;
  for (const match of expected.matchAll(wildcard)) {
    const [whole, name] = match;
    pattern += quoted(expected.slice(at, match.index));
    at = match.index + whole.length;
    const text = name === undefined ? undefined : bindings.get(name);
    if (name === undefined) pattern += '.*';
    else if (text !== undefined) pattern += quoted(text);
    else if (names.includes(name)) pattern += `\\k<${name}>`;
    else {
      pattern += `(?<${name}>.+?)`;
      names.push(name);
    }
  }
  const lineMatch = new RegExp(`^${pattern}${quoted(expected.slice(at))}$`, 'su').exec(line);
  return lineMatch === null
    ? null
    : new Map([...bindings, ...Object.entries(lineMatch.groups ?? {})]);
}

const quoted = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');

/**
 * Returns the output as a transcript shows it, with the expected lines that still match in their
 * places, and `...` where the lines around it still match.
 */
export function updatedOutput(
  expected: readonly string[],
  output: readonly string[],
  bindings: Bindings,
): string[] {
  const pairs = matchingPairs(expected, output, bindings);
  const lines: string[] = [];
  let [fromExpected, fromOutput] = [0, 0];
  for (const [toExpected, toOutput] of [...pairs, [expected.length, output.length] as const]) {
    const between = expected.slice(fromExpected, toExpected);
    const isAny = between.length === 1 && between[0] === anyLines;
    lines.push(...(isAny ? between : output.slice(fromOutput, toOutput)));
    const line = expected[toExpected];
    if (line !== undefined) lines.push(line);
    [fromExpected, fromOutput] = [toExpected + 1, toOutput + 1];
  }
  return matchOutput(lines, output, bindings) === null ? [...output] : lines;
}

/** The most pairs of an expected line and one that it matches, in order. */
function matchingPairs(
  expected: readonly string[],
  output: readonly string[],
  bindings: Bindings,
): (readonly [number, number])[] {
  const matches = expected.map((line) =>
    output.map((each) => line !== anyLines && matchLine(line, each, bindings) !== null),
  );
  const best = Array.from(
    { length: expected.length + 1 },
    () => new Uint16Array(output.length + 1),
  );
  const bestAt = (row: number, col: number): number => best[row]?.[col] ?? 0;
  for (let row = expected.length - 1; row >= 0; row--) {
    for (let col = output.length - 1; col >= 0; col--) {
      const pair = matches[row]?.[col] ? bestAt(row + 1, col + 1) + 1 : 0;
      (best[row] as Uint16Array)[col] = Math.max(pair, bestAt(row + 1, col), bestAt(row, col + 1));
    }
  }
  const pairs: (readonly [number, number])[] = [];
  for (let [row, col] = [0, 0]; row < expected.length && col < output.length; ) {
    if (matches[row]?.[col] && bestAt(row, col) === bestAt(row + 1, col + 1) + 1) {
      pairs.push([row++, col++]);
    } else if (bestAt(row + 1, col) >= bestAt(row, col + 1)) row++;
    else col++;
  }
  return pairs;
}
