/** Lines around a change that are shown with it. */
const contextLines = 1;

interface Step {
  readonly sign: ' ' | '-' | '+';
  readonly text: string;
}

/**
 * Returns the difference of two texts, line by line: `-` before what was expected, `+` before what was
 * found, and some lines around.
 */
export function lineDiff(expected: string, found: string): string {
  const steps = stepsBetween(linesOf(expected), linesOf(found));
  const isNear = steps.map((_, at) =>
    steps.slice(Math.max(0, at - contextLines), at + contextLines + 1).some(isChange),
  );
  return steps
    .flatMap(({ sign, text }, at) => {
      if (!isNear[at]) return [];
      const isFirst = at > 0 && !isNear[at - 1];
      return [...(isFirst ? ['  ...'] : []), `${sign} ${text}`.trimEnd()];
    })
    .join('\n');
}

const linesOf = (text: string): string[] => (text === '' ? [] : text.split('\n'));

const isChange = ({ sign }: Step): boolean => sign !== ' ';

/** The fewest steps, by the longest common subsequence of lines; removals before additions. */
function stepsBetween(a: readonly string[], b: readonly string[]): Step[] {
  const lengths = commonLengths(a, b);
  const steps: Step[] = [];
  let at = 0;
  let other = 0;
  while (at < a.length || other < b.length) {
    const [text, found] = [a[at], b[other]];
    if (text !== undefined && text === found) {
      steps.push({ sign: ' ', text });
      at++;
      other++;
    } else if (
      text !== undefined &&
      (found === undefined || lengthAt(lengths, at + 1, other) >= lengthAt(lengths, at, other + 1))
    ) {
      steps.push({ sign: '-', text });
      at++;
    } else {
      steps.push({ sign: '+', text: found ?? '' });
      other++;
    }
  }
  return steps;
}

const lengthAt = (lengths: readonly Uint16Array[], row: number, col: number): number =>
  lengths[row]?.[col] ?? 0;

/** The length of the longest common subsequence of the rests from each pair of lines on. */
function commonLengths(a: readonly string[], b: readonly string[]): Uint16Array[] {
  const lengths = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  for (let row = a.length - 1; row >= 0; row--) {
    for (let col = b.length - 1; col >= 0; col--) {
      const length =
        a[row] === b[col]
          ? lengthAt(lengths, row + 1, col + 1) + 1
          : Math.max(lengthAt(lengths, row + 1, col), lengthAt(lengths, row, col + 1));
      (lengths[row] as Uint16Array)[col] = length;
    }
  }
  return lengths;
}
