import { keepNames } from '../format/foreground.ts';
import { hookNames, hookScope, isHook, isHookOf, optionTable } from '../state/option-table.ts';
import {
  checkedOption,
  type OptionKey,
  type Options,
  type OptionValue,
  optionKey,
  textOf,
} from '../state/options.ts';
import type { Target } from '../target/target.ts';
import { TmuxError } from '../tmux-error.ts';
import type { Arguments } from '../words/arguments.ts';
import { type CommandForm, commandsText, quotedValue } from '../words/command-text.ts';
import type { Call, Command, Commands } from './call.ts';

const setWindow: Command = {
  usage: '[-aFgoqu] [-t target-window] option [value]',
  words: [1, 2],
  run: (call, args) => setOption(call, args, { isWindow: true }),
};

export const optionCommands = {
  'set-option': {
    usage: '[-aFgopqsuUw] [-t target-pane] option [value]',
    words: [1, 2],
    run: (call, args) => setOption(call, args, { isWindow: false }),
  },
  'set-window-option': setWindow,
  'show-options': {
    usage: '[-AgHpqsvw] [-t target-pane] [option]',
    words: [0, 1],
    run: (call, args) => showOptions(call, args, { isWindow: false }),
  },
  'show-window-options': {
    usage: '[-gv] [-t target-window] [option]',
    words: [0, 1],
    run: (call, args) => showOptions(call, args, { isWindow: true }),
  },
  'set-hook': {
    usage: '[-agpRuw] [-t target-pane] hook [command]',
    words: [1, 2],
    // The commands that -R runs take their own turns.
    waits: true,
    run: setHook,
  },
  'show-hooks': {
    usage: '[-gpw] [-t target-pane]',
    words: [0, 1],
    run: showHooks,
  },
} satisfies Commands;

async function setOption(
  call: Call,
  args: Arguments,
  { isWindow }: { readonly isWindow: boolean },
): Promise<void> {
  const target = call.targetOrNull(args, 'pane');
  const [text = '', word] = args.words;
  const name = await call.expand(text, target);
  try {
    const key = optionKey(name, hookNames);
    const scope = scopeOf(call, args, key.name, target, { isWindow });
    const value = word !== undefined && args.has('F') ? await call.expand(word, target) : word;
    if (key.name === 'automatic-rename') keepNames(call.server);
    change(call, args, key, scope, value);
    if (key.name === 'pane-border-status') {
      const { programs, windows } = call.server;
      await Promise.all([...windows].map((window) => programs.fit(window)));
    }
    if (/^monitor-|^pane-title-changed$/.test(key.name))
      call.server.programs.renewAlerts(call.server);
  } catch (error) {
    const isUnknown =
      error instanceof TmuxError && /^(invalid|ambiguous) option/.test(error.message);
    if (!args.has('q') || !isUnknown) throw error;
  }
}

/** @throws TmuxError */
function change(
  call: Call,
  args: Arguments,
  key: OptionKey,
  { options, isWhole }: Scope,
  value: string | undefined,
): void {
  const { name, index } = key;
  const own = options.own(name);
  if (args.has('u') || args.has('U')) {
    if (args.has('U')) unsetInPanes(call, args, name);
    if (index !== null && own !== undefined && typeof own !== 'string') {
      const rest = new Map(own);
      rest.delete(index);
      options.set(name, rest);
    } else if (isWhole && !name.startsWith('@')) options.reset(name);
    else options.remove(name);
    return;
  }
  const isSet = index === null ? own !== undefined : hasElement(own, index);
  if (args.has('o') && isSet) {
    if (args.has('q')) return;
    throw new TmuxError(`already set: ${name}`);
  }
  const row = optionTable[name];
  if (isHook(name) || row?.kind === 'array') {
    if (value === undefined) throw new TmuxError('empty value');
    const separator = isHook(name) ? null : (row?.separator ?? /[ ,]/);
    options.set(name, changedArray(own, index, value, args.has('a'), separator));
    return;
  }
  if (index !== null) throw new TmuxError(`not an array: ${name}`);
  // As in tmux, nothing is appended to a value that is inherited.
  const ownText = args.has('a') ? textOf(own ?? '') : '';
  if (row === undefined) {
    if (value === undefined) throw new TmuxError('empty value');
    options.set(name, ownText + value);
    return;
  }
  const joiner = ownText !== '' && /style$/.test(name) ? ',' : '';
  const text = value === undefined || row.kind !== 'string' ? value : ownText + joiner + value;
  options.set(name, checkedOption(name, row, text, textOf(options.get(name) ?? '')));
}

