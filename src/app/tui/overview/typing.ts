import { type KeyMode, keyText } from '#keys';
import { isStillAsked } from '#model';
import type { TtyEvent } from '#tty';
import type { Command } from '../keys.ts';
import { edited } from '../line-editor.ts';
import { layoutNameProblem } from '../panes/saved-layout.ts';
import { helpLines } from './bars.ts';
import { layoutOf } from './layout.ts';
import { moved } from './list-mode.ts';
import type { Mode, OverviewModel } from './model.ts';
import { opened } from './opening.ts';
import { keyAt } from './rows.ts';
import { inMode, noticed, type Step, sessionCount, step } from './step.ts';

type ModeOf<T extends Mode['type']> = Mode & { readonly type: T };

const list: Mode = { type: 'list' };

/** What a key does in a mode; null for nothing, and for other events. */
const commandIn = <M extends KeyMode>(
  { keys }: OverviewModel,
  mode: M,
  event: TtyEvent,
): Command<M> | null => (event.type === 'key' ? keys.command(mode, event.press) : null);

/** The list follows each character. */
export function filterKey(model: OverviewModel, mode: ModeOf<'filter'>, event: TtyEvent): Step {
  const command = commandIn(model, 'line', event);
  if (model.isSwitcher && (command === 'cancel' || command === 'accept'))
    return command === 'cancel' ? step(model, { type: 'leave' }) : chosen(model);
  if (command === 'cancel') return inMode({ ...model, query: '' }, list);
  if (command === 'accept') return inMode(model, list);
  if (command !== null) return moved(model, command === 'up' ? -1 : 1);
  const isBackspace = event.type === 'key' && keyText(event.press) === 'backspace';
  if (isBackspace && mode.line.text === '')
    return model.isSwitcher ? step(model) : inMode(model, list);
  const line = edited(mode.line, event);
  if (line === null) return step(model);
  // The best match of what was typed is selected.
  const selected = line.text === model.query ? model.selected : null;
  return inMode({ ...model, query: line.text, selected }, { type: 'filter', line });
}

/** The switcher ends with the session that is selected. */
function chosen(model: OverviewModel): Step {
  const { selected: key, query } = model;
  if (key === null) {
    const text = query === '' ? 'there are no sessions' : `no session matches ${query}`;
    return step(noticed(model, text, { isError: true }));
  }
  if (model.ownId !== undefined && model.entries.get(key)?.info.id === model.ownId)
    return step(
      noticed(model, 'vtr runs in this session: it cannot show itself', { isError: true }),
    );
  return step(model, { type: 'attach', key, as: 'auto' });
}

export function replyKey(model: OverviewModel, mode: ModeOf<'reply'>, event: TtyEvent): Step {
  const command = commandIn(model, 'line', event);
  if (command === 'cancel') return inMode(model, list);
  if (command === 'accept') return replied(model, mode);
  const line = edited(mode.line, event);
  return line === null ? step(model) : inMode(model, { ...mode, line });
}

/** Sends the line to the sessions that ask what they asked when it was begun. */
function replied(model: OverviewModel, { line, questions }: ModeOf<'reply'>): Step {
  const same = questions.filter(({ key, question }) => {
    const entry = model.entries.get(key);
    return entry !== undefined && isStillAsked(question, entry.info);
  });
  const changed = questions.length - same.length;
  const closed: OverviewModel = { ...model, mode: list };
  const effects = same.map(
    (each) => ({ type: 'reply', question: each, reply: line.text, isLine: true }) as const,
  );
  if (changed === 0) return step(closed, ...effects);
  const which = questions.length === 1 ? 'it' : sessionCount(changed);
  return step(
    noticed(closed, `nothing was sent to ${which}: the question has changed`, { isError: true }),
    ...effects,
  );
}

