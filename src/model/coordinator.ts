import type { Activity } from './activity.ts';
import type { Size } from './cell.ts';
import type {
  CommandList,
  CommandListRequest,
  CommandOutput,
  CommandOutputRequest,
} from './command.ts';
import type {
  DriverState,
  GiveRequest,
  Sender,
  Sizing,
  TakeRequest,
  Viewing,
  ViewRequest,
} from './driver.ts';
import type { CallerEnvironment, EnvironmentMode } from './environment.ts';
import type { ExplainAgentRequest, ExplainedAgent } from './explained-agent.ts';
import type { FollowRequest, FollowResult } from './follow.ts';
import type { KeyPress, MouseInput, PasteMode, ScreenMatch } from './input.ts';
import type { ExitStatus, Lease, SessionLifetime, SessionLimits, SignalName } from './lifetime.ts';
import type { Publication, PublishRequest } from './publication.ts';
import type { ReadMark, ReadRequest, ReadResult, Redacted, RedactRequest } from './read.ts';
import type {
  FileRecording,
  RecordRequest,
  SessionRecord,
  StartRecordingRequest,
} from './recording.ts';
import type { ReportRequest, ReportResult } from './report.ts';
import type { SessionFrame, SessionsWatch, WatchSessionsRequest } from './row-frame.ts';
import type { RunRequest, RunResult } from './run.ts';
import type { LinesRead, ReadLinesRequest, ScreenRequest, ScreenSnapshot } from './screen.ts';
import type { SearchRequest, SearchResult } from './search.ts';
import type { LabelChanges, SessionInfo, SessionLabels, SessionRef } from './session.ts';
import type { RevivedSession, ReviveRequest, SpawnedSession } from './session-start.ts';
import type { SubscriptionEvent } from './subscription-event.ts';
import type { WaitRequest, WaitResult } from './wait.ts';

export interface SpawnRequest {
  /** 1 to 64 characters of A-Z a-z 0-9 . _ -. Default: generated. */
  readonly name?: string;
  /** A name to look up in PATH, or a path. Default: the user's shell. */
  readonly program?: string;
  readonly args?: readonly string[];
  /** The working directory. Default: the coordinator's own. */
  readonly cwd?: string;
  /** Variables added to the environment. They are not filtered, and may be empty. */
  readonly env?: Readonly<Record<string, string>>;
  /**
   * Default: `inherit`. `caller` fails with INVALID_ARGUMENT where the caller's environment is not known: it is
   * on another machine, or gave none.
   */
  readonly environment?: EnvironmentMode;
  /**
   * The caller's environment. A coordinator on another machine does not use it. Default: that of the process of
   * a local coordinator; none for a daemon.
   */
  readonly caller?: CallerEnvironment;
  /** Default: 80 columns, 24 rows. */
  readonly size?: Size;
  /** Whose windows size the session. Default: the coordinator's configuration. */
  readonly sizing?: Sizing;
  /**
   * Whether an interactive bash, zsh or fish marks its commands. Default: the coordinator's, or
   * true.
   */
  readonly shellIntegration?: boolean;
  /** Default: the session lasts until it is removed. */
  readonly lifetime?: SessionLifetime;
  /**
   * Default: none. Limits are checked about once a second, by listing the processes of the machine.
   */
  readonly limits?: SessionLimits;
  /** A program that the program will start: the request fails if it does not exist. Default: none. */
  readonly starts?: string;
  /** A {@link Lease.id}. The program ends when the lease ends. */
  readonly lease?: string;
  /** Lines of scrollback to keep, 0..1,000,000. Default: the coordinator's configuration. */
  readonly scrollbackLines?: number;
  /** Raw output to keep for reads in format `raw`, in bytes, 4096 to 64 MiB. Default: 1 MiB. */
  readonly rawBytes?: number;
  /**
   * At most 32. Keys have 1 to 63 characters of A-Z a-z 0-9 . _ / - and begin with a letter or
   * digit; values have 1 to 256 characters, without control characters.
   */
  readonly labels?: SessionLabels;
  /**
   * The id of a kind of coding agent, such as `claude`, which becomes the label `agent`. Without `program`, the command
   * of the kind is started, with `args` after its own.
   */
  readonly agent?: string;
  /**
   * Returns the session of that name if it runs the same program with the same arguments, after
   * adding `labels` to it; the rest of the request is then ignored. An exited session of that name
   * is replaced. Another running program fails with SESSION_ALREADY_EXISTS. Needs `name`; cannot
   * be used with `lease`. Default: false.
   */
  readonly reuse?: boolean;
  /**
   * Makes the request happen at most once: a repeat returns the session that the first one made; another
   * request with the id fails with INPUT_ID_USED. See {@link checkInputId}.
   */
  readonly inputId?: string;
  /** Whether the session may be saved on disk. Default: true. */
  readonly persist?: boolean;
  /** Writes a recording to a file from the beginning on. Default: the coordinator's configuration. */
  readonly record?: boolean;
  /** Records what is typed, too; see {@link StartRecordingRequest.input}. Default: false. */
  readonly recordInput?: boolean;
  /** The name of the caller, for the audit trail; not verified. */
  readonly by?: string;
  /**
   * A wait in the new session. It begins before the first byte of output; with `reuse`, it covers all
   * output that is kept. `since` is ignored. If the wait is cancelled, the session stays.
   */
  readonly wait?: WaitRequest;
}

