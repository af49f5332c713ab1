import { type KeyMode, keyRows } from '#keys';
import {
  counted,
  directoryOf,
  oneLine,
  plainStyle,
  stateText,
  withBranch,
  withTilde,
} from '#model';
import { textCells } from '#vt';
import type { Command } from '../keys.ts';
import type { LineText } from '../line-editor.ts';
import { driverText, nameText, saysText, sinceText } from './columns.ts';
import { showsPanes } from './layout.ts';
import { selectedEntry } from './list-mode.ts';
import type { Asked, Mode, OverviewModel } from './model.ts';
import { passesFilter } from './rows.ts';
import { clipped, type Span, span } from './spans.ts';
import { sessionCount } from './step.ts';

/** Returns the title: how many sessions there are, and how they are chosen. */
export function titleSpans(model: OverviewModel): Span[] {
  const infos = [...model.entries.values()]
    .map(({ info }) => info)
    .filter((info) => model.group?.has(info) ?? true);
  const wanting = infos.filter((info) => passesFilter('wanting', info)).length;
  const hidden = model.mode.type === 'filter' ? '' : model.query;
  const chosen = [
    ...(model.marked.size > 0 ? [`${model.marked.size} marked`] : []),
    ...(model.states === 'all' ? [] : [`only ${model.states}`]),
    ...(hidden === '' ? [] : [`/${hidden}`]),
    ...(model.sort === 'need' ? [] : [`by ${model.sort}`]),
    ...(model.layoutName === null ? [] : [`layout ${model.layoutName}`]),
  ];
  return [
    span(' vtr  ', 'bold'),
    ...(model.group === null ? [] : [span(model.group.name, 'told'), span(' · ', 'dim')]),
    span(sessionCount(infos.length)),
    ...(wanting > 0
      ? [span(' · ', 'dim'), span(`${counted(wanting, 'wants', 'want')} somebody`, 'question')]
      : []),
    ...chosen.flatMap((each) => [span(' · ', 'dim'), span(each, 'told')]),
  ];
}

/** Returns the line that names the coordinators that do not answer. */
export function lostSpans({ links }: OverviewModel): Span[] {
  const lost = links.filter(({ state, reason }) => state === 'lost' && reason !== '');
  const [only] = lost;
  const text =
    lost.length === 1 && only !== undefined
      ? `${only.name} does not answer: ${only.reason}`
      : `${lost.map(({ name }) => name).join(', ')} do not answer`;
  return [span(`  ${text}`, 'failed')];
}

/** Returns what is known about the selected session, as two lines. */
export function detailSpans(model: OverviewModel): readonly Span[][] {
  const entry = selectedEntry(model);
  if (entry === undefined) return [[], []];
  const { info } = entry;
  const driver = driverText(entry);
  const facts = [
    `${stateText(info)} ${sinceText(entry, model)}`,
    withBranch(withTilde(directoryOf(info), model.home), info),
    ...(driver === '' ? [] : [`${driver} drives`]),
    ...(info.title === '' ? [] : [info.title]),
  ];
  return [
    [span(' '), span(saysText(entry, model), info.attention ? 'question' : 'plain')],
    [span(' '), span(nameText(entry, model), 'bold'), span(` ${facts.join(' · ')}`, 'dim')],
  ];
}

/** Returns all lines of the help: in panes, also the keys for the session in them. */
export function helpLines(model: OverviewModel): Span[][] {
  const { keys } = model;
  const title = (text: string): Span[] => [span(` ${text}`, 'bold')];
  const lines = (help: ReturnType<typeof keys.help>) =>
    help.map(({ keys: names, does }): Span[] => [
      { text: ` ${names}`, style: 'bold', cols: showsPanes(model) ? 20 : 15 },
      span(does),
    ]);
  const linesOf = (mode: KeyMode) => lines(keys.help(mode));
  const direct = lines([
    ...keys.directHelp('panes'),
    // An action of both is that of the panes.
    ...keys.directHelp('attach').filter(({ command }) => !isPaneCommand(command)),
  ]);
  const all = [title('vtr ui: all sessions, those that want somebody first'), [], ...linesOf('ui')];
  if (!showsPanes(model)) return all;
  return [
    title('vtr ui: panes'),
    [],
    ...linesOf('panes'),
    [],
    title('The session of a pane, as in vtr attach'),
    ...linesOf('attach'),
    [],
    ...(direct.length === 0 ? [] : [title('Without the leader'), ...direct, []]),
    ...all,
  ];
}

const paneCommands: ReadonlySet<string> = new Set(keyRows('panes').map(({ command }) => command));
const isPaneCommand = (command: string): boolean => paneCommands.has(command);

/** The footer, with the column of the cursor if a line is edited. */
export interface Footer {
  readonly spans: readonly Span[];
  /** What is left of the cursor. */
  readonly beforeCursor?: readonly Span[];
}

const hints = [
  ['attach', 'attach'],
  ['take', 'take'],
  ['yes', 'answer'],
  ['reply', 'reply'],
  ['filter', 'filter'],
  ['search', 'search'],
  ['mark', 'mark'],
  ['spawn', 'shell'],
  ['kill', 'end'],
  ['remove', 'remove'],
  ['help', 'help'],
  ['leave', 'leave'],
] as const satisfies readonly (readonly [Command<'ui'>, string])[];

/** In narrow windows, the last ones matter more than those before. */
function hintSpans({ keys, size: { cols }, panes }: OverviewModel): Span[] {
  const hasPanes = panes !== null && panes.byId.size > 0;
  const returning = ['clear', 'panes'] as const;
  const shown = [...(hasPanes ? [returning] : []), ...hints].flatMap(([command, does]) => {
    const label = keys.label('ui', command);
    const no = keys.label('ui', 'no');
    const key = command === 'yes' && no !== '' ? `${label}/${no}` : label;
    return label === '' ? [] : [[key, does] as const];
  });
  const width = () => shown.reduce((sum, [key, does]) => sum + key.length + does.length + 3, 0);
  while (width() > cols && shown.length > 3) shown.splice(-3, 1);
  return shown.flatMap(([key, does]) => hintSpan(key, does));
}