const hasElement = (value: OptionValue | undefined, index: number): boolean =>
  value !== undefined && typeof value !== 'string' && value.has(index);

function changedArray(
  own: OptionValue | undefined,
  index: number | null,
  value: string,
  isAppended: boolean,
  separator: string | RegExp | null,
): Map<number, string> {
  const items = own === undefined || typeof own === 'string' ? [] : [...own];
  if (index !== null) return new Map([...items, [index, value] as const].sort(byIndex));
  const parts = separator === null ? [value] : value.split(separator).filter((part) => part !== '');
  const elements = new Map(isAppended ? items : []);
  let at = 0;
  for (const part of parts) {
    while (elements.has(at)) at++;
    elements.set(at, part);
  }
  return new Map([...elements].sort(byIndex));
}

const byIndex = ([one]: readonly [number, string], [two]: readonly [number, string]) => one - two;

function unsetInPanes(call: Call, args: Arguments, name: string): void {
  const { window } = call.target(args, 'pane').link;
  for (const pane of window.panes) pane.options.remove(name);
}

function showOptions(
  call: Call,
  args: Arguments,
  { isWindow }: { readonly isWindow: boolean },
): void {
  const target = call.targetOrNull(args, 'pane');
  const [word] = args.words;
  if (word === undefined) {
    const { options, isWhole } = scopeOf(call, args, null, target, { isWindow });
    const inherited = args.has('A') ? inheritedBy(call, args, isWindow) : null;
    const names = new Set([...(inherited?.names() ?? []), ...options.names()]);
    const tableOrder = [...Object.keys(optionTable)];
    const users = options
      .names()
      .filter((name) => name.startsWith('@'))
      .sort();
    const ofWindow = isWindow || args.has('w');
    const scope = args.has('p') ? 'pane' : ofWindow ? 'window' : 'session';
    const isListed = (name: string) =>
      isHookOf(scope, name) && (isWhole || inherited !== null || names.has(name));
    const hooks = args.has('H') && !args.has('s') ? hookNames.filter(isListed) : [];
    for (const name of [...users, ...tableOrder.filter((each) => names.has(each)), ...hooks]) {
      const own = options.own(name);
      const value = own ?? inherited?.own(name) ?? (isHook(name) ? new Map() : undefined);
      if (value !== undefined)
        printOption(call, args, own === undefined && !isWhole ? `${name}*` : name, value);
    }
    return;
  }
  let key: OptionKey;
  try {
    key = optionKey(word, hookNames);
  } catch (error) {
    if (args.has('q')) return;
    throw error;
  }
  const { options } = scopeOf(call, args, key.name, target, { isWindow });
  const own = options.own(key.name);
  const value = own ?? (args.has('A') ? options.get(key.name) : undefined);
  const shown = own === undefined ? `${key.name}*` : key.name;
  if (value === undefined) {
    if (key.name.startsWith('@') && !args.has('q')) {
      throw new TmuxError(`invalid option: ${word}`);
    }
    return;
  }
  if (key.index === null || typeof value === 'string') {
    printOption(call, args, shown, value);
    return;
  }
  printOption(call, args, shown, new Map([[key.index, value.get(key.index) ?? '']]));
}

/** The options that those of a scope inherit from. */
function inheritedBy({ server }: Call, args: Arguments, isWindow: boolean): Options {
  return isWindow || args.has('w') || args.has('p') ? server.windowOptions : server.sessionOptions;
}

function printOption(call: Call, args: Arguments, name: string, value: OptionValue): void {
  const lines =
    typeof value === 'string'
      ? [[name, value] as const]
      : [...value].map(([index, each]) => [withIndex(name, index), each] as const);
  if (lines.length === 0 && !args.has('v')) call.print(name);
  for (const [key, each] of lines) {
    // Before it is quoted, which can change a secret.
    const text = call.server.shown(each, 'known');
    call.print(args.has('v') ? text : `${key} ${shownValue(key, text)}`);
  }
}

