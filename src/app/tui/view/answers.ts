import { bodyOf, initialScroll, refrozen, shown, withCommands, withLines } from './loading.ts';
import { atLast, goneTo } from './moving.ts';
import type { Frozen, Scroll } from './scroll.ts';
import { mouseFromLive, pressedInScroll, scrolledBy } from './scroll-keys.ts';
import { effectivePattern, withFound, withMatcher } from './searching.ts';
import { copied, withTexts } from './selecting.ts';
import {
  type Answer,
  type Effect,
  type Entry,
  type Step,
  step,
  type ViewState,
  withNotice,
} from './view-state.ts';

/** Begins scroll mode, or shows what is new in it. */
export const frozenFor = (state: ViewState, entry: Entry): Step =>
  step({ ...state, entry }, { type: 'freeze' });

/** Returns the state with an answer to an effect. Late answers change nothing. */
export function answered(state: ViewState, answer: Answer): Step {
  const { scroll } = state;
  if (answer.type === 'frozen') return withFrozen(state, answer.frozen);
  if (answer.type === 'output') return copied(state, answer.text, { of: ` of ${answer.of}` });
  if (scroll === null || answer.type === 'grepped') return step(state);
  switch (answer.type) {
    case 'lines': {
      const { from, lines, first } = answer;
      return shown(state, withLines(scroll, from, lines, first, bodyOf(state)));
    }
    case 'compiled':
      return withCompiled(state, scroll, answer);
    case 'found':
      return withFoundLines(state, scroll, answer);
    case 'commands':
      return withCommands(state, scroll, answer.commands);
    case 'texts':
      return withTexts(state, scroll, answer.id, answer.texts);
  }
}

function withFrozen(state: ViewState, frozen: Frozen): Step {
  const { scroll, entry } = state;
  const next = { ...state, entry: null };
  if (entry === null) return step(next);
  if (scroll !== null) return searchedAgain(next, refrozen(scroll, frozen), entry);
  // A notice would hide where the person is.
  return entered({ ...next, notice: null }, initialScroll(frozen, state.window.cols), entry);
}

/** What was searched in the screen before is searched in the new one. */
function searchedAgain(state: ViewState, scroll: Scroll, entry: Entry): Step {
  const { search } = scroll;
  if (search?.matcher == null) return entered(state, scroll, entry);
  const again = withMatcher(scroll, { ...search, id: search.id + 1 }, search.matcher);
  const next = entered(state, { ...scroll, search: again }, entry);
  return { ...next, effects: [...next.effects, searchEffect(scroll, again.id, search.source)] };
}

function entered(state: ViewState, scroll: Scroll, entry: Entry): Step {
  const body = bodyOf(state);
  switch (entry.type) {
    case 'scroll':
      return shown(state, scroll);
    case 'copy':
      return shown(state, goneTo(scroll, scroll.frozen.cursor, body));
    case 'rows': {
      const { rows, isByWheel = false } = entry;
      const next = scrolledBy(state, { ...scroll, leavesAtEnd: true, isByWheel }, rows);
      return 'effects' in next ? next : shown(state, next);
    }
    case 'key':
      return pressedInScroll(state, scroll, entry.press);
    case 'goTo':
      return shown(state, goneTo(scroll, { line: entry.line, col: 0 }, body));
    case 'mouse':
      return mouseFromLive(state, scroll, entry.move);
    case 'end':
      return shown(state, atLast(scroll, body));
  }
}

const searchEffect = ({ first, frozen }: Scroll, id: number, source: string): Effect => ({
  type: 'search',
  id,
  pattern: effectivePattern(source),
  from: first,
  to: frozen.from,
});

function withCompiled(
  state: ViewState,
  scroll: Scroll,
  { id, matcher }: Extract<Answer, { type: 'compiled' }>,
): Step {
  const { search } = scroll;
  if (search?.id !== id) return step(state);
  if (typeof matcher === 'string') {
    return step(withNotice({ ...state, scroll: { ...scroll, search: null } }, matcher));
  }
  const next = withMatcher(scroll, search, matcher);
  if (scroll.frozen.from === 0) {
    return withFoundLines(
      state,
      { ...scroll, search: next },
      { type: 'found', id, lines: [], next: null },
    );
  }
  return shown(state, { ...scroll, search: next }, searchEffect(scroll, id, search.source));
}

function withFoundLines(
  state: ViewState,
  scroll: Scroll,
  { id, lines, next }: Extract<Answer, { type: 'found' }>,
): Step {
  const { search } = scroll;
  if (search?.id !== id) return step(state);
  const results = withFound(scroll, search, lines, next);
  const effects: Effect[] =
    next === null || results.isDone
      ? []
      : [{ ...searchEffect(scroll, id, search.source), from: next } as Effect];
  const isMissing = results.isDone && results.lines.length === 0 && search.seek !== null;
  const shownState = isMissing ? withNotice(state, `not found: ${search.source}`) : state;
  return shown(shownState, { ...scroll, search: results }, ...effects);
}
