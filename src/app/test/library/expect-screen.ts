import { fileURLToPath } from 'node:url';
import { expectGolden } from '../golden/expect-golden.ts';
import { checkGoldenName, GoldenFiles, type Mask, type Region } from '../golden/golden-file.ts';
import { TestFailure } from '../test-failure.ts';
import {
  coreOf,
  defaultTimeoutMs,
  type LibraryTerminal,
  notShown,
  screenMatches,
} from './terminal.ts';

export interface MatchOptions {
  /** Text that matches is not compared, such as a time. For goldens. */
  readonly mask?: readonly RegExp[];
  /** Compares a part of the screen only. For goldens. */
  readonly region?: Region;
  /** Whether colours and attributes are compared. For goldens; default false. */
  readonly styles?: boolean;
  /** How long to wait for the screen, in ms. Default: 10 s. */
  readonly timeoutMs?: number;
  /** The test's file, as a path or `import.meta.url`. Default: the file of the caller. */
  readonly file?: string;
}

export interface ExpectedScreen {
  /**
   * Waits until the rows of the screen, joined by line feeds, match a pattern, or until the screen
   * equals the golden of that name in `__goldens__` beside the test. With VTR_TEST_UPDATE=1 in the
   * environment, goldens are written instead.
   *
   * @throws ScreenMismatch with the difference
   */
  toMatch(expected: RegExp | string, options?: MatchOptions): Promise<void>;
  /** As `toMatch`, for a screen that does not match a pattern. */
  notToMatch(pattern: RegExp, options?: Pick<MatchOptions, 'timeoutMs'>): Promise<void>;
}

/** The screen is not as expected. The message has the difference. */
export class ScreenMismatch extends Error {
  override readonly name = 'ScreenMismatch';
  /** Paths of files that were left: the screen, its picture, and the recording from the last marker on. */
  readonly files: readonly string[];

  constructor(message: string, files: readonly string[] = []) {
    super(message);
    this.files = files;
  }
}

/** Expects something of a terminal's screen, now or soon. */
export function expectScreen(terminal: LibraryTerminal): ExpectedScreen {
  return {
    async toMatch(expected, options = {}) {
      if (expected instanceof RegExp) return matchPattern(terminal, expected, false, options);
      // Before anything is awaited: the caller is on the stack.
      const file = options.file ?? callerFile();
      await matchGolden(terminal, expected, pathOf(file), options);
    },
    notToMatch: (pattern, options = {}) => matchPattern(terminal, pattern, true, options),
  };
}

async function matchPattern(
  terminal: LibraryTerminal,
  pattern: RegExp,
  not: boolean,
  { timeoutMs = defaultTimeoutMs }: MatchOptions,
): Promise<void> {
  const check = screenMatches(pattern);
  const { match, screen } = await coreOf(terminal).until(
    (each) => ((check(each) !== null) === not ? null : true),
    timeoutMs,
  );
  if (match !== null) return;
  const message = notShown(pattern, timeoutMs, screen);
  throw new ScreenMismatch(
    not ? message.replace('was not shown', 'was still shown after') : message,
  );
}

async function matchGolden(
  terminal: LibraryTerminal,
  name: string,
  file: string,
  { mask = [], region, styles = false, timeoutMs = defaultTimeoutMs }: MatchOptions,
): Promise<void> {
  const update = process.env['VTR_TEST_UPDATE'] === '1';
  try {
    await expectGolden(coreOf(terminal), file, checkGoldenName(name), {
      styles,
      timeoutMs,
      update,
      region: region ?? null,
      masks: mask.map(maskOf),
      updateHint: 'to write it, set VTR_TEST_UPDATE=1 (for tapes: vtr test --update)',
    });
    if (!update) await new GoldenFiles(file).clear(name);
  } catch (error) {
    if (!(error instanceof TestFailure)) throw error;
    const { message, details, left } = error;
    const text = [message, details, ...left.map((path) => `see ${path}`)].join('\n');
    throw new ScreenMismatch(text, left);
  }
}

const maskOf = (pattern: RegExp): Mask => ({
  findAll: (row) =>
    [...row.matchAll(new RegExp(pattern.source, `${pattern.flags.replace(/[gy]/g, '')}g`))].map(
      ({ index, 0: text }) => ({ start: index, end: index + text.length }),
    ),
});

const pathOf = (file: string): string => (file.startsWith('file:') ? fileURLToPath(file) : file);

/** Returns the file of the first function on the stack that is not of this module. */
function callerFile(): string {
  const own = fileURLToPath(import.meta.url);
  const caller = callerFiles().find((file) => file !== own);
  if (caller !== undefined) return caller;
  throw new Error('the file of the test is unknown; give the option file');
}

/** Returns the files of the functions on the stack. A path may contain blanks and colons. */
function callerFiles(): string[] {
  const { prepareStackTrace } = Error;
  try {
    Error.prepareStackTrace = (_error, sites) => sites;
    const sites = new Error('').stack as unknown as readonly NodeJS.CallSite[];
    return sites.flatMap((site) => {
      const file = site.getFileName() ?? '';
      return /^(?:file:|\/)/.test(file) ? [pathOf(file)] : [];
    });
  } finally {
    Error.prepareStackTrace = prepareStackTrace;
  }
}
