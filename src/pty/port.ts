import type { Disposable } from '#base';
import type { CancelSignal, EndOptions, ExitStatus, InputReceipt, SignalName, Size } from '#model';
import type { ProcessEntry } from './processes/process-table.ts';

/**
 * How programs run on without their coordinator. `superseded`: a newer coordinator has taken them.
 * `disconnected`: the connection to their process has ended, and the process has not.
 */
export type Deprival = 'superseded' | 'disconnected';

/**
 * The owner of pseudo-terminals: this process ({@link createPtyHost}) or one of its own. That is why
 * every answer is a promise, and why output is addressed by absolute offset: a client that lost its
 * connection reads on from the offset that it has reached.
 */
export interface PtyHost {
  /**
   * Starts a program as the leader of a new session, in a new pseudo-terminal. Resolves after the
   * fork. A spawn that fails leaves nothing behind.
   *
   * The caller must end every `Pty`, also after its program has exited. Only then does the host
   * forget it, and only then is it certain that no descendant of the program is left.
   *
   * @throws VtrError PROGRAM_NOT_FOUND, PROGRAM_NOT_EXECUTABLE, CWD_NOT_FOUND, CWD_NOT_DIRECTORY,
   * NUL_IN_STRING, INVALID_SIZE, INVALID_ARGUMENT, SYSTEM_LIMIT, SPAWN_FAILED; UNAVAILABLE after
   * `close`.
   */
  spawn(request: PtySpawnRequest): Promise<Pty>;
  /**
   * Lists the processes of the machine: milliseconds if there are hundreds. Concurrent calls share
   * a listing.
   */
  listProcesses(): Promise<readonly ProcessEntry[]>;
  /**
   * Returns the programs that another coordinator left, with what it saved. Their output is delivered
   * from the first `readOutput` on, which must begin at the offset of the saved state, or at
   * `outputStart`: first the steps that are kept, cut as they were the first time, then new ones. Each
   * is returned once. An implementation whose programs end with the coordinator returns none.
   */
  adopt(): Promise<readonly AdoptedPty[]>;
  /**
   * Leaves all programs to the next coordinator. Later calls fail with UNAVAILABLE. An
   * implementation whose programs end with the coordinator fails.
   *
   * @throws VtrError UNAVAILABLE
   */
  detach(): Promise<void>;
  /**
   * Calls `listener` once, when the programs run on without this coordinator, which did not leave them.
   * As after `detach`, later calls fail with UNAVAILABLE, and exits are not announced.
   */
  onDeprived(listener: (how: Deprival) => void): Disposable;
  /**
   * Ends every `Pty` and its descendants. Further spawns fail with UNAVAILABLE.
   *
   * @throws VtrError PTY_ERROR that names the processes that could not be ended.
   */
  close(options?: EndOptions): Promise<void>;
}

export interface PtySpawnRequest {
  /** A path, relative to `cwd` unless absolute, or a name to look up in the PATH of `env`. */
  readonly program: string;
  /** Without argv[0], which is the resolved path of the program. */
  readonly args: readonly string[];
  /** Absolute. */
  readonly cwd: string;
  /** The whole environment; nothing is inherited. See {@link buildEnvironment}. */
  readonly env: Readonly<Record<string, string>>;
  readonly size: Size;
  /** Overrides VTR_SESSION and VTR_SESSION_ID in `env`. */
  readonly marker: SessionMarker;
  /** Output kept for late readers, in bytes; default {@link defaultLogBytes}. */
  readonly logBytes?: number;
  /** What is saved from the start; see {@link Saved.facts}. */
  readonly facts?: Uint8Array;
  /**
   * Values that readers may request to be replaced in the output. Kept in memory for the next coordinator, also
   * after the exit, and never written to a disk.
   */
  readonly secrets?: readonly string[];
}