/** An inherited array has its sign after the index. */
const withIndex = (name: string, index: number): string =>
  name.endsWith('*') ? `${name.slice(0, -1)}[${index}]*` : `${name}[${index}]`;

/** Text is quoted; words of other kinds need no quotes. */
function shownValue(key: string, text: string): string {
  const name = key.replace(/(\[\d+\])?\*?$/, '');
  if (isHook(name)) return text;
  const kind = optionTable[name]?.kind ?? 'string';
  return kind === 'string' || kind === 'array' ? quotedValue(text) : text;
}

async function setHook(call: Call, args: Arguments): Promise<void> {
  const target = call.targetOrNull(args, 'pane');
  const [word = '', command] = args.words;
  const key = optionKey(word, hookNames);
  const isOfUser = key.name.startsWith('@');
  if (!isHook(key.name) && !isOfUser) throw new TmuxError(`invalid option: ${word}`);
  if (args.has('R')) {
    return call.runner.runHookOf({ hook: 'command', target, formats: { hook: key.name } }, call);
  }
  const scope = scopeOf(call, args, key.name, target, { isWindow: false });
  if (command === undefined && !args.has('u')) throw new TmuxError('empty value');
  const isText = command === undefined || isOfUser;
  change(call, args, key, scope, isText ? command : await wholeText(call, command, 'run'));
  if (key.name === 'pane-title-changed') call.server.programs.renewAlerts(call.server);
}

function showHooks(call: Call, args: Arguments): void {
  const target = call.targetOrNull(args, 'pane');
  const [word] = args.words;
  const key = word === undefined ? null : optionKey(word, hookNames);
  const { options, isWhole } = scopeOf(call, args, key?.name ?? null, target, { isWindow: false });
  if (key?.name.startsWith('@')) {
    const value = options.own(key.name);
    if (value === undefined) throw new TmuxError(`invalid option: ${word}`);
    printOption(call, args, key.name, value);
    return;
  }
  const scope = args.has('p') ? 'pane' : args.has('w') ? 'window' : 'session';
  const isShown = (name: string) => {
    const isSet = options.own(name) !== undefined;
    if (key !== null) return key.name === name && (isSet || isWhole);
    return isHookOf(scope, name) && (isSet || (isWhole && scope !== 'pane'));
  };
  for (const name of hookNames.filter(isShown)) {
    const value = options.own(name);
    const elements = value === undefined || typeof value === 'string' ? new Map() : value;
    if (key?.index != null) call.print(`${name}[${key.index}] ${elements.get(key.index) ?? ''}`);
    else if (elements.size === 0) call.print(name);
    else for (const [index, command] of elements) call.print(`${name}[${index}] ${command}`);
  }
}

interface Scope {
  readonly options: Options;
  /** Whether others inherit these options. */
  readonly isWhole: boolean;
}

/**
 * Returns the options that a command changes or shows: by the name of a known option, by the flags for a
 * user's own.
 *
 * @throws TmuxError
 */
function scopeOf(
  { server }: Call,
  args: Arguments,
  name: string | null,
  target: Target | null,
  { isWindow }: { readonly isWindow: boolean },
): Scope {
  const row = name === null ? undefined : optionTable[name];
  const scope = args.has('s')
    ? 'server'
    : args.has('p')
      ? 'pane'
      : args.has('w') || isWindow
        ? 'window'
        : 'session';
  const table = name === null ? null : (row?.scope ?? hookScope(name));
  const ofPane = row === undefined ? name !== null && isHookOf('pane', name) : row.ofPane;
  const kind = table === 'window' && scope === 'pane' && ofPane ? 'pane' : (table ?? scope);
  if (kind === 'server') return { options: server.options, isWhole: true };
  if (args.has('g')) {
    const options = kind === 'session' ? server.sessionOptions : server.windowOptions;
    return { options, isWhole: true };
  }
  if (target === null) {
    throw new TmuxError(
      args.has('t') ? `no such ${kind}: ${args.value('t')}` : `no current ${kind}`,
    );
  }
  const { session, link, pane } = target;
  const own = { session, window: link.window, pane }[kind];
  return { options: own.options, isWhole: false };
}

/** Commands with their whole names. @throws TmuxError */
export async function wholeText(call: Call, text: string, form: CommandForm): Promise<string> {
  return commandsText((await call.runner.parsed(text, call)).flat(), form);
}
