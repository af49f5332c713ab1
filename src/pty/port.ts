import type { Disposable } from '#base';
import type { CancelSignal, ExitStatus, InputReceipt, SignalName, Size } from '#model';

/**
 * Owner of pseudo-terminals. In this process as {@link createPtyHost} makes it, later in a process
 * of its own; that is why whatever needs an answer is a promise, and why output is addressed by its
 * absolute offset: a client that lost its connection asks for the rest.
 */
export interface PtyHost {
  /**
   * Starts a program as the leader of a session of its own, in a pseudo-terminal of its own.
   * Resolves as soon as the program runs. What cannot be started leaves nothing behind.
   *
   * Every `Pty` has to be ended, also one whose program has exited: only then does the host forget
   * it, and only then is it certain that nothing which the program started is left.
   *
   * @throws VtrError PROGRAM_NOT_FOUND, PROGRAM_NOT_EXECUTABLE, CWD_NOT_FOUND, CWD_NOT_DIRECTORY,
   * NUL_IN_STRING, INVALID_SIZE, INVALID_ARGUMENT, SYSTEM_LIMIT, SPAWN_FAILED; UNAVAILABLE after `close`.
   */
  spawn(request: PtySpawnRequest): Promise<Pty>;
  /**
   * Ends every `Pty` with all that it started; further spawns fail with UNAVAILABLE.
   *
   * @throws VtrError PTY_ERROR that names what could not be ended.
   */
  close(options?: EndOptions): Promise<void>;
}

export interface PtySpawnRequest {
  /** A path, relative to `cwd` unless absolute, or a name to look up in the PATH of `env`. */
  readonly program: string;
  /** Without the program's own name, which is its resolved path. */
  readonly args: readonly string[];
  /** Absolute. */
  readonly cwd: string;
  /** All of it; nothing is inherited. See {@link buildEnvironment}. */
  readonly env: Readonly<Record<string, string>>;
  readonly size: Size;
  /** Overrides VTR_SESSION and VTR_SESSION_ID in `env`. */
  readonly marker: SessionMarker;
  /** Output kept for late readers, in bytes; {@link defaultLogBytes} when absent. */
  readonly logBytes?: number;
}

/**
 * What every program of a session carries in its environment, and is found by when it has left the
 * kernel's session (setsid). The id must never be used twice.
 */
export interface SessionMarker {
  /** VTR_SESSION: the session's name, for people and scripts. */
  readonly name: string;
  /** VTR_SESSION_ID */
  readonly id: string;
}

/** Output as one read delivered it, or as it is kept. */
export interface OutputChunk {
  /** Absolute offset of the first byte, counted from the first byte that the program ever wrote. */
  readonly offset: number;
  /** Shared by all readers and never written again: read only, and good to keep. */
  readonly bytes: Uint8Array;
}

export interface WriteOptions {
  /** Withdraws what the program has not accepted yet. */
  readonly signal?: CancelSignal;
}

export interface EndOptions {
  /** SIGKILL at once. */
  readonly force?: boolean;
  /** How long programs may take to end by themselves, in ms; {@link defaultGraceMs} when absent. */
  readonly graceMs?: number;
}

/**
 * Process groups: the one in the terminal's foreground, the one of the session's leader, or both;
 * where they are one, it gets the signal once.
 */
export type SignalTarget = 'foreground' | 'leader' | 'both';

/**
 * Who has the terminal, at the moment of the question. Null for what the system does not tell; all of
 * it where nobody has the terminal.
 */
export interface Foreground {
  /** The head of the process group in the foreground, or who is left of it. */
  readonly program: { readonly pid: number; readonly name: string } | null;
  /** Whether that is the group of the session's leader. */
  readonly isLeader: boolean | null;
  /**
   * Whether somebody in the group is blocked until the terminal has input. Told by Linux only; null
   * where a program waits for something else as well, as ssh does.
   */
  readonly readsTerminal: boolean | null;
}

/** Two local modes of the terminal, termios(3). */
export interface TerminalModes {
  /** ECHO: what is typed is shown. */
  readonly echo: boolean;
  /** ICANON: programs are handed whole lines, of 4,095 bytes at most. */
  readonly canonical: boolean;
}

