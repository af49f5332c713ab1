import { FormatContext } from '../../format/context.ts';
import { expand } from '../../format/expand.ts';
import { ListMode, type ListNode, type NodeAct, type NodeLine } from '../../modes/list-mode.ts';
import type { Binding } from '../../state/key-tables.ts';
import { isHook, type OptionRow, optionTable } from '../../state/option-table.ts';
import { type Options, type OptionValue, textOf } from '../../state/options.ts';
import type { Target } from '../../target/target.ts';
import type { Arguments } from '../../words/arguments.ts';
import { quotedValue } from '../../words/command-text.ts';
import type { Call } from '../call.ts';

/** The format of an option, or of a key, in the list of `customize-mode`. */
const usualFormat =
  '#{?is_option,#{?option_is_global,,#[reverse](#{option_scope})#[default] }' +
  '#[ignore]#{option_value}#{?option_unit, #{option_unit},},#{key}}';

/** Rows of the box below the list. */
const previewRows = 12;

/** Where the options of a group are set, the most specific place first. */
interface Place {
  readonly options: Options;
  /** As in `session s`; empty for the options that others inherit. */
  readonly name: string;
  /** Those of `set-option` for it. */
  readonly flags: string;
}

/** What the list is read with. */
interface Customizing extends Target {
  readonly call: Call;
  readonly format: string;
  readonly filter: string | null;
}

/** The options and the keys, to look at and to change. */
export function optionsMode(call: Call, args: Arguments, target: Target): ListMode {
  const format = args.value('F') ?? usualFormat;
  return new ListMode({
    read: async ({ filter }) => {
      const about = { ...target, call, format, filter };
      const groups = groupsOf(target, call).map(([name, places]) =>
        optionGroup(about, name, places),
      );
      const tables = call.server.keys.names.map((table) => keyGroup(about, table));
      return Promise.all([...groups, ...tables]);
    },
    opened: [],
    selected: '',
    commandsFor: null,
    hasPreview: !args.has('N'),
    previewRows,
    sorts: [],
    order: { sort: '', isReversed: false, filter: args.value('f') ?? null },
    taggedActs: {
      D: { key: 'd', question: (count) => `Reset ${count} tagged to default? ` },
      U: { key: 'u', question: (count) => `Unset ${count} tagged? ` },
    },
  });
}

function groupsOf(
  { session, link, pane }: Target,
  { server }: Call,
): readonly (readonly [string, readonly Place[]])[] {
  const at = `-t %${pane.id}`;
  return [
    ['Server Options', [{ options: server.options, name: '', flags: '-s' }]],
    [
      'Session Options',
      [
        {
          options: session.options,
          name: `session ${session.name}`,
          flags: `-t '=${session.name}:'`,
        },
        { options: server.sessionOptions, name: '', flags: '-g' },
      ],
    ],
    [
      'Window & Pane Options',
      [
        { options: pane.options, name: `pane ${pane.index}`, flags: `-p ${at}` },
        { options: link.window.options, name: `window ${link.index}`, flags: `-w ${at}` },
        { options: server.windowOptions, name: '', flags: '-gw' },
      ],
    ],
  ];
}

/** A group of options or keys. It stays when a filter accepts none of them. */
const groupNode = (name: string, children: readonly (ListNode | null)[]): ListNode => ({
  id: name,
  name,
  text: null,
  target: '',
  children: children.flatMap((node) => node ?? []),
  panes: [],
  lines: [],
  acts: {},
  hasNoTag: true,
});

async function optionGroup(
  about: Customizing,
  group: string,
  places: readonly Place[],
): Promise<ListNode> {
  const names = new Set(places.flatMap(({ options }) => options.names()));
  const shown = [...names].filter((name) => !isHook(name)).sort(byCode);
  const nodes = shown.map((name) => optionNode(about, group, places, name));
  return groupNode(group, await Promise.all(nodes));
}

/** As strcmp(3). */
const byCode = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

/** An option, or an element of one that is an array. */
interface Shown {
  readonly name: string;
  readonly index: number | null;
  readonly row: OptionRow | undefined;
  readonly value: string;
  /** Where it is set. */
  readonly place: Place;
  readonly places: readonly Place[];
}

async function optionNode(
  about: Customizing,
  group: string,
  places: readonly Place[],
  name: string,
): Promise<ListNode | null> {
  const place = places.find(({ options }) => options.own(name) !== undefined);
  const value = place?.options.own(name);
  if (place === undefined || value === undefined) return null;
  const row = optionTable[name];
  const option = { name, index: null, row, value: textOf(value), place, places } as const;
  if (row?.kind !== 'array') return valueNode(about, group, option);
  const context = contextOf(about, option);
  if (!(await accepts(about, context))) return null;
  const elements = typeof value === 'string' ? [] : [...value];
  const children = elements.map(([index, element]) =>
    valueNode(about, group, { ...option, index, value: element }),
  );
  return {
    id: `${group} ${name}`,
    name,
    text: null,
    target: '',
    children: (await Promise.all(children)).flatMap((node) => node ?? []),
    panes: [],
    lines: await optionLines(option, context),
    acts: optionActs(option),
  };
}

