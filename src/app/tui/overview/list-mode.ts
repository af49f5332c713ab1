import { commandText, directoryOf, questionOf, type WatchChoice, watchOf, watchText } from '#model';
import type { TtyEvent } from '#tty';
import type { Command, Keys } from '../keys.ts';
import { edited, emptyLine, type LineText } from '../line-editor.ts';
import { layoutOf, showsPanes } from './layout.ts';
import {
  type Asked,
  type Entry,
  type OpenPlace,
  type OverviewModel,
  sortOrders,
  stateFilters,
} from './model.ts';
import { opened } from './opening.ts';
import { paneCommand } from './panes-keys.ts';
import { indexOf, keyAt, nextGrouping } from './rows.ts';
import { inMode, noticed, type Step, sessionCount, step } from './step.ts';

/** A question that has been shown for less is not answered with a key: nobody has read it. In ms. */
const readingMs = 250;

/** An event while the list has the keys. A paste is the beginning of a reply. */
export function listKey(model: OverviewModel, event: TtyEvent): Step {
  if (event.type === 'paste') return reply(model, edited(emptyLine, event) ?? emptyLine);
  if (event.type !== 'key') return step(model);
  const command = model.keys.command('ui', event.press);
  if (command !== null) return steps[command](model);
  // A key without the leader changes the panes, also while the list has the keys.
  const { panes, keys } = model;
  const direct = panes === null || panes.byId.size === 0 ? null : keys.direct('panes', event.press);
  if (direct === null || panes === null) return step(model);
  return paneCommand(backInPanes(model), panes, direct.command, direct);
}

const steps: Readonly<Record<Command<'ui'>, (model: OverviewModel) => Step>> = {
  attach: (model) => attached(model, 'auto'),
  take: (model) => attached(model, 'take'),
  peek: (model) => {
    const isPeeking = !model.isPeeking && model.selected !== null && !showsPanes(model);
    return step({ ...model, isPeeking });
  },
  yes: (model) => answered(model, 'y'),
  no: (model) => answered(model, 'n'),
  reply: (model) => reply(model, emptyLine),
  mark: (model) => moved(withMark(model), 1),
  markAll: (model) => step(withAllMarks(model)),
  kill: (model) => confirming(model, 'kill'),
  remove: (model) => confirming(model, 'remove'),
  watch: watched,
  spawn: (model) => {
    const entry = selectedEntry(model);
    const cwd = entry === undefined ? null : directoryOf(entry.info);
    const started = { type: 'spawn', link: entry?.link ?? 0, cwd } as const;
    return step(model, showsPanes(model) ? { ...started, opens: 'here' } : started);
  },
  filter: (model) =>
    inMode(
      { ...model, isPeeking: false },
      { type: 'filter', line: { text: model.query, at: model.query.length } },
    ),
  search: (model) => inMode(model, { type: 'pattern', line: emptyLine }),
  sort: (model) => {
    const sort = following(sortOrders, model.sort);
    return step(noticed({ ...model, sort }, `sorted by ${sort}`));
  },
  states: (model) => {
    const states = following(stateFilters, model.states);
    return step({ ...model, states });
  },
  directories: (model) => {
    const groupedBy = nextGrouping(model);
    const text = groupedBy === null ? 'not grouped' : `grouped by ${groupedBy}`;
    return step(noticed({ ...model, groupedBy }, text));
  },
  up: (model) => moved(model, -1),
  down: (model) => moved(model, 1),
  pageUp: (model) => moved(model, -pageOf(model)),
  pageDown: (model) => moved(model, pageOf(model)),
  first: (model) => moved(model, -model.rows.length),
  last: (model) => moved(model, model.rows.length),
  help: (model) => inMode(model, { type: 'help', top: 0 }),
  splitRight: (model) => attached(model, 'auto', 'row'),
  splitDown: (model) => attached(model, 'auto', 'column'),
  newTab: (model) => attached(model, 'auto', 'tab'),
  clear: (model) => {
    if (model.isPeeking) return step({ ...model, isPeeking: false });
    if (model.marked.size > 0) return step({ ...model, marked: new Set() });
    const isPlain = model.query === '' && model.states === 'all';
    return isPlain ? step(backInPanes(model)) : step({ ...model, query: '', states: 'all' });
  },
  repaint: (model) => step(model, { type: 'repaint' }),
  suspend: (model) => step(model, { type: 'suspend' }),
  leave: (model) => (showsPanes(model) ? step(backInPanes(model)) : step(model, { type: 'leave' })),
};