export interface ListRequest extends RedactRequest {
  /**
   * Whether infos have `activity` and `attention`. The processes of the machine are then listed once.
   */
  readonly activity?: boolean;
}

export interface SendOptions extends Sender {
  /** The time in which the program must accept the input, in ms, 0 to one day. Default: 5000. */
  readonly timeoutMs?: number;
  /**
   * Makes the input happen at most once: a repeat with the same id types nothing and gets the result
   * of the first; other input with the id fails with INPUT_ID_USED. The last 64 of a session are known.
   * See {@link checkInputId}.
   */
  readonly inputId?: string;
  /** A wait for the expected result. It is registered before the first byte is written. */
  readonly wait?: WaitRequest;
  /**
   * A mark of the session from shortly before the call. If the coordinator is replaced meanwhile, the wait is
   * repeated from there. Default: the client of a remote coordinator asks for one first.
   */
  readonly markBefore?: ReadMark;
}

/** The result of accepted input. */
export interface InputReceipt {
  /**
   * Set if the terminal was in canonical mode and a line was over its limit: the line was truncated
   * to this many bytes. Canonical mode is the default of programs that do not request single keys,
   * such as `cat` and the `read` of most shells.
   */
  readonly lineCutAtBytes?: number;
  /** Set if the text was sent as a bracketed paste. */
  readonly pasted?: boolean;
  /**
   * Set for text that ends with an Enter, if the program gets that apart: whether the screen showed the end of the text
   * when Enter was sent. A program that does not may keep the text back until the next key.
   */
  readonly shown?: boolean;
  /**
   * Set for keys that the program cannot tell from keys with fewer modifiers, because it has not asked for that
   * (modifyOtherKeys, the kitty protocol): the keys that it received, as in `{"shift+enter": "enter"}`.
   */
  readonly sentAs?: Readonly<Record<string, string>>;
  /**
   * Set with `submit`: whether the program has taken the text. If false, the text is where it was typed, and `wait` is
   * not waited for.
   */
  readonly submitted?: boolean;
  /**
   * Set with `submit` if a coding agent has taken the text: the number of turns that have ended when the turn of this
   * prompt has; see {@link WaitRequest.agentTurn}.
   */
  readonly turn?: number;
  /** Set with `answer`: what was chosen, or typed. */
  readonly answered?: string;
  /**
   * Set if nothing was sent, because the program requested none of the events, of the mouse or of the
   * focus, or because `on` does not have one match. `wait` is then not waited for.
   */
  readonly ignored?: true;
}

