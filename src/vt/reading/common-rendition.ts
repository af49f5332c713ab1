import type { Rectangle } from '../grid/rectangle.ts';
import type { TerminalState } from '../state/terminal-state.ts';
import { linkMask, protectedCell, underlineMask } from '../style/attributes.ts';
import { defaultColor } from '../style/color.ts';
import { reportedSgr } from '../style/sgr-text.ts';
import { entryWords } from '../style/style-table.ts';
import {
  attributesBits,
  backgroundMask,
  defaultStyle,
  foregroundMask,
} from '../style/style-word.ts';

const invisible = linkMask | protectedCell;
const underlineField = attributesBits(underlineMask);
// Under the test runner, each access to an import is a lookup, which is slow in loops.
const underline = underlineMask;

/** Returns the SGR sequence of the attributes and colours that all cells of a rectangle share. */
export function commonRendition(t: TerminalState, area: Rectangle): string {
  const { styles } = t;
  const found = stylesIn(t, area);
  const { entries } = styles;
  const [first = defaultStyle] = found.words.length > 0 ? found.words : [~found.marks.indexOf(1)];
  let [fg, bg, underlineColor] = [styles.fg(first), styles.bg(first), styles.underlineColor(first)];
  let attributes = styles.attributes(first) & ~invisible;
  // There may be hundreds of entries, for each of hundreds of reports.
  for (let index = 0, at = 0; index < found.marks.length; index++, at += entryWords) {
    if (found.marks[index] === 0) continue;
    if (entries[at] !== fg) fg = defaultColor;
    if (entries[at + 1] !== bg) bg = defaultColor;
    if (entries[at + 2] !== underlineColor) underlineColor = defaultColor;
    const own = entries[at + 3];
    const isSameLine = (own & underline) === (attributes & underline);
    attributes &= isSameLine ? own | underline : own & ~underline;
  }
  return `\x1b[${reportedSgr(fg, bg, underlineColor, attributes)}m`;
}

/** The styles of some cells, each once. */
interface FoundStyles {
  /** At most one, with what all style words have in common, because there may be many. */
  readonly words: readonly number[];
  /** By entry of the style table: 1 if a cell has it. */
  readonly marks: Uint8Array;
}

function stylesIn({ grid, styles }: TerminalState, area: Rectangle): FoundStyles {
  const marks = new Uint8Array(styles.size);
  let any = 0;
  let every = -1;
  for (let row = area.top; row <= area.bottom; row++) {
    const start = grid.start(row);
    for (let at = start + area.left; at <= start + area.right; at++) {
      const style = grid.styles[at];
      if (style >= 0) {
        any |= style;
        every &= style;
      } else marks[~style] = 1;
    }
  }
  return { words: every < 0 ? [] : [commonWord(any, every)], marks };
}

/**
 * @param any the bits set in any word
 * @param every the bits set in all words
 */
function commonWord(any: number, every: number): number {
  let word = every;
  const differing = any ^ every;
  for (const field of [foregroundMask, backgroundMask, underlineField]) {
    if ((differing & field) !== 0) word &= ~field;
  }
  return word;
}