/** A program that another coordinator left. */
export interface AdoptedPty {
  /** Its `exit` is announced after the output that the first `readOutput` or `end` delivers. */
  readonly pty: Pty;
  readonly saved: Saved;
  /** The absolute offset of the next byte of output, as of the call of `adopt`. */
  readonly outputEnd: number;
  /**
   * Resolves when everything that was kept at the first `readOutput` was delivered: output, steps and
   * the exit. Also resolves when the connection to the host ends.
   */
  readonly replayed: Promise<void>;
  /** How and when it exited, in ms since 1970; null if it was running at the call of `adopt`. */
  readonly exited: { readonly status: ExitStatus; readonly atMs: number } | null;
  /** The program's queries before this offset have been answered. */
  readonly answeredTo: number;
  /**
   * The end of the output when input with a line end was last written; 0 if none was; null if the host is of an
   * earlier version, which does not know it.
   */
  readonly lastEnterAt: number | null;
  /** See {@link Pty.keepLearned}. */
  readonly learned: LearnedSecrets;
  /** See {@link PtySpawnRequest.secrets}; null if the host is of an earlier version, which does not keep them. */
  readonly secrets: readonly string[] | null;
}

/**
 * Secrets that a coordinator learned after the start of a program, oldest first: what was typed while the
 * terminal hid it, and what the output showed with a name, such as a password in a URL.
 */
export interface LearnedSecrets {
  readonly typed: readonly string[];
  readonly seen: readonly string[];
}

/** What a coordinator saves about a program, for the next one. The host does not read it. */
export interface Saved {
  /** The properties that do not follow from the output. Empty if none were saved. */
  readonly facts: Uint8Array;
  /** The state after the steps before an offset; null if none was saved: replay from offset 0. */
  readonly state: SavedState | null;
  /** Lines above the screen, oldest first, without gaps. */
  readonly segments: readonly Segment[];
}

export interface SavedState {
  /** The state is that after the output before this offset. */
  readonly offset: number;
  /** {@link Pty.stepsDelivered} when the state was made: steps at the same offset can be later. */
  readonly steps: number;
  readonly bytes: Uint8Array;
}

/** A time for which a program was not read, because its output waited for its coordinator. */
export interface OutputPause {
  /** When it began, in ms since 1970. */
  readonly sinceMs: number;
  /** The output that waited, in bytes. */
  readonly bytes: number;
}

/** Saved lines from `from` up to but not including `to`. */
export interface Segment {
  readonly from: number;
  readonly to: number;
  readonly bytes: Uint8Array;
}

/** A change of what is saved. Parts that are absent stay. Its bytes must not change afterwards. */
export interface SavedChange {
  readonly facts?: Uint8Array;
  /** The host may forget the steps before its offset. */
  readonly state?: SavedState;
  /** The line from which on `segments` replaces what is saved; Infinity to append. */
  readonly replaceFrom?: number;
  readonly segments?: readonly Segment[];
  /** Segments that end at or before this line are dropped. */
  readonly firstLine?: number;
}

/**
 * The variables by which a session's processes are found when they have left the kernel's session
 * (setsid). An id must never be used twice.
 */
export interface SessionMarker {
  /** VTR_SESSION: the session's name, for people and scripts. */
  readonly name: string;
  /** VTR_SESSION_ID */
  readonly id: string;
}

/** Output as one read delivered it, or as it is kept. */
export interface OutputChunk {
  /** Absolute offset of the first byte, counted from the program's first byte of output. */
  readonly offset: number;
  /**
   * Shared by all readers, which must not write to it. Never written again, so that readers may keep it,
   * unless {@link ReadOutputOptions.copies} is set.
   */
  readonly bytes: Uint8Array;
  /** When it was read; absent: now. */
  readonly readAt?: ReadTime;
}

/** Returns the part of a chunk from an offset on: nothing if it ends before. */
export function chunkFrom({ offset, bytes }: OutputChunk, from: number): readonly OutputChunk[] {
  const skipped = Math.max(0, from - offset);
  if (skipped >= bytes.length) return [];
  return [{ offset: offset + skipped, bytes: bytes.subarray(skipped) }];
}

