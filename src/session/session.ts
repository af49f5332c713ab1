import {
  type Clock,
  type Disposable,
  defined,
  Emitter,
  encodeUtf8,
  ignored,
  type Listener,
} from '#base';
import { focusIn, focusOut } from '#keys';
import {
  type CommandChoice,
  type CommandList,
  type CommandListRequest,
  type CommandRecord,
  changedLabels,
  checkSignalName,
  checkSize,
  type EndedBy,
  type EndOptions,
  type ExitStatus,
  type InputReceipt,
  type KeyPress,
  type LabelChanges,
  type LinesRead,
  looksLikePrompt,
  type MouseInput,
  type ObservedInput,
  type OwnActivity,
  type ReadLinesRequest,
  type ScreenRequest,
  type ScreenSnapshot,
  type Sender,
  type SendOptions,
  type SendTextOptions,
  type SessionActivity,
  type SessionEvent,
  type SessionInfo,
  type SessionLabels,
  type SignalName,
  type Size,
  VtrError,
} from '#model';
import type { Limited, ProcessEntry, Pty } from '#pty';
import { Ledger, removeKeyFile } from '#shell';
import { bootId } from '#trust';
import type { Terminal } from '#vt';
import { ActivityReader } from './activity.ts';
import { keepDroppedLines, type LineArchive } from './archive/archived-terminal.ts';
import { Input, type InputGate } from './input/input.ts';
import { type InputListener, RecordedInput } from './input/recorded-input.ts';
import { Replies } from './input/replies.ts';
import { KnownSecrets } from './known-secrets.ts';
import { OutputPauses, OutputTurns, ReaderHolds } from './output/output-turns.ts';
import { SessionOutput, StepTime } from './output/session-output.ts';
import { ProgramEnd } from './program-end.ts';
import type { CommandBlock } from './saving/saved-commands.ts';
import { infoOf, type PresentFacts, type SessionFacts } from './saving/session-facts.ts';
import { SessionSaving } from './saving/session-saving.ts';
import { type SessionState, stateNow } from './saving/session-state.ts';
import type { LeftState, SessionChange, SessionParts } from './session-parts.ts';
import { maxMarkBytes, SessionView } from './session-view.ts';
import { TerminalReader } from './terminal-reader.ts';

/** The most output before the saved state that a command may need, in bytes. */
const maxEarlierBytes = 256 * 1024;

/**
 * One program in its terminal. It connects output, input, keys and the screen; see
 * {@link SessionOutput}. An observer that has seen a revision can read a screen that is at least as new.
 */
export class Session {
  readonly #facts: SessionFacts;
  readonly #pty: Pty;
  readonly #terminal: Terminal;
  readonly #clock: Clock;
  readonly #time: StepTime;
  /** For readers and observers. */
  readonly view: SessionView;
  readonly #reader: TerminalReader;
  readonly #events: Emitter<SessionEvent>;
  readonly #replies: Replies;
  readonly #input: Input;
  readonly #recordedInput: RecordedInput;
  readonly #ledger: Ledger;
  readonly #activity: ActivityReader;
  readonly #changes: Emitter<SessionChange>;
  readonly #pauses: OutputPauses;
  readonly #turns: OutputTurns;
  readonly #output: SessionOutput;
  /** Those who follow the output. */
  readonly readers: ReaderHolds;
  /** How to save it for the next coordinator; null if its program ends with this one. */
  readonly saving: SessionSaving | null;
  /** Those of its program, and of those whose lines are above its screen. */
  readonly secrets: KnownSecrets;
  /** How well it was restored; null if it was started by this coordinator. */
  readonly restored: 'exactly' | 'partly' | null;
  /**
   * Resolves when a restored session has applied all output that was waiting for it. Until then it is
   * as of an earlier time, and observers get no events but the exit.
   */
  readonly replayed: Promise<void>;
  /** Decides who may type; null: everyone. */
  gate: InputGate | null = null;
  readonly #end: ProgramEnd;
  #labels: SessionLabels;
  #name: string;

