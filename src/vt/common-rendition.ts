import { linkMask, protectedCell, underlineMask } from './attributes.ts';
import { defaultColor } from './color.ts';
import type { Rectangle } from './rectangle.ts';
import { reportedSgr } from './sgr-text.ts';
import type { TerminalState } from './terminal-state.ts';

const invisible = linkMask | protectedCell;

/** The SGR sequence of what all cells of a rectangle have in common. */
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

/** Each style once. */
function stylesIn({ grid, styles }: TerminalState, area: Rectangle): number[] {
  const isFound = new Uint8Array(styles.size);
  const found: number[] = [];
  for (let row = area.top; row <= area.bottom; row++) {
    const start = grid.start(row);
    for (let at = start + area.left; at <= start + area.right; at++) {
      const style = grid.styles[at];
      if (isFound[style] === 1) continue;
      isFound[style] = 1;
      found.push(style);
    }
  }
  return found;
}