const indexed = ({ name, index }: Pick<Shown, 'name' | 'index'>): string =>
  index === null ? name : `${name}[${index}]`;

async function valueNode(
  about: Customizing,
  group: string,
  option: Shown,
): Promise<ListNode | null> {
  const context = contextOf(about, option);
  if (!(await accepts(about, context))) return null;
  const name = indexed(option);
  return {
    id: `${group} ${name}`,
    name,
    text: await expand(about.format, context),
    target: '',
    children: [],
    panes: [],
    lines: await optionLines(option, context),
    acts: optionActs(option),
    ...(option.index === null ? {} : { isElement: true }),
  };
}

function contextOf({ call, session, link, pane }: Customizing, option: Shown): FormatContext {
  const { place, row, value } = option;
  const extra = {
    is_option: '1',
    is_key: '0',
    option_name: option.name,
    option_is_global: place.name === '' ? '1' : '0',
    option_is_array: row?.kind === 'array' ? '1' : '0',
    option_scope: place.name,
    option_unit: row?.unit ?? '',
    option_value: call.server.shown(value, 'known'),
  };
  return new FormatContext({ server: call.server, session, link, pane, extra });
}

async function accepts({ filter }: Customizing, context: FormatContext): Promise<boolean> {
  if (filter === null) return true;
  const value = await expand(filter, context);
  return value !== '' && value !== '0';
}

/** Returns what is shown of an option below the list. */
async function optionLines(option: Shown, context: FormatContext): Promise<readonly NodeLine[]> {
  const { row, index } = option;
  const isArray = row?.kind === 'array';
  const ofArray = isArray
    ? [`This is an array option${index === null ? '' : `, index ${index}`}.`]
    : [];
  const about = [
    "This option doesn't have a description.",
    '',
    `This is a ${row === undefined ? 'user' : scopeText(row)} option.`,
    ...ofArray,
    '',
  ].map(plain);
  return isArray && index === null ? about : [...about, ...(await valueLines(option, context))];
}

const plain = (text: string): NodeLine => ({ text, example: '' });

const scopeText = ({ scope, ofPane }: OptionRow): string => (ofPane ? 'window and pane' : scope);

async function valueLines(option: Shown, context: FormatContext): Promise<readonly NodeLine[]> {
  const { name, index, row, place, places } = option;
  const unit = row?.unit === undefined ? '' : ` ${row.unit}`;
  const shownOf = (text: string) => `${context.server.shown(text, 'known')}${unit}`;
  const value = context.extra['option_value'] ?? '';
  const isText = row === undefined || row.kind === 'string';
  const expanded = isText ? await expand(value, context) : value;
  const initial = index === null && row !== undefined ? textOf(initialOf(row)) : null;
  const elsewhere = places.flatMap((each): NodeLine[] => {
    const own = each.options.own(name);
    const isBelow = places.indexOf(each) > places.indexOf(place);
    // As in tmux, not of a user's own option.
    if (!isBelow || own === undefined || index !== null || row === undefined) return [];
    const where = each.name === '' ? 'Global value' : `Window value (from ${each.name})`;
    return [plain(`${where}: ${shownOf(textOf(own))}`)];
  });
  return [
    plain(`Option value: ${value}${unit}`),
    ...(expanded === value ? [] : [plain(`This expands to: ${expanded}`)]),
    ...(row?.kind === 'choice'
      ? [plain(`Available values are: ${row.choices?.split(' ').join(', ')}`)]
      : []),
    ...(row?.kind === 'colour'
      ? [{ text: 'This is a colour option: ', example: `fg=${value}` }]
      : []),
    ...(isText && /style$/.test(name) && row !== undefined
      ? [{ text: 'This is a style option: ', example: expanded }]
      : []),
    ...(initial === null || initial === textOf(option.value)
      ? []
      : [plain(`The default is: ${initial}${unit}`)]),
    ...(elsewhere.length === 0 ? [] : [plain(''), ...elsewhere]),
  ];
}

const initialOf = ({ initial }: OptionRow): OptionValue =>
  typeof initial === 'string' ? initial : new Map(initial.entries());

/** What keys do to an option: `s` and Enter change it, `S` for all, `w` for the window; `d` and `u` take it back where it is set. */
function optionActs(option: Shown): Readonly<Record<string, NodeAct>> {
  const { name, index, place, places } = option;
  const written = indexed(option);
  const set = changing(option, usualPlace(option, 0));
  const unset = `set-option ${place.flags} -u ${quotedValue(written)}`;
  return {
    Enter: set,
    s: set,
    S: changing(option, isFixed(option) ? place : (places.at(-1) ?? place)),
    w: changing(option, usualPlace(option, Math.max(0, places.length - 2))),
    u: { question: `Unset ${written}? `, commands: unset },
    ...(index === null ? { d: { question: `Reset ${name} to default? `, commands: unset } } : {}),
  };
}

/** Whether it is changed where it is: elements belong together. */
const isFixed = ({ row }: Shown): boolean => row?.kind === 'array';