  constructor(parts: SessionParts) {
    const { facts, pty, terminal, clock, left, archive = null } = parts;
    this.#facts = facts;
    this.secrets = parts.secrets ?? new KnownSecrets();
    this.#name = facts.name;
    this.#labels = facts.labels ?? {};
    this.#pty = pty;
    this.#terminal = terminal;
    terminal.attended = false;
    this.#clock = clock;
    this.#time = new StepTime(clock);
    this.#reader = new TerminalReader(terminal, () => this.view.all.terminal, facts.startLine);
    this.#events = new Emitter(parts.onFault);
    this.#changes = new Emitter(parts.onFault);
    this.#pauses = new OutputPauses(pty);
    this.#turns = new OutputTurns(clock, this.#pauses, parts.onFault);
    this.#ledger = new Ledger({
      clock: this.#time,
      textBetween: (from, to) => this.#reader.textBetween(from, to),
      ...facts.shell,
      onBegin: (command) => this.view.outputs.begin(command),
      onEnd: (command) => this.view.outputs.end(command),
      onForget: () => this.view.outputs.clear(),
      onVerified: () => removeKeyFile(facts.shell),
    });
    this.view = new SessionView({
      id: facts.id,
      startLine: facts.startLine,
      pty,
      terminal,
      archive,
      events: this.#events,
      clock,
      commands: this.#ledger,
    });
    this.readers = new ReaderHolds({
      clock,
      bytesFrom: (line) => this.view.all.terminal.textBytes(line, Number.POSITIVE_INFINITY),
      pause: () => this.#pauses.pause('readers'),
      resume: () => this.#pauses.resume('readers'),
    });
    if (archive !== null) keepDroppedLines(terminal, archive, () => this.readers.check());
    this.#replies = new Replies({
      pty,
      clock,
      answeredTo: left?.answeredTo ?? 0,
      runningCommand: () => this.#ledger.running?.number ?? null,
      showsPrompt: () => looksLikePrompt(this.view.textBeforeCursor()),
      outputApplied: () => new Promise<void>((resolve) => this.#turns.inOrder(resolve)),
    });
    this.#output = new SessionOutput({
      name: () => this.#name,
      pty,
      terminal,
      clock,
      time: this.#time,
      turns: this.#turns,
      replies: this.#replies,
      view: this.view,
      ledger: this.#ledger,
      events: this.#events,
      onFault: parts.onFault,
      isFed: facts.fedBy !== undefined,
      onChange: () => this.#changes.emit('state'),
    });
    this.#end = new ProgramEnd({
      facts,
      pty,
      terminal,
      clock,
      time: this.#time,
      turns: this.#turns,
      output: this.#output,
      view: this.view,
      ledger: this.#ledger,
      events: this.#events,
      changes: this.#changes,
      onFault: parts.onFault,
    });
    this.#recordedInput = new RecordedInput(pty, () => this.#terminal.alternate);
    const noteInput = (bytes: Uint8Array) => this.#noteInput(bytes);
    this.#input = new Input({
      pty,
      clock,
      onInput: noteInput,
      recorded: this.#recordedInput,
      isEdited: () => this.view.isEditingLine(),
      onSecret: (line) => this.secrets.typed(line),
      keepsEnterApart: () => this.view.keepsEnterApart(),
      screenRows: () => this.view.screenRows(),
      onChange: (listener) => this.view.onEvent(listener),
    });
    this.secrets.keepWith((learned) => pty.keepLearned(learned), left === undefined);
    this.#activity = new ActivityReader({
      pty,
      view: this.view,
      ledger: this.#ledger,
      replies: this.#replies,
      input: this.#input,
      times: () => ({ createdAtMs: facts.createdAtMs, exitedAtMs: this.#end.atMs }),
    });
    this.restored = left?.restored ?? null;
    this.saving = pty.isSaved ? this.#newSaving(left?.blocks ?? [], archive) : null;
    if (left === undefined) this.#read(0);
    this.replayed = left === undefined ? Promise.resolve() : this.#replay(left);
  }

  #newSaving(blocks: readonly CommandBlock[], archive: LineArchive | null): SessionSaving {
    return new SessionSaving({
      pty: this.#pty,
      terminal: this.#terminal,
      view: this.view,
      changes: this.#changes,
      pauses: this.#pauses,
      turns: this.#turns,
      blocks,
      facts: () => this.facts,
      state: () =>
        stateNow({
          terminal: this.#terminal,
          archive,
          view: this.view,
          ledger: this.#ledger,
          exitedAtMs: this.#end.atMs,
          frameBeganMs: this.#output.frameBeganMs,
          replies: this.#replies.save(),
          savedAtMs: this.#clock.wallMs(),
        }),
    });
  }

  #read(from: number): void {
    this.#output.read(from);
    this.#end.read();
  }

  /** Continues the state that was saved with the output after it. */
  async #replay(left: LeftState): Promise<void> {
    this.#output.beginReplay();
    const { state, offset } = left;
    if (state !== null) this.#restore(state);
    this.view.lastEnterAt = left.lastEnterAt;
    const begun = this.view.outputs.running?.offset ?? offset;
    const from = Math.max(0, offset - maxEarlierBytes, Math.min(begun, offset - maxMarkBytes));
    const chunks = await this.#pty.keptOutput(from).catch(() => []);
    this.view.addEarlier(chunks, begun, offset);
    this.#read(offset);
    await left.replayed;
    if (this.#pty.isLost) await this.#pty.exit;
    await new Promise<void>((resolve) => this.#turns.inOrder(resolve));
    this.#output.endReplay();
  }

  #restore({ view, ledger, running, commands, frameBeganMs, exit, ...state }: SessionState): void {
    const isSameBoot = state.bootId === bootId();
    this.view.restore(view);
    const records = commands.map(({ command }) => command);
    this.#ledger.restore(ledger, records, isSameBoot);
    const outputs = commands.flatMap(({ output }) => output ?? []);
    this.view.outputs.restore(running, outputs);
    this.#output.frameBeganMs = isSameBoot ? frameBeganMs : null;
    this.#replies.restore(state.replies);
    this.view.exitStatus = exit?.status ?? null;
    this.#end.atMs = exit?.atMs ?? null;
  }

  get id(): string {
    return this.#facts.id;
  }

  get name(): string {
    return this.#name;
  }

  set name(name: string) {
    this.#name = name;
    this.#changes.emit('facts');
  }

  get revision(): number {
    return this.#terminal.revision;
  }

  /** In ms since 1970. */
  get createdAtMs(): number {
    return this.#facts.createdAtMs;
  }

  get labels(): SessionLabels {
    return this.#labels;
  }

  /** Its present properties, as they are saved: all of them, for which a new object is made. */
  get facts(): SessionFacts {
    const { labels: _first, endedBy: _before, ...facts } = this.#facts;
    const { endedBy, restored, ...present } = this.#presentFacts();
    const endRequested = this.#end.isRequested || undefined;
    const { firstLine } = this.#terminal;
    return {
      ...facts,
      ...present,
      labels: this.#labels,
      firstLine,
      ...defined({ restored, endedBy, endRequested }),
    };
  }

  #presentFacts(): PresentFacts {
    const { title, size, revision } = this.#terminal;
    return {
      title,
      size,
      revision,
      name: this.#name,
      labels: this.#labels,
      // A pseudo-terminal that is lost has neither.
      path: this.#pty.program || this.#facts.path,
      pid: this.#pty.pid || this.#facts.pid,
      exitStatus: this.exitStatus,
      exitedAtMs: this.#end.atMs,
      restored: this.restored ?? undefined,
      endedBy: this.#end.by ?? undefined,
    };
  }

  /** Null while the program runs. */
  get exitStatus(): ExitStatus | null {
    return this.view.exitStatus;
  }

  /** Calls `listener` after each change, also after input. */
  onChange(listener: Listener<SessionChange>): Disposable {
    return this.#changes.on(listener);
  }

  /** @throws VtrError INVALID_ARGUMENT */
  commands(request: CommandListRequest): CommandList {
    return this.#ledger.list(request);
  }

  /** @throws VtrError COMMAND_NOT_FOUND, INVALID_ARGUMENT */
  command(choice: CommandChoice): CommandRecord {
    return this.#ledger.choose(choice);
  }

  /** Contract: {@link ActivityReader.activity}. */
  activity(listed?: readonly ProcessEntry[], withDirectory = false): Promise<OwnActivity> {
    return this.#activity.activity(listed, withDirectory);
  }

  /** Contract: {@link ActivityReader.listed}. */
  listedActivity(listed: readonly ProcessEntry[]): Promise<SessionActivity> {
    return this.#activity.listed(listed);
  }

  /** Whether its activity for a list is known without a look at processes. */
  get isActivityKnown(): boolean {
    return this.exitStatus !== null || this.#pty.knowsForeground === true;
  }

  /** @throws VtrError INVALID_ARGUMENT */
  changeLabels(changes: LabelChanges): void {
    this.#labels = changedLabels(this.#labels, changes);
    this.#changes.emit('facts');
  }

  /** Tells observers that something changed that the coordinator knows about it. */
  factsChanged(): void {
    this.#changes.emit('facts');
  }

  info(): SessionInfo {
    const info: { -readonly [Name in keyof SessionInfo]: SessionInfo[Name] } = infoOf(
      this.#facts,
      this.#presentFacts(),
    );
    const { pausedByHost: paused } = this.#pty;
    const droppedReplyBytes = this.#replies.droppedBytes + this.#terminal.droppedReplyBytes;
    if (paused !== null) info.paused = paused;
    if (droppedReplyBytes !== 0) info.droppedReplyBytes = droppedReplyBytes;
    return info;
  }

  /** The last directory that the shell reported, if it is the session's own; null if it is unknown. */
  get lastDirectory(): string | null {
    return this.#ledger.lastDirectory;
  }

  /** Whether it may be saved on disk. */
  get persists(): boolean {
    return this.#facts.persist;
  }

  /** @throws VtrError INVALID_ARGUMENT */
  screen(request: ScreenRequest = {}): ScreenSnapshot {
    return this.#reader.screen(request);
  }

  /** @throws VtrError INVALID_ARGUMENT */
  readLines(request: ReadLinesRequest): LinesRead {
    return this.#reader.lines(request);
  }

  /** Calls `listener` with what is typed, except passwords; see {@link RecordedInput}. */
  recordInput(listener: InputListener): Disposable {
    return this.#recordedInput.listen(listener);
  }

  /** Whether the program has enabled bracketed paste (mode 2004). */
  get bracketedPaste(): boolean {
    return this.#terminal.keyModes.bracketedPaste;
  }

  /** Contract: `Coordinator.sendText`. */
  sendText(text: string, options: SendTextOptions & ObservedInput): Promise<InputReceipt> {
    return this.#gated(options, () => this.#input.sendText(text, this.#terminal.keyModes, options));
  }

  /** Contract: `Coordinator.sendKeys`. */
  sendKeys(
    keys: readonly (string | KeyPress)[],
    options: SendOptions & ObservedInput,
  ): Promise<InputReceipt> {
    return this.#gated(options, () => this.#input.sendKeys(keys, this.#terminal.keyModes, options));
  }

  /** Contract: `Coordinator.sendBytes`. */
  sendBytes(bytes: Uint8Array, options: SendOptions & ObservedInput): Promise<InputReceipt> {
    return this.#gated(options, () => this.#input.sendBytes(bytes, options));
  }

  /** Contract: `Coordinator.sendMouse`. @param content what the events stand for */
  async sendMouse(
    events: readonly MouseInput[],
    options: SendOptions & ObservedInput,
    content: readonly unknown[] = ['mouse', events],
  ): Promise<InputReceipt> {
    if (events.length === 0) throw new VtrError('NO_INPUT', 'there is no event of the mouse');
    this.checkAccepts(options);
    return this.#sendReports(this.#input.mouseReports(events, this.#terminal), content, options);
  }

  /** Contract: `Coordinator.sendFocus`. */
  async sendFocus(focused: boolean, options: SendOptions & ObservedInput): Promise<InputReceipt> {
    this.checkAccepts(options);
    // A program that asks later is told the same.
    this.#terminal.attended = focused;
    if (!this.#terminal.viewModes.focusReporting) return { ignored: true };
    // Looking at a session is not driving it.
    return this.#input.sendBytes(encodeUtf8(focused ? focusIn : focusOut), options);
  }

  /** Whether a person was at the terminal when another coordinator left the session; nobody is told. */
  beginAttended(attended: boolean): void {
    this.#terminal.attended = attended;
  }

  /**
   * A person is at the terminal, or nobody. A program in mode 1004 is told when that changes, like that of a window
   * that gets or loses the focus.
   */
  attend(attended: boolean): void {
    if (this.#terminal.attended === attended) return;
    this.#terminal.attended = attended;
    if (this.exitStatus !== null || !this.#terminal.viewModes.focusReporting) return;
    ignored(
      this.#input.sendBytes(encodeUtf8(attended ? focusIn : focusOut), {}),
      'the program may not read, or may have ended',
    );
  }

  /**
   * Checks whether input can be sent at all.
   *
   * @throws VtrError SESSION_READ_ONLY, SESSION_NOT_RUNNING, NOT_DRIVER
   */
  checkAccepts(sender: Sender): void {
    this.checkTakesInput();
    if (this.exitStatus !== null) {
      throw new VtrError('SESSION_NOT_RUNNING', 'the program has ended');
    }
    this.gate?.check(sender);
  }

  /** Whether {@link checkAccepts} succeeds. */
  accepts(sender: Sender): boolean {
    try {
      this.checkAccepts(sender);
      return true;
    } catch {
      return false;
    }
  }

  /** The input that its terminal has accepted since this coordinator has it, in bytes. */
  get inputBytes(): number {
    return this.#input.acceptedBytes;
  }

  /** The command of the shell that ran when the terminal last replied to a query; null if none did. */
  get commandOfLastReply(): number | null {
    return this.#replies.commandOfLast;
  }

  /** Whether input of this id was sent. */
  knowsInput(inputId: string | undefined): boolean {
    return this.#input.knows(inputId);
  }

  async #sendReports(
    reports: Uint8Array,
    content: readonly unknown[],
    options: SendOptions & ObservedInput,
  ): Promise<InputReceipt> {
    // The answer to a repeat is that of the first call, whatever the program requests by then.
    if (reports.length === 0 && !this.#input.knows(options.inputId)) return { ignored: true };
    return this.#gated(options, () => this.#input.sendReports(reports, content, options));
  }

  #gated<T>(sender: Sender, write: () => Promise<T>): Promise<T> {
    return this.gate === null ? write() : this.gate.send(sender, write);
  }

  /** @throws VtrError INVALID_SIZE, SESSION_NOT_RUNNING, PTY_ERROR, UNAVAILABLE */
  async resize(size: Size, options: Limited = {}): Promise<void> {
    // A copy, because the caller may change the object during the call.
    const { cols, rows } = checkSize(size);
    await this.#pty.resize({ cols, rows }, options);
  }

  /** The processes of the program and its descendants. */
  get processes(): Pick<Pty, 'usage' | 'pssBytes' | 'suspend' | 'continue'> {
    return this.#pty;
  }

  /** @throws VtrError SESSION_READ_ONLY */
  checkTakesInput(): void {
    const { fedBy } = this.#facts;
    if (fedBy === undefined) return;
    throw new VtrError(
      'SESSION_READ_ONLY',
      `it is fed by ${fedBy}, and is read-only; send input there`,
    );
  }

  /** @throws VtrError INVALID_ARGUMENT, SESSION_NOT_RUNNING, PTY_ERROR */
  async kill(signal: SignalName): Promise<void> {
    this.#end.request();
    return this.#pty.signal(checkSignalName(signal), 'both');
  }

  /**
   * Ends the program and its descendants.
   *
   * @param endedBy the reason, if no caller requested it
   * @throws VtrError PTY_ERROR that names the processes that could not be ended
   */
  end(options: EndOptions & Limited, endedBy?: EndedBy): Promise<ExitStatus> {
    this.readers.end();
    if (endedBy !== undefined) this.noteEnd(endedBy);
    else this.#end.request();
    return this.#pty.end(options);
  }

  /** Keeps the reason why the program is being ended, unless it has ended or another is known. */
  noteEnd(endedBy: EndedBy): void {
    this.#end.note(endedBy);
  }

  /** Releases the output that is kept. Must be called after `end`, when no call follows. */
  forget(): void {
    this.abandon();
    this.#pty.forget();
  }

  /**
   * Drops output that is not applied yet, which can be minutes of work. Must be called when the program has
   * ended or is left to another coordinator, and no call follows.
   */
  abandon(): void {
    this.readers.end();
    this.#turns.dispose();
    this.#replies.dispose();
    this.#end.applyNow();
  }

  #noteInput(bytes: Uint8Array): void {
    this.view.noteInput(bytes);
    this.#output.changed();
  }
}
