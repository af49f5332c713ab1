import { type Clock, defined } from '#base';
import {
  type CommandChoice,
  type CommandList,
  type CommandListRequest,
  type CommandRecord,
  type CwdEvent,
  checkCommandChoice,
  checkListedCommands,
  type ExitStatus,
  type LineKey,
  type MarkEvent,
  type OutputPosition,
  type ShellIntegration,
  type TypedLine,
  VtrError,
} from '#model';
import {
  CommandLog,
  type CommandLogLimits,
  defaultLogLimits,
  type Open,
  type SavedLedger,
} from './command-log.ts';
import { type MarkProof, proofOf } from './mark-proof.ts';
import { Prompt } from './prompt.ts';
import type { TextBetween } from './typed-input.ts';

export interface LedgerOptions {
  readonly clock: Pick<Clock, 'nowMs' | 'wallMs'>;
  /**
   * Identifies the marks of the session's shell; see {@link ShellKey.key}. After the first such mark, marks
   * without it and marks of older prompts are ignored. Without a key or nonce, all marks count.
   */
  readonly key?: string;
  /** Instead of a key: all marks contain it, a period, and a number that rises with each prompt. */
  readonly nonce?: string;
  /** Why the shell was started without integration, without a final period. */
  readonly reason?: string;
  /** Reads the typed command from the screen, if the shell reports it inexactly or not at all. */
  readonly textBetween?: TextBetween;
  /** Default 1,000 commands and 1 Mi characters. */
  readonly limits?: CommandLogLimits;
  /** Called when a command begins. */
  readonly onBegin?: (command: CommandRecord) => void;
  /** Called when a command ends. */
  readonly onEnd?: (command: CommandRecord) => void;
  /** Called when all commands are forgotten, because their marks were not the shell's. */
  readonly onForget?: () => void;
  /** Called at the first mark of the session's shell. */
  readonly onVerified?: () => void;
}

type ProvenEvent = Pick<MarkEvent, 'mark' | 'nonce'> | Pick<CwdEvent, 'nonce'>;

const startsOrReplaced =
  'the shell has not marked a prompt; it is starting, or its start files replaced it';

const unverified = { unverified: true } as const;

/**
 * What marks without the nonce say. Any output can contain them, so they decide nothing: they are
 * told, and support what the system reports.
 */
export interface UnverifiedMarks {
  /** The end of the prompt for the next command; null if there is none. */
  readonly prompt: OutputPosition | null;
  readonly running: CommandRecord | null;
  /** Returns the first command that ended at or after an offset of the output. */
  endedAfter(offset: number): CommandRecord | null;
}

/**
 * The commands of a session's shell, from its marks. The rules are those of OSC 133 as shells apply
 * them: an end without a beginning is ignored, the first end counts, and a prompt during a command
 * ends it with an unknown exit code. An abandoned line is not a command, because no mark begins it.
 *
 * Marks without the session's nonce are `unverified`. The first mark with it forgets what they said,
 * so they never change what verified marks say.
 */
export class Ledger {
  readonly #clock: LedgerOptions['clock'];
  readonly #proof: MarkProof | null;
  readonly #limits: CommandLogLimits;
  #ended: CommandLog;
  readonly #onBegin: (command: CommandRecord) => void;
  readonly #onEnd: (command: CommandRecord) => void;
  readonly #onForget: () => void;
  readonly #onVerified: () => void;
  readonly #reason: string | null;
  #integration: ShellIntegration = 'none';
  #open: Open | null = null;
  readonly #prompt: Prompt;
  #cwd: string | null = null;
  /** Whether a command has begun since it was reported. */
  #isDirectoryOld = false;
  /** Whether the shell proves which directories are its own. */
  readonly #provesDirectory: boolean;
  /** Whether it has done that. */
  #hasDirectory = false;
  /** The last end without a command. */
  #withoutCommand: SavedLedger['withoutCommand'] = null;
  #count = 0;
  /** The number of the shell's newest mark. */
  #promptNumber = 0;
  constructor(options: LedgerOptions) {
    this.#clock = options.clock;
    this.#proof = proofOf(options);
    this.#provesDirectory = options.key !== undefined;
    this.#reason = options.reason ?? null;
    this.#limits = options.limits ?? defaultLogLimits;
    this.#ended = new CommandLog(this.#limits);
    this.#prompt = new Prompt(options.textBetween ?? (() => null));
    this.#onBegin = options.onBegin ?? (() => {});
    this.#onEnd = options.onEnd ?? (() => {});
    this.#onForget = options.onForget ?? (() => {});
    this.#onVerified = options.onVerified ?? (() => {});
  }

