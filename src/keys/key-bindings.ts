import { nearMisses, quoted } from '#base';
import { initialViewModes, isVtrError, type KeyPress } from '#model';
import { encodeKey } from './encode.ts';
import { type KeyMode, type KeyPreset, keyRows, keyTable } from './key-table.ts';
import { isCharacter } from './names.ts';
import { keyText, parseKey } from './parse.ts';
import { modifierNames } from './sequences.ts';

/** The keys of each command, by mode. */
export type KeyBindings = Readonly<Record<KeyMode, ReadonlyMap<string, readonly string[]>>>;

/** What is wrong with the keys of a configuration. */
interface KeyProblem {
  /** The mode, and the action if there is one. */
  readonly path: readonly string[];
  readonly at: 'key' | 'value';
  readonly message: string;
}

export const keyModes = Object.keys(keyTable) as readonly KeyMode[];

/** Returns the name of a command in the configuration: `page_up`. */
export const actionName = (command: string): string =>
  command.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

type Written = Readonly<Record<string, unknown>>;

const presets: readonly KeyPreset[] = ['vtr', 'tmux'];

/** Returns the preset of a configuration: `preset` in the table `keys`. */
const presetOf = ({ preset }: Written): KeyPreset =>
  presets.find((each) => each === preset) ?? 'vtr';

/** The modes whose actions can have keys without the leader, in the table `direct`. */
export const directModes = ['panes', 'attach'] as const satisfies readonly KeyMode[];

/** Returns the commands of the keys without the leader, and their keys. */
export function directBindings(written: Written = {}): ReadonlyMap<string, readonly string[]> {
  const own = (written['direct'] ?? {}) as Written;
  const commands = new Set(directModes.flatMap((mode) => keyRows(mode).map((row) => row.command)));
  const rows = [...commands].flatMap((command) => {
    const keys = keysOf(own[actionName(command)])?.map(nameOf) ?? [];
    return keys.length === 0 ? [] : [[command, keys] as const];
  });
  return new Map(rows);
}

/** Returns the keys of all modes: those of a configuration without a problem, and those of its preset for the others. */
export function keyBindings(written: Written = {}): KeyBindings {
  const preset = presetOf(written);
  const modes = keyModes.map((mode) => {
    const own = (written[mode] ?? {}) as Written;
    const rows = keyRows(mode, preset).map(({ command, keys }) => {
      const ownKeys = keysOf(own[actionName(command)]);
      return [command, ownKeys?.map(nameOf) ?? keys] as const;
    });
    return [mode, new Map(rows)] as const;
  });
  return Object.fromEntries(modes) as unknown as KeyBindings;
}

/** @param leader the key before the commands of an attached session; null: there is none */
export function* keyProblems(
  written: Written,
  leader: string | null = 'ctrl+b',
): Generator<KeyProblem> {
  const preset = presetOf(written);
  for (const [mode, own] of Object.entries(written)) {
    if (mode === 'preset') {
      const message = `preset is ${quoted(own)}; it must be "vtr" or "tmux"`;
      if (preset !== own) yield { path: [mode], at: 'value', message };
    } else if (mode !== 'direct' && !keyModes.some((each) => each === mode)) {
      const message = unknown('table', mode, [...keyModes, 'direct']);
      yield { path: [mode], at: 'key', message };
    } else if (typeof own !== 'object' || own === null || Array.isArray(own)) {
      const message = `it must be a table, written as [keys.${mode}]`;
      yield { path: [mode], at: 'value', message };
    } else yield* tableProblems(mode as KeyTableName, own as Written, { leader, preset });
  }
}

/** A table of the configuration. */
type KeyTableName = KeyMode | 'direct';

/** Returns the rows of a table: none of the keys without the leader has a default. */
function rowsOf(table: KeyTableName, preset: KeyPreset): ReturnType<typeof keyRows> {
  if (table !== 'direct') return keyRows(table, preset);
  const rows = directModes.flatMap((mode) => keyRows(mode));
  const byCommand = new Map(rows.map((row) => [row.command, { ...row, keys: [] }]));
  return [...byCommand.values()];
}

