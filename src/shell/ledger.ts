import type { Clock } from '#base';
import {
  type CommandChoice,
  type CommandList,
  type CommandListRequest,
  type CommandRecord,
  type CwdEvent,
  checkCommandChoice,
  checkListedCommands,
  type ExitStatus,
  type MarkEvent,
  type OutputPosition,
  type ShellIntegration,
  VtrError,
} from '#model';
import { CommandLog, type CommandLogLimits, defaultLogLimits } from './command-log.ts';
import { type TextBetween, TypedInput } from './typed-input.ts';

export interface LedgerOptions {
  readonly clock: Clock;
  /**
   * What the session's shell proves itself with: its marks bear it, a point, and a number that rises
   * with each prompt. Once such a mark was heard, others count no more, and none counts that belongs
   * to an older prompt. Where there is no nonce, all marks count.
   */
  readonly nonce?: string;
  /** Asked where the shell proves itself and cannot tell, or not exactly, what was typed. */
  readonly textBetween?: TextBetween;
  /** 1,000 commands and 1 Mi characters when absent. */
  readonly limits?: CommandLogLimits;
}

/** A command that runs. */
interface Open {
  readonly number: number;
  readonly line: string | null;
  readonly cwd: string | null;
  readonly startedAtMs: number;
  /** By the clock that does not jump. */
  readonly startedNowMs: number;
  readonly startRevision: number;
  readonly from: OutputPosition;
}

/**
 * The commands of a session's shell, from the marks that it sends. The rules are those of OSC 133 as
 * shells keep them: an end without a beginning is none, the first end counts, a prompt while a
 * command is open says that it ended and not how. What is typed at a prompt and abandoned is no
 * command, because no mark says that it began.
 */
export class Ledger {
  readonly #clock: Clock;
  readonly #nonce: string | null;
  readonly #ended: CommandLog;
  readonly #typed: TypedInput;
  #integration: ShellIntegration = 'none';
  #open: Open | null = null;
  #prompt: OutputPosition | null = null;
  /** The line in which the prompt began that asks now. */
  #promptLine: number | null = null;
  /** Where it ended when it was first shown. */
  #askedAt: number | null = null;
  #continues = false;
  /** Whether our shell has said that its next prompt is another one, and not the last one again. */
  #asksAnew = true;
  /** Whether this shell marks the ends of its prompts: not all do. */
  #tellsPromptEnd = false;
  /** The line of the next command, where it is told before it begins (OSC 633 E). */
  #nextLine: string | null = null;
  #cwd: string | null = null;
  #count = 0;
  /** Of the shell's prompts, the newest. */
  #turn = 0;

  constructor(options: LedgerOptions) {
    this.#clock = options.clock;
    this.#nonce = options.nonce ?? null;
    this.#ended = new CommandLog(options.limits ?? defaultLogLimits);
    this.#typed = new TypedInput(options.textBetween ?? (() => null));
  }

  get integration(): ShellIntegration {
    return this.#integration;
  }

  /** Whether marks are to come: the shell was made to send them, and has not begun to. */
  get starting(): boolean {
    return this.#nonce !== null && this.#integration === 'none';
  }

  /**
   * Where the prompt ends that asks for the next command; null while none is there. Where it was
   * drawn again, the place is the last one's, and the offset the first one's.
   */
  get prompt(): OutputPosition | null {
    return this.#prompt;
  }

  /** Whether the shell asks for the rest of a command: a line that goes on. */
  get continues(): boolean {
    return this.#continues;
  }

