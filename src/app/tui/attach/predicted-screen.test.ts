import { expect, it } from 'vitest';
import { encodeUtf8 } from '#base';
import { cellsText, type KeyPress } from '#model';
import { Terminal } from '#vt';
import { VirtualClock } from '../../../../test/support/virtual-clock.ts';
import { screenOf } from '../view/session-screen.ts';
import { PredictedScreen, type PredictedScreenParts } from './predicted-screen.ts';

/** A person who types at a program that echoes what `echo` prints. */
function typing(mode: PredictedScreenParts['mode']) {
  const clock = new VirtualClock();
  const terminal = new Terminal({ size: { cols: 20, rows: 2 } });
  const changes: number[] = [];
  const predicted = new PredictedScreen({
    mode,
    clock,
    screen: () => screenOf(terminal),
    changed: () => changes.push(clock.nowMs()),
  });
  const text = () => cellsText(predicted.screen().cells.rows[0] ?? []);
  const echo = (bytes: string) => terminal.feed(encodeUtf8(bytes));
  const inputOf = (...keys: KeyPress[]) => ({ type: 'keys', keys }) as const;
  const press = (key: string) => {
    predicted.typed(inputOf({ key }));
    return () => predicted.written(inputOf({ key }));
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

it.each<[string, PredictedScreenParts['mode'], (all: ReturnType<typeof typing>) => void]>([
  ['where nobody wants it', 'never', () => {}],
  ['after a paste', 'always', ({ predicted }) => predicted.typed({ type: 'paste', text: 'x' })],
])('has only what the program shows %s', (_, mode, before) => {
  const all = typing(mode);
  all.press('a')();
  all.echo('a');
  all.text();
  before(all);
  all.press('b');
  expect(all.text()).toBe('$ a');
});