const following = <T>(all: readonly T[], current: T): T =>
  all[(all.indexOf(current) + 1) % all.length] as T;

const pageOf = (model: OverviewModel): number => Math.max(1, layoutOf(model).list.rows - 1);

export const selectedEntry = (model: OverviewModel): Entry | undefined =>
  model.selected === null ? undefined : model.entries.get(model.selected);

/** Returns the model with the keys for the pane that has the focus, if there is one. */
const backInPanes = (model: OverviewModel): OverviewModel =>
  (model.panes?.byId.size ?? 0) === 0 ? model : { ...model, shows: 'panes', hasBarKeys: false };

function attached(model: OverviewModel, as: 'auto' | 'take', place: OpenPlace = 'here'): Step {
  const { selected: key } = model;
  if (key === null) return step(noticed(model, 'no session is selected'));
  if (model.panes === null && place !== 'here') return step(noticed(model, 'vtr ui has panes'));
  return opened(model, key, { as, place });
}

/** Moves the selection by rows, past the heads of groups. */
export function moved(model: OverviewModel, by: number): Step {
  const { rows } = model;
  const direction = Math.sign(by);
  const index = indexOf(rows, model.selected);
  let to = Math.max(0, Math.min(rows.length - 1, index + by));
  while (to > 0 && to < rows.length - 1 && keyAt(rows, to) === null) to += direction;
  const selected = keyAt(rows, to) ?? keyAt(rows, to + 1) ?? model.selected;
  return step({ ...model, selected, selectedAtMs: 0, awaited: null });
}

function withMark(model: OverviewModel): OverviewModel {
  const { selected } = model;
  if (selected === null) return model;
  const marked = new Set(model.marked);
  if (!marked.delete(selected)) marked.add(selected);
  return { ...model, marked };
}

function withAllMarks(model: OverviewModel): OverviewModel {
  const listed = model.rows.flatMap((_, index) => keyAt(model.rows, index) ?? []);
  const areAll = listed.every((key) => model.marked.has(key));
  return { ...model, marked: new Set(areAll ? [] : listed) };
}

/** The marked sessions that are listed, in the order of the list; without marks, the selected one. */
function targets(model: OverviewModel): Entry[] {
  if (model.marked.size === 0) {
    const entry = selectedEntry(model);
    return entry === undefined ? [] : [entry];
  }
  return model.rows.flatMap((row) =>
    row.type === 'session' && model.marked.has(row.entry.key) ? [row.entry] : [],
  );
}

const unwatched: WatchChoice = { activity: false, silenceMs: null, bell: false };
/** What the key chooses, one after the other. A watch for bells stays. */
const watches = [
  { activity: true, silenceMs: null, text: 'watched for output' },
  { activity: false, silenceMs: 30_000, text: 'watched for 30 s of silence' },
  { activity: true, silenceMs: 30_000, text: 'watched for output and 30 s of silence' },
  { activity: false, silenceMs: null, text: 'not watched' },
] as const;