const hintSpan = (key: string, does: string): Span[] =>
  key === '' ? [] : [span(` ${key}`, 'bold'), span(` ${does} `, 'dim')];

const nameLabels: Readonly<Record<string, string>> = {
  layout: 'name of the layout',
  tab: 'name of the tab',
};

export function footerOf(model: OverviewModel): Footer {
  const { mode, notice, size, keys } = model;
  if (notice !== null)
    return { spans: [span(` ${notice.text}`, notice.isError ? 'failed' : 'told')] };
  if (model.leading?.type === 'leader' && model.leading.sequence.length > 0) {
    const presses = model.leading.sequence.map(({ press }) => press);
    return { spans: [span(` ${keys.waiting(['panes', 'attach'], presses)}`, 'told')] };
  }
  if (model.leading?.type === 'resize')
    return { spans: [span(' resize: arrow keys; another key ends it', 'told')] };
  switch (mode.type) {
    case 'list':
      return { spans: model.isPeeking ? peekHints(model) : hintSpans(model) };
    case 'filter':
      return edited(size.cols, [span(model.isSwitcher ? ' go to: ' : ' /', 'bold')], mode.line);
    case 'pattern':
      return edited(size.cols, [span(' search all: ', 'bold')], mode.line);
    case 'reply':
      return replyFooter(model, mode);
    case 'found':
      return { spans: [span(` ${foundText(model, mode)}`)] };
    case 'confirm':
      return {
        spans: [
          span(` ${confirmText(model, mode)}`, 'question'),
          span(`  ${keys.label('confirm', 'yes')} or ${keys.label('confirm', 'no')}`, 'bold'),
        ],
      };
    case 'name': {
      const what = nameLabels[mode.key] ?? 'new name';
      return edited(size.cols, [span(` ${what}: `, 'bold')], mode.line);
    }
    case 'help':
      return { spans: [span(' any key returns', 'dim')] };
  }
}

const peekHints = ({ keys }: OverviewModel): Span[] => [
  ...hintSpan(keys.label('ui', 'peek'), 'returns'),
  ...hintSpan(keys.label('ui', 'attach'), 'attach'),
];

/** Returns a line that is edited, after its label: where not all of it fits, the part before the cursor. */
function edited(cols: number, label: readonly Span[], { text, at }: LineText): Footer {
  const room = label.reduce((left, each) => left - cellsOf(each.text).length, cols - 1);
  const cells = cellsOf(text.slice(0, at));
  const first = Math.max(0, cells.length - Math.max(0, room));
  const visible = clipped(cells, first, cells.length);
  const before = visible.map((cell) => cell.text).join('');
  return {
    spans: [...label, { ...span(before + text.slice(at)), keep: 'clip' }],
    beforeCursor: [...label, span(before)],
  };
}

const cellsOf = (text: string) => textCells(oneLine(text), plainStyle);

function replyFooter(model: OverviewModel, { line, questions }: Mode & { type: 'reply' }): Footer {
  const [first] = questions;
  const isSecret = questions.some(({ question }) => question.kind === 'password');
  const hide = (text: string) => (isSecret ? '•'.repeat([...text].length) : text);
  const to =
    questions.length === 1 && first !== undefined
      ? oneText(model, first)
      : sessionCount(questions.length);
  return edited(model.size.cols, [span(` ${/[:?>]$/.test(to) ? to : `${to}:`} `, 'bold')], {
    text: hide(line.text),
    at: hide(line.text.slice(0, line.at)).length,
  });
}

/** The question is repeated, because the list may not show it. At most a third of the row is taken. */
function oneText(model: OverviewModel, { key, question }: Asked): string {
  const entry = model.entries.get(key);
  const name = entry === undefined ? '?' : nameText(entry, model);
  const most = Math.floor(model.size.cols / 3) - name.length;
  return question.text === '' || most < 10
    ? name
    : `${name} ${[...question.text].slice(0, most).join('').trimEnd()}`;
}

function foundText(
  { keys }: OverviewModel,
  { pattern, finds, left, isCut }: Mode & { type: 'found' },
): string {
  const sessions = new Set(finds.map(({ key }) => key)).size;
  const lines = isCut ? `${finds.length}+ lines` : counted(finds.length, 'line');
  const where = finds.length === 0 ? '' : ` in ${sessionCount(sessions)}`;
  const still = left > 0 ? ` · searching ${left} more` : '';
  const hints = [
    keys.hint('found', 'attach', 'attaches'),
    keys.hint('found', 'leave', 'returns'),
  ].filter((hint) => hint !== '');
  return [`${lines}${where} for ${pattern}${still}`, ...hints].join(' · ');
}

function confirmText(
  model: OverviewModel,
  { action, keys, left }: Mode & { type: 'confirm' },
): string {
  if (action === 'discard') return `Remove only the session? ${left}`;
  const entries = keys.flatMap((key) => model.entries.get(key) ?? []);
  const running = entries.filter(({ info }) => info.state === 'running').length;
  const [first] = entries;
  const who =
    entries.length === 1 && first !== undefined
      ? nameText(first, model)
      : sessionCount(entries.length);
  if (action === 'kill') return `End the program of ${who}?`;
  const still =
    running === 0
      ? ''
      : running === entries.length
        ? ', still running'
        : `, ${running} still running`;
  return `Remove ${who}${still}?`;
}