export interface SendResult extends InputReceipt {
  /** A mark at the end of the output before the input was written. */
  readonly mark: ReadMark;
  /** Set if `wait` was requested. */
  readonly wait?: WaitResult;
  /** The epoch of the session when the input was accepted; see {@link DriverState.epoch}. */
  readonly driverEpoch?: number;
}

export interface SendMouseOptions extends SendOptions, RedactRequest {
  /**
   * RE2, matched against each row of the screen when the input is accepted. All events are in the
   * middle of the only match, whatever their `row` and `col`. Without a match, or with several,
   * nothing is sent.
   */
  readonly on?: string;
}

export interface SendMouseResult extends SendResult, Redacted {
  /** The matches of `on`, from the top of the screen; set if it was given. */
  readonly matches?: readonly ScreenMatch[];
}

export interface SendTextOptions extends SendOptions {
  /** Default: `never`, which sends the bytes of the text and nothing else. */
  readonly paste?: PasteMode;
  /**
   * Submits the text to a program with a composer, such as an agent's: pastes it if the program enabled bracketed paste,
   * presses Enter apart from it, and proves that the text has left the place where it was typed, or that the program has
   * gone on. If not, it presses Enter once more. `paste` is ignored. Takes at most some 7 s.
   *
   * If a coding agent is in the foreground, it must be idle (AGENT_NOT_IDLE), and its composer must be empty
   * (DRAFT_SHOWN). An agent whose state is unknown has 3 s to settle. Nothing is typed into a menu (MENU_SHOWN).
   */
  readonly submit?: boolean;
  /** With `submit`: what to do with a text that is in the composer. Default: `refuse`. */
  readonly draft?: 'refuse' | 'replace';
  /** With `submit`: whether the agent may be busy; most agents take the prompt when the turn has ended. Default: false. */
  readonly queue?: boolean;
  /**
   * Takes the text for the answer to the question that is shown: the text, the number or the key of a choice, several of
   * them with commas between for a list of which several can be chosen, or a text for a field. Selects the choice,
   * confirms it as the menu does, and proves that the question has gone. `paste` is ignored.
   *
   * Fails with NO_QUESTION, QUESTION_CHANGED, INVALID_ARGUMENT if no choice or several have this name, and
   * ANSWER_NOT_TAKEN.
   */
  readonly answer?: boolean;
  /** With `answer`: the {@link AgentInfo.questionId} of the question. If another one is shown, nothing is typed. */
  readonly question?: string;
}

/** Identifies the caller that resizes; see {@link Sender}. */
export type ResizeOptions = Pick<Sender, 'viewer' | 'driverEpoch' | 'by'>;

export interface EndOptions {
  /** Sends SIGKILL at once, instead of HUP, CONT, TERM and a grace period of 5 s. */
  readonly force?: boolean;
}

export interface RemoveOptions extends EndOptions {
  /**
   * Refuses with WORK_LEFT, and does nothing, while the worktree in which the session began has files that are not
   * committed, or commits that are on no other branch.
   */
  readonly keepsWork?: boolean;
}

export interface OpenLeaseRequest {
  /** The id of a lease whose owner was lost when the coordinator was restarted. Default: a new lease. */
  readonly id?: string;
}

export interface SubscribeRequest {
  /**
   * The most lines above the screen in a snapshot; older ones can be read with `readLines`. Default:
   * all.
   */
  readonly scrollbackLines?: number;
  /**
   * Output that may wait for a slow subscriber, in bytes, 64 KiB to 8 MiB. One with more waiting gets a
   * snapshot in its place. Default: 8 MiB, or 1 MiB if `scrollbackLines` is 0.
   */
  readonly maxWaitingBytes?: number;
  /**
   * A mark: the events after it come first, as far as the output after it is kept; else a snapshot.
   * Default: a snapshot.
   */
  readonly since?: ReadMark;
  /**
   * Whether secrets are replaced. If so, a snapshot comes first even with `since`, offsets count the bytes of the
   * events, and clipboard events are left out. Default: false.
   */
  readonly redact?: boolean;
  /**
   * Subscribes to the commands in place of all other events but the exit: first a list of the newest `last`, 1 to 1000
   * (default: all that are kept), then each as it begins and ends. A list of all comes again if the coordinator was
   * replaced; one that ended meanwhile is only in that list.
   * Only `redact` can be given beside it.
   */
  readonly commands?: Pick<CommandListRequest, 'last'>;
}

