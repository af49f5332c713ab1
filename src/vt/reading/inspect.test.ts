import { expect, it } from 'vitest';
import { Terminal } from '#vt';

/**
 * The parts of the state that are not compared between a terminal and one restored from its dump,
 * with the reason.
 */
const leftOut: Readonly<Record<string, string>> = {
  styles: 'cells name their own',
  clusters: 'cells name their own',
  links: 'cells name their own',
  grid: 'told by onAlternate',
  cellPixels: 'given to the constructor',
  allowClipboard: 'given to the constructor',
  events: 'taken by whoever feeds',
  bells: 'taken by whoever feeds',
  revision: 'counts feeds',
  frame: 'what readers see meanwhile',
  printedSince: 'about the last feed',
  printedOffScreen: 'about the last feed',
  atFrameBoundary: 'about the last feed',
  rewrites: 'about revisions, which count feeds',
};

const toldAs: Readonly<Record<string, string>> = {
  cols: 'size',
  rows: 'size',
  palette: 'colors',
  replies: 'eightBit',
  marginTop: 'margins',
  marginBottom: 'margins',
  marginLeft: 'margins',
  marginRight: 'margins',
};

it('every part of the state is compared, or it is said why not', () => {
  const terminal = new Terminal({ size: { cols: 10, rows: 3 } });
  const told = terminal.inspect();
  const parts = Object.keys(terminal.state);
  const untold = parts.filter((part) => !((toldAs[part] ?? part) in told) && !(part in leftOut));
  expect(untold).toEqual([]);
  expect(Object.keys({ ...leftOut, ...toldAs }).filter((part) => !parts.includes(part))).toEqual(
    [],
  );
});
