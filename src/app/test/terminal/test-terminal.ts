import {
  type CommandRecord,
  type Coordinator,
  cellsText,
  defaultSize,
  type ExitStatus,
  isVtrError,
  type KeyPress,
  type RunResult,
  type ScreenMatch,
  type ScreenSnapshot,
  type SendTextOptions,
  type SessionRef,
  type Size,
  type SnapshotEvent,
  type SpawnRequest,
  type Subscription,
  VtrError,
  type WaitRequest,
  type WaitResult,
} from '#model';
import { TestRecording } from './test-recording.ts';

/** A cell of the screen, 0-based. */
interface Place {
  readonly row: number;
  readonly col: number;
}

/** The result of a wait for something on the screen. */
export interface Shown<T> {
  /** Null if it did not appear in time, or before the program ended. */
  readonly match: T | null;
  /** The screen in which it was found, or the last one; with cells. */
  readonly screen: ScreenSnapshot;
}

/**
 * A session of a test. Waits look at the screen when it changes, never by the clock, and only at
 * frames that a terminal shows.
 */
export class TestTerminal {
  readonly #coordinator: Coordinator;
  readonly #session: SessionRef;
  readonly #subscription: Subscription;
  /** The id of its session. */
  readonly id: string;
  readonly recording: TestRecording;
  /** The number of events so far. */
  #changes = 0;
  #exitStatus: ExitStatus | null = null;
  /** Called at the next event. */
  #waiting: (() => void)[] = [];

  private constructor(
    coordinator: Coordinator,
    session: SessionRef & { readonly id: string },
    subscription: Subscription,
    size: Size,
  ) {
    this.#coordinator = coordinator;
    this.#session = session;
    this.id = session.id;
    this.#subscription = subscription;
    this.recording = new TestRecording(size);
    void this.#follow();
  }

  /** @throws VtrError as `Coordinator.spawn` */
  static async start(coordinator: Coordinator, request: SpawnRequest): Promise<TestTerminal> {
    const { name, id } = await coordinator.spawn({
      environment: 'minimal',
      persist: false,
      ...request,
    });
    const subscription = await coordinator.subscribe({ name, id });
    const size = request.size ?? defaultSize;
    return new TestTerminal(coordinator, { name, id }, subscription, size);
  }

