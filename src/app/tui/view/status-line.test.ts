import { expect, it } from 'vitest';
import { cellsText } from '#model';
import { ViewedSession } from '../../../../test/support/tui/viewed-session.ts';
import { layoutOf } from './layout.ts';
import { statusLine } from './status-line.ts';
import type { ViewState } from './view-state.ts';

/** The session is larger than the window, so that a part of it is seen. */
const before: ViewState = {
  ...new ViewedSession({ size: { cols: 120, rows: 40 } }).state,
  window: { cols: 110, rows: 20 },
};
const viewing = { drives: false, driver: null, epoch: 1, name: '', viewers: [] };

const changes: readonly Partial<ViewState>[] = [
  { session: 'other' },
  { coordinator: 'work' },
  { activity: 'needs input' },
  { others: ['api'] },
  { leading: true },
  { viewing },
  { pan: { ...before.pan, row: 3 } },
  { pan: { ...before.pan, col: 3 } },
  { window: { cols: 100, rows: 20 } },
  { window: { cols: 110, rows: 19 } },
  { statusText: { left: 'mine', right: null, hasClock: false } },
  { connection: { state: 'ended', how: 'exited', isRemoved: false } as ViewState['connection'] },
];

const textOf = (state: ViewState) => cellsText(statusLine(state, layoutOf(state)));

it.each(changes)('the status line shows what has changed: %j', (change) => {
  const text = textOf(before);
  expect(textOf({ ...before, ...change })).not.toBe(text);
  expect(textOf(before)).toBe(text);
});

it('is the same row if nothing has changed', () => {
  const row = statusLine(before, layoutOf(before));
  expect(statusLine({ ...before }, layoutOf(before))).toBe(row);
});