function* tableProblems(
  mode: KeyTableName,
  own: Written,
  { leader, preset }: { readonly leader: string | null; readonly preset: KeyPreset },
): Generator<KeyProblem> {
  const commands = new Set(rowsOf(mode, 'vtr').map(({ command }) => actionName(command)));
  for (const [action, value] of Object.entries(own)) {
    const path = [mode, action];
    const keys = keysOf(value);
    if (!commands.has(action)) {
      yield { path, at: 'key', message: unknown('action', action, [...commands]) };
    } else if (keys === null) {
      const message = `${action} is ${quoted(value)}; it must be a key such as "ctrl+x", or a list of keys`;
      yield { path, at: 'value', message };
    } else if (keys.length === 0 && leaving.has(action) && mode !== 'direct') {
      yield { path, at: 'value', message: `${action} needs a key: nothing else leaves` };
    } else {
      const problems = keys.map((key) => keyProblem(mode, key, leader));
      const message = problems.find((each) => each !== null);
      if (message != null) yield { path, at: 'value', message: `${action}: ${message}` };
    }
  }
  yield* clashes(mode, own, preset);
}

/**
 * A key does one thing: the configuration names another key for the action that has it as well. A key that does
 * something cannot begin a sequence.
 */
function* clashes(mode: KeyTableName, own: Written, preset: KeyPreset): Generator<KeyProblem> {
  const isOwn = (command: string) => keysOf(own[actionName(command)]) !== null;
  const users = new Map<string, string>();
  const rows = rowsOf(mode, preset);
  // Those of the configuration last, so that the message is about one of them.
  for (const { command, keys } of [
    ...rows.filter((row) => !isOwn(row.command)),
    ...rows.filter((row) => isOwn(row.command)),
  ]) {
    for (const key of keysOf(own[actionName(command)]) ?? keys) {
      const name = tryNameOf(key);
      if (name === null) continue;
      const clash = [...users].find(([other]) => isSameOrPrefix(name, other));
      users.set(name, command);
      if (clash === undefined || !isOwn(command)) continue;
      const [other, user] = clash;
      const [one, two] = [actionName(command), actionName(user)];
      const message = clashText({ name: one, key, text: name }, { name: two, text: other }, mode);
      yield { path: [mode, one], at: 'value', message };
    }
  }
}

/** Whether one of two keys or sequences is the other, or its beginning. */
const isSameOrPrefix = (one: string, other: string): boolean =>
  one === other || one.startsWith(`${other} `) || other.startsWith(`${one} `);

function clashText(
  { name, key, text }: { readonly name: string; readonly key: string; readonly text: string },
  other: { readonly name: string; readonly text: string },
  mode: KeyTableName,
): string {
  const [written, its] = [JSON.stringify(key), JSON.stringify(other.text)];
  const remedy = `give ${other.name} another key in [keys.${mode}]`;
  if (text === other.text) {
    return name === other.name
      ? `${name}: ${written} is listed twice`
      : `${name}: ${written} is a key of ${other.name}, too; ${remedy}`;
  }
  const begins = text.startsWith(other.text)
    ? `${written} begins with ${its}`
    : `${written} is the beginning of ${its}`;
  return name === other.name
    ? `${name}: ${begins}; leave out one of them`
    : `${name}: ${begins}, a key of ${other.name}; ${remedy}`;
}

function keysOf(value: unknown): readonly string[] | null {
  const keys = Array.isArray(value) ? value : [value];
  return keys.every((each) => typeof each === 'string' && each !== '')
    ? (keys as readonly string[])
    : null;
}

/** Returns the keys of a sequence such as `g n`. A blank alone is a key. */
const sequenceOf = (text: string): readonly string[] =>
  text.trim() === '' ? [text] : text.trim().split(/\s+/);