export function patternKey(model: OverviewModel, mode: ModeOf<'pattern'>, event: TtyEvent): Step {
  const command = commandIn(model, 'line', event);
  if (command === 'cancel') return inMode(model, list);
  if (command !== 'accept') {
    const line = edited(mode.line, event);
    return line === null ? step(model) : inMode(model, { ...mode, line });
  }
  const { text: pattern } = mode.line;
  const keys = model.rows.flatMap((_, index) => keyAt(model.rows, index) ?? []);
  if (pattern === '' || keys.length === 0) return inMode(model, list);
  const id = model.searches + 1;
  return step(
    {
      ...model,
      searches: id,
      mode: { type: 'found', pattern, id, finds: [], isCut: false, left: keys.length, at: 0 },
    },
    { type: 'search', id, pattern, keys },
  );
}

/** The lines that were found have the keys. */
export function foundKey(model: OverviewModel, mode: ModeOf<'found'>, event: TtyEvent): Step {
  const command = commandIn(model, 'found', event);
  switch (command) {
    case null:
      return step(model);
    case 'leave':
      return inMode(model, list);
    case 'search': {
      const line = { text: mode.pattern, at: mode.pattern.length };
      return inMode(model, { type: 'pattern', line });
    }
    case 'attach':
    case 'take':
      return attachedToFind(model, mode, command === 'take' ? 'take' : 'auto');
    default: {
      const page = Math.max(1, layoutOf(model).list.rows - 1);
      const rows = { up: -1, down: 1, pageUp: -page, pageDown: page };
      const by = { ...rows, first: -Infinity, last: Infinity }[command];
      return movedInFinds(model, mode, by);
    }
  }
}

function attachedToFind(model: OverviewModel, mode: ModeOf<'found'>, as: 'auto' | 'take'): Step {
  const find = mode.finds[mode.at];
  if (find === undefined) return step(model);
  const { state, effects } = opened(model, find.key, { as, line: find.line });
  // In a pane, the line that was found is seen.
  return { state: state.panes === model.panes ? state : { ...state, mode: list }, effects };
}

/** A new name of a session, of the tab that is shown or of the layout. An empty one removes that of the tab. */
export function nameKey(model: OverviewModel, mode: ModeOf<'name'>, event: TtyEvent): Step {
  const command = commandIn(model, 'line', event);
  if (command === 'cancel') return inMode(model, list);
  if (command !== 'accept') {
    const line = edited(mode.line, event);
    return line === null ? step(model) : inMode(model, { ...mode, line });
  }
  const name = mode.line.text.trim();
  const closed: OverviewModel = { ...model, mode: list };
  if (mode.key === 'tab') {
    const { panes } = closed;
    const title = name === '' ? null : name;
    return step(panes === null ? closed : { ...closed, panes: { ...panes, title } });
  }
  if (name === '') return step(closed);
  if (mode.key !== 'layout') return step(closed, { type: 'rename', key: mode.key, name });
  const problem = layoutNameProblem(name);
  if (problem !== null) return step(noticed(closed, problem, { isError: true }));
  return step(noticed({ ...closed, layoutName: name }, `vtr ui ${name} shows this layout`));
}

/** The session of the find is shown in the preview. */
export function movedInFinds(model: OverviewModel, mode: ModeOf<'found'>, by: number): Step {
  const at = Math.max(0, Math.min(mode.finds.length - 1, mode.at + by));
  const selected = mode.finds[at]?.key ?? model.selected;
  return inMode({ ...model, selected }, { ...mode, at });
}

export function confirmKey(
  model: OverviewModel,
  { action, keys }: ModeOf<'confirm'>,
  event: TtyEvent,
): Step {
  const answer = commandIn(model, 'confirm', event);
  if (answer === 'yes') {
    const effects = keys.map((each) => ({ type: action, key: each }) as const);
    return step({ ...model, mode: list, marked: new Set() }, ...effects);
  }
  return answer === 'no' ? inMode(model, list) : step(model);
}

export function helpKey(model: OverviewModel, { top }: ModeOf<'help'>, event: TtyEvent): Step {
  const command = commandIn(model, 'help', event);
  if (command === null || command === 'leave') return inMode(model, list);
  const rows = { up: -1, down: 1, pageUp: -10, pageDown: 10, first: -Infinity, last: Infinity };
  // The last row of the window is the footer.
  const last = Math.max(0, helpLines(model).length - Math.max(1, model.size.rows - 1));
  return inMode(model, { type: 'help', top: Math.max(0, Math.min(last, top + rows[command])) });
}
