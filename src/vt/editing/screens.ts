import { Grid } from '../grid/grid.ts';
import { Charsets } from '../state/charsets.ts';
import { SavedCursor } from '../state/cursor-state.ts';
import { KeyboardState, Modes } from '../state/modes.ts';
import { ProgramReports } from '../state/program-reports.ts';
import { noCharacter, type TerminalState } from '../state/terminal-state.ts';
import { SavedColors, SavedPens } from '../style/saved-styles.ts';
import { defaultStyle } from '../style/style-word.ts';
import { beginClear } from './erasing.ts';
import { moveTo, moveToAddress, resetMargins } from './movement.ts';

// The two screens and the saved cursor of each.

/** Switches to the alternate screen with its previous content. The cursor stays (mode 47). */
export function enterAlternate(t: TerminalState): void {
  if (t.onAlternate) return;
  t.alternate ??= new Grid(t.cols, t.rows);
  t.primaryCursor.copyFrom(t.cursor);
  switchTo(t, t.alternate);
}

export function leaveAlternate(t: TerminalState): void {
  if (t.onAlternate) switchTo(t, t.primary);
}

/** Clears the alternate screen if it is the current one. */
export function clearAlternate(t: TerminalState): void {
  if (t.onAlternate) t.grid.eraseRows(0, t.rows, t.eraseStyle);
}

function switchTo(t: TerminalState, grid: Grid): void {
  t.grid = grid;
  grid.revision = t.revision;
  grid.printedSince = t.printedSince;
  grid.damageAll();
}

/** DECSC */
export function saveCursor(t: TerminalState): void {
  const saved = new SavedCursor();
  saved.cursor.copyFrom(t.cursor);
  saved.pen.copyFrom(t.pen);
  saved.charsets = t.charsets.copy();
  saved.origin = t.modes.origin;
  if (t.onAlternate) t.savedAlternate = saved;
  else t.savedPrimary = saved;
}

/** DECRC. Without an earlier DECSC, the cursor goes home and the pen is reset. */
export function restoreCursor(t: TerminalState): void {
  const saved = t.onAlternate ? t.savedAlternate : t.savedPrimary;
  t.pen.copyFrom(saved.pen);
  t.charsets = saved.charsets.copy();
  t.modes.origin = saved.origin;
  const { row, col } = saved.cursor;
  // In origin mode the cursor stays inside the margins.
  const { marginTop, marginLeft } = t.modes.origin ? t : { marginTop: 0, marginLeft: 0 };
  moveToAddress(t, Math.max(0, row - marginTop), Math.max(0, col - marginLeft));
  t.cursor.wrapPending = saved.cursor.wrapPending && col === t.cursor.col && mayWrap(t);
}

/** Whether a wrap can be pending at the cursor's column. */
export function mayWrap({ cursor, cols, marginRight }: TerminalState): boolean {
  return cursor.col === cols - 1 || cursor.col === marginRight;
}

/** DECSTR: resets modes that a program may have left set, without changing the screen. */
export function softReset(t: TerminalState): void {
  const { modes } = t;
  modes.cursorVisible = true;
  modes.origin = false;
  modes.insert = false;
  modes.keyboardLocked = false;
  modes.applicationCursorKeys = false;
  modes.applicationKeypad = false;
  modes.autowrap = true;
  modes.reverseWrap = false;
  modes.reverseWrapAnywhere = false;
  modes.sideMargins = false;
  modes.protection = 'off';
  modes.rectangularExtent = false;
  resetMargins(t);
  t.pen.reset();
  t.charsets = new Charsets();
  t.cursor.wrapPending = false;
  if (t.onAlternate) t.savedAlternate = new SavedCursor();
  else t.savedPrimary = new SavedCursor();
}

/** RIS. Line numbers continue: those of the erased lines are not reused. */
export function fullReset(t: TerminalState): void {
  leaveAlternate(t);
  t.alternate = null;
  softReset(t);
  t.savedPrimary = new SavedCursor();
  t.savedAlternate = new SavedCursor();
  t.modes = new Modes(t.graphemeClusters);
  t.keyboard = new KeyboardState();
  beginClear(t);
  if (!t.keepsErased) t.scrollback.clear(t.rows);
  t.primary.eraseRows(0, t.rows, defaultStyle);
  t.tabs.reset();
  t.lastPrinted = noCharacter;
  t.savedModes.clear();
  t.modesAtCommand = null;
  t.stoppedModes = null;
  t.savedPens = new SavedPens();
  t.savedColors = new SavedColors();
  t.palette.resetAll();
  t.reports = new ProgramReports();
  t.replies.eightBit = false;
  moveTo(t, 0, 0);
}