  async #follow(): Promise<void> {
    for await (const event of this.#subscription) {
      this.recording.add(event);
      if (event.type === 'exit') this.#exitStatus = event.status;
      this.#changed();
    }
    this.#changed();
  }

  #changed(): void {
    this.#changes++;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }

  /** Null while the program runs. */
  get exitStatus(): ExitStatus | null {
    return this.#exitStatus;
  }

  /** The screen that is shown, with cells and text. */
  async screen(): Promise<ScreenSnapshot> {
    const screen = await this.#coordinator.screen(this.#session, { format: 'cells' });
    return { ...screen, text: (screen.cells ?? []).map(cellsText) };
  }

  /** The state of the terminal without the lines above the screen, for a picture. */
  async snapshot(): Promise<SnapshotEvent> {
    const subscription = await this.#coordinator.subscribe(this.#session, { scrollbackLines: 0 });
    try {
      for await (const event of subscription) {
        if (event.type === 'snapshot') return event;
      }
      throw new VtrError('UNAVAILABLE', 'the session ended before it showed its screen');
    } finally {
      subscription.dispose();
    }
  }

  /** All lines: the scrollback, and the screen. */
  async lines(): Promise<string[]> {
    const { lines } = await this.#coordinator.readLines(this.#session);
    const { alternate, text } = await this.#coordinator.screen(this.#session);
    return [...lines.map((line) => line.text), ...(alternate ? text : [])];
  }

  /**
   * Waits until `check` finds something, with the time limit.
   *
   * @param stillMs also ends when nothing has changed for this time and the program waits for input alone
   */
  async until<T>(
    check: (screen: ScreenSnapshot) => T | null | Promise<T | null>,
    timeoutMs: number,
    stillMs = Number.POSITIVE_INFINITY,
  ): Promise<Shown<T>> {
    const deadline = new Deadline(timeoutMs);
    try {
      for (;;) {
        const changes = this.#changes;
        const hasEnded = this.#exitStatus !== null;
        const screen = await this.screen();
        const value = await check(screen);
        if (value !== null || hasEnded || deadline.isOver) return { match: value, screen };
        if (changes !== this.#changes) continue;
        if (await this.#isStill(stillMs, deadline)) return { match: null, screen };
      }
    } finally {
      deadline.dispose();
    }
  }

  /** Waits for a change or the deadline; returns true if there was neither for a time, and only input can make one. */
  async #isStill(stillMs: number, deadline: Deadline): Promise<boolean> {
    const changes = this.#changes;
    const still = new Deadline(Math.min(stillMs, maxTimerMs));
    try {
      await Promise.race([this.#nextChange(), deadline.reached, still.reached]);
    } finally {
      still.dispose();
    }
    if (!still.isOver || changes !== this.#changes) return false;
    const { activity } = await this.#coordinator.info(this.#session, { activity: true });
    return activity?.evidence.readingTerminal === true && changes === this.#changes;
  }

  #nextChange(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** @throws VtrError as `Coordinator.sendText` */
  async type(text: string, options: SendTextOptions = {}): Promise<void> {
    if (text !== '') await this.#coordinator.sendText(this.#session, text, options);
  }

  /** @throws VtrError as `Coordinator.sendKeys` */
  async press(keys: readonly (string | KeyPress)[]): Promise<void> {
    if (keys.length > 0) await this.#coordinator.sendKeys(this.#session, keys);
  }

  /**
   * Clicks at a place, or on the only match of an RE2 pattern in a row of the screen. Waits until the
   * program uses the mouse, and the match is there.
   *
   * @throws VtrError INVALID_ARGUMENT if it was not possible in time
   */
  async click(on: string | Place, timeoutMs: number): Promise<void> {
    const place = typeof on === 'string' ? { row: 0, col: 0 } : on;
    const press = [
      { action: 'press', ...place },
      { action: 'release', ...place },
    ] as const;
    const options = typeof on === 'string' ? { on } : {};
    let reason = '';
    const { match } = await this.until(async () => {
      const result = await this.#coordinator.sendMouse(this.#session, press, options);
      reason = notClicked(result.matches);
      return result.ignored ? null : true;
    }, timeoutMs);
    if (match === null) throw new VtrError('INVALID_ARGUMENT', reason);
  }

  async resize(size: Size): Promise<void> {
    await this.#coordinator.resize(this.#session, size);
  }

  async wait(request: WaitRequest): Promise<WaitResult> {
    return this.#coordinator.wait(this.#session, request);
  }

  /** @throws VtrError as `Coordinator.run` */
  async run(line: string, timeoutMs: number): Promise<RunResult> {
    return this.#coordinator.run(this.#session, {
      line,
      timeoutMs,
      maxLines: maxOutputLines,
      maxBytes: maxOutputBytes,
    });
  }

  /** Whether vtr's shell integration marks the shell's commands. */
  async marksCommands(): Promise<boolean> {
    const { integration } = await this.#coordinator.commands(this.#session, { last: 1 });
    return integration === 'integrated';
  }

  /** Returns the newest command of the shell; null if there is none. */
  async lastCommand(): Promise<CommandRecord | null> {
    const { commands } = await this.#coordinator.commands(this.#session, { last: 1 });
    return commands.at(-1) ?? null;
  }

  /** Ends the program and its descendants. */
  async close(): Promise<void> {
    this.#subscription.dispose();
    await this.#coordinator.remove(this.#session, { force: true }).catch((error: unknown) => {
      if (!(isVtrError(error) && error.code === 'UNAVAILABLE')) throw error;
      // It was closed first, and may still be ending the program.
      return this.#coordinator.close();
    });
  }
}

/** Why nothing was clicked. */
function notClicked(
  matches: readonly ScreenMatch[] = [{ row: 0, col: 0, cols: 1, text: '' }],
): string {
  if (matches.length === 1) return 'the program did not ask for clicks of the mouse';
  const places = matches.map(({ row, col }) => `${row},${col}`).join(' and ');
  const count = matches.length === 0 ? 'nothing' : `the text at ${places}`;
  return `the pattern matches ${count}; a click needs one match`;
}

/** The longest time of a timer of Node.js. */
const maxTimerMs = 2 ** 31 - 1;

const maxOutputLines = 100_000;
const maxOutputBytes = 16 * 1024 * 1024;

/** A moment after which nothing is waited for. */
class Deadline {
  readonly reached: Promise<void>;
  #timer: NodeJS.Timeout | undefined;
  #isOver = false;

  constructor(timeoutMs: number) {
    this.reached = new Promise((resolve) => {
      this.#timer = setTimeout(() => {
        this.#isOver = true;
        resolve();
      }, timeoutMs);
    });
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  dispose(): void {
    clearTimeout(this.#timer);
  }
}

/** The rows of a screen in a frame. */
export function shownRows({ text, size }: ScreenSnapshot): string {
  const end = text.findLastIndex((row) => row !== '') + 1;
  const border = '-'.repeat(Math.min(size.cols, 80));
  return [border, ...text.slice(0, end), border].join('\n');
}
