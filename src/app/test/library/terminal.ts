import { defined } from '#base';
import { LocalCoordinator } from '#coordinator';
import {
  type KeyPress,
  type ScreenSnapshot,
  type Size,
  VtrError,
  type WaitRequest,
  type WaitResult,
} from '#model';
import { makeSurroundings, type Surroundings, shellStart } from '../terminal/surroundings.ts';
import { shownRows, TestTerminal } from '../terminal/test-terminal.ts';

/** The time limit of waits, in ms. */
export const defaultTimeoutMs = 10_000;

export interface TerminalOptions {
  /** A name to look up in PATH, or a path. Default: bash without start-up files, with the prompt `> `. */
  readonly program?: string;
  readonly args?: readonly string[];
  /** Default: 80 columns, 24 rows. */
  readonly size?: Size;
  /** Added to a small environment, with an empty HOME, LANG=C.UTF-8 and TZ=UTC. */
  readonly env?: Readonly<Record<string, string>>;
  /** Default: the current directory. */
  readonly cwd?: string;
}

/** Text on the screen that is in it once, or a place; 0-based. */
export type ClickTarget = string | RegExp | { readonly row: number; readonly col: number };

/** The result of a line in a shell. */
export interface CommandOutcome {
  /** Null if it is unknown. */
  readonly exitCode: number | null;
  /** Lines without the final line feed. */
  readonly output: string;
}

/** Returns what a terminal of the library uses. */
export let coreOf: (terminal: LibraryTerminal) => TestTerminal;

/** A program in a terminal of its own, for a test. Close it, or declare it with `await using`. */
export class LibraryTerminal implements AsyncDisposable {
  static {
    coreOf = (each) => each.#terminal;
  }

  readonly #terminal: TestTerminal;
  readonly #close: () => Promise<void>;

  constructor(terminal: TestTerminal, close: () => Promise<void>) {
    this.#terminal = terminal;
    this.#close = close;
  }

  /** Types text; `\r` is Enter. */
  async type(text: string): Promise<void> {
    await this.#terminal.type(text);
  }

  /** Presses keys, such as `ctrl+c`, `enter` or `f5`. @throws VtrError INVALID_KEY */
  async press(...keys: readonly (string | KeyPress)[]): Promise<void> {
    await this.#terminal.press(keys);
  }

  /**
   * Clicks with the left button, when the program uses the mouse and the target is shown.
   *
   * @throws VtrError INVALID_ARGUMENT if that takes more than `timeoutMs`, by default 10 s
   */
  async click(
    target: ClickTarget,
    { timeoutMs = defaultTimeoutMs }: { readonly timeoutMs?: number } = {},
  ): Promise<void> {
    await this.#terminal.click(placeOf(target), timeoutMs);
  }

  /**
   * Waits until the screen matches and returns it, or for the conditions of `Coordinator.wait`.
   *
   * @throws VtrError INPUT_TIMEOUT if it does not match in `timeoutMs`, by default 10 s
   */
  async wait(pattern: RegExp, options?: { readonly timeoutMs?: number }): Promise<ScreenSnapshot>;
  async wait(request: WaitRequest): Promise<WaitResult>;
  async wait(
    what: RegExp | WaitRequest,
    { timeoutMs = defaultTimeoutMs }: { readonly timeoutMs?: number } = {},
  ): Promise<WaitResult | ScreenSnapshot> {
    if (!(what instanceof RegExp)) {
      return this.#terminal.wait({ timeoutMs: defaultTimeoutMs, ...what });
    }
    const { match, screen } = await this.#terminal.until(screenMatches(what), timeoutMs);
    if (match !== null) return screen;
    throw new VtrError('INPUT_TIMEOUT', notShown(what, timeoutMs, screen));
  }

  /** Returns the screen, with cells. */
  async screen(): Promise<ScreenSnapshot> {
    return this.#terminal.screen();
  }

  /**
   * Runs a line in a shell, and waits until it ends.
   *
   * @throws VtrError NOT_AT_PROMPT; INPUT_TIMEOUT if it does not end, or waits for input
   */
  async run(
    line: string,
    { timeoutMs = defaultTimeoutMs }: { readonly timeoutMs?: number } = {},
  ): Promise<CommandOutcome> {
    const { outcome, exitCode, output, question } = await this.#terminal.run(line, timeoutMs);
    if (outcome === 'awaiting_input' || outcome === 'password') {
      throw new VtrError('INPUT_TIMEOUT', `${line}: it waits for input: ${question ?? ''}`);
    }
    if (outcome === 'timed_out') {
      throw new VtrError('INPUT_TIMEOUT', `${line}: it did not end for ${timeoutMs} ms`);
    }
    return { exitCode, output: output.tail };
  }

  async resize(size: Size): Promise<void> {
    await this.#terminal.resize(size);
  }

  /** Ends the program and its descendants, and removes its home directory. */
  async close(): Promise<void> {
    await this.#close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

function placeOf(target: ClickTarget): string | { readonly row: number; readonly col: number } {
  if (target instanceof RegExp) return target.source;
  return typeof target === 'string' ? target.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&') : target;
}

/** Starts a program in a terminal of its own. @throws VtrError as `Coordinator.spawn` */
export async function terminal(options: TerminalOptions = {}): Promise<LibraryTerminal> {
  const { program, args, size, env = {}, cwd } = options;
  const shell = shellStart('bash');
  const start = program === undefined ? shell : { program, args: args ?? [], env: {} };
  const surroundings = await makeSurroundings();
  const coordinator = openCoordinator();
  let core: TestTerminal | null = null;
  try {
    core = await TestTerminal.start(coordinator, {
      program: start.program,
      args: start.args,
      cwd: cwd ?? process.cwd(),
      ...defined({ size }),
      env: { ...surroundings.env, ...start.env, ...env },
    });
    let closing: Promise<void> | undefined;
    const close = () => {
      closing ??= end(surroundings, core);
      return closing;
    };
    if (program === undefined) await core.wait({ prompt: true, timeoutMs: defaultTimeoutMs });
    return new LibraryTerminal(core, close);
  } catch (error) {
    await end(surroundings, core);
    throw error;
  }
}

async function end(surroundings: Surroundings, core: TestTerminal | null): Promise<void> {
  try {
    await core?.close();
  } finally {
    await leave(surroundings, core?.id ?? null);
  }
}

/** The owner of all terminals, while there are some: so that the process can end by itself. */
let shared: { readonly coordinator: LocalCoordinator; users: number } | null = null;

function openCoordinator(): LocalCoordinator {
  shared ??= { coordinator: new LocalCoordinator(), users: 0 };
  shared.users++;
  return shared.coordinator;
}

async function leave(surroundings: Surroundings, sessionId: string | null): Promise<void> {
  try {
    await surroundings.remove(sessionId);
  } finally {
    await leaveCoordinator();
  }
}

async function leaveCoordinator(): Promise<void> {
  if (shared === null || --shared.users > 0) return;
  const { coordinator } = shared;
  shared = null;
  await coordinator.close();
}

/** Returns a check of the screen: its rows, joined by line feeds. */
export function screenMatches(pattern: RegExp): (screen: ScreenSnapshot) => true | null {
  // A pattern with a position would match only every other time.
  const stateless = new RegExp(pattern.source, pattern.flags.replace(/[gy]/g, ''));
  return ({ text }) => (stateless.test(text.join('\n').trimEnd()) ? true : null);
}

export const notShown = (pattern: RegExp, timeoutMs: number, screen: ScreenSnapshot): string =>
  `${pattern} was not shown for ${timeoutMs} ms; the screen was:\n${shownRows(screen)}`;