export interface ReadOutputOptions {
  /**
   * Whether the reader copies what it needs of a chunk after the listener has returned. If all readers
   * do, the memory of the chunk is used again. Default false.
   */
  readonly copies?: boolean;
}

/** Ms since 1970, and ms of the system's monotonic clock, which all processes share until it reboots. */
export interface ReadTime {
  readonly wallMs: number;
  readonly bootMs: number;
}

/**
 * A change of the terminal that is not in the output, at its offset. Output and steps in their order
 * make the state of a session: a reader that replays them has the same screen, revision and marks.
 */
export type Step = ResizeStep | NoteStep;

/** The program had the new size before it wrote the byte at `offset`. */
export interface ResizeStep {
  readonly type: 'resize';
  readonly offset: number;
  readonly size: Size;
}

/** A decision of the reader of the output, which is replayed and not made again. */
export interface NoteStep {
  readonly type: 'note';
  readonly offset: number;
  readonly note: Note;
}

/**
 * `frame_end`: a frame of synchronized output was shown although it was not complete. `erase ROW COL`: the screen
 * is erased from that cell on before the resize that follows, because the shell draws its prompt again.
 */
export type Note = 'frame_end' | `erase ${number} ${number}`;

export interface WriteOptions {
  /** Withdraws the bytes that the program has not accepted yet. */
  readonly signal?: CancelSignal;
  /** Ascending offsets in the bytes before which the write pauses for {@link inputPauseMs}. */
  readonly pausesAt?: readonly number[];
  /**
   * Ascending offsets in the bytes at each of which an Enter, or a piece of a long text, begins that the program must get
   * apart from what was typed before: in this write, or within the last second. The write waits until the program has read that and is
   * at rest, for at most {@link maxReadWaitMs} in all, and then for {@link enterPauseMs}. In canonical mode it does
   * not wait.
   */
  readonly entersAt?: readonly number[];
  /**
   * Resolves when the screen shows what was typed before the Enters: the program has taken it, so that they need not
   * wait until it is at rest. Hosts of earlier versions do not know it.
   */
  readonly shown?: Promise<void>;
  /**
   * Makes the write happen at most once: a later write with the same id, also of another coordinator,
   * gets the result of the first and types nothing. Until then, the signals of all of them withdraw
   * it. A write that failed before the program accepted any of it is forgotten. The last 64 ids of a
   * program are known.
   */
  readonly inputId?: string;
  /**
   * 32 hexadecimal digits that stand for what was asked for with `inputId`. A write whose id has others
   * fails with INPUT_ID_USED.
   */
  readonly content?: string;
  /**
   * On the clock of {@link ReadTime.bootMs}: a host that reads the request later, because it was suspended,
   * does not carry it out, and fails with UNAVAILABLE.
   */
  readonly startByMs?: number;
  /**
   * The write answers the program's queries before this offset; see {@link AdoptedPty.answeredTo}. It fails
   * with INPUT_BACKLOG if 4 KiB of such answers wait for the program.
   */
  readonly answersTo?: number;
  /**
   * The pid of {@link Foreground.program} when the answer was found to be for it. When it is the write's turn, it fails
   * with CANCELLED if this program has left the foreground, or the terminal is in canonical mode: what the program did
   * not wait for would be typed into the next one. Ignored by hosts of earlier versions, and without `answersTo`.
   */
  readonly reader?: number;
  /** Called when the write is complete, before the output that follows it is delivered; not called for a repeat. */
  readonly onReceipt?: (receipt: WriteReceipt) => void;
}

/**
 * The pause after an escape key that another key follows, in ms. Programs that read a key within their
 * timeout after ESC take both as one key with alt: ncurses ESCDELAY (htop 25 ms, nano 50 ms), fish
 * 30 ms, vim's ttimeoutlen 100 ms.
 */
export const inputPauseMs = 120;

/**
 * The pause between text that the program has read and an Enter, in ms. Composers take an Enter within 120 ms
 * (Codex) or 100 ms (Claude Code) after fast characters for a line end of a paste.
 */