/**
 * The events of a session in order, for one consumer. Ends after the exit event or with `dispose`.
 */
export interface Subscription extends AsyncIterable<SubscriptionEvent> {
  dispose(): void;
}

/**
 * The owner of many sessions. `LocalCoordinator` runs them in this process; `connect` returns a
 * client of a coordinator in another process. Both behave the same and pass the same contract
 * tests.
 *
 * Every operation on a session fails with SESSION_NOT_FOUND if there is no such session, and with
 * UNAVAILABLE after the coordinator begins to shut down.
 *
 * Calls of one client are accepted in the order in which they are made, even if earlier ones are
 * not awaited: a wait that is called before the input is sent sees every effect of the input.
 */
export interface Coordinator {
  /**
   * Starts a program in a new session. After a failure nothing of the session is left.
   *
   * @throws VtrError INVALID_NAME, SESSION_ALREADY_EXISTS, MAX_SESSIONS, PROGRAM_NOT_FOUND,
   * PROGRAM_NOT_EXECUTABLE, CWD_NOT_FOUND, CWD_NOT_DIRECTORY, NUL_IN_STRING, INVALID_SIZE,
   * INVALID_ARGUMENT, LEASE_CLOSED, SYSTEM_LIMIT, SPAWN_FAILED
   */
  spawn(request: SpawnRequest): Promise<SpawnedSession>;
  /**
   * Makes a read-only session that shows the output the caller writes to it. It can be read as any
   * other session; input, resize, kill and run fail with SESSION_READ_ONLY. `end` and `remove` hang
   * it up.
   *
   * @throws VtrError INVALID_NAME, SESSION_ALREADY_EXISTS, MAX_SESSIONS, INVALID_SIZE,
   * INVALID_ARGUMENT
   */
  publish(request: PublishRequest): Promise<Publication>;
  /** Lists all sessions, oldest first. */
  list(request?: ListRequest): Promise<readonly SessionInfo[]>;
  /** Returns the state of a session. */
  info(session: SessionRef, request?: ListRequest): Promise<SessionInfo>;
  /**
   * Renames a session. The id stays, and the old name is free at once. Waits and subscriptions of
   * the session continue. VTR_SESSION in the environment of its programs keeps the old name.
   *
   * @throws VtrError INVALID_NAME, SESSION_ALREADY_EXISTS
   */
  rename(session: SessionRef, name: string): Promise<SessionInfo>;
  /** Sets and removes labels of a session; others are kept. @throws VtrError INVALID_ARGUMENT */
  setLabels(session: SessionRef, changes: LabelChanges): Promise<SessionInfo>;
  /**
   * Takes a report of what the program in the foreground does. It ends with that program, with its time, or with the
   * next report; `done` and `error` stay until another program runs.
   *
   * @throws VtrError INVALID_ARGUMENT, SESSION_NOT_RUNNING; SESSION_READ_ONLY if the session was published
   */
  report(session: SessionRef, request: ReportRequest): Promise<ReportResult>;
  /**
   * Starts the program of an ended session again, with its arguments, last directory, size, lifetime, limits
   * and labels, in a session of the same name with another id. It replaces the ended one: its lines are
   * above the screen, with a line that separates them. They are not output of the new session: the mark
   * `start` is below them. If that fails, the ended session stays.
   *
   * A coding agent goes on with its conversation. Its prompt is not repeated, and of its options only those that
   * its kind names are. No conversation is open in two sessions of a coordinator.
   *
   * @throws VtrError SESSION_ALREADY_EXISTS if it runs, or another session has continued it or has its conversation;
   * SESSION_READ_ONLY if it was published; CONVERSATION_UNKNOWN if an agent cannot go on; otherwise as `spawn`
   */
  revive(session: SessionRef, request?: ReviveRequest): Promise<RevivedSession>;

