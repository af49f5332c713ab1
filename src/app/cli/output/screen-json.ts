import { sanitize } from '#base';
import {
  attributesOf,
  backgroundRgb,
  type Cell,
  type Color,
  cellsText,
  foregroundRgb,
  isHidden,
  type ScreenSnapshot,
  type Style,
} from '#model';

/**
 * Returns a screen with the field names of the service's `GetScreenResponse`, and its rows as text.
 *
 * @param screen with cells
 * @param above the lines above it, or null to omit them
 * @param isFull adds the cells
 */
export function screenJson(
  coordinator: string,
  session: string,
  { size, cursor, cells = [], ...screen }: ScreenSnapshot,
  above: readonly string[] | null,
  isFull: boolean,
) {
  const { row, col, visible, shape, blinking } = cursor;
  const lines = cells.map(cellsText);
  return {
    coordinator,
    name: session,
    cols: size.cols,
    rows: size.rows,
    cursor_x: col,
    cursor_y: row,
    cursor: { visible, shape, blinking },
    alternate: screen.alternate,
    title: screen.title,
    revision: screen.revision,
    ...(screen.atMs === undefined ? {} : { at: new Date(screen.atMs).toISOString() }),
    removed: sanitize([...(above ?? []), ...lines].join('\n')).removed,
    hidden_text: cells.some((each) => each.some(isHidden)),
    lines,
    ...(above === null ? {} : { scrollback: above }),
    ...(isFull ? { screen_rows: cells.map((each) => ({ cells: each.map(cellJson) })) } : {}),
  };
}

/** Always has the specification's four fields; others only if set. */
const cellJson = ({ text, width, style }: Cell) => ({
  char: text,
  fg_color: foregroundRgb(style.fg),
  bg_color: backgroundRgb(style.bg),
  attributes: attributesOf(style),
  ...(width === 2 ? { wide: true } : {}),
  ...colorJson('fg', style.fg),
  ...colorJson('bg', style.bg),
  ...colorJson('underline_color', style.underlineColor),
  ...underlineJson(style),
  ...(style.link === null ? {} : { link: style.link }),
});

/** The colour as the program set it: an entry of the palette, or `#rrggbb`. */
const colorJson = (name: string, color: Color) => (color === null ? {} : { [name]: color });

/** A single underline is among the attributes. */
const underlineJson = ({ underline }: Style) =>
  underline === 'none' || underline === 'single' ? {} : { underline_style: underline };