export const enterPauseMs = 200;

/** How long the Enters of one write wait for the program to read and to be at rest, in ms. */
export const maxReadWaitMs = 5_000;

/**
 * Process groups: the terminal's foreground group, the group of the session's leader, or both. If
 * the two are the same group, it gets the signal once.
 */
export type SignalTarget = 'foreground' | 'leader' | 'both';

/**
 * The terminal's foreground process group at the moment of the call. A property is null if the
 * system does not report it; all are null if there is no foreground group.
 */
export interface Foreground {
  /** The leader of the process group, or a member if the leader has ended. */
  readonly program: { readonly pid: number; readonly name: string } | null;
  /** When it was started, in a unit that only serves to compare programs of one PTY; absent if unknown. */
  readonly startedAt?: number;
  /** Whether it is the group of the session's leader. */
  readonly isLeader: boolean | null;
  /**
   * Whether a member of the group is blocked until the terminal has input. Reported by Linux only;
   * null if a program waits for something else as well, as ssh does.
   */
  readonly readsTerminal: boolean | null;
  /**
   * Whether a member of the group is blocked until the terminal or something else has input; null if
   * unknown.
   */
  readonly alsoWaits: boolean | null;
  /** The name of the program that reads the terminal if it is not `program`. */
  readonly reader?: string;
  /**
   * Whether the program that reads the terminal does so in an event loop, which always polls the
   * terminal and may wait for a timer.
   */
  readonly inEventLoop?: boolean;
  /**
   * Whether nothing but input of the terminal makes the program continue: its only thread reads, without a
   * timeout, and it has no child.
   */
  readonly isBlocked?: boolean;
  /** Its terminal's, as of the same moment; absent if they are unknown, or reading them starts a process. */
  readonly modes?: TerminalModes;
  /**
   * As {@link Pty.directory} of `program`, or of the session's leader if there is none; absent if it was not
   * asked for, and from a host of an earlier version.
   */
  readonly directory?: string | null;
  /** Of the first thread of `program`: a text that changes when it has run. Absent if unknown, or not asked for. */
  readonly trace?: string;
}

/** Two local modes of the terminal, termios(3). */
export interface TerminalModes {
  /** ECHO: input is shown. */
  readonly echo: boolean;
  /** ICANON: programs read whole lines, of at most 4,095 bytes on Linux. */
  readonly canonical: boolean;
}

export interface WriteReceipt extends InputReceipt {
  /** Absent if they are not known at once, and for answers to queries. */
  readonly modes?: WriteModes;
}

/** The modes right before and right after a write. */
export interface WriteModes {
  readonly before: TerminalModes;
  readonly after: TerminalModes;
}

/** The sums over all live processes of a session. */
export interface TreeUsage {
  readonly count: number;
  /** Resident set sizes, in bytes: memory shared by several processes counts once for each. */
  readonly residentBytes: number;
  /**
   * CPU time since the program's start, in ms. On macOS it does not include processes that have
   * ended, so it may fall.
   */
  readonly cpuMs: number;
}

/** Whether a request is given up with the call of a client: a host that reads it later does not carry it out. */
export interface Limited {
  /** Default: false. */
  readonly isLimited?: boolean;
}

/**
 * One program in its pseudo-terminal. It is running until the kernel reports its exit; from then on
 * `write`, `resize` and `signal` fail with SESSION_NOT_RUNNING and have no effect.
 */
export interface Pty {
  readonly pid: number;
  /** The resolved program: an absolute path. */
  readonly program: string;