  /**
   * Sends text. Resolves when the program's terminal has accepted every byte, and after the
   * requested wait. The input of several calls arrives in the order of the calls, and is never
   * interleaved. Text or Enter that is the first input of a program waits until the program has started, as
   * far as the system tells: for at most 20 s. Any other input ends that wait, and so does a viewer's.
   *
   * @throws VtrError SESSION_NOT_RUNNING, SESSION_READ_ONLY, NOT_DRIVER, NO_INPUT, INPUT_TOO_LARGE,
   * INPUT_BACKLOG; INPUT_TIMEOUT, with the bytes accepted before the rest was withdrawn as
   * `details.acceptedBytes`
   */
  sendText(session: SessionRef, text: string, options?: SendTextOptions): Promise<SendResult>;
  /**
   * Sends keys, as {@link KeyPress} or in short form, for example `ctrl+c`. Fails as `sendText`, or
   * with INVALID_KEY.
   */
  sendKeys(
    session: SessionRef,
    keys: readonly (string | KeyPress)[],
    options?: SendOptions,
  ): Promise<SendResult>;
  /**
   * Sends bytes unchanged. The array is copied, and may be reused after the call. Fails as
   * `sendText`.
   */
  sendBytes(session: SessionRef, bytes: Uint8Array, options?: SendOptions): Promise<SendResult>;
  /**
   * Sends events of the mouse, encoded as the program requested, in one write. Events that it did not
   * request are not sent; if that is all of them, the result has `ignored`. Without any request, the
   * wheel sends cursor keys in mode 1007 on the alternate screen. Fails as `sendText`, with
   * INVALID_ARGUMENT for an event that is not on the screen, or with INVALID_PATTERN.
   */
  sendMouse(
    session: SessionRef,
    events: readonly MouseInput[],
    options?: SendMouseOptions,
  ): Promise<SendMouseResult>;
  /**
   * Tells the program that its window got or lost the focus. If it did not request that (mode 1004),
   * the result has `ignored`. The sender does not become the driver. Fails as `sendText`.
   */
  sendFocus(session: SessionRef, focused: boolean, options?: SendOptions): Promise<SendResult>;
  /**
   * Sets the size of the terminal.
   *
   * @throws VtrError INVALID_SIZE, SESSION_NOT_RUNNING, SESSION_READ_ONLY, NOT_DRIVER
   */
  resize(session: SessionRef, size: Size, options?: ResizeOptions): Promise<void>;

  /**
   * Sends a signal to the program in the foreground and to the session's leader. The session is kept.
   *
   * @param signal default: TERM
   * @throws VtrError SESSION_NOT_RUNNING, SESSION_READ_ONLY, INVALID_ARGUMENT
   */
  kill(session: SessionRef, signal?: SignalName): Promise<void>;
  /**
   * Ends the program and its descendants if any still run. The session is kept. Resolves when none
   * of them is left. May be called after the exit. Concurrent calls of `end` and `remove` share one
   * ending.
   *
   * @throws VtrError PTY_ERROR with the processes that could not be ended
   */
  end(session: SessionRef, options?: EndOptions): Promise<ExitStatus>;
  /**
   * Ends the program and its descendants if any still run, and removes the session. Resolves when
   * none of them is left. May be called after the exit. Concurrent calls of `end` and `remove`
   * share one ending.
   *
   * @throws VtrError PTY_ERROR with the processes that could not be ended; WORK_LEFT, IO_ERROR if git cannot tell; the
   *   session is kept
   */
  remove(session: SessionRef, options?: RemoveOptions): Promise<ExitStatus>;

