import { type Clock, type Disposable, decodeUtf8, defined, encodeUtf8 } from '#base';
import { asVtrError, isPosixShell } from '#model';
import type { Foreground, Pty } from '#pty';

/** The most bytes of replies that wait for the program; more are dropped. */
const maxPendingReplyBytes = 4096;

/** How long a reply waits for a program that can read it, in ms. */
const maxWaitMs = 2_000;
/** The first and the longest delay before the terminal is looked at again, in ms. */
const firstDelayMs = 1;
const maxDelayMs = 10;
/** How long a busy system may take to wake the program that reads a reply, in ms. */
const arrivalMs = 100;
/** A look at the foreground is repeated if it is older, in ms, and that at most this often. */
const freshMs = 10;
const maxLooks = 3;
/** How often a program that may be a shell at its prompt is looked at until it reads. */
const maxLooksAtShell = 6;

interface Held {
  /** The number of replies before it. */
  readonly number: number;
  readonly bytes: Uint8Array;
  readonly answersTo: number;
  /** The command of the shell that ran when it was asked for; null if none is known. */
  readonly command: number | null;
  readonly heldSinceMs: number;
  /** The program in the foreground when the reply could not be read, or had left before it was; null if it can. */
  askerPid: number | null;
  /** Whether its reader had left, and no time has passed since. */
  isRefused: boolean;
  looksAtShell: number;
  /** Whether it is sent only if the program in the foreground reads, as that may be a shell at its prompt. */
  mustRead: boolean;
}

/** A reply that was not written yet, for the next coordinator. */
export interface SavedReply extends Pick<Held, 'answersTo' | 'command'> {
  readonly text: string;
}

/** `look`: it depends on whether the program reads. */
type Verdict = 'pass' | 'wait' | 'drop' | 'look';

/** The foreground, and whether it is known that its program reads. */
interface Look {
  readonly foreground: Foreground | null;
  readonly knowsReads: boolean;
}

export interface ReplyParts {
  readonly pty: Pick<Pty, 'write' | 'foreground' | 'foregroundProgram' | 'modes'>;
  readonly clock: Pick<Clock, 'nowMs' | 'schedule'>;
  /** Queries before this offset of the output have been answered; default 0. */
  readonly answeredTo?: number;
  /** Returns the number of the command that the shell runs; null if none is known. */
  readonly runningCommand: () => number | null;
  /** Whether the text left of the cursor looks like a prompt. */
  readonly showsPrompt: () => boolean;
  /** Resolves when the output that was received before has been applied. */
  readonly outputApplied: () => Promise<void>;
}

/**
 * Sends the terminal's replies to the program. Each reply is one write, so that it is never inside
 * other input. A program that sends queries and does not read the replies costs no more than the
 * limit.
 *
 * A reply that its asker does not read would be typed at the shell's next prompt, as after `cat` of a
 * log with a query. So a reply is dropped when its command has ended, and waits while the terminal is in
 * canonical mode, in which no program can read it without an Enter. The look at that is old when the reply gets to the
 * terminal, so the write names the program, and the PTY host refuses it if that has left.
 */
export class Replies implements Disposable {
  readonly #parts: ReplyParts;
  #queue: Held[] = [];
  /** How many replies were held until now. */
  #count = 0;
  #isPassing = false;
  #isDisposed = false;
  #pendingBytes = 0;
  /** When a reply was last written. */
  #writtenMs = Number.NEGATIVE_INFINITY;
  #delay: Disposable | null = null;
  #wake = (): void => {};
  /** Bytes of replies that were dropped because the program did not read those before. */
  droppedBytes = 0;
  /** The command that ran when a reply was last written; null if none did. */
  commandOfLast: number | null = null;

  constructor(parts: ReplyParts) {
    this.#parts = parts;
  }

  /** Whether replies are on their way to the program. */
  get areComing(): boolean {
    return this.#pendingBytes > 0 || this.#parts.clock.nowMs() - this.#writtenMs < arrivalMs;
  }

