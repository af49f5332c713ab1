import { keyText } from '#keys';
import { isStillAsked } from '#model';
import type { TtyEvent } from '#tty';
import { keyTable } from '../keys.ts';
import { edited } from '../line-editor.ts';
import { layoutOf } from './drawing/layout.ts';
import { isOwn, moved } from './list-mode.ts';
import type { Mode, OverviewModel } from './model.ts';
import { keyAt } from './rows.ts';
import { inMode, noticed, type Step, sessionCount, step } from './step.ts';

type ModeOf<T extends Mode['type']> = Mode & { readonly type: T };

const list: Mode = { type: 'list' };

const nameOf = (event: TtyEvent): string => (event.type === 'key' ? keyText(event.press) : '');

/** Esc and Ctrl+c end whatever is open. */
const isCancel = (key: string): boolean => key === 'escape' || key === 'ctrl+c';

/** Keys that move the selection while a line is edited. */
const moves: Readonly<Record<string, number>> = { up: -1, down: 1, 'ctrl+p': -1, 'ctrl+n': 1 };

/** The list follows each character. */
export function filterKey(model: OverviewModel, mode: ModeOf<'filter'>, event: TtyEvent): Step {
  const key = nameOf(event);
  if (isCancel(key)) return inMode({ ...model, query: '' }, list);
  if (key === 'enter') return inMode(model, list);
  const move = moves[key];
  if (move !== undefined) return moved(model, move);
  if (key === 'backspace' && mode.line.text === '') return inMode(model, list);
  const line = edited(mode.line, event);
  if (line === null) return step(model);
  // The best match of what was typed is selected.
  const selected = line.text === model.query ? model.selected : null;
  return inMode({ ...model, query: line.text, selected }, { type: 'filter', line });
}

export function replyKey(model: OverviewModel, mode: ModeOf<'reply'>, event: TtyEvent): Step {
  const key = nameOf(event);
  if (isCancel(key)) return inMode(model, list);
  if (key === 'enter') return replied(model, mode);
  const line = edited(mode.line, event);
  return line === null ? step(model) : inMode(model, { ...mode, line });
}

/** Sends the line to the sessions that ask what they asked when it was begun. */
function replied(model: OverviewModel, { line, asked }: ModeOf<'reply'>): Step {
  const same = asked.filter(({ key, question }) => {
    const entry = model.entries.get(key);
    return entry !== undefined && isStillAsked(question, entry.info);
  });
  const changed = asked.length - same.length;
  const closed: OverviewModel = { ...model, mode: list };
  const effects = same.map(
    (each) => ({ type: 'reply', asked: each, reply: line.text, isLine: true }) as const,
  );
  if (changed === 0) return step(closed, ...effects);
  const which = asked.length === 1 ? 'it' : sessionCount(changed);
  return step(
    noticed(closed, `nothing was sent to ${which}: the question has changed`, true),
    ...effects,
  );
}

export function patternKey(model: OverviewModel, mode: ModeOf<'pattern'>, event: TtyEvent): Step {
  const key = nameOf(event);
  if (isCancel(key)) return inMode(model, list);
  if (key !== 'enter') {
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

const foundMoves: Readonly<Record<string, number>> = {
  ...moves,
  home: Number.NEGATIVE_INFINITY,
  end: Number.POSITIVE_INFINITY,
};

/** The lines that were found have the keys. */
export function foundKey(model: OverviewModel, mode: ModeOf<'found'>, event: TtyEvent): Step {
  const key = nameOf(event);
  if (isCancel(key) || key === 'q') return inMode(model, list);
  if (key === 'g' || key === '/') {
    const line = { text: mode.pattern, at: mode.pattern.length };
    return inMode(model, { type: 'pattern', line });
  }
  const find = mode.finds[mode.at];
  if ((key === 'enter' || key === 't') && find !== undefined) {
    if (isOwn(model, find.key)) return step(noticed(model, 'this is the session you are in', true));
    const as = key === 't' ? 'take' : 'auto';
    return step(model, { type: 'attach', key: find.key, as, line: find.line });
  }
  const page = Math.max(1, layoutOf(model).list.rows - 1);
  const pages: Readonly<Record<string, number>> = { pageup: -page, pagedown: page };
  const by = foundMoves[key] ?? pages[key];
  return by === undefined ? step(model) : movedInFinds(model, mode, by);
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
  const key = nameOf(event);
  if (key === 'y') {
    const effects = keys.map((each) => ({ type: action, key: each }) as const);
    return step({ ...model, mode: list, marked: new Set() }, ...effects);
  }
  return key === 'n' || isCancel(key) || key === 'q' ? inMode(model, list) : step(model);
}

export function helpKey(model: OverviewModel, { top }: ModeOf<'help'>, event: TtyEvent): Step {
  const by = { up: -1, down: 1, pageup: -10, pagedown: 10 }[nameOf(event)];
  if (by === undefined) return inMode(model, list);
  // Two rows are above the keys, and the last one of the window is the footer.
  const last = Math.max(0, keyTable.list.length + 2 - Math.max(1, model.size.rows - 1));
  return inMode(model, { type: 'help', top: Math.max(0, Math.min(last, top + by)) });
}