  /** The state apart from {@link ended}. */
  save(): SavedLedger {
    return {
      ...this.#prompt.save(),
      integration: this.#integration,
      open: this.#open,
      cwd: this.#cwd,
      withoutCommand: this.#withoutCommand,
      count: this.#count,
      promptNumber: this.#promptNumber,
    };
  }

  /** The commands that ended and are kept, oldest first. */
  get ended(): readonly CommandRecord[] {
    return this.#ended.all();
  }

  /**
   * Continues a ledger that was saved.
   *
   * @param ended the commands that ended, oldest first and without gaps
   * @param isSameBoot whether the system has not been started since: else the running command's
   * duration is measured by the time of day
   */
  restore(saved: SavedLedger, ended: readonly CommandRecord[], isSameBoot: boolean): void {
    this.#integration = saved.integration;
    this.#open = isSameBoot ? saved.open : this.#ofOtherBoot(saved.open);
    this.#prompt.restore(saved);
    this.#cwd = saved.cwd;
    this.#withoutCommand = saved.withoutCommand;
    this.#count = saved.count;
    this.#promptNumber = saved.promptNumber;
    const endedCount = saved.count - (saved.open === null ? 0 : 1);
    this.#ended.restore(ended, endedCount - ended.length);
  }

  #ofOtherBoot(open: Open | null): Open | null {
    if (open === null) return null;
    const { nowMs, wallMs } = { nowMs: this.#clock.nowMs(), wallMs: this.#clock.wallMs() };
    return { ...open, startedNowMs: nowMs - Math.max(0, wallMs - open.startedAtMs) };
  }

  get integration(): ShellIntegration {
    return this.#integration;
  }

  /** Whether the shell was started with integration and has not sent a mark with the nonce yet. */
  get starting(): boolean {
    return this.#proof !== null && !this.#isVerified;
  }

