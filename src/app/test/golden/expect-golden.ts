import type { ScreenSnapshot } from '#model';
import type { TestTerminal } from '../terminal/test-terminal.ts';
import { TestFailure } from '../test-failure.ts';
import { GoldenFiles } from './golden-file.ts';
import { type GoldenRequest, goldenText } from './golden-text.ts';
import { lineDiff } from './line-diff.ts';

/** A screen is written as a golden when nothing has changed for this time, in ms. */
const settledMs = 300;

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
  const { found, screen } = await terminal.until(
    (each) => (textOf(each) === expected ? true : null),
    options.timeoutMs,
  );
  if (found !== null) {
    terminal.recording.mark(`matched ${name}`);
    return false;
  }
  const actual = textOf(screen);
  const details = lineDiff(expected, actual);
  throw new TestFailure(
    `the screen is not as in ${files.path(name)}`,
    await leaveScreen(terminal, files, name, { text: actual, details }),
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

/**
 * Leaves the screen as text and as a picture, and the recording from the last marker on, beside the
 * goldens. If that fails, the details say why: the test has failed for another reason.
 *
 * @returns the details, and the paths of the files
 */
export async function leaveScreen(
  terminal: TestTerminal,
  files: GoldenFiles,
  name: string,
  { text, details }: { readonly text: string; readonly details: string },
): Promise<Pick<TestFailure, 'details' | 'left'>> {
  const cast = terminal.recording.castFromLastMarker();
  try {
    const content = { txt: text, ...(await pictureOf(terminal, name)), cast };
    return { details, left: await files.leave(name, content) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { details: `${details}\n${reason}`, left: [] };
  }
}

/** Returns a PNG; an SVG for a screen that is too large. */
async function pictureOf(terminal: TestTerminal, title: string) {
  const { screenshotOf } = await import('#app/recordings');
  const snapshot = await terminal.snapshot();
  const { cols, rows } = snapshot.size;
  const format = cols * rows > maxPngCells ? 'svg' : 'png';
  return { [format]: await screenshotOf(snapshot, { format, title }) };
}
