import { nearMisses } from '#base';
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
      const message = `preset is ${JSON.stringify(own)}; it must be "vtr" or "tmux"`;
      if (preset !== own) yield { path: [mode], at: 'value', message };
    } else if (!keyModes.some((each) => each === mode)) {
      const message = unknown('table', mode, keyModes);
      yield { path: [mode], at: 'key', message };
    } else if (typeof own !== 'object' || own === null || Array.isArray(own)) {
      const message = `it must be a table, written as [keys.${mode}]`;
      yield { path: [mode], at: 'value', message };
    } else yield* modeProblems(mode as KeyMode, own as Written, { leader, preset });
  }
}

function* modeProblems(
  mode: KeyMode,
  own: Written,
  { leader, preset }: { readonly leader: string | null; readonly preset: KeyPreset },
): Generator<KeyProblem> {
  const commands = new Map(keyRows(mode).map(({ command }) => [actionName(command), command]));
  for (const [action, value] of Object.entries(own)) {
    const path = [mode, action];
    const keys = keysOf(value);
    if (!commands.has(action)) {
      yield { path, at: 'key', message: unknown('action', action, [...commands.keys()]) };
    } else if (keys === null) {
      const message = `${action} is ${JSON.stringify(value)}; it must be a key such as "ctrl+x", or a list of keys`;
      yield { path, at: 'value', message };
    } else if (keys.length === 0 && leaving.has(action)) {
      yield { path, at: 'value', message: `${action} needs a key: nothing else leaves` };
    } else {
      const problems = keys.map((key) => keyProblem(mode, key, leader));
      const message = problems.find((each) => each !== null);
      if (message != null) yield { path, at: 'value', message: `${action}: ${message}` };
    }
  }
  yield* clashes(mode, own, preset);
}

/** A key does one thing: the configuration names another key for the action that has it as well. */
function* clashes(mode: KeyMode, own: Written, preset: KeyPreset): Generator<KeyProblem> {
  const isOwn = (command: string) => keysOf(own[actionName(command)]) !== null;
  const users = new Map<string, string>();
  const rows = keyRows(mode, preset);
  // Those of the configuration last, so that the message is about one of them.
  for (const { command, keys } of [
    ...rows.filter((row) => !isOwn(row.command)),
    ...rows.filter((row) => isOwn(row.command)),
  ]) {
    for (const key of keysOf(own[actionName(command)]) ?? keys) {
      const name = tryNameOf(key);
      const other = name === null ? undefined : users.get(name);
      if (name !== null) users.set(name, command);
      if (other === undefined || !isOwn(command)) continue;
      const [one, two] = [actionName(command), actionName(other)];
      const message =
        one === two
          ? `${one}: ${JSON.stringify(key)} is listed twice`
          : `${one}: ${JSON.stringify(key)} is a key of ${two}, too; give ${two} another key in [keys.${mode}]`;
      yield { path: [mode, one], at: 'value', message };
    }
  }
}

function keysOf(value: unknown): readonly string[] | null {
  const keys = Array.isArray(value) ? value : [value];
  return keys.every((each) => typeof each === 'string' && each !== '')
    ? (keys as readonly string[])
    : null;
}

/** `leader` is whatever key the leader is. */
const nameOf = (key: string): string => (key === 'leader' ? key : keyText(parseKey(key)));

function tryNameOf(key: string): string | null {
  try {
    return nameOf(key);
  } catch {
    return null;
  }
}

/** Returns why a key cannot be one of a mode; null if it can. */
function keyProblem(mode: KeyMode, key: string, leader: string | null): string | null {
  if (key === 'leader') return mode === 'attach' ? null : `"leader" is a key of [keys.attach] only`;
  let press: KeyPress;
  try {
    press = parseKey(key);
  } catch (error) {
    if (isVtrError(error)) return error.message;
    throw error;
  }
  const name = keyText(press);
  const isText = isCharacter(press.key) && !press.ctrl && !press.alt;
  if (mode === 'line' && (isText || name === 'space'))
    return `${JSON.stringify(key)} is a part of what is typed`;
  const isBelowLeader = ['attach', 'panes', 'scroll', 'ended'].includes(mode);
  if (isBelowLeader && leader !== null && name === tryNameOf(leader))
    return mode === 'attach'
      ? `${JSON.stringify(key)} is the leader; its name here is "leader"`
      : `${JSON.stringify(key)} is the leader, which begins a command`;
  return untypable(key, press);
}

/** The actions without which a person could not leave, whatever the mode. */
const leaving: ReadonlySet<string> = new Set(['leave', 'quit', 'cancel', 'no']);

/** Keys that share their bytes with a character and Ctrl. */
const named: readonly KeyPress[] = ['tab', 'enter', 'escape', 'backspace'].map((key) => ({ key }));

/** Returns why a terminal does not send a key as such; null if it does. */
function untypable(key: string, press: KeyPress): string | null {
  const bytes = bytesOf(press);
  if (bytes === '') return `${JSON.stringify(key)} cannot be typed: terminals send nothing for it`;
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
    : `${JSON.stringify(key)} cannot be typed in most terminals, which send ${JSON.stringify(keyText(substitute))} for it`;
}

const bytesOf = (press: KeyPress): string => String(encodeKey(press, initialViewModes));

function unknown(what: string, text: string, names: readonly string[]): string {
  const near = nearMisses(text, names);
  if (near.length > 0) return `unknown ${what} ${text}; did you mean ${near.join(' or ')}?`;
  return `unknown ${what} ${text}; valid ones are ${names.join(', ')}`;
}