  get #isVerified(): boolean {
    return this.#integration === 'integrated';
  }

  /** What marks without the nonce say; null if there are none, and once a mark with it has come. */
  get unverified(): UnverifiedMarks | null {
    if (this.#integration !== 'self') return null;
    const ended = this.#ended;
    return {
      prompt: this.#prompt.end,
      running: this.#openCommand,
      endedAfter: (offset) => ended.endedAfter(offset),
    };
  }

  /**
   * The end of the prompt for the next command; null while there is none. If the prompt was
   * redrawn, line and column are those of the last drawing, and the offset is that of the first.
   */
  get prompt(): OutputPosition | null {
    return this.#isVerified ? this.#prompt.end : null;
  }

  /** How the shell takes a line as it is at its prompt; null if it has no key for that. */
  get lineKey(): LineKey | null {
    return this.#isVerified ? this.#prompt.lineKey : null;
  }

  /**
   * Where the part of the prompt begins that the shell draws again after a resize; null if it draws nothing, and
   * while it shows no complete prompt. Marks without the nonce count until one with it has come. The offset is that
   * of the prompt's last mark.
   */
  get redrawnFrom(): (OutputPosition & { readonly line: number }) | null {
    return this.#prompt.redrawnFrom;
  }

  /**
   * Notes that the cursor is at the beginning of an empty line. If that is below the prompt, and text is between
   * them, another program has printed: the shell draws its prompt again below that text.
   */
  noteEmptyLine(cursor: OutputPosition): void {
    this.#prompt.noteEmptyLine(cursor);
  }

  /** Whether the shell shows a continuation prompt. */
  get continues(): boolean {
    return this.#isVerified && this.#prompt.continues;
  }

  /** The end of the first prompt of the line that is being typed; null if there is none. */
  get typing(): OutputPosition | null {
    return this.#isVerified ? this.#prompt.typing : null;
  }

  /**
   * Returns the last lines that were typed whose commands began at or after an offset of the output.
   */
  typedAfter(offset: number): readonly TypedLine[] {
    return this.#isVerified ? this.#prompt.typedAfter(offset) : [];
  }

  /** The running command; null if there is none. */
  get running(): CommandRecord | null {
    return this.#isVerified ? this.#openCommand : null;
  }

  get #openCommand(): CommandRecord | null {
    if (this.#open === null) return null;
    // Spelled out: output can have a hundred thousand marks, and a rest of an object takes long.
    const { number, line, cwd, startedAtMs, startedNowMs, startRevision, from } = this.#open;
    const open: CommandRecord = {
      number,
      line,
      cwd,
      state: 'running',
      exitCode: null,
      startedAtMs,
      endedAtMs: null,
      durationMs: Math.max(0, this.#clock.nowMs() - startedNowMs),
      startRevision,
      from,
      to: null,
    };
    return this.#isVerified ? open : { ...open, ...unverified };
  }

  /**
   * The shell's directory as it last reported it; null if it reports none, or if any program may have. Null
   * also between the end of a command, which may have changed it, and the next report.
   */
  get directory(): string | null {
    const isOld = this.#isDirectoryOld && this.#open === null;
    return this.#isVerified && !isOld ? this.#cwd : null;
  }

  /** The shell's directory as it last reported it, also if it may be another one since; null as above. */
  get lastDirectory(): string | null {
    return this.#isVerified ? this.#cwd : null;
  }

  /** The last directory that was reported, which any program may have done; null if there is none. */
  get toldDirectory(): string | null {
    return this.#cwd;
  }

  /**
   * Returns the status that an integrated shell has reported at or after an offset of the output
   * without a command, as after a line with a syntax error; null if it has not, or does not know it.
   */
  statusWithoutCommand(offset: number): number | null {
    return this.#endWithoutCommand(offset)?.exitCode ?? null;
  }

  /** Returns the line of that report, above which is the output; null if there is none, or it is unknown. */
  lineOfEndWithoutCommand(offset: number): number | null {
    return this.#endWithoutCommand(offset)?.line ?? null;
  }

  #endWithoutCommand(offset: number): SavedLedger['withoutCommand'] {
    const end = this.#withoutCommand;
    return end === null || end.offset < offset ? null : end;
  }

  /** Returns the first command that ended at or after an offset of the output. */
  endedAfter(offset: number): CommandRecord | null {
    return this.#isVerified ? this.#ended.endedAfter(offset) : null;
  }

  /** @throws VtrError COMMAND_NOT_FOUND, INVALID_ARGUMENT */
  choose(choice: CommandChoice): CommandRecord {
    checkCommandChoice(choice);
    const running = this.#openCommand;
    const command =
      choice === 'last'
        ? (this.#ended.newest ?? running)
        : choice === running?.number
          ? running
          : this.#ended.find(choice);
    if (command !== null) return command;
    throw new VtrError('COMMAND_NOT_FOUND', this.#absence(choice));
  }

  /** @throws VtrError INVALID_ARGUMENT */
  list({ last = Number.POSITIVE_INFINITY }: CommandListRequest = {}): CommandList {
    const count = checkListedCommands(last);
    const running = this.#openCommand;
    const all = running === null ? this.#ended.all() : [...this.#ended.all(), running];
    const { dropped } = this.#ended;
    const reason = this.#missing();
    return {
      commands: all.slice(-count),
      dropped,
      integration: this.#integration,
      ...defined({ integrationReason: reason }),
    };
  }

  /** Why there are no marks; null if there are some, or if the reason is unknown. */
  #missing(): string | null {
    if (this.#integration !== 'none') return null;
    return this.starting ? startsOrReplaced : this.#reason;
  }

  /**
   * Compares what unverified marks say with the foreground, and forgets what cannot be true: a prompt
   * after which another program came to the foreground, and a command or a prompt if the foreground
   * program shows its prompt elsewhere.
   *
   * @param position the end of the output
   * @param pid of the program in the foreground
   * @param prompt whether that program shows a prompt: where the marks say, elsewhere, or not
   */
  noteForeground(
    position: OutputPosition,
    pid: number,
    prompt: 'marked' | 'elsewhere' | 'none',
  ): void {
    if (this.#integration !== 'self') return;
    const isOther = this.#prompt.isOfOtherThan(pid);
    if (prompt !== 'elsewhere' && !isOther) return;
    this.#end({ atMs: this.#clock.wallMs(), position }, null);
    this.#prompt.forget();
    this.#cwd = null;
  }

  /** Returns whether the nonce of a mark or a directory shows that it is of the session's shell. */
  verifies(event: ProvenEvent): boolean {
    return this.#numberOf(event) !== null;
  }

  mark(event: MarkEvent): void {
    if (event.mark === 'user' || !this.#counts(event)) return;
    switch (event.mark) {
      case 'promptStart':
        this.#onPromptStart(event);
        break;
      case 'promptEnd':
        this.#onPromptEnd(event);
        break;
      case 'commandLine':
        this.#prompt.nextLine = event.commandLine ?? null;
        break;
      case 'commandStart':
        this.#begin(event);
        break;
      case 'commandEnd':
        this.#onCommandEnd(event);
    }
  }

  cwd(event: CwdEvent): void {
    if (!this.#countsDirectory(event)) return;
    this.#cwd = event.cwd;
    this.#isDirectoryOld = false;
    this.#prompt.expectNew();
  }

  /**
   * Ends the running command, because the session's program has exited. The command gets the exit
   * code of the program: a shell that exits during a command does so because of it (`exit`, `exec`,
   * `set -e`).
   */
  exit(atMs: number, position: OutputPosition, status: ExitStatus): void {
    this.#end({ atMs, position }, status.code);
    this.#prompt.exit();
  }

  /** An integrated shell reports its directory at each prompt, first of all before the first mark. */
  #countsDirectory(event: CwdEvent): boolean {
    // The directories of shells that earlier versions started are not proven.
    if (!this.#provesDirectory) return !this.#isVerified || this.#open === null;
    const number = this.#numberOf(event);
    this.#hasDirectory ||= number !== null;
    return number === null
      ? !this.#isVerified && !this.#hasDirectory
      : number >= this.#promptNumber;
  }

  #absence(choice: CommandChoice): string {
    if (this.#count === 0) {
      const missing = this.#missing();
      const why = missing === null ? '' : `: ${missing}`;
      return this.#integration === 'none'
        ? `the shell has not reported any commands${why}; run bash, zsh or fish with shell integration`
        : 'no command has run yet';
    }
    const { dropped } = this.#ended;
    const range = `commands ${dropped + 1} to ${this.#count}`;
    return `command ${choice} does not exist; ${range} are kept`;
  }

  #counts(event: MarkEvent): boolean {
    const number = this.#numberOf(event);
    if (number === null) {
      if (this.#integration === 'none') this.#integration = 'self';
      return this.#integration === 'self';
    }
    if (!this.#isVerified) this.#integrate();
    if (this.#isRepeated(event, number)) return false;
    // bash expands a prompt again, without PROMPT_COMMAND, after a line whose history expansion failed.
    if (number > this.#promptNumber) this.#prompt.expectNew();
    this.#promptNumber = number;
    return true;
  }

  #numberOf(event: ProvenEvent): number | null {
    const { nonce = '' } = event;
    return this.#proof?.('mark' in event ? event.mark : 'promptStart', nonce) ?? null;
  }

  /** Forgets all that marks without the nonce have said. */
  #integrate(): void {
    if (this.#integration === 'self') {
      this.#open = null;
      this.#prompt.forget();
      this.#prompt.forgetTyped();
      this.#ended = new CommandLog(this.#limits);
      this.#count = 0;
      this.#onForget();
    }
    this.#prompt.expectEnds();
    this.#integration = 'integrated';
    this.#onVerified();
  }

  /**
   * Returns whether a mark is printed again by a command, for example from a log or a recording.
   */
  #isRepeated({ mark }: MarkEvent, number: number): boolean {
    if (number !== this.#promptNumber) return number < this.#promptNumber;
    return this.#open !== null && mark !== 'commandEnd';
  }

  #onPromptStart(event: MarkEvent): void {
    if (event.prompt === 'right') return;
    this.#end(event, null);
    this.#prompt.begin(event, this.#isVerified);
  }

  #onPromptEnd(event: MarkEvent): void {
    this.#end(event, null);
    this.#prompt.complete(event);
  }

  #onCommandEnd(event: MarkEvent): void {
    const { exitCode = null } = event;
    if (this.#isVerified && this.#open === null && !this.#hasEnded) {
      const { offset, line } = event.position;
      this.#withoutCommand = { exitCode, offset, line, number: this.#promptNumber };
    }
    // An integrated shell always reports the code of a command. A mark without it is zsh's template,
    // printed by a program.
    if (this.#isVerified && exitCode === null) return;
    this.#end(event, exitCode);
  }

  /**
   * Whether an end without a command was marked after the prompt. bash marks it again below the output of hooks.
   * When it draws the prompt again, it also repeats the mark of the previous command's end, with its number.
   */
  get #hasEnded(): boolean {
    const end = this.#withoutCommand;
    const prompt = this.#prompt.end;
    if (end === null || prompt === null || end.offset <= prompt.offset) return false;
    return this.#promptNumber <= (end.number ?? this.#promptNumber);
  }

  #begin(event: MarkEvent): void {
    // Some shells mark the beginning of each part of a pipeline.
    if (this.#open !== null) return;
    const { position, atMs, revision } = event;
    this.#open = {
      number: ++this.#count,
      line: this.#prompt.lineOf(event, this.#isVerified),
      cwd: this.#cwd,
      startedAtMs: atMs,
      startedNowMs: this.#clock.nowMs(),
      startRevision: revision,
      from: position,
    };
    this.#prompt.leave(this.#open.line, position);
    this.#isDirectoryOld = true;
    const running = this.#openCommand;
    if (running !== null) this.#onBegin(running);
  }

  #end({ atMs, position }: Pick<MarkEvent, 'atMs' | 'position'>, exitCode: number | null): void {
    const running = this.#openCommand;
    if (running === null) return;
    this.#open = null;
    const ended = { ...running, state: 'ended' as const, exitCode, endedAtMs: atMs, to: position };
    this.#ended.add(ended);
    this.#onEnd(ended);
  }
}
