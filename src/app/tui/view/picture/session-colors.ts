import type { Cell, Color, Style, ViewModes } from '#model';
import type { Row } from './row-cells.ts';

/** The colours that the program of a session has set (OSC 4, 10, 11). */
export type SessionColors = Pick<ViewModes, 'palette' | 'foreground' | 'background'>;

interface Painted {
  readonly rows: WeakMap<Row, Row>;
  readonly styles: WeakMap<Style, Style>;
}

/** By the palette, which is another object after each change of any of the colours. */
const painted = new WeakMap<SessionColors['palette'], Painted>();

/**
 * Returns a row in the colours that its program has set: the person's terminal has others. The same row
 * for the same row.
 */
export function inSessionColors(row: Row, colors: SessionColors): Row {
  if (!areSet(colors)) return row;
  let known = painted.get(colors.palette);
  if (known === undefined) {
    known = { rows: new WeakMap(), styles: new WeakMap() };
    painted.set(colors.palette, known);
  }
  let changed = known.rows.get(row);
  if (changed === undefined) {
    const { styles } = known;
    changed = row.map((cell): Cell => ({ ...cell, style: styled(cell.style, colors, styles) }));
    known.rows.set(row, changed);
  }
  return changed;
}

function areSet({ palette, foreground, background }: SessionColors): boolean {
  if (foreground !== null || background !== null) return true;
  for (const _ in palette) return true;
  return false;
}

/** Equal cells keep the same style. */
function styled(style: Style, colors: SessionColors, known: Painted['styles']): Style {
  let changed = known.get(style);
  if (changed === undefined) {
    const { palette, foreground, background } = colors;
    const of = (color: Color, usual: number | null): Color => {
      const rgb = color === null ? usual : typeof color === 'number' ? palette[color] : undefined;
      return rgb == null ? color : `#${rgb.toString(16).padStart(6, '0')}`;
    };
    changed = {
      ...style,
      fg: of(style.fg, foreground),
      bg: of(style.bg, background),
      underlineColor: of(style.underlineColor, null),
    };
    known.set(style, changed);
  }
  return changed;
}
