import {
  type Command,
  directBindings,
  directModes,
  type KeyBindings,
  type KeyMode,
  keyBindings,
  keyRows,
  keyText,
} from '#keys';
import type { KeyPress } from '#model';

export type { Command } from '#keys';

/** The table `keys` of the configuration. */
export type WrittenKeys = Readonly<Record<string, unknown>>;

interface KeyHelp {
  readonly command: string;
  /** As people write them, with spaces between them. */
  readonly keys: string;
  readonly does: string;
}

/** The modes whose keys follow the leader. */
type LeaderMode = 'attach' | 'panes';

/** What keys after the leader do, or a key without it. */
export interface KeyMatch<Mode extends KeyMode> {
  readonly command: Command<Mode>;
  /** As in the configuration: `alt+3`, `g n`. */
  readonly name: string;
  /** Which of the keys of the command it is, from 0 on. */
  readonly at: number;
}

/** Returns the number that a key stands for: that in its name, such as `f3`, else its place, counted from `first`. */
export const numberOf = ({ name, at }: Pick<KeyMatch<KeyMode>, 'name' | 'at'>, first: 0 | 1) =>
  Number(/\d+$/.exec(name)?.[0] ?? at + first);

/** The keys of attach, ui and the player: what each does, and how people read of them. */
export class Keys {
  readonly leader: KeyPress | null;
  readonly #leaderText: string | null;
  readonly #bindings: KeyBindings;
  readonly #commands: ReadonlyMap<KeyMode, ReadonlyMap<string, KeyMatch<never>>>;
  /** What keys without the leader do; empty unless the configuration has some. */
  readonly #direct: ReadonlyMap<string, KeyMatch<never>>;
  readonly #directKeys: ReadonlyMap<string, readonly string[]>;

  /**
   * @param leader the key before the commands of an attached session; null: there is none
   * @param written the table `keys` of the configuration, which has been checked
   */
  constructor(leader: KeyPress | null, written: WrittenKeys = {}) {
    this.leader = leader;
    this.#leaderText = leader && keyText(leader);
    this.#bindings = keyBindings(written);
    const byMode = Object.entries(this.#bindings).map(
      ([mode, rows]) => [mode as KeyMode, byKeyOf(rows)] as const,
    );
    this.#commands = new Map(byMode);
    this.#directKeys = directBindings(written);
    this.#direct = byKeyOf(this.#directKeys);
  }

  isLeader(press: KeyPress): boolean {
    return this.#leaderText !== null && keyText(press) === this.#leaderText;
  }

  /** Returns what a key does in a mode; null for nothing. In the mode `attach`, the leader means `leader`. */
  command<Mode extends KeyMode>(mode: Mode, press: KeyPress): Command<Mode> | null {
    return this.#find(mode, [press])?.command ?? null;
  }

  /**
   * Returns what keys after the leader do.
   *
   * @param presses a key, or those of a sequence so far, at least one
   * @returns `more` if they begin a sequence; null for nothing
   */
  afterLeader<Mode extends LeaderMode>(
    mode: Mode,
    presses: readonly KeyPress[],
  ): KeyMatch<Mode> | 'more' | null {
    const match = this.#find(mode, presses);
    if (match !== null) return match;
    return this.#following(mode, presses).length > 0 ? 'more' : null;
  }