  /** Returns the screen. @throws VtrError INVALID_ARGUMENT; with `at` NOT_RECORDED, COMMAND_NOT_FOUND */
  screen(session: SessionRef, request?: ScreenRequest): Promise<ScreenSnapshot>;
  /** Returns what a viewer shows first: the session, and its whole screen, in one call. */
  frame(session: SessionRef): Promise<SessionFrame>;
  /**
   * Returns lines of the scrollback and of the primary screen.
   *
   * @throws VtrError INVALID_ARGUMENT; with `at` NOT_RECORDED, COMMAND_NOT_FOUND
   */
  readLines(session: SessionRef, request?: ReadLinesRequest): Promise<LinesRead>;
  /**
   * Returns the next lines of a session's output, also those that the scrollback has dropped, as far as they are
   * archived. For readers of all of it, of any length.
   *
   * @throws VtrError INVALID_ARGUMENT, CANCELLED
   */
  follow(session: SessionRef, request?: FollowRequest): Promise<FollowResult>;
  /**
   * Searches the scrollback and the primary screen, oldest line first. The search runs in slices of
   * time: output written meanwhile may or may not be found.
   *
   * @throws VtrError INVALID_PATTERN, INVALID_ARGUMENT, CANCELLED
   */
  search(session: SessionRef, request: SearchRequest): Promise<SearchResult>;

  /**
   * Returns the output after a mark as displayed, within a budget. Other readers are not affected.
   *
   * @throws VtrError INVALID_MARK, INVALID_ARGUMENT; with `at` NOT_RECORDED, COMMAND_NOT_FOUND
   */
  read(session: SessionRef, request?: ReadRequest): Promise<ReadResult>;
  /** Returns a mark at the end of the output. */
  mark(session: SessionRef): Promise<ReadMark>;

  /**
   * Returns what happened in a session, as far back as it is kept in memory: also before anyone asked.
   *
   * @throws VtrError NOT_RECORDED if nothing is kept; INVALID_ARGUMENT
   */
  record(session: SessionRef, request?: RecordRequest): Promise<SessionRecord>;
  /** Sets a marker in the recordings of a session. @throws VtrError INVALID_ARGUMENT, NOT_RECORDED */
  setMarker(session: SessionRef, label: string): Promise<void>;
  /**
   * Begins to write what happens in a session to a file, from the present screen on. It goes on until it
   * is stopped or the session ends, also when the coordinator is restarted. Secrets are replaced.
   *
   * @throws VtrError INVALID_ARGUMENT if the session is being recorded or the file exists;
   * SESSION_NOT_RUNNING, IO_ERROR
   */
  startRecording(session: SessionRef, request?: StartRecordingRequest): Promise<FileRecording>;
  /** Ends the recording of a session in a file. @throws VtrError NOT_RECORDED if there is none */
  stopRecording(session: SessionRef): Promise<FileRecording>;
  /** Lists the recordings in files, oldest first. */
  recordings(): Promise<readonly FileRecording[]>;
  /**
   * Gives a recording another name, also while it goes on. Its id and its file stay.
   *
   * @param recording its id or its name
   * @param name see `checkRecordingName`
   * @throws VtrError RECORDING_NOT_FOUND; INVALID_ARGUMENT if the name is not valid, or is the name or id of another one
   */
  renameRecording(recording: string, name: string): Promise<FileRecording>;
  /**
   * Removes a recording that has ended, and its file.
   *
   * @param recording its id or its name
   * @throws VtrError RECORDING_NOT_FOUND; INVALID_ARGUMENT if it goes on; IO_ERROR
   */
  removeRecording(recording: string): Promise<void>;

