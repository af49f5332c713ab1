import type { ScreenSnapshot, SnapshotEvent } from '#model';
import type { TestTerminal } from '../terminal/test-terminal.ts';
import { TestFailure } from '../test-failure.ts';
import { GoldenFiles, type GoldenRequest, goldenText } from './golden-file.ts';
import { type Drawing, goldenDrawings } from './golden-pictures.ts';

/** A screen is written as a golden when nothing has changed for this time, in ms. */
const settledMs = 300;

/** A screen that differs is compared no longer once it has been still for this time and its program waits for input, in ms. */
const stillMs = 1_000;

/** A PNG of more cells takes seconds. */
const maxPngCells = 100_000;

export interface GoldenOptions extends GoldenRequest {
  readonly timeoutMs: number;
  /** Whether goldens are written instead of compared. */
  readonly update: boolean;
  /** How a missing golden can be written. */
  readonly updateHint: string;
}

/**
 * Waits until the screen equals a golden.
 *
 * @param testFile path of the test, beside which goldens are
 * @returns whether the golden was written
 * @throws TestFailure with the difference, and what it left beside the golden
 */
export async function expectGolden(
  terminal: TestTerminal,
  testFile: string,
  name: string,
  options: GoldenOptions,
): Promise<boolean> {
  const files = new GoldenFiles(testFile);
  const textOf = (screen: ScreenSnapshot) => goldenText(screen, options);
  if (options.update) return updateGolden(terminal, files, name, textOf, options.timeoutMs);
  const golden = await files.read(name);
  if (golden === null) {
    throw new TestFailure(`there is no golden ${files.path(name)}; ${options.updateHint}`, {
      details: textOf(await terminal.screen()).trimEnd(),
    });
  }
  const expected = golden.replaceAll('\r\n', '\n');
  const { match, screen } = await terminal.until(
    (each) => (textOf(each) === expected ? true : null),
    options.timeoutMs,
    stillMs,
  );
  if (match !== null) {
    terminal.recording.mark(`matched ${name}`);
    return false;
  }
  const actual = textOf(screen);
  const details = lineDiff(expected, actual);
  throw new TestFailure(
    `the screen is not as in ${files.path(name)}`,
    await leaveScreen(terminal, files, name, { text: actual, details, expected }),
  );
}

async function updateGolden(
  terminal: TestTerminal,
  files: GoldenFiles,
  name: string,
  textOf: (screen: ScreenSnapshot) => string,
  timeoutMs: number,
): Promise<boolean> {
  const { outcome } = await terminal.wait({ quietMs: settledMs, timeoutMs });
  if (outcome === 'timed_out') {
    throw new TestFailure(`the screen does not stop changing, so it cannot be the golden ${name}`);
  }
  const text = textOf(await terminal.screen());
  if ((await files.read(name)) === text) return false;
  await files.write(name, text);
  return true;
}

/** What is known of a screen that is not as it should be. */
export interface WrongScreen {
  readonly text: string;
  readonly details: string;
  /** The golden; absent if the screen was not compared with one. */
  readonly expected?: string;
}

/**
 * Leaves the screen as text and as a picture, pictures of the golden and of the difference, and the recording from the
 * last marker on, beside the goldens. If that fails, the details say why: the test has failed for another reason.
 *
 * @returns the details, and the paths of the files
 */
export async function leaveScreen(
  terminal: TestTerminal,
  files: GoldenFiles,
  name: string,
  { text, details, expected }: WrongScreen,
): Promise<Pick<TestFailure, 'details' | 'left'>> {
  const cast = terminal.recording.castFromLastMarker();
  try {
    const pictures = {
      ...(await pictureOf(await terminal.snapshot(), name)),
      ...(expected === undefined ? {} : await comparedPictures(expected, text, name)),
    };
    const content = { txt: text, ...pictures, cast };
    return { details, left: await files.leave(name, content) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { details: `${details}\n${reason}`, left: [] };
  }
}

/** Returns a PNG by its suffix; an SVG for a screen that is too large. @param kind precedes the suffix */
async function pictureOf(screen: Drawing | SnapshotEvent, title: string, kind = '') {
  const { screenshotOf } = await import('#app/recordings');
  const { cols, rows } = screen.size;
  const format = cols * rows > maxPngCells ? 'svg' : 'png';
  return { [`${kind}${format}`]: await screenshotOf(screen, { format, title }) };
}

/** Returns pictures of a golden, and of what differs from it. */
async function comparedPictures(golden: string, actual: string, title: string) {
  const drawings = await goldenDrawings(golden, actual);
  if (drawings === null) return {};
  return {
    ...(await pictureOf(drawings.expected, title, 'expected.')),
    ...(await pictureOf(drawings.difference, title, 'difference.')),
  };
}

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
export function lineDiff(expected: string, actual: string): string {
  const steps = stepsBetween(linesOf(expected), linesOf(actual));
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
    const [text, actual] = [a[at], b[other]];
    if (text !== undefined && text === actual) {
      steps.push({ sign: ' ', text });
      at++;
      other++;
    } else if (
      text !== undefined &&
      (actual === undefined || lengthAt(lengths, at + 1, other) >= lengthAt(lengths, at, other + 1))
    ) {
      steps.push({ sign: '-', text });
      at++;
    } else {
      steps.push({ sign: '+', text: actual ?? '' });
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