/** Watches the targets for what follows after that for which the first one is watched. */
function watched(model: OverviewModel): Step {
  const entries = targets(model);
  const [first] = entries;
  if (first === undefined) return step(noticed(model, 'no session is selected'));
  const now = watchOf(first.info.labels) ?? unwatched;
  const at = watches.findIndex(
    ({ activity, silenceMs }) => activity === now.activity && silenceMs === now.silenceMs,
  );
  const { text, ...chosen } = watches[(at + 1) % watches.length] as (typeof watches)[number];
  const effects = entries.map(({ key, info }) => {
    const { bell } = watchOf(info.labels) ?? unwatched;
    return { type: 'watch', key, label: watchText({ ...chosen, bell }) } as const;
  });
  const who = entries.length === 1 ? first.info.name : sessionCount(entries.length);
  return step(noticed(model, `${who}: ${text}`), ...effects);
}

/** Marks of sessions that the filters hide would be acted on unseen. */
const hiddenMarks = (model: OverviewModel): number =>
  model.marked.size === 0 ? 0 : model.marked.size - targets(model).length;

function confirming(model: OverviewModel, action: 'kill' | 'remove'): Step {
  const entries = targets(model).filter(
    ({ info }) => action === 'remove' || info.state === 'running',
  );
  if (entries.length === 0) {
    const text = action === 'kill' ? 'no program runs there' : 'no session is selected';
    return step(noticed(model, text));
  }
  return inMode(model, { type: 'confirm', action, keys: entries.map(({ key }) => key) });
}

const askedBy = ({ key, info }: Entry): Asked[] => {
  const question = questionOf(info);
  return question === null ? [] : [{ key, question }];
};

/** Answers the questions of the targets: with the choice that means yes or no, or with one key. */
function answered(model: OverviewModel, answer: 'y' | 'n'): Step {
  const entries = targets(model);
  const questions = entries.filter(({ info }) => {
    const question = questionOf(info);
    return question?.kind === 'input' && question.text !== '';
  });
  const selectedAtMs = model.marked.size > 0 ? 0 : model.selectedAtMs;
  const readMs = model.nowMs - readingMs;
  const read = questions.filter(({ askedAtMs }) => Math.max(askedAtMs, selectedAtMs) <= readMs);
  const [first] = entries;
  if (first === undefined) return step(noticed(model, 'no session is selected'));
  if (read.length === 0) {
    const only = entries.length === 1 ? first.info.name : `none of ${sessionCount(entries.length)}`;
    const text =
      questions.length > 0
        ? `nothing was sent: the question of ${only} has just come`
        : `nothing was sent: ${only} ${entries.length === 1 ? 'shows no question' : 'shows a question'}`;
    return step(noticed(model, text, { isError: true }));
  }
  const effects = read.flatMap(askedBy).map((item) => {
    const reply = item.question.questionId === undefined ? answer : wordOf[answer];
    return { type: 'reply', question: item, reply, isLine: false } as const;
  });
  return step(model, ...effects);
}

const wordOf = { y: 'yes', n: 'no' } as const;

/** Opens the input line for the marked sessions whose program waits for a line. */
function reply(model: OverviewModel, line: LineText): Step {
  const entries = targets(model);
  const questions = entries.flatMap(askedBy);
  if (questions.length === 0) {
    const [first] = entries;
    if (first === undefined) return step(noticed(model, 'no session is selected'));
    const text =
      entries.length === 1
        ? `${first.info.name} does not wait for a line${busyWith(first, model.keys)}`
        : `none of ${sessionCount(entries.length)} waits for a line`;
    return step(noticed(model, text, { isError: true }));
  }
  const hidden = hiddenMarks(model);
  const noted = hidden > 0 ? noticed(model, `${sessionCount(hidden)} not listed: left out`) : model;
  return inMode(noted, { type: 'reply', line, questions: questions });
}

function busyWith({ info }: Entry, keys: Keys): string {
  if (info.state === 'exited') return ': it has exited';
  const hint = keys.hint('ui', 'attach', 'attaches');
  return `: ${commandText(info)} runs${hint === '' ? '' : `; ${hint}`}`;
}
