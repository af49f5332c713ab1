import { type BoundKey, boundKey } from '../keys/bound-key.ts';
import { defaultKeys, defaultNotes } from './default-keys.ts';

/** What a key does, in a table. */
export interface Binding {
  readonly key: BoundKey;
  /** The text of its commands. */
  readonly commands: string;
  /** The same as lists print it. */
  readonly shown: string;
  readonly note: string;
  readonly isRepeated: boolean;
}

type Table = Map<string, Binding>;

/** The key bindings of a server. */
export class KeyTables {
  #tables: Map<string, Table> | null = null;
  /** Those of a new server, as soon as somebody asks. */
  #initial: ReadonlyMap<string, Table> | null = null;

  /** The names of tables, in the order of lists. */
  get names(): readonly string[] {
    return [...this.#all.keys()].sort();
  }

  /** The bindings of a table, in the order of lists; null if there is no such table. */
  of(table: string): readonly Binding[] | null {
    const bindings = this.#all.get(table);
    if (bindings === undefined) return null;
    // Keys of the same place, such as those of the mouse, stay in the order in which they were bound.
    return [...bindings.values()].sort((one, two) => one.key.order - two.key.order);
  }

  get(table: string, key: BoundKey): Binding | null {
    return this.#all.get(table)?.get(key.name) ?? null;
  }

  set(table: string, binding: Binding): void {
    const bindings: Table = this.#all.get(table) ?? new Map();
    bindings.set(binding.key.name, binding);
    this.#all.set(table, bindings);
  }

  /** Takes a key out of a table, and the table away with its last one. */
  remove(table: string, key: BoundKey): void {
    const bindings = this.#all.get(table);
    bindings?.delete(key.name);
    if (bindings?.size === 0) this.#all.delete(table);
  }

  /** Returns what a key does in a new server; null for nothing. */
  initial(table: string, key: BoundKey): Binding | null {
    this.#initial ??= initialTables();
    return this.#initial.get(table)?.get(key.name) ?? null;
  }

  removeTable(table: string): void {
    this.#all.delete(table);
  }

  /** Most servers are never asked. */
  get #all(): Map<string, Table> {
    this.#tables ??= initialTables();
    return this.#tables;
  }
}

function initialTables(): Map<string, Table> {
  const tables = new Map<string, Table>();
  for (const line of defaultKeys.trim().split('\n')) {
    const [, table = '', repeat, word = '', shown = ''] =
      /^(\S+) (-r )?(\S+) (.*)$/.exec(line) ?? [];
    const key = boundKey(word.replace(/^\\(.)$|^"(.+)"$/, '$1$2'));
    if (key === null) throw new Error(`no key: ${word}`);
    const note = table === 'prefix' ? (defaultNotes[word] ?? '') : '';
    const bindings: Table = tables.get(table) ?? new Map();
    const commands = shown.replaceAll(' \\; ', ' ; ');
    bindings.set(key.name, { key, commands, shown, note, isRepeated: repeat !== undefined });
    tables.set(table, bindings);
  }
  return tables;
}
