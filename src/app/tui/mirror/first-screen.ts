import { plainStyle, type ScreenSnapshot, type Size, type ViewModes } from '#model';
import type { SessionScreen } from '../view/session-screen.ts';

/** The modes of a new terminal. */
export const initialModes: ViewModes = {
  applicationCursorKeys: false,
  applicationKeypad: false,
  backarrowSendsBackspace: false,
  newLine: false,
  bracketedPaste: false,
  alternateScreen: false,
  modifyOtherKeys: 0,
  formatOtherKeys: 0,
  kittyFlags: 0,
  mouseTracking: 'none',
  mouseEncoding: 'default',
  focusReporting: false,
  alternateScroll: false,
  reverseVideo: false,
  palette: {},
  foreground: null,
  background: null,
  cursorColor: null,
};

/**
 * Returns what is shown of a session until its events arrive, without a terminal: loading the engine
 * takes as long as everything else before the first picture.
 *
 * @param first a screen in the format `cells`; or nothing, in that size
 */
export function firstScreen(first: ScreenSnapshot | Size): SessionScreen {
  const shared = { modes: initialModes, source: first };
  if ('cols' in first) {
    const blank = { text: ' ', width: 1, style: plainStyle } as const;
    const row = Array(first.cols).fill(blank);
    return {
      ...{ size: first, title: '', alternate: false, endLine: 0, ...shared },
      cells: { revision: 0, rows: Array(first.rows).fill(row) },
      cursor: { row: 0, col: 0, wrapPending: false, visible: true, shape: 'block', blinking: true },
    };
  }
  const { size, cursor, title, alternate, topLine, cells: rows = [] } = first;
  const endLine = topLine + size.rows;
  return {
    ...{ size, cursor, title, alternate, endLine, ...shared },
    cells: { revision: 0, rows },
  };
}
