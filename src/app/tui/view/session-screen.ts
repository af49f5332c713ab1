import {
  applyFrame,
  type Cell,
  type Color,
  type Cursor,
  initialViewModes,
  plainStyle,
  type RowFrame,
  type Size,
  type Style,
  type ViewModes,
} from '#model';
import type { ScreenCells, Terminal } from '#vt';
import type { Row } from './row-cells.ts';

/** The screen of the session, as far as a view shows it. */
export interface SessionScreen {
  readonly cells: ScreenCells;
  readonly size: Size;
  readonly cursor: Cursor;
  readonly title: string;
  readonly alternate: boolean;
  /** One past the last line of the primary screen. */
  readonly endLine: number;
  readonly modes: Pick<ViewModes, 'kittyFlags' | 'mouseTracking' | 'reverseVideo'> & SessionColors;
  /** The terminal or the frame that it was read from. */
  readonly source: unknown;
}

/** Returns what a terminal shows. Rows that have not changed since `before` are the same objects. */
export function screenOf(terminal: Terminal, before: SessionScreen | null = null): SessionScreen {
  const { size, cursor, title, alternate, endLine, viewModes: modes } = terminal;
  const cells = terminal.screenCells(before?.source === terminal ? before.cells : null);
  return { cells, size, cursor, title, alternate, endLine, modes, source: terminal };
}

/**
 * Returns what is shown of a session until its events arrive, without a terminal: loading the engine
 * takes as long as everything else before the first picture.
 *
 * @param first a full frame; or nothing, in that size
 */
export function firstScreen(first: RowFrame | Size): SessionScreen {
  if ('full' in first) {
    const { revision, size, cursor, title, alternate, modes } = first;
    const cells = { revision, rows: applyFrame([], first) };
    // No line above the screen can be shown yet.
    return { cells, size, cursor, title, alternate, modes, endLine: 0, source: first };
  }
  const blank = { text: ' ', width: 1, style: plainStyle } as const;
  const row = Array(first.cols).fill(blank);
  return {
    size: first,
    title: '',
    alternate: false,
    endLine: 0,
    modes: initialViewModes,
    source: first,
    cells: { revision: 0, rows: Array(first.rows).fill(row) },
    cursor: { row: 0, col: 0, wrapPending: false, visible: true, shape: 'block', blinking: true },
  };
}

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
  let cache = painted.get(colors.palette);
  if (cache === undefined) {
    cache = { rows: new WeakMap(), styles: new WeakMap() };
    painted.set(colors.palette, cache);
  }
  let changed = cache.rows.get(row);
  if (changed === undefined) {
    const { styles } = cache;
    changed = row.map((cell): Cell => ({ ...cell, style: styled(cell.style, colors, styles) }));
    cache.rows.set(row, changed);
  }
  return changed;
}

function areSet({ palette, foreground, background }: SessionColors): boolean {
  if (foreground !== null || background !== null) return true;
  for (const _ in palette) return true;
  return false;
}

/** Equal cells keep the same style. */
function styled(style: Style, colors: SessionColors, styles: Painted['styles']): Style {
  let changed = styles.get(style);
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
    styles.set(style, changed);
  }
  return changed;
}
