import { expect, it } from 'vitest';
import { Terminal } from '#vt';
import { inspect, stateOf } from '#vt/checks';

/**
 * The parts of the state that are not compared between a terminal and one restored from its dump,
 * with the reason.
 */
const excluded: Readonly<Record<string, string>> = {
  styles: 'compared through the cells',
  clusters: 'compared through the cells',
  links: 'compared through the cells',
  grid: 'compared as onAlternate',
  cellPixels: 'set by the constructor',
  allowClipboard: 'set by the constructor',
  graphemeClusters: 'set by the constructor',
  keepsErased: 'set by the constructor',
  attended: 'set by the session',
  events: 'removed by the caller of feed',
  bells: 'removed by the caller of feed',
  revision: 'counts feeds',
  primaryCursor: 'only for read marks, which count feeds',
  frame: 'not dumped',
  printedSince: 'describes the last feed',
  printedOffScreen: 'describes the last feed',
  stop: 'describes the last feed',
  noLinesBefore: 'describes the last feed',
  bytesOfLine: 'describes the last feed',
  onRowsLeaving: 'set by the reader',
  work: 'describes the last feed',
  styleChanges: 'describes the last feed',
  rewrites: 'depends on the number of feeds',
};

const inspectedAs: Readonly<Record<string, string>> = {
  cols: 'size',
  rows: 'size',
  palette: 'colors',
  replies: 'eightBit',
  marginTop: 'margins',
  marginBottom: 'margins',
  marginLeft: 'margins',
  marginRight: 'margins',
};

it('every part of the state is compared or listed with a reason', () => {
  const terminal = new Terminal({ size: { cols: 10, rows: 3 } });
  const inspected = inspect(terminal);
  const parts = Object.keys(stateOf(terminal));
  const untold = parts.filter(
    (part) => !((inspectedAs[part] ?? part) in inspected) && !(part in excluded),
  );
  expect(untold).toEqual([]);
  expect(
    Object.keys({ ...excluded, ...inspectedAs }).filter((part) => !parts.includes(part)),
  ).toEqual([]);
});