  /**
   * Waits for the first of the requested conditions and returns which. Conditions are checked as
   * output arrives, without polling.
   *
   * @throws VtrError INVALID_PATTERN, INVALID_MARK, INVALID_ARGUMENT, CANCELLED
   */
  wait(session: SessionRef, request?: WaitRequest): Promise<WaitResult>;
  /** Returns the current activity of the session, with the evidence. */
  activity(session: SessionRef): Promise<Activity>;
  /**
   * Explains the state of the coding agent in the foreground, which lists, waits and prompts use: by which evidence it
   * was decided, why the other claims do not decide, and which rules nearly match. Without an agent, it tells what the
   * screen would mean.
   *
   * @throws VtrError INVALID_ARGUMENT for a kind that is not known
   */
  explainAgent(session: SessionRef, request?: ExplainAgentRequest): Promise<ExplainedAgent>;

  /** Lists the commands that the session's shell ran. @throws VtrError INVALID_ARGUMENT */
  commands(session: SessionRef, request?: CommandListRequest): Promise<CommandList>;
  /** Returns the output of a command. @throws VtrError COMMAND_NOT_FOUND, INVALID_ARGUMENT */
  commandOutput(session: SessionRef, request?: CommandOutputRequest): Promise<CommandOutput>;
  /**
   * Runs a line in the session's shell, waits until it ends, and returns its exit code and its
   * output as displayed. After the timeout, the command continues to run.
   *
   * @throws VtrError NOT_AT_PROMPT if no empty prompt is shown (nothing is written then);
   * NO_INPUT, INVALID_ARGUMENT, INVALID_PATTERN, SESSION_NOT_RUNNING, SESSION_READ_ONLY, NOT_DRIVER,
   * INPUT_TIMEOUT, CANCELLED
   */
  run(session: SessionRef, request: RunRequest): Promise<RunResult>;

  /**
   * Takes a session over as a person. Input of others, and `resize`, fail with NOT_DRIVER until `give`,
   * or until nobody has typed with the returned epoch for 10 minutes.
   *
   * @throws VtrError NOT_DRIVER if another person drives; SESSION_NOT_RUNNING, SESSION_READ_ONLY,
   * INVALID_ARGUMENT
   */
  take(session: SessionRef, request?: TakeRequest): Promise<DriverState>;
  /**
   * Gives a session back for the one who drives it.
   *
   * @throws VtrError NOT_DRIVER if `request.epoch` is not the session's; INVALID_ARGUMENT
   */
  give(session: SessionRef, request?: GiveRequest): Promise<DriverState>;
  /**
   * Joins a session as a person, to watch or to drive it. It ends with `dispose`, with the session, and
   * with the client.
   * A program in mode 1004 is told when the first person comes to drive it, and when the last one of them leaves.
   * If it sets the mode while there is none, it is told at once.
   *
   * @throws VtrError INVALID_SIZE, INVALID_ARGUMENT
   */
  view(session: SessionRef, request: ViewRequest): Promise<Viewing>;

  /**
   * Opens a lease. Programs spawned with it end when it is closed. A remote lease is also closed
   * when the connection is lost, so its programs do not outlive a client that is killed. If the
   * coordinator is restarted, the lease stays for 60 s, in which it can be opened again by its id.
   *
   * @throws VtrError LEASE_CLOSED if there is no lease of that id that waits for its owner
   */
  openLease(request?: OpenLeaseRequest): Promise<Lease>;

  /**
   * Subscribes to the events of a session: its current state, then every later event.
   *
   * @throws VtrError INVALID_MARK, INVALID_ARGUMENT
   */
  subscribe(session: SessionRef, request?: SubscribeRequest): Promise<Subscription>;

  /**
   * Watches all sessions: the list, the activity and attention of each, and the frames of those that are
   * requested. A slow consumer gets the newest state, never a backlog.
   *
   * @throws VtrError INVALID_ARGUMENT
   */
  watchSessions(request?: WatchSessionsRequest): Promise<SessionsWatch>;

  /**
   * Closes the coordinator. Later calls fail with UNAVAILABLE. A local coordinator ends all its
   * sessions. A remote one closes the connection and the leases opened on it; other sessions are
   * not affected.
   */
  close(): Promise<void>;
}