/** `leader` is whatever key the leader is. */
const nameOf = (text: string): string =>
  sequenceOf(text)
    .map((key) => (key === 'leader' ? key : keyText(parseKey(key))))
    .join(' ');

function tryNameOf(key: string): string | null {
  try {
    return nameOf(key);
  } catch {
    return null;
  }
}

/** The modes whose keys follow the leader. */
const afterLeader: readonly KeyTableName[] = ['attach', 'panes'];

/** The tables whose keys are looked for only if they are not the leader. */
const belowLeader: readonly KeyTableName[] = [...afterLeader, 'scroll', 'ended', 'direct'];

/** Returns why a key or a sequence cannot be one of a table; null if it can. */
function keyProblem(mode: KeyTableName, text: string, leader: string | null): string | null {
  const keys = sequenceOf(text);
  if (keys.length === 1) return singleProblem(mode, text, leader);
  const written = JSON.stringify(text);
  if (!afterLeader.includes(mode))
    return `${written} is ${keys.length} keys; only [keys.attach] and [keys.panes] have sequences of keys`;
  if (keys.includes('leader')) return `${written}: "leader" cannot be part of a sequence`;
  for (const key of keys) {
    const problem = singleProblem(mode, key, leader);
    if (problem !== null) return problem;
    if (tryNameOf(key) === 'escape') return `${written}: escape leaves a sequence`;
  }
  return null;
}

/** Returns why a key cannot be one of a table; null if it can. */
function singleProblem(mode: KeyTableName, key: string, leader: string | null): string | null {
  if (key === 'leader') return mode === 'attach' ? null : `"leader" is a key of [keys.attach] only`;
  let press: KeyPress;
  try {
    press = parseKey(key);
  } catch (error) {
    if (isVtrError(error)) return error.message;
    throw error;
  }
  const name = keyText(press);
  const isText =
    name === 'space' || (isCharacter(press.key) && !press.ctrl && !press.alt && !press.super);
  if (mode === 'line' && isText) return `${quoted(key)} is a part of what is typed`;
  if (mode === 'direct' && (isText || typing.has(name)))
    return `${quoted(key)} is needed for typing; a key without the leader has ctrl or alt, or is a key such as f5`;
  if (belowLeader.includes(mode) && leader !== null && name === tryNameOf(leader))
    return mode === 'attach'
      ? `${quoted(key)} is the leader; its name here is "leader"`
      : `${quoted(key)} is the leader, which begins a command`;
  return untypable(key, press);
}

/** Keys that no program can do without. */
const typing: ReadonlySet<string> = new Set(['enter', 'tab', 'backspace', 'escape']);

/** The actions without which a person could not leave, whatever the mode. */
const leaving: ReadonlySet<string> = new Set(['leave', 'quit', 'cancel', 'no']);

/** Keys that share their bytes with a character and Ctrl. */
const named: readonly KeyPress[] = ['tab', 'enter', 'escape', 'backspace'].map((key) => ({ key }));

/** Returns why a terminal does not send a key as such; null if it does. */
function untypable(key: string, press: KeyPress): string | null {
  const bytes = bytesOf(press);
  if (bytes === '') return `${quoted(key)} cannot be typed: terminals send nothing for it`;
  const own = keyText(press);
  const fewer = modifierNames.flatMap((modifier) => {
    const { [modifier]: isHeld, ...others } = press;
    return isHeld ? [others] : [];
  });
  const substitute = [...named, ...fewer].find(
    (each) => keyText(each) !== own && bytesOf(each) === bytes,
  );
  return substitute === undefined
    ? null
    : `${quoted(key)} cannot be typed in most terminals, which send ${quoted(keyText(substitute))} for it`;
}

const bytesOf = (press: KeyPress): string => String(encodeKey(press, initialViewModes));

function unknown(what: string, text: string, names: readonly string[]): string {
  const near = nearMisses(text, names);
  if (near.length > 0) return `unknown ${what} ${text}; did you mean ${near.join(' or ')}?`;
  return `unknown ${what} ${text}; valid ones are ${names.join(', ')}`;
}