  /** The replies that were not written yet: a state that has their queries has them, too. */
  save(): readonly SavedReply[] {
    return this.#queue.map(({ bytes, answersTo, command }) => {
      return { text: decodeUtf8(bytes), answersTo, command };
    });
  }

  /** Sends what another coordinator has not written. The state of the shell must be restored. */
  restore(saved: readonly SavedReply[]): void {
    for (const { text, answersTo, command } of saved) {
      this.#add(encodeUtf8(text), answersTo, command);
    }
  }

  /** @param answersTo the offset of the byte after the output that has the queries */
  send(reply: Uint8Array | null, answersTo: number): void {
    if (reply !== null) this.#add(reply, answersTo, this.#parts.runningCommand());
  }

  #add(reply: Uint8Array, answersTo: number, command: number | null): void {
    const { answeredTo = 0, clock } = this.#parts;
    if (answersTo <= answeredTo) return;
    if (this.#pendingBytes + reply.length > maxPendingReplyBytes) {
      this.droppedBytes += reply.length;
      return;
    }
    this.#pendingBytes += reply.length;
    this.#queue.push({
      number: this.#count++,
      bytes: reply,
      answersTo,
      command,
      heldSinceMs: clock.nowMs(),
      askerPid: null,
      isRefused: false,
      looksAtShell: 0,
      mustRead: false,
    });
    if (!this.#isPassing) void this.#passAll();
  }

  /**
   * Drops the replies to a command. Must be called when the shell has marked its end, with the terminal's own
   * replies removed.
   */
  askerEnded(): void {
    this.#wake();
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#queue = [];
    this.#wake();
  }

  /** Passes the replies in their order. */
  async #passAll(): Promise<void> {
    this.#isPassing = true;
    for (let delayMs = firstDelayMs; this.#queue.length > 0; ) {
      this.#dropOrphans();
      if (await this.#firstStillWaits()) {
        delayMs = Math.min(2 * delayMs, maxDelayMs);
        await this.#pause(delayMs);
        continue;
      }
      // The foreground is not known for a reply whose query came while it was read.
      const count = this.#count;
      const look = await this.#look();
      this.#dropOrphans();
      const isPassed = this.#passFirst(look, count);
      delayMs = isPassed ? firstDelayMs : Math.min(2 * delayMs, maxDelayMs);
      if (this.#queue.length > 0 && !isPassed) await this.#pause(delayMs);
    }
    this.#isPassing = false;
  }

  /**
   * Whether the terminal is still in canonical mode, and the first reply waits for that, or it was refused just now. It
   * is asked before the foreground, for which all processes of the system may be listed: a program that floods can hold
   * replies for {@link maxWaitMs}.
   */
  async #firstStillWaits(): Promise<boolean> {
    const [first] = this.#queue;
    if (first === undefined || first.askerPid === null || this.#isOver(first)) return false;
    if (first.isRefused) {
      first.isRefused = false;
      return true;
    }
    try {
      return (await this.#parts.pty.modes())?.canonical === true;
    } catch {
      return false;
    }
  }

  /** Whether a reply has waited for the longest time. */
  #isOver({ heldSinceMs }: Held): boolean {
    return this.#parts.clock.nowMs() - heldSinceMs >= maxWaitMs;
  }

  /**
   * Looks at the foreground, and returns when all output from before that is applied. Whether a program reads takes
   * long to find out on a busy machine, so only replies that depend on it wait for that.
   */
  async #look(): Promise<Look> {
    const { pty, clock, outputApplied } = this.#parts;
    const knowsReads = this.#queue[0]?.mustRead ?? false;
    try {
      for (let look = 1; ; look++) {
        const foreground = await (knowsReads ? pty.foreground() : pty.foregroundProgram());
        const seenMs = clock.nowMs();
        await outputApplied();
        // The asker may have left while much output was applied.
        const isFresh = clock.nowMs() - seenMs < freshMs;
        if (isFresh || look === maxLooks) return { foreground, knowsReads };
      }
    } catch {
      return { foreground: null, knowsReads };
    }
  }

  /** Drops the replies whose commands have ended. */
  #dropOrphans(): void {
    const running = this.#parts.runningCommand();
    this.#queue = this.#queue.filter((each) => {
      const isOrphan = each.command !== null && each.command !== running;
      if (isOrphan) this.#drop(each);
      return !isOrphan;
    });
  }

  #drop({ bytes }: Held): void {
    this.#pendingBytes -= bytes.length;
  }

  /**
   * Passes or drops replies until one has to wait.
   *
   * @param count the number of replies that the foreground is known for
   * @returns whether there was one to pass or drop, or one for which the foreground must be read again
   */
  #passFirst(look: Look, count: number): boolean {
    const before = this.#queue.length;
    for (let reply = this.#queue[0]; reply !== undefined; reply = this.#queue[0]) {
      if (reply.number >= count) return true;
      const verdict = this.#verdictOn(reply, look);
      if (verdict === 'look') {
        reply.mustRead = true;
        return true;
      }
      if (verdict === 'wait') break;
      this.#queue.shift();
      if (verdict === 'drop') this.#drop(reply);
      else this.#write(reply, look.foreground);
    }
    return this.#queue.length < before;
  }

  #verdictOn(reply: Held, { foreground, knowsReads }: Look): Verdict {
    const modes = foreground?.modes;
    // Where the system does not report them, terminals reply at once.
    if (foreground === null || modes === undefined) return 'pass';
    const pid = foreground.program?.pid ?? null;
    // A program has ended, and its shell has not taken the terminal back.
    const isBetween = pid === null && foreground.readsTerminal === false;
    if (isBetween) return this.#isOver(reply) ? 'drop' : 'wait';
    if (modes.canonical) {
      reply.askerPid ??= pid;
      return this.#isOver(reply) ? 'drop' : 'wait';
    }
    const { askerPid, command } = reply;
    const isShell = isPosixShell(foreground.program?.name ?? null);
    if (isShell && command === null && askerPid !== null && askerPid !== pid) return 'drop';
    // The line editor of a shell, or a builtin that reads? What was printed is known when it reads.
    if (!isShell && (command === null || foreground.isLeader === false)) return 'pass';
    if (!knowsReads) return 'look';
    const reads = foreground.readsTerminal === true || foreground.alsoWaits === true;
    if (!reads && reply.looksAtShell++ < maxLooksAtShell) return 'wait';
    return isShell && this.#parts.showsPrompt() ? 'drop' : 'pass';
  }

  #write(reply: Held, foreground: Foreground | null): void {
    const { bytes, answersTo, command } = reply;
    this.commandOfLast = command;
    const reader = foreground?.modes && foreground.program?.pid;
    const onSettled = () => {
      this.#pendingBytes -= bytes.length;
      this.#writtenMs = this.#parts.clock.nowMs();
    };
    this.#parts.pty.write(bytes, { answersTo, ...defined({ reader }) }).then(onSettled, (error) => {
      const { code } = asVtrError(error);
      if (code === 'CANCELLED' && !this.#isOver(reply))
        return this.#holdAgain(reply, reader ?? null);
      onSettled();
      // Other failures are ignored: a program that has ended needs no reply.
      if (code === 'INPUT_BACKLOG') this.droppedBytes += bytes.length;
    });
  }

  /** Holds a reply whose reader had left the terminal: another program of its command may read it. */
  #holdAgain(reply: Held, reader: number | null): void {
    if (this.#isDisposed) return;
    reply.askerPid ??= reader;
    reply.isRefused = true;
    this.#queue.push(reply);
    this.#queue.sort((a, b) => a.number - b.number);
    if (!this.#isPassing) void this.#passAll();
  }

  /** Waits, at most until a command ends. */
  async #pause(delayMs: number): Promise<void> {
    if (this.#isDisposed) return;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      this.#delay = this.#parts.clock.schedule(delayMs, resolve);
    });
    this.#delay?.dispose();
    this.#delay = null;
    this.#wake = () => {};
  }
}