/** What all living processes of a session take together. */
export interface TreeUsage {
  /** Processes that live. */
  readonly count: number;
  /** Memory in RAM; what several of them share counts for each. */
  readonly residentBytes: number;
  /**
   * Time on processors since the program was started, in ms. On macOS that of processes which have
   * ended is not in it, so it may fall.
   */
  readonly cpuMs: number;
}

/**
 * One program in its pseudo-terminal. It is running until the kernel reports its exit; from then on
 * `write`, `resize` and `signal` fail with SESSION_NOT_RUNNING and touch nothing.
 */
export interface Pty {
  readonly pid: number;
  /** The program as it was resolved: an absolute path. */
  readonly program: string;

  /** Absolute offset of the oldest byte that is kept. */
  readonly outputStart: number;
  /** Absolute offset of the next byte. */
  readonly outputEnd: number;
  /**
   * Calls `listener` for all output from the offset `from` on: first what is kept, then what comes,
   * in order, no gap, no repeat. Where `from` is no longer kept, the first chunk begins at
   * `outputStart`, and its offset tells. The listener is called from within the read, and may be
   * called before `readOutput` returns. One that throws is dropped; nobody else notices.
   */
  readOutput(from: number, listener: (chunk: OutputChunk) => void): Disposable;

  /**
   * Resolves when the kernel has taken all of `bytes`, which must not change until then. Writes
   * reach the program in the order of the calls, and no write's bytes are inside another's.
   *
   * @throws VtrError SESSION_NOT_RUNNING, CANCELLED and PTY_ERROR, all with `details.acceptedBytes`:
   * how many bytes of this write went in and stay in; INPUT_BACKLOG and INPUT_TOO_LARGE, of which
   * nothing went in.
   */
  write(bytes: Uint8Array, options?: WriteOptions): Promise<InputReceipt>;

  /** @throws VtrError INVALID_SIZE, SESSION_NOT_RUNNING, PTY_ERROR */
  resize(size: Size): Promise<void>;

  /**
   * Signals process groups; the leader's where the terminal has none in its foreground.
   *
   * @throws VtrError SESSION_NOT_RUNNING; PTY_ERROR when the system does not let us.
   */
  signal(signal: SignalName, target: SignalTarget): Promise<void>;

  /** Never fails: what is not known is null, and everything is after the exit. */
  foreground(): Promise<Foreground>;
  /**
   * The modes as they are when the call is made, or later. Never fails: null where they are not known,
   * and after the exit. Costs a fork of this process, so it is to be asked for a reason; who asks while
   * another is waiting shares it.
   */
  modes(): Promise<TerminalModes | null>;

  /**
   * Stops delivery, and reading from the kernel with it: the program blocks when the kernel's
   * buffer is full (some 20 KB). What the program wrote before it exited is kept, and delivered
   * after `resume`; then the exit is announced.
   */
  pause(): void;
  resume(): void;

  /** Resolves when the exit is announced. */
  readonly exit: Promise<ExitStatus>;
  /**
   * Calls `listener` once, from within the announcement, after the final byte was delivered; soon,
   * where the exit was announced before.
   */
  onExit(listener: (status: ExitStatus) => void): Disposable;

  /** A listing of the machine's processes: milliseconds where there are hundreds. */
  usage(): Promise<TreeUsage>;
  /** Memory in RAM, where what is shared counts once; null where the system does not tell. */
  ownBytes(): Promise<number | null>;
  /**
   * Stops all of the session's processes, until `release`, or until there is input or a signal for
   * them. They take no note, and what is stopped already stays so. What may not be signalled runs on.
   */
  hold(): Promise<void>;
  release(): Promise<void>;

  /**
   * Ends the program with everything that it started: HUP, CONT and TERM to the foreground group
   * and the leader's group, then to whatever the leader left behind, and KILL to what is still
   * there after the grace. Lifts a pause, because a program may have to write before it can end.
   * Resolves when nothing is left and the exit has been announced. Works after the exit too.
   * Callers share one ending; each of them can shorten its grace, none can lengthen it.
   *
   * @throws VtrError PTY_ERROR that names the processes which could not be ended.
   */
  end(options?: EndOptions): Promise<ExitStatus>;
}

/** Nothing is known. */
export const noForeground: Foreground = { program: null, isLeader: null, readsTerminal: null };

export const defaultGraceMs = 5_000;
export const defaultLogBytes = 1024 * 1024;
