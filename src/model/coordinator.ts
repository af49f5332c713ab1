import type { Activity } from './activity.ts';
import type {
  CommandList,
  CommandListRequest,
  CommandOutput,
  CommandOutputRequest,
} from './command.ts';
import type { SubscriptionEvent } from './events.ts';
import type { ExitStatus } from './exit-status.ts';
import type { KeyPress, PasteMode } from './key.ts';
import type { Lease, SessionLifetime, SessionLimits } from './lifetime.ts';
import type { LinesRead, ReadLinesRequest } from './lines.ts';
import type { Publication, PublishRequest } from './publication.ts';
import type { ReadMark, ReadRequest, ReadResult } from './read.ts';
import type { RunRequest, RunResult } from './run.ts';
import type { ScreenRequest, ScreenSnapshot } from './screen.ts';
import type { SearchRequest, SearchResult } from './search.ts';
import type { SessionInfo, SessionRef } from './session.ts';
import type { SignalName } from './signal.ts';
import type { Size } from './size.ts';
import type { WaitRequest, WaitResult } from './wait.ts';

/** What a program finds in its environment: ours without the sensitive names, or next to nothing. */
export type EnvironmentMode = 'inherit' | 'minimal';

export interface SpawnRequest {
  /** 1 to 64 of A-Z a-z 0-9 . _ -; made up when absent. */
  readonly name?: string;
  /** A name to look up in PATH, or a path; the user's shell when absent. */
  readonly program?: string;
  readonly args?: readonly string[];
  /** The coordinator's own when absent. */
  readonly cwd?: string;
  /** Added to the environment, whatever the filter says; an empty value is a value. */
  readonly env?: Readonly<Record<string, string>>;
  /** `inherit` when absent. */
  readonly environment?: EnvironmentMode;
  /** 80x24 when absent. */
  readonly size?: Size;
  /**
   * Whether an interactive bash, zsh or fish is made to mark its commands; true when absent, where
   * the coordinator does not say otherwise.
   */
  readonly shellIntegration?: boolean;
  /** It lasts until it is removed, when absent. */
  readonly lifetime?: SessionLifetime;
  /** None when absent. Looked after about once a second, by listing the processes of the machine. */
  readonly limits?: SessionLimits;
  /** `Lease.id`: the program ends with the lease. */
  readonly lease?: string;
  /** Lines of scrollback that are kept, 0 to a million; as the coordinator is configured when absent. */
  readonly scrollbackLines?: number;
  /** Untouched output that is kept for reads of `raw`, in bytes, 4096 to 64 MiB; 1 MiB when absent. */
  readonly rawBytes?: number;
}

export interface SendOptions {
  /** How long the program may take to accept the input, in ms, 0 to a day; 5000 when absent. */
  readonly timeoutMs?: number;
  /** Waits for what the input brings about: registered before the first byte is written. */
  readonly wait?: WaitRequest;
}

/** What became of input that was taken. */
export interface InputReceipt {
  /**
   * Given where the terminal read by lines (canonical mode) and a line was longer than it takes: so
   * many bytes it has kept of it, and dropped the others. Programs that have not asked for keys one
   * by one read so, `cat` and the `read` of most shells among them.
   */
  readonly lineCutAtBytes?: number;
}

export interface SendResult extends InputReceipt {
  /** The place in the output before the input was written. */
  readonly mark: ReadMark;
  /** Where `wait` was asked for. */
  readonly wait?: WaitResult;
}

export interface SendTextOptions extends SendOptions {
  /** `never` when absent: the bytes of the text and nothing else. */
  readonly paste?: PasteMode;
}

export interface EndOptions {
  /** SIGKILL at once instead of HUP, CONT, TERM and a grace of 5 s. */
  readonly force?: boolean;
}

export type RemoveOptions = EndOptions;

/** Events in order, for one consumer. Ends after the session's exit event or with `dispose`. */
export interface Subscription extends AsyncIterable<SubscriptionEvent> {
  dispose(): void;
}

/**
 * The port that every wall of the house speaks to: many sessions, one owner. Real as
 * `LocalCoordinator`, in this process, and as the remote one of `wire/service`; one contract suite
 * holds both.
 *
 * Every operation on a session fails with SESSION_NOT_FOUND when there is none, and with
 * UNAVAILABLE once the coordinator shuts down.
 *
 * Calls of one client are accepted in the order in which they were made, without the first being
 * awaited: a wait that is asked for before the input is sent sees all that the input brings about.
 */
export interface Coordinator {
  /**
   * @throws VtrError INVALID_NAME, SESSION_ALREADY_EXISTS, MAX_SESSIONS, PROGRAM_NOT_FOUND,
   * PROGRAM_NOT_EXECUTABLE, CWD_NOT_FOUND, CWD_NOT_DIRECTORY, NUL_IN_STRING, INVALID_SIZE,
   * INVALID_ARGUMENT, LEASE_CLOSED, SYSTEM_LIMIT, SPAWN_FAILED. Nothing is left of a session that could
   * not be made.
   */
  spawn(request: SpawnRequest): Promise<SessionInfo>;
  /**
   * Makes a session that shows what the caller feeds it. Others see it as any other, and cannot type
   * into it: input, resize, kill and run fail with SESSION_READ_ONLY. To end it is to hang it up.
   *
   * @throws VtrError INVALID_NAME, SESSION_ALREADY_EXISTS, MAX_SESSIONS, INVALID_SIZE, INVALID_ARGUMENT
   */
  publish(request: PublishRequest): Promise<Publication>;
  /** All sessions, oldest first. */
  list(): Promise<readonly SessionInfo[]>;
  info(session: SessionRef): Promise<SessionInfo>;