  /** The command that runs now. */
  get running(): CommandRecord | null {
    if (this.#open === null) return null;
    const { startedNowMs, ...known } = this.#open;
    const durationMs = this.#clock.nowMs() - startedNowMs;
    return { ...known, state: 'running', exitCode: null, endedAtMs: null, durationMs, to: null };
  }

  /** The first command that ended at this offset of the output or after it. */
  endedAfter(offset: number): CommandRecord | null {
    return this.#ended.endedAfter(offset);
  }

  /** @throws VtrError COMMAND_NOT_FOUND, INVALID_ARGUMENT */
  choose(choice: CommandChoice): CommandRecord {
    checkCommandChoice(choice);
    const { running } = this;
    const found =
      choice === 'last'
        ? (this.#ended.newest ?? running)
        : choice === running?.number
          ? running
          : this.#ended.find(choice);
    if (found !== null) return found;
    throw new VtrError('COMMAND_NOT_FOUND', this.#absence(choice));
  }

  /** @throws VtrError INVALID_ARGUMENT */
  list({ last = Number.POSITIVE_INFINITY }: CommandListRequest = {}): CommandList {
    const count = checkListedCommands(last);
    const { running } = this;
    const all = running === null ? this.#ended.all() : [...this.#ended.all(), running];
    const { dropped } = this.#ended;
    return { commands: all.slice(-count), dropped, integration: this.#integration };
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
        this.#nextLine = event.commandLine ?? null;
        break;
      case 'commandStart':
        this.#begin(event);
        break;
      case 'commandEnd':
        this.#onCommandEnd(event);
    }
  }

  cwd({ cwd }: CwdEvent): void {
    // Our shell tells it anew at each prompt. What runs in between may be anybody, anywhere.
    if (this.#integration === 'integrated' && this.#open !== null) return;
    this.#cwd = cwd;
    this.#asksAnew = true;
  }

  /**
   * The program of the session has ended, and with it what ran: with the program's own exit code,
   * because a shell that ends in the middle of a command ends by it (`exit`, `exec`, `set -e`).
   */
  exit(atMs: number, position: OutputPosition, status: ExitStatus): void {
    this.#end({ atMs, position }, status.code);
    this.#prompt = null;
    this.#continues = false;
  }

  #absence(choice: CommandChoice): string {
    if (this.#count === 0) {
      return this.#integration === 'none'
        ? 'no shell has told of its commands here; is it bash, zsh or fish, with shell integration?'
        : 'no command has run yet';
    }
    const { dropped } = this.#ended;
    const kept = `commands ${dropped + 1} to ${this.#count}`;
    return `there is no command ${choice}; ${kept} are kept`;
  }

  #counts(event: MarkEvent): boolean {
    const turn = this.#turnOf(event.nonce);
    if (turn === null) {
      if (this.#integration === 'none') this.#integration = 'self';
      return this.#integration === 'self';
    }
    if (this.#integration !== 'integrated') this.#integrate(event);
    if (this.#isRepeated(event, turn)) return false;
    this.#turn = turn;
    return true;
  }

  /** The number of the prompt that stands after our nonce; null for what is not ours. */
  #turnOf(nonce = ''): number | null {
    const { length } = this.#nonce ?? '';
    if (this.#nonce === null || !nonce.startsWith(`${this.#nonce}.`)) return null;
    const turn = nonce.slice(length + 1);
    return /^\d{1,15}$/.test(turn) ? Number(turn) : null;
  }

  /** Whoever spoke before was somebody else. */
  #integrate(event: MarkEvent): void {
    this.#end(event, null);
    this.#prompt = null;
    this.#tellsPromptEnd = true;
    this.#integration = 'integrated';
  }

  /** Whether a command prints what its shell printed before: a log, or a recording. */
  #isRepeated({ mark }: MarkEvent, turn: number): boolean {
    if (turn !== this.#turn) return turn < this.#turn;
    return this.#open !== null && mark !== 'commandEnd';
  }

  #onPromptStart(event: MarkEvent): void {
    if (event.prompt === 'right') return;
    this.#end(event, null);
    this.#continues = event.prompt === 'continuation';
    if (!this.#continues) this.#ask(event.position);
    const isAll = !this.#continues && !this.#tellsPromptEnd;
    this.#prompt = isAll ? this.#asked(event.position) : null;
  }

  #ask({ line }: OutputPosition): void {
    this.#typed.forget();
    if (this.#isAnother(line)) this.#askedAt = null;
    this.#promptLine = line;
    this.#asksAnew = false;
  }

  /**
   * Whether a prompt that begins is not the last one, painted anew. Ours says so by telling where it
   * is; of others, one that is not below the last one is the same: nobody has pressed Enter.
   */
  #isAnother(line: number | null): boolean {
    if (this.#integration === 'integrated') return this.#asksAnew;
    return line === null || this.#promptLine === null || line > this.#promptLine;
  }

  /** Painted anew, it stands elsewhere and asks for nothing else. */
  #asked(position: OutputPosition): OutputPosition {
    this.#askedAt ??= position.offset;
    return { ...position, offset: this.#askedAt };
  }

  #onPromptEnd(event: MarkEvent): void {
    this.#end(event, null);
    // The first end that is told: what the beginning said was too early.
    if (!this.#tellsPromptEnd) this.#askedAt = null;
    this.#tellsPromptEnd = true;
    this.#typed.beginAt(event.position);
    if (!this.#continues) this.#prompt = this.#asked(event.position);
  }

  #onCommandEnd(event: MarkEvent): void {
    const { exitCode = null } = event;
    // Ours always says how. What does not is zsh's template of the mark, which somebody printed.
    if (this.#integration === 'integrated' && exitCode === null) return;
    this.#end(event, exitCode);
  }

  #begin(event: MarkEvent): void {
    // Some shells say so for each part of a pipeline.
    if (this.#open !== null) return;
    const { position, atMs, revision } = event;
    this.#open = {
      number: ++this.#count,
      line: this.#lineOf(event),
      cwd: this.#cwd,
      startedAtMs: atMs,
      startedNowMs: this.#clock.nowMs(),
      startRevision: revision,
      from: position,
    };
    this.#prompt = null;
    this.#asksAnew = true;
    this.#promptLine = null;
    this.#continues = false;
    this.#nextLine = null;
  }

  #lineOf({ commandLine, historyLine, position }: MarkEvent): string | null {
    const told = commandLine ?? this.#nextLine;
    if (this.#integration !== 'integrated') return told;
    if (told !== null) return this.#typed.inLines(told, position);
    return historyLine === undefined ? null : this.#typed.confirmed(historyLine, position);
  }

  #end({ atMs, position }: Pick<MarkEvent, 'atMs' | 'position'>, exitCode: number | null): void {
    const { running } = this;
    if (running === null) return;
    this.#open = null;
    this.#ended.add({ ...running, state: 'ended', exitCode, endedAtMs: atMs, to: position });
  }
}
