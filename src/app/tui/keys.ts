import { type Command, type KeyBindings, type KeyMode, keyBindings, keyRows, keyText } from '#keys';
import type { KeyPress } from '#model';

export type { Command } from '#keys';

/** The table `keys` of the configuration. */
export type WrittenKeys = Readonly<Record<string, unknown>>;

const isSameKey = (one: KeyPress, other: KeyPress): boolean => keyText(one) === keyText(other);

interface KeyHelp {
  readonly command: string;
  /** As people write them, with spaces between them. */
  readonly keys: string;
  readonly does: string;
}

/** The keys of attach, ui and the player: what each does, and how people read of them. */
export class Keys {
  readonly leader: KeyPress | null;
  readonly #bindings: KeyBindings;
  readonly #commands: ReadonlyMap<KeyMode, ReadonlyMap<string, string>>;

  /**
   * @param leader the key before the commands of an attached session; null: there is none
   * @param written the table `keys` of the configuration, which has been checked
   */
  constructor(leader: KeyPress | null, written: WrittenKeys = {}) {
    this.leader = leader;
    this.#bindings = keyBindings(written);
    const byMode = Object.entries(this.#bindings).map(([mode, rows]) => {
      const byKey = [...rows].flatMap(([command, keys]) =>
        keys.map((key) => [key, command] as const),
      );
      return [mode as KeyMode, new Map(byKey)] as const;
    });
    this.#commands = new Map(byMode);
  }

  isLeader(press: KeyPress): boolean {
    return this.leader !== null && isSameKey(press, this.leader);
  }

  /** Returns what a key does in a mode; null for nothing. In the mode `attach`, the leader means `leader`. */
  command<Mode extends KeyMode>(mode: Mode, press: KeyPress): Command<Mode> | null {
    const byKey = this.#commands.get(mode);
    const names = mode === 'attach' && this.isLeader(press) ? ['leader'] : namesOf(press);
    const command = names.map((name) => byKey?.get(name)).find((each) => each !== undefined);
    return (command as Command<Mode> | undefined) ?? null;
  }

  /** Returns the keys of a command, as in the configuration. */
  of<Mode extends KeyMode>(mode: Mode, command: Command<Mode>): readonly string[] {
    return this.#bindings[mode].get(command) ?? [];
  }

  /** Returns the usual key of a command as people write it, after the leader if it follows it. Empty: none. */
  label<Mode extends KeyMode>(mode: Mode, command: Command<Mode>): string {
    const usual = this.of(mode, command)[0];
    if (usual === undefined || (afterLeader.has(mode) && this.leader === null)) return '';
    return afterLeader.has(mode) ? this.#afterLeader(usual) : keyLabel(usual);
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
      const text = does.replace(/\{(?:(\w+)\.)?(\w+)\}/g, (_all, other = mode, name) =>
        this.label(other as KeyMode, name as never),
      );
      if (afterLeader.has(mode)) {
        const [shown = usual] = rangeOf(keys);
        return [{ command, keys: this.#afterLeader(shown), does: text }];
      }
      const own = this.leader === null || !belowLeader.has(mode) ? '' : keyText(this.leader);
      const free = keys.filter((key) => key !== own).map(keyLabel);
      return free.length === 0 ? [] : [{ command, keys: rangeOf(free).join(' '), does: text }];
    });
  }

  #afterLeader(key: string): string {
    return `${this.leaderLabel} ${key === 'leader' ? this.leaderLabel : keyLabel(key)}`;
  }
}

/** The modes whose keys follow the leader. */
const afterLeader: ReadonlySet<KeyMode> = new Set(['attach', 'panes']);

/** The modes in which the leader begins a command. */
const belowLeader: ReadonlySet<KeyMode> = new Set(['scroll', 'ended']);

/** On a layout without Latin letters, a key is also the one at the same place of a US keyboard. */
function namesOf(press: KeyPress): string[] {
  const { shiftedKey: _, baseLayoutKey, ...others } = press;
  if (baseLayoutKey === undefined || press.key <= '\x7f') return [keyText(press)];
  return [keyText(press), keyText({ ...others, key: baseLayoutKey })];
}

/** Names of keys that people know under others. */
const labels: Readonly<Record<string, string>> = {
  pageup: 'PgUp',
  pagedown: 'PgDn',
  escape: 'Esc',
};

/** Returns a key as people write it: `Ctrl+b`, `PgUp`. */
function keyLabel(key: string): string {
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