  /** Absolute offset of the oldest byte at hand: in this process. */
  readonly outputStart: number;
  /** Absolute offset of the next byte. */
  readonly outputEnd: number;
  /**
   * Calls `listener` with all output from the offset `from` on: first the output at hand, then new
   * output, in order, without gaps or repeats. If `from` is no longer at hand, the first chunk begins
   * at `outputStart`. The listener is called from within the read, and possibly before `readOutput`
   * returns. A listener that throws is removed; the others are not affected.
   */
  readOutput(
    from: number,
    listener: (chunk: OutputChunk) => void,
    options?: ReadOutputOptions,
  ): Disposable;
  /**
   * Returns the output from the offset `from` on that is at hand, also while output is paused. The bytes are valid until
   * the caller returns or waits.
   */
  outputAtHand(from: number): readonly OutputChunk[];
  /**
   * Returns the output from the offset `from` on that is kept, up to `outputEnd` when the promise
   * resolves. That is at least `logBytes`, unless all programs together have more than the host keeps,
   * and more than the output at hand if the host is another process.
   *
   * @throws VtrError UNAVAILABLE if the host is gone
   */
  keptOutput(from: number): Promise<readonly OutputChunk[]>;
  /**
   * Calls `listener` with each step when all readers have the output before its offset, and none has
   * the byte at its offset. A listener that throws is removed.
   */
  onStep(listener: (step: Step) => void): Disposable;
  /**
   * Keeps a note among the steps, at the end of the output that all readers have. It is delivered to
   * readers that replay the steps, and not to the listeners of {@link onStep} that are there now.
   *
   * @param place `before_step`: before the step that is being delivered. Default: after it.
   */
  note(note: Note, place?: 'before_step'): void;
  /**
   * The number of steps that were delivered since the program's start, and of notes that were made. See
   * {@link SavedState.steps}.
   */
  readonly stepsDelivered: number;
  /** Whether what is saved outlives this coordinator. */
  readonly isSaved: boolean;
  /**
   * Saves state for the next coordinator, in the order of the calls. Without effect where the program
   * ends with the coordinator.
   */
  save(change: SavedChange): void;
  /**
   * Keeps secrets in the memory of the host for the next coordinator, in place of those before. They are
   * never written to a disk. Without effect where the program ends with the coordinator.
   */
  keepLearned(secrets: LearnedSecrets): void;
  /**
   * Calls `listener` with a line when saved segments before it were dropped, because the memory of the
   * host is limited.
   */
  onSavedDropped(listener: (line: number) => void): Disposable;

  /**
   * Resolves when the kernel has accepted all of `bytes`, which must not change until then. Writes
   * reach the program in the order of the calls, and are never interleaved.
   *
   * @throws VtrError SESSION_NOT_RUNNING, CANCELLED and PTY_ERROR, all with
   * `details.acceptedBytes`, the number of bytes of this write that were accepted; INPUT_BACKLOG
   * and INPUT_TOO_LARGE, after which none were accepted.
   */
  write(bytes: Uint8Array, options?: WriteOptions): Promise<WriteReceipt>;

  /**
   * Resizes the terminal. Returns the offset of the first byte that the program may have written
   * afterwards. The step is delivered there, at once if all readers have the output before it.
   *
   * @throws VtrError INVALID_SIZE, SESSION_NOT_RUNNING, PTY_ERROR; UNAVAILABLE
   */
  resize(size: Size, options?: Limited): Promise<number>;

  /**
   * Signals process groups; the leader's if the terminal has no foreground group.
   *
   * @throws VtrError SESSION_NOT_RUNNING; PTY_ERROR if the system does not permit it.
   */
  signal(signal: SignalName, target: SignalTarget): Promise<void>;

