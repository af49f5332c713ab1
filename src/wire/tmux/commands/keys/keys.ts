import { type BoundKey, boundKey } from '../../keys/bound-key.ts';
import type { Binding } from '../../state/key-tables.ts';
import { TmuxError } from '../../tmux-error.ts';
import type { Arguments } from '../../words/arguments.ts';
import { quotedValue } from '../../words/command-text.ts';
import { type Call, type Commands, many } from '../call.ts';
import { wholeText } from '../options.ts';

export const keyCommands = {
  'bind-key': {
    usage: '[-nr] [-T key-table] [-N note] key [command [arguments]]',
    words: [1, many],
    run: bindKey,
  },
  'unbind-key': {
    usage: '[-anq] [-T key-table] key',
    words: [0, 1],
    run: unbindKey,
  },
  'list-keys': {
    usage: '[-1aN] [-P prefix-string] [-T key-table] [key]',
    words: [0, 1],
    run: listKeys,
  },
} satisfies Commands;

const tableOf = (args: Arguments): string => args.value('T') ?? (args.has('n') ? 'root' : 'prefix');

/** @throws TmuxError */
function keyNamed(word: string, message: string): BoundKey {
  const key = boundKey(word);
  if (key === null) throw new TmuxError(`${message}: ${word}`);
  return key;
}

async function bindKey(call: Call, args: Arguments): Promise<void> {
  const { keys } = call.server;
  const [word = '', ...words] = args.words;
  const key = keyNamed(word, 'unknown key');
  const table = tableOf(args);
  const binding = keys.get(table, key);
  const [only, ...more] = words;
  if (only === undefined) {
    // Without commands, a known key gets another note.
    if (binding === null) return;
    const note = args.value('N') ?? binding.note;
    keys.set(table, { ...binding, note, isRepeated: args.has('r') || binding.isRepeated });
    return;
  }
  const text = more.length === 0 ? only : words.map(asWord).join(' ');
  const commands = await wholeText(call, text, 'run');
  const shown = await wholeText(call, text, 'listed');
  const [note, isRepeated] = [args.value('N') ?? '', args.has('r')];
  keys.set(table, { key, commands, shown, note, isRepeated });
}

/** A word as the text of a command has it; `;` separates commands. */
const asWord = (word: string): string => (word === ';' ? word : quotedValue(word));

function unbindKey(call: Call, args: Arguments): void {
  const problem = unbound(call, args);
  if (problem !== null && !args.has('q')) throw new TmuxError(problem);
}

/** Removes a key, or all of a table. @returns why that is not possible; null if it was done */
function unbound({ server: { keys } }: Call, args: Arguments): string | null {
  const [word] = args.words;
  const table = tableOf(args);
  const isKnown = keys.of(table) !== null;
  if (args.has('a')) {
    if (word !== undefined) return 'key given with -a';
    if (!isKnown) return `table ${table} doesn't exist`;
    keys.removeTable(table);
    return null;
  }
  if (word === undefined) return 'missing key';
  const key = boundKey(word);
  if (key === null) return `unknown key: ${word}`;
  if (args.has('T') && !isKnown) return `table ${table} doesn't exist`;
  keys.remove(table, key);
  return null;
}

interface Listed extends Binding {
  readonly table: string;
}

function listKeys(call: Call, args: Arguments): void {
  const { keys } = call.server;
  const [word] = args.words;
  const only = word === undefined ? null : keyNamed(word, 'invalid key');
  const table = args.value('T');
  if (table !== undefined && keys.of(table) === null) {
    throw new TmuxError(`table ${table} doesn't exist`);
  }
  const inTables = (tables: readonly string[]): Listed[] =>
    tables.flatMap((name) =>
      (keys.of(name) ?? [])
        .filter(({ key }) => only === null || key.name === only.name)
        .map((binding) => ({ ...binding, table: name })),
    );
  const notes = args.has('N');
  const lines = notes
    ? noteLines(call, args, inTables(table === undefined ? ['root', 'prefix'] : [table]))
    : bindingLines(inTables(table === undefined ? keys.names : [table]));
  if (only !== null && lines.length === 0) throw new TmuxError(`unknown key: ${word}`);
  for (const line of notes && args.has('1') ? lines.slice(0, 1) : lines) call.print(line);
}

const width = (texts: readonly string[]): number =>
  Math.max(0, ...texts.map((text) => [...text].length));

function bindingLines(listed: readonly Listed[]): string[] {
  const repeats = listed.some(({ isRepeated }) => isRepeated);
  const tableWidth = width(listed.map(({ table }) => table));
  const keyWidth = width(listed.map(({ key }) => shownKey(key.name)));
  return listed.map(({ table, key, shown, isRepeated }) => {
    const repeat = isRepeated ? '-r ' : repeats ? '   ' : '';
    const columns = `${table.padEnd(tableWidth)} ${shownKey(key.name).padEnd(keyWidth)}`;
    return `bind-key ${repeat}-T ${columns} ${shown}`;
  });
}

const shownKey = (name: string): string => (name === "'" ? "\\'" : quotedValue(name));

function noteLines(call: Call, args: Arguments, listed: readonly Listed[]): string[] {
  const noted = listed.filter(
    ({ key, note }) => (note !== '' || args.has('a')) && !/Mouse|Wheel|Click/.test(key.name),
  );
  const keyWidth = width(listed.flatMap(({ key, note }) => (note === '' ? [] : [key.name])));
  const prefix = call.targets.current()?.session.options.text('prefix') ?? 'C-b';
  const beforeOf = (table: string) => {
    const value = args.value('P');
    if (value !== undefined) return value;
    if (args.has('T')) return '';
    return table === 'prefix' ? `${prefix} ` : ' '.repeat(prefix.length + 1);
  };
  return noted.map(
    ({ table, key, note, shown }) =>
      `${beforeOf(table)}${key.name.padEnd(keyWidth + 1)}${note === '' ? shown : note}`,
  );
}
