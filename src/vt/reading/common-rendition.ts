import type { Rectangle } from '../grid/rectangle.ts';
import type { TerminalState } from '../state/terminal-state.ts';
import { linkMask, protectedCell, underlineMask } from '../style/attributes.ts';
import { defaultColor } from '../style/color.ts';
import { reportedSgr } from '../style/sgr-text.ts';
import { attributesBits, backgroundMask, foregroundMask } from '../style/style-word.ts';

const invisible = linkMask | protectedCell;
const underlineField = attributesBits(underlineMask);

/** Returns the SGR sequence of the attributes and colours that all cells of a rectangle share. */
export function commonRendition(t: TerminalState, area: Rectangle): string {
  const { styles } = t;
  const [first, ...others] = stylesIn(t, area);
  let [fg, bg, underlineColor] = [styles.fg(first), styles.bg(first), styles.underlineColor(first)];
  let attributes = styles.attributes(first) & ~invisible;
  for (const style of others) {
    if (styles.fg(style) !== fg) fg = defaultColor;
    if (styles.bg(style) !== bg) bg = defaultColor;
    if (styles.underlineColor(style) !== underlineColor) underlineColor = defaultColor;
    const own = styles.attributes(style);
    const isSameLine = (own & underlineMask) === (attributes & underlineMask);
    attributes &= isSameLine ? own | underlineMask : own & ~underlineMask;
  }
  return `\x1b[${reportedSgr(fg, bg, underlineColor, attributes)}m`;
}

/**
 * Returns each style of the rectangle once. Style words are merged into one word with their common
 * parts, because there may be many.
 */
function stylesIn({ grid, styles }: TerminalState, area: Rectangle): number[] {
  const isFound = new Uint8Array(styles.size);
  const found: number[] = [];
  let any = 0;
  let every = -1;
  for (let row = area.top; row <= area.bottom; row++) {
    const start = grid.start(row);
    for (let at = start + area.left; at <= start + area.right; at++) {
      const style = grid.styles[at];
      if (style >= 0) {
        any |= style;
        every &= style;
      } else if (isFound[~style] === 0) {
        isFound[~style] = 1;
        found.push(style);
      }
    }
  }
  return every < 0 ? found : [commonWord(any, every), ...found];
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