/** @param least the first of the places that can be chosen */
function usualPlace(option: Shown, least: number): Place {
  const { row, places, place } = option;
  if (isFixed(option)) return place;
  const isOfPane = places.length < 3 || row === undefined || row.ofPane === true;
  return places[Math.max(least, isOfPane ? 0 : 1)] ?? place;
}

/** Flags and choices have their next value; others are typed. */
function changing(option: Shown, place: Place): NodeAct {
  const { name, row, value } = option;
  const command = (key: string, next: string) =>
    `set-option ${place.flags} ${quotedValue(key)} ${quotedValue(next)}`;
  const choices = row?.kind === 'flag' ? ['off', 'on'] : (row?.choices?.split(' ') ?? []);
  if (choices.length > 0) {
    const current = textOf(place.options.get(name) ?? value);
    const next = choices[(choices.indexOf(current) + 1) % choices.length] ?? current;
    return { question: null, commands: command(name, next) };
  }
  const isWhole = option.index === null && row?.kind === 'array';
  const key = isWhole ? `${name}[+]` : indexed(option);
  const own = place.options.own(name);
  const elements = own === undefined || typeof own === 'string' ? new Map<number, string>() : own;
  let free = 0;
  while (elements.has(free)) free++;
  const scope = place.name !== '' ? `, for ${place.name}` : place.flags === '-s' ? '' : ', global';
  return {
    question: `(${key}${scope}) `,
    commands: '',
    typed: {
      input: isWhole ? '' : value,
      commandsFor: (text) => command(isWhole ? `${name}[${free}]` : indexed(option), text),
    },
  };
}

async function keyGroup(about: Customizing, table: string): Promise<ListNode> {
  const bindings = about.call.server.keys.of(table) ?? [];
  const nodes = bindings.map((binding) => keyNode(about, table, binding));
  return groupNode(`Key Table - ${table}`, await Promise.all(nodes));
}

async function keyNode(
  about: Customizing,
  table: string,
  binding: Binding,
): Promise<ListNode | null> {
  const { call, session, link, pane, format } = about;
  const key = binding.key.name;
  const extra = {
    is_option: '0',
    is_key: '1',
    key,
    ...(binding.note === '' ? {} : { note: binding.note }),
  };
  const context = new FormatContext({ server: call.server, session, link, pane, extra });
  if (!(await accepts(about, context))) return null;
  const lines = keyLines(about, table, binding);
  const acts = keyActs(about, table, binding);
  const part = (name: string, text: string, change: NodeAct): ListNode => ({
    id: `${table} ${key} ${name}`,
    name,
    text,
    title: key,
    target: '',
    children: [],
    panes: [],
    lines,
    acts: { ...acts, Enter: change, s: change },
    hasNoTag: true,
  });
  const typed = (input: string, commandsFor: (text: string) => string): NodeAct => ({
    question: `(${key}) `,
    commands: '',
    typed: { input, commandsFor },
  });
  const { commands, note, isRepeated } = binding;
  const bound = (change: Partial<Binding>) => bindCommand(table, { ...binding, ...change });
  return {
    id: `${table} ${key}`,
    name: await expand(format, context),
    text: null,
    title: key,
    target: '',
    children: [
      part(
        'Command',
        commands,
        typed(commands, (text) => bound({ commands: text })),
      ),
      part(
        'Note',
        note,
        typed(note, (text) => bound({ note: text })),
      ),
      part('Repeat', isRepeated ? 'on' : 'off', {
        question: null,
        commands: bound({ isRepeated: !isRepeated }),
      }),
    ],
    panes: [],
    lines,
    acts,
  };
}

/** Returns the command that binds a key to what it does. */
const bindCommand = (table: string, { key, commands, note, isRepeated }: Binding): string =>
  [
    `bind-key -T ${quotedValue(table)}`,
    ...(isRepeated ? ['-r'] : []),
    ...(note === '' ? [] : [`-N ${quotedValue(note)}`]),
    `${quotedValue(key.name)} { ${commands} }`,
  ].join(' ');

function keyActs(
  { call }: Customizing,
  table: string,
  { key }: Binding,
): Readonly<Record<string, NodeAct>> {
  const unbind = `unbind-key -T ${quotedValue(table)} ${quotedValue(key.name)}`;
  const initial = call.server.keys.initial(table, key);
  const reset = initial === null ? unbind : bindCommand(table, initial);
  return {
    d: { question: `Reset ${key.name} to default? `, commands: reset },
    u: { question: `Unset ${key.name}? `, commands: unbind },
  };
}

function keyLines({ call }: Customizing, table: string, binding: Binding): readonly NodeLine[] {
  const { note, isRepeated, commands, key } = binding;
  const initial = call.server.keys.initial(table, key);
  const isChanged = initial !== null && initial.commands !== commands;
  return [
    note === '' ? 'There is no note for this key.' : `${note}.`,
    '',
    `This key is in the ${table} table.`,
    `This key ${isRepeated ? 'does' : 'does not'} repeat.`,
    '',
    `Command: ${commands}`,
    ...(isChanged ? [`The default is: ${initial.commands}`] : []),
  ].map(plain);
}
