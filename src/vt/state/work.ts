import type { PositionedEvent } from './terminal-events.ts';
import type { TerminalState } from './terminal-state.ts';

/**
 * The work after which a feed stops, in units of {@link spend}. With one more function on the largest
 * screen, that takes less than 10 ms.
 */
export const maxWork = 2 << 20;

/** The work of moving a row in addition to its cells: that of so many cells. */
const workOfRow = 32;

/** The work of an event: its observers, such as the ledger of commands, take about as long as this many cells. */
const workOfEvent = 16 * 1024;

/** Notes work whose time depends on the size of the screen: the number of cells that are visited. */
export function spend(t: TerminalState, cells: number): void {
  t.work += cells;
  if (t.work > maxWork) t.stop.now = true;
}

/** Notes work on a part of each of some rows. */
export function spendRows(t: TerminalState, rows: number, cols: number): void {
  spend(t, rows * (cols + workOfRow));
}

/** Adds an event for the observers, and notes their work. */
export function publish(t: TerminalState, event: PositionedEvent): void {
  spend(t, workOfEvent);
  t.events.push(event);
}