  /**
   * Resolves when the program's terminal has taken every byte, and the wait that was asked for has
   * ended. Input of several calls arrives in
   * the order of the calls, and no call's bytes inside another's.
   *
   * @throws VtrError SESSION_NOT_RUNNING, SESSION_READ_ONLY, NO_INPUT, INPUT_TOO_LARGE, INPUT_BACKLOG, and
   * INPUT_TIMEOUT whose `details.acceptedBytes` says how much went in before the rest was withdrawn.
   */
  sendText(session: SessionRef, text: string, options?: SendTextOptions): Promise<SendResult>;
  /** Keys are `KeyPress`es or their short form, e.g. `ctrl+c`. As sendText; also INVALID_KEY. */
  sendKeys(
    session: SessionRef,
    keys: readonly (string | KeyPress)[],
    options?: SendOptions,
  ): Promise<SendResult>;
  /** As sendText, for bytes as they are; taken at the call, so the array may be used again. */
  sendBytes(session: SessionRef, bytes: Uint8Array, options?: SendOptions): Promise<SendResult>;
  /** @throws VtrError INVALID_SIZE, SESSION_NOT_RUNNING */
  resize(session: SessionRef, size: Size): Promise<void>;

  /**
   * Signals the program in the foreground and the session's leader; TERM when none is named. The
   * session stays.
   *
   * @throws VtrError SESSION_NOT_RUNNING, INVALID_ARGUMENT
   */
  kill(session: SessionRef, signal?: SignalName): Promise<void>;
  /**
   * Ends the program with all that it started, where it still runs. The session stays. Resolves when
   * nothing is left running. Works after the exit too; callers share one ending, with `remove`.
   *
   * @throws VtrError PTY_ERROR that names what could not be ended.
   */
  end(session: SessionRef, options?: EndOptions): Promise<ExitStatus>;
  /**
   * Ends the program with all that it started, where it still runs, and forgets the session.
   * Resolves when nothing is left. Works after the exit too; callers share one ending.
   *
   * @throws VtrError PTY_ERROR that names what could not be ended; the session stays then.
   */
  remove(session: SessionRef, options?: RemoveOptions): Promise<ExitStatus>;

  /** @throws VtrError INVALID_ARGUMENT */
  screen(session: SessionRef, request?: ScreenRequest): Promise<ScreenSnapshot>;
  /** Scrollback and primary screen by line number. @throws VtrError INVALID_ARGUMENT */
  readLines(session: SessionRef, request?: ReadLinesRequest): Promise<LinesRead>;
  /**
   * Searches scrollback and primary screen, from the oldest line on. Takes its time in slices, so
   * what is written meanwhile may or may not be found.
   *
   * @throws VtrError INVALID_PATTERN, INVALID_ARGUMENT, CANCELLED
   */
  search(session: SessionRef, request: SearchRequest): Promise<SearchResult>;

  /**
   * What came after a mark, as a person would have seen it, within a budget. Reading changes nothing
   * for other readers.
   *
   * @throws VtrError INVALID_MARK, INVALID_ARGUMENT
   */
  read(session: SessionRef, request?: ReadRequest): Promise<ReadResult>;

  /**
   * Waits for the first of what is asked for, and tells which. Nothing is polled: the answer is made
   * when the byte comes.
   *
   * @throws VtrError INVALID_PATTERN, INVALID_MARK, INVALID_ARGUMENT, CANCELLED
   */
  wait(session: SessionRef, request?: WaitRequest): Promise<WaitResult>;
  /** What the session is doing now. */
  activity(session: SessionRef): Promise<Activity>;

  /** The lines that the session's shell ran. @throws VtrError INVALID_ARGUMENT */
  commands(session: SessionRef, request?: CommandListRequest): Promise<CommandList>;
  /** What a command wrote. @throws VtrError COMMAND_NOT_FOUND, INVALID_ARGUMENT */
  commandOutput(session: SessionRef, request?: CommandOutputRequest): Promise<CommandOutput>;
  /**
   * Has the shell run a line, and waits for its end: the exit code and exactly what it wrote. A line
   * that does not end in time runs on.
   *
   * @throws VtrError NOT_AT_PROMPT, and nothing was written; NO_INPUT, INVALID_ARGUMENT,
   * INVALID_PATTERN, SESSION_NOT_RUNNING, INPUT_TIMEOUT, CANCELLED
   */
  run(session: SessionRef, request: RunRequest): Promise<RunResult>;

  /**
   * Something for programs to be held by. Remote: it is closed also when the connection is lost, so
   * that the programs of a client that was killed end.
   */
  openLease(): Promise<Lease>;

  /** The state now, then everything that happens after it. */
  subscribe(session: SessionRef): Promise<Subscription>;

  /**
   * Local: ends every session with all that it started. Remote: closes the connection, and with it
   * the leases that it holds, and leaves all other sessions alone. Calls made afterwards fail with UNAVAILABLE.
   */
  close(): Promise<void>;
}

/** The size limit of a request to a coordinator in another process: 1 MiB of input, and its encoding. */
export const maxRequestBytes = 4 * 1024 * 1024;
