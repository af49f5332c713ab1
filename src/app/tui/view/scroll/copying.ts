import { counted } from '#model';
import { type Step, step, type ViewState, withNotice } from '../view-state.ts';
import type { Scroll } from './scroll.ts';
import { isRead, type Selected, selected, selectedText } from './selecting.ts';

/** Copies what is selected. Lines that have not been read are read first. */
export function withCopy(state: ViewState, scroll: Scroll): Step {
  const selection = selected(scroll);
  if (selection === null) return step(state);
  if (isRead(scroll, selection)) {
    return copied({ ...state, scroll }, selectedText(scroll, selection));
  }
  if (selection.kind === 'block') {
    return step(withNotice(state, 'this block is too long to copy; select lines with V'));
  }
  const id = (scroll.copying?.id ?? 0) + 1;
  const copying = { id, ...selection };
  const from = selection.from.line + 1;
  const to = Math.min(selection.to.line, scroll.frozen.from);
  return step({ ...state, scroll: { ...scroll, copying } }, { type: 'readTexts', id, from, to });
}

/** The lines of a long selection have been read. */
export function withTexts(
  state: ViewState,
  scroll: Scroll,
  id: number,
  texts: readonly string[],
): Step {
  const { copying } = scroll;
  if (copying?.id !== id) return step(state);
  const selection: Selected = copying;
  const next = { ...state, scroll: { ...scroll, copying: null } };
  return copied(next, selectedText(scroll, selection, texts));
}

/** Copies a text, and says how much it is. */
export function copied(state: ViewState, text: string, of = ''): Step {
  if (text === '') return step(withNotice(state, `nothing to copy${of}`));
  const lines = text.split('\n').length;
  const size = lines === 1 ? counted([...text].length, 'character') : `${lines} lines`;
  return step(withNotice(state, `copied ${size}${of}`), { type: 'copy', text });
}