  /** Returns the keys of a sequence so far, and those that can follow: `Ctrl+b g …  Esc leaves · n the next session`. */
  waiting(modes: readonly LeaderMode[], presses: readonly KeyPress[]): string {
    const pressed = presses.map((press) => keyLabel(keyText(press))).join(' ');
    const more = modes.flatMap((mode) => this.#following(mode, presses));
    return `${this.leaderLabel} ${pressed} …  ${['Esc leaves', ...more].join(' · ')}`;
  }

  /** Returns the keys that can follow those of a sequence, each with what it does. */
  #following(mode: LeaderMode, presses: readonly KeyPress[]): string[] {
    const begins = wordsOf(presses).map((words) => `${words} `);
    return keyRows(mode).flatMap(({ command, does }) =>
      (this.#bindings[mode].get(command) ?? []).flatMap((key) => {
        const begin = begins.find((each) => key.startsWith(each));
        if (begin === undefined) return [];
        return [`${keyLabel(key.slice(begin.length))} ${this.#text(mode, does)}`];
      }),
    );
  }

  /** Returns what a key without the leader does in a mode; null for nothing. */
  direct<Mode extends LeaderMode>(mode: Mode, press: KeyPress): KeyMatch<Mode> | null {
    // Most people have none, and then a key costs no more than this.
    if (this.#direct.size === 0) return null;
    const match = firstOf(this.#direct, namesOf(press));
    return match !== null && this.#bindings[mode].has(match.command)
      ? (match as KeyMatch<Mode>)
      : null;
  }

  #find<Mode extends KeyMode>(mode: Mode, presses: readonly KeyPress[]): KeyMatch<Mode> | null {
    const [only] = presses;
    const isLeader = presses.length === 1 && only !== undefined && this.isLeader(only);
    const names = mode === 'attach' && isLeader ? ['leader'] : wordsOf(presses);
    return firstOf(this.#commands.get(mode), names);
  }

  /** Returns the keys of a command, as in the configuration. */
  of<Mode extends KeyMode>(mode: Mode, command: Command<Mode>): readonly string[] {
    return this.#bindings[mode].get(command) ?? [];
  }

  /** Returns the keys of a command without the leader, as in the configuration. */
  directOf(command: Command<LeaderMode>): readonly string[] {
    return this.#directKeys.get(command) ?? [];
  }

  /**
   * Returns the usual key of a command as people write it, after the leader if it follows it; the one without the
   * leader if there is no other. Empty: none.
   */
  label<Mode extends KeyMode>(mode: Mode, command: Command<Mode>): string {
    const [usual] = this.of(mode, command);
    if (!afterLeader.has(mode)) return usual === undefined ? '' : keyLabel(usual);
    if (usual !== undefined && this.leader !== null) return this.#afterLeader(usual);
    const [direct] = this.directOf(command as Command<LeaderMode>);
    return direct === undefined ? '' : keyLabel(direct);
  }

  /** Returns `text` with the usual key before it, such as `q leaves`; empty if the command has no key. */
  hint<Mode extends KeyMode>(mode: Mode, command: Command<Mode>, text: string): string {
    const label = this.label(mode, command);
    return label === '' ? '' : `${label} ${text}`;
  }

  /** Returns the leader as people write it; empty: none. */
  get leaderLabel(): string {
    return this.leader === null ? '' : keyLabel(keyText(this.leader));
  }

  /** Returns the help of a mode. Keys that are the leader are left out where the mode never gets them. */
  help(mode: KeyMode): KeyHelp[] {
    return keyRows(mode).flatMap(({ command, does }) => {
      const keys = this.#bindings[mode].get(command) ?? [];
      const [usual] = keys;
      if (usual === undefined) return [];
      const text = this.#text(mode, does);
      if (afterLeader.has(mode)) {
        const [shown = usual] = rangeOf(keys);
        return [{ command, keys: this.#afterLeader(shown), does: text }];
      }
      const own = this.leader === null || !belowLeader.has(mode) ? '' : keyText(this.leader);
      const free = keys.filter((key) => key !== own).map(keyLabel);
      return free.length === 0 ? [] : [{ command, keys: rangeOf(free).join(' '), does: text }];
    });
  }

  /** Returns the help of the keys without the leader in a mode. */
  directHelp(mode: LeaderMode): KeyHelp[] {
    return keyRows(mode).flatMap(({ command, does }) => {
      const keys = this.directOf(command as Command<LeaderMode>).map(keyLabel);
      if (keys.length === 0) return [];
      return [{ command, keys: keys.join(' '), does: this.#text(mode, does) }];
    });
  }

  #text(mode: KeyMode, does: string): string {
    return does.replace(/\{(?:(\w+)\.)?(\w+)\}/g, (_all, other = mode, name) =>
      this.label(other as KeyMode, name as never),
    );
  }

  #afterLeader(key: string): string {
    return `${this.leaderLabel} ${key === 'leader' ? this.leaderLabel : keyLabel(key)}`;
  }
}

const afterLeader: ReadonlySet<KeyMode> = new Set(directModes);

/** Returns what each key does. */
const byKeyOf = (rows: ReadonlyMap<string, readonly string[]>) =>
  new Map(
    [...rows].flatMap(([command, keys]) =>
      keys.map((name, at) => [name, { command, name, at } as unknown as KeyMatch<never>] as const),
    ),
  );

const firstOf = <Mode extends KeyMode>(
  byKey: ReadonlyMap<string, KeyMatch<never>> | undefined,
  names: readonly string[],
): KeyMatch<Mode> | null =>
  (names.map((name) => byKey?.get(name)).find((each) => each !== undefined) as
    | KeyMatch<Mode>
    | undefined) ?? null;

/** The modes in which the leader begins a command. */
const belowLeader: ReadonlySet<KeyMode> = new Set(['scroll', 'ended']);

/** On a layout without Latin letters, a key is also the one at the same place of a US keyboard. */
function namesOf(press: KeyPress): string[] {
  const { shiftedKey: _, baseLayoutKey, ...others } = press;
  if (baseLayoutKey === undefined || press.key <= '\x7f') return [keyText(press)];
  return [keyText(press), keyText({ ...others, key: baseLayoutKey })];
}

/** Returns a sequence as in the configuration: `g n`, in each way in which its keys are called. */
const wordsOf = (presses: readonly KeyPress[]): string[] =>
  presses
    .map(namesOf)
    .reduce(
      (all, names) => all.flatMap((words) => names.map((name) => `${words} ${name}`.trim())),
      [''],
    );

/** Names of keys that people know under others. */
const labels: Readonly<Record<string, string>> = {
  pageup: 'PgUp',
  pagedown: 'PgDn',
  escape: 'Esc',
};

/** Returns a key or a sequence as people write it: `Ctrl+b`, `PgUp`, `g n`. */
function keyLabel(key: string): string {
  if (key.includes(' ')) return key.split(' ').map(keyLabel).join(' ');
  if ([...key].length === 1) return key;
  return key
    .split('+')
    .map((part) => labels[part] ?? (part.length === 1 ? part : capitalized(part)))
    .join('+');
}

const capitalized = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** Writes the ten digits as a range. */
const rangeOf = (keys: readonly string[]): readonly string[] =>
  keys.join('') === '0123456789' ? ['0-9'] : keys;
