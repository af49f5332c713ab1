import type { CommandRecord } from '#model';

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
    let found: CommandRecord | null = null;
    for (let at = this.#commands.length - 1; at >= this.#first; at--) {
      const command = this.#commands[at];
      if (command?.to == null || command.to.offset < offset) break;
      found = command;
    }
    return found;
  }

  #isOverfull(): boolean {
    const { maxCommands, maxCharacters } = this.#limits;
    return this.#count > maxCommands || this.#characters > maxCharacters;
  }
}

function charactersOf({ line, cwd }: CommandRecord): number {
  return (line?.length ?? 0) + (cwd?.length ?? 0);
}
