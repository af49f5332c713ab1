import type { Menu } from '#model';
import { emphasized } from './option-list.ts';
import { isKeyHint, type ShownRow, type ShownScreen } from './shown-rows.ts';

/** Choices beside one another in a row. */
export interface RowChoices {
  readonly menu: Omit<Menu, 'title' | 'keys'>;
  readonly keys: string;
  /** The question in the same row; empty if there is none. */
  readonly question: string;
}

/** `● Yes / ○ No` */
const radios = /^[●○]\s+\S+(?:\s\S+)*?(?:\s+\/\s+[●○]\s+\S+(?:\s\S+)*?)+$/u;
/** `? Use it? › no / yes`, `? Use it? ‣ Nope / Yep` */
const toggle = /^\?\s+(.*?)\s*[›‣]\s+(\S+)\s\/\s(\S+)$/u;
/** `[y] Approve   [n] Deny` */
const lettered = /^\[\w\]\s+\S+(?:\s\S+)*(?:\s{2,}\[\w\]\s+\S+(?:\s\S+)*)+$/u;
/** `<Yes>  <No>`, `<  OK  >` */
const buttons = /^(?:<\s*[^<>]{1,24}?\s*>\s*)+$/u;
/** `Allow once   Allow always   Reject      ⇆ select  enter confirm` */
const answer = /^(?:yes|no|allow|deny|approve|reject|cancel|accept|decline|confirm)\b/iu;

/** Returns whether a row has the buttons of a dialog. */
export const hasButtons = ({ text }: ShownRow): boolean => buttons.test(text);

/** Returns the choices of a row; null if it has none. */
export function choicesInRow(shown: ShownRow, screen: ShownScreen): RowChoices | null {
  const { text } = shown;
  if (radios.test(text)) return radioChoices(text);
  const toggled = toggle.exec(text);
  if (toggled !== null) {
    const [, question = '', one = '', other = ''] = toggled;
    const menu = menuOf([one, other], shown, screen, text.lastIndexOf(`${one} / `));
    return { question, menu, keys: '' };
  }
  if (lettered.test(text)) {
    const options = text.split(/\s{2,}(?=\[)/u);
    return { question: '', menu: { options, selected: null, multiple: false }, keys: '' };
  }
  if (hasButtons(shown)) {
    const options = [...text.matchAll(/<\s*([^<>]+?)\s*>/gu)].map(([, label = '']) => label);
    return { question: '', menu: menuOf(options, shown, screen), keys: '' };
  }
  return tabChoices(shown, screen);
}

function radioChoices(text: string): RowChoices {
  const parts = text.split(/\s+\/\s+/u);
  const selected = parts.findIndex((part) => part.startsWith('●'));
  const options = parts.map((part) => part.slice(1).trim());
  const menu = { options, selected: selected < 0 ? null : selected, multiple: false };
  return { question: '', menu, keys: '' };
}

function tabChoices(shown: ShownRow, screen: ShownScreen): RowChoices | null {
  const parts = shown.text.split(/\s{2,}/u);
  const at = parts.findIndex((part) => /^(?:ctrl|alt|[⇆↑←]|enter|esc|tab)/iu.test(part));
  const options = at < 0 ? [] : parts.slice(0, at);
  const keys = at < 0 ? '' : parts.slice(at).join(' ');
  const isMenu = options.length > 1 && options.some((each) => answer.test(each));
  if (!isMenu || !isKeyHint(keys)) return null;
  return { question: '', menu: menuOf(options, shown, screen), keys };
}

/** @param from where the choices begin in the text */
function menuOf(
  options: readonly string[],
  { row, col, text }: ShownRow,
  screen: ShownScreen,
  from = 0,
): RowChoices['menu'] {
  let at = Math.max(0, from);
  const parts = options.map((option) => {
    const begin = text.indexOf(option, at);
    at = begin + option.length;
    return { row, from: col + begin, to: col + at };
  });
  return { options, selected: emphasized(parts, screen), multiple: false };
}
