import { expect, it } from 'vitest';
import { type Cell, type Cursor, cellsText, plainStyle } from '#model';
import { VirtualClock } from '../../test/support/virtual-clock.ts';
import { PredictedScreen, type PredictedScreenParts } from './predicted-screen.ts';
import type { PredictableScreen } from './predictor.ts';

type Mode = PredictedScreenParts<PredictableScreen>['mode'];

const cellOf = (text: string): Cell => ({ text, width: 1, style: plainStyle });
const cursor: Cursor = {
  row: 0,
  col: 0,
  visible: true,
  shape: 'block',
  blinking: false,
  wrapPending: false,
};

/** A person who types at a program that echoes what `echo` prints. */
function typing(mode: Mode) {
  const clock = new VirtualClock();
  let line = '';
  const source = {};
  const changes: number[] = [];
  const screen = (): PredictableScreen => ({
    cells: { revision: line.length, rows: [[...line.padEnd(20)].map(cellOf)] },
    cursor: { ...cursor, col: line.length },
    alternate: false,
    source,
  });
  const predicted = new PredictedScreen({
    mode,
    timers: clock,
    screen,
    changed: () => changes.push(clock.nowMs()),
  });
  const text = () => cellsText(predicted.show(screen()).cells.rows[0] ?? []);
  const echo = (printed: string) => {
    line += printed;
  };
  const press = (key: string) => {
    predicted.typed([{ key }]);
    return () => predicted.written([{ key }]);
  };
  echo('$ ');
  text();
  return { clock, changes, predicted, text, echo, press };
}

it('has what was typed before its echo, and asks to be drawn for each change', () => {
  const { clock, changes, text, echo, press } = typing('always');
  press('a')();
  echo('a');
  expect(text()).toBe('$ a');
  changes.length = 0;
  clock.advance(50);
  const written = press('b');
  expect(changes).toEqual([50]);
  expect(text()).toBe('$ ab');
  clock.advance(50);
  written();
  expect(changes).toEqual([50, 100]);
  text();
  // The program does not echo it.
  clock.advance(1000);
  expect(changes).toEqual([50, 100, 350]);
  expect(text()).toBe('$ a');
  expect(clock.pending).toBe(0);
});

it.each<[string, Mode, (all: ReturnType<typeof typing>) => void]>([
  ['where nobody wants it', 'never', () => {}],
  ['after a paste', 'always', ({ predicted }) => predicted.typed('other')],
])('has only what the program shows %s', (_, mode, before) => {
  const all = typing(mode);
  all.press('a')();
  all.echo('a');
  all.text();
  before(all);
  all.press('b');
  expect(all.text()).toBe('$ a');
});
