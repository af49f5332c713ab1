import type {
  CommandRecord,
  LineKey,
  OutputPosition,
  RedrawnPart,
  ShellIntegration,
  TypedLine,
} from '#model';

export interface CommandLogLimits {
  /** The most commands kept; the oldest are dropped. */
  readonly maxCommands: number;
  /** The most characters in their lines and directories, in UTF-16 code units. */
  readonly maxCharacters: number;
}

export const defaultLogLimits: CommandLogLimits = {
  maxCommands: 1_000,
  maxCharacters: 1024 * 1024,
};

/** The ended commands, oldest first, within limits. */
export class CommandLog {
  readonly #limits: CommandLogLimits;
  /** The dropped ones before {@link #first} are removed together: a flood of marks drops thousands. */
  #commands: CommandRecord[] = [];
  #first = 0;
  #characters = 0;
  #dropped = 0;

  constructor(limits: CommandLogLimits) {
    this.#limits = limits;
  }

  /** The number of commands dropped. */
  get dropped(): number {
    return this.#dropped;
  }

  get newest(): CommandRecord | null {
    return this.#count === 0 ? null : (this.#commands.at(-1) ?? null);
  }

  all(): readonly CommandRecord[] {
    this.#removeDropped();
    return this.#commands;
  }

  /** Adds commands that were saved, the last ones of the session, after `dropped` others. */
  restore(commands: readonly CommandRecord[], dropped: number): void {
    this.#dropped = dropped;
    for (const command of commands) this.add(command);
  }

  find(number: number): CommandRecord | null {
    // Commands are numbered without gaps.
    const at = number - 1 - this.#dropped;
    return at < 0 ? null : (this.#commands[this.#first + at] ?? null);
  }

  add(command: CommandRecord): void {
    this.#commands.push(command);
    this.#characters += charactersOf(command);
    while (this.#isOverfull()) {
      const oldest = this.#commands[this.#first++];
      this.#characters -= oldest === undefined ? 0 : charactersOf(oldest);
      this.#dropped++;
    }
    if (this.#first > this.#limits.maxCommands) this.#removeDropped();
  }

  get #count(): number {
    return this.#commands.length - this.#first;
  }

  #removeDropped(): void {
    if (this.#first > 0) this.#commands.splice(0, this.#first);
    this.#first = 0;
  }

  /** Returns the first command that ended at or after `offset`. */
  endedAfter(offset: number): CommandRecord | null {
    // From the end, because `offset` is usually recent.
    let record: CommandRecord | null = null;
    for (let at = this.#commands.length - 1; at >= this.#first; at--) {
      const command = this.#commands[at];
      if (command?.to == null || command.to.offset < offset) break;
      record = command;
    }
    return record;
  }

  #isOverfull(): boolean {
    const { maxCommands, maxCharacters } = this.#limits;
    return this.#count > maxCommands || this.#characters > maxCharacters;
  }
}

function charactersOf({ line, cwd }: CommandRecord): number {
  return (line?.length ?? 0) + (cwd?.length ?? 0);
}

/** A running command. */
export interface Open {
  readonly number: number;
  readonly line: string | null;
  readonly cwd: string | null;
  readonly startedAtMs: number;
  /** By the monotonic clock. */
  readonly startedNowMs: number;
  readonly startRevision: number;
  readonly from: OutputPosition;
}

/** A prompt on the screen. */
export interface DrawnPrompt {
  /** Where it begins. */
  readonly from: { readonly line: number; readonly col: number };
  /** What the shell draws again after a resize. */
  readonly redraws: RedrawnPart;
  /** Where it ends; null while it is not complete. */
  readonly end: OutputPosition | null;
}

/** The state of a ledger, apart from the commands that ended. A plain JSON value. */
export interface SavedLedger {
  readonly integration: ShellIntegration;
  readonly open: Open | null;
  readonly prompt: OutputPosition | null;
  readonly promptLine: number | null;
  readonly promptOffset: number | null;
  readonly continues: boolean;
  readonly typing: OutputPosition | null;
  readonly typedLines: readonly TypedLine[];
  readonly isNextPromptNew: boolean;
  readonly marksPromptEnd: boolean;
  readonly nextLine: string | null;
  readonly cwd: string | null;
  readonly withoutCommand: {
    /** Null if the shell does not know it. */
    readonly exitCode: number | null;
    readonly offset: number;
    /** Absent where an earlier version saved it. */
    readonly line?: number | null;
    /** The number of the mark; absent where an earlier version saved it. */
    readonly number?: number;
  } | null;
  readonly count: number;
  readonly promptNumber: number;
  readonly starts: readonly OutputPosition[];
  /** Absent where an earlier version saved it. */
  readonly lineKey?: LineKey | null;
  /** Absent where an earlier version saved it. */
  readonly drawn?: DrawnPrompt | null;
}

export const emptyLedger: SavedLedger = {
  integration: 'none',
  open: null,
  prompt: null,
  promptLine: null,
  promptOffset: null,
  continues: false,
  typing: null,
  typedLines: [],
  isNextPromptNew: true,
  marksPromptEnd: false,
  nextLine: null,
  cwd: null,
  withoutCommand: null,
  count: 0,
  promptNumber: 0,
  starts: [],
};
