import { type Clock, type Disposable, deferred } from '#base';
import { type KeyPress, startsShell } from '#model';
import type { Session } from '#session';

/** A program that was started longer ago than this, in ms, has started. */
const maxAgeMs = 30_000;
/**
 * The longest wait for a program to start, in ms. Clients give up a call without an answer after 30 s, and the Enter may
 * wait for another 5 s.
 */
const maxStartMs = 20_000;
/** A program that has used a processor for longer than this, in ms, works, and does not start. */
const maxCpuMs = 10_000;
/** How often the system is asked what a program does that does not read, in ms. */
const pollMs = 50;
/** A program that neither reads nor uses a processor for this time, in ms, is not starting: it waits for something. */
const restMs = 1_500;
/** A program that reads single keys has started when it has read and printed nothing for this time, in ms. */
const quietMs = 300;
/** After this silence, in ms, one look is enough. */
const longQuietMs = 2_000;
/** One that goes on printing, as a spinner does, has started when it has read keys for this time, in ms. */
const readingMs = 3_000;

/** The inputs that wait until the program of a session has started. */
interface Waiting {
  readonly started: Promise<void>;
  /** Ends the wait. */
  end(): void;
  count: number;
}

const waitings = new WeakMap<Session, Waiting>();

/**
 * Calls `send` when the program of a session has started, if the input is its first. Before that, nobody reads: the
 * terminal echoes the input, and makes a line feed of Enter, which composers of agents take for text. Inputs keep their
 * order. A key that is not text, such as ctrl+c, is sent without a wait, and so is what came before it.
 *
 * @param isText whether the input is text or Enter
 */
export async function whenStarted<T>(
  session: Session,
  clock: Clock,
  isText: boolean,
  send: () => Promise<T>,
): Promise<T> {
  let waiting = waitings.get(session);
  if (waiting === undefined) {
    if (!isText || !isNew(session, clock)) return send();
    waiting = begin(session, clock);
    waitings.set(session, waiting);
  }
  if (!isText) waiting.end();
  waiting.count++;
  try {
    await waiting.started;
    return await send();
  } finally {
    // Later inputs must not overtake those that waited.
    if (--waiting.count === 0) waitings.delete(session);
  }
}

/** Returns whether a text is more than control characters such as that of ctrl+c. */
export const isTyped = (text: string): boolean => /[\r\n]|[^\x00-\x1f\x7f]/u.test(text);

/** Returns whether keys are text or Enter. */
export const areText = (keys: readonly (string | KeyPress)[]): boolean =>
  keys.every((each) => {
    const { key, ctrl = false, alt = false } = typeof each === 'string' ? { key: each } : each;
    return !ctrl && !alt && ([...key].length === 1 || /^(?:enter|return|space)$/i.test(key));
  });

/** Whether the program of a session may still start. A shell reads later what was typed before its prompt. */
function isNew(session: Session, clock: Clock): boolean {
  const { view, createdAtMs } = session;
  if (view.inputCount > 0 || view.exitStatus !== null || view.commands.prompt !== null)
    return false;
  if (clock.wallMs() - createdAtMs >= maxAgeMs) return false;
  const { program, args } = session.info();
  return !startsShell([program, ...args].join(' '));
}

function begin(session: Session, clock: Clock): Waiting {
  const start = new ProgramStart(session, clock);
  const started = deferred();
  let timer: Disposable | null = null;
  let isOver = false;
  const end = () => {
    isOver = true;
    timer?.dispose();
    started.resolve();
  };
  const look = async () => {
    const delayMs = await start.look().catch(() => null);
    if (isOver) return;
    if (delayMs === null) end();
    else timer = clock.schedule(delayMs, look);
  };
  void look();
  return { started: started.promise, end, count: 0 };
}

/** A program that may be starting. */
class ProgramStart {
  readonly #session: Session;
  readonly #clock: Clock;
  readonly #beganMs: number;
  /** Since when it has used no processor. */
  #restsSinceMs: number;
  #cpuMs = -1;
  /** When it was first seen to read keys, and since when it was at each look; null if it was not. */
  #firstReadMs: number | null = null;
  #readsSinceMs: number | null = null;

  constructor(session: Session, clock: Clock) {
    this.#session = session;
    this.#clock = clock;
    this.#beganMs = clock.nowMs();
    this.#restsSinceMs = this.#beganMs;
  }

  /** Returns after how many ms to look again; null if the program has started, or if that is unknown. */
  async look(): Promise<number | null> {
    const { view } = this.#session;
    const nowMs = this.#clock.nowMs();
    if (view.exitStatus !== null || nowMs - this.#beganMs >= maxStartMs) return null;
    const { state, evidence } = await this.#session.activity();
    const { readingTerminal, alsoWaits, canonical } = evidence;
    if (readingTerminal === null && alsoWaits === null) return null;
    if (state === 'at_prompt' || (readingTerminal === true && canonical !== false)) return null;
    if (readingTerminal !== true && alsoWaits !== true) return this.#untilItRests(nowMs);
    this.#firstReadMs ??= nowMs;
    this.#readsSinceMs ??= nowMs;
    // One that has printed nothing has not drawn where it takes text.
    const silentMs = view.lastOutputAtMs === null ? 0 : view.silentMs();
    const isSettled = silentMs >= quietMs && nowMs - this.#readsSinceMs >= quietMs;
    const isReady = isSettled || silentMs >= longQuietMs || nowMs - this.#firstReadMs >= readingMs;
    return isReady ? null : pollMs;
  }

  async #untilItRests(nowMs: number): Promise<number | null> {
    this.#readsSinceMs = null;
    const { cpuMs } = await this.#session.processes.usage();
    if (cpuMs > this.#cpuMs) {
      this.#cpuMs = cpuMs;
      this.#restsSinceMs = nowMs;
    }
    const isOver = nowMs - this.#restsSinceMs >= restMs || cpuMs >= maxCpuMs;
    return isOver ? null : pollMs;
  }
}