  /**
   * Never fails: unknown properties are null, and after the exit all are.
   *
   * @param listed of {@link PtyHost.listProcesses}, which saves a listing for each of many sessions. Empty: as
   * without it, but the modes may be those of the last call, as with {@link modes}
   * @param withDirectory whether to read {@link Foreground.directory} as well, which saves another question
   */
  foreground(listed?: readonly ProcessEntry[], withDirectory?: boolean): Promise<Foreground>;
  /** Whether `foreground([])` needs no look of a host in another process. */
  readonly knowsForeground?: boolean;
  /**
   * As {@link foreground}, without a look at what its processes do: `readsTerminal` and `alsoWaits` may be null. Lists
   * no processes and costs microseconds, unless the leader of the group has ended.
   */
  foregroundProgram(): Promise<Foreground>;
  /**
   * Returns the current directory of a process of the session; null if the system does not report
   * it. Never fails. Linux only.
   */
  directory(pid: number): Promise<string | null>;
  /**
   * Returns the modes as of the call or later. Never fails: null if they are unknown, and after the
   * exit. Costs microseconds where native calls read them, else a fork of the host, which concurrent
   * calls share, and a process.
   *
   * @param listed of {@link PtyHost.listProcesses}, for a host that must fork: the modes of the last
   * such call are then returned if no process in the foreground has run since. A change by another
   * process is missed. Empty as without it.
   */
  modes(listed?: readonly ProcessEntry[]): Promise<TerminalModes | null>;

  /**
   * Stops delivery and reading: the program blocks when the kernel's buffer is full (some 20 KB),
   * and with a host in another process, when that has read 1 MB more at most. Output from before the
   * exit is kept, and delivered after `resume`; then the exit is announced.
   */
  pause(): void;
  resume(): void;

  /**
   * The last time that the program was not read for a second or more, because its coordinator did not
   * handle or save its output; null if there was none. Pauses by `pause` do not count.
   */
  readonly pausedByHost: OutputPause | null;

  /** Whether its host has ended, and with it the program. `exit` is then announced as `hungUp`. */
  readonly isLost: boolean;
  /** When the program exited, in ms since 1970; null while its exit is not announced. */
  readonly exitedAtMs: number | null;
  /** Resolves when the exit is announced. */
  readonly exit: Promise<ExitStatus>;
  /**
   * Calls `listener` once, from within the announcement, after the last byte was delivered; soon,
   * if the exit has already been announced.
   */
  onExit(listener: (status: ExitStatus) => void): Disposable;

  /** Lists the machine's processes: milliseconds if there are hundreds. */
  usage(): Promise<TreeUsage>;
  /**
   * The sum of the proportional set sizes (PSS), in bytes; null if the system does not report them.
   */
  pssBytes(): Promise<number | null>;
  /**
   * Suspends all of the session's processes until `continue`, or until there is input or a signal
   * for them. Programs do not notice. Processes that are stopped already stay stopped after
   * `continue`; processes that may not be signalled run on.
   */
  suspend(): Promise<void>;
  continue(): Promise<void>;

  /**
   * Ends the program and its descendants: sends HUP, CONT and TERM to the foreground group and the
   * leader's group, then to the other processes of the session, and KILL to the processes that are
   * left after {@link graceMs}, or at once with `force`. Resumes output, because a program may have
   * to write before it can end. Resolves when no process is left and the exit has been announced.
   * Also works after the exit. Concurrent calls share one ending, which any of them can force.
   *
   * @throws VtrError PTY_ERROR that names the processes that could not be ended.
   */
  end(options?: EndOptions & Limited): Promise<ExitStatus>;
  /**
   * Ends the processes that outlived the host, which has ended too; absent where the host cannot be
   * lost. `end` waits for it.
   *
   * @throws VtrError PTY_ERROR that names the processes that could not be ended.
   */
  endLeft?(sessionId: string): Promise<void>;
  /**
   * Releases what is kept for readers. Must be called after `end`, as the last call; until then a host
   * in another process keeps the output.
   */
  forget(): void;
}

/** The foreground while it is unknown. */
export const noForeground: Foreground = {
  program: null,
  isLeader: null,
  readsTerminal: null,
  alsoWaits: null,
};

/** The time that programs have to end by themselves, in ms. */
export const graceMs = 5_000;
export const defaultLogBytes = 1024 * 1024;

export const nothingLearned: LearnedSecrets = { typed: [], seen: [] };

/** Whether input has a line end, with which a terminal or a line editor passes a line on. */
export const hasLineEnd = (input: Uint8Array): boolean =>
  input.includes(0x0d) || input.includes(0x0a);
