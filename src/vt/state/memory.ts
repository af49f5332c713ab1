import { clusterFlag, codeMask } from '../cells/cell.ts';
import type { Grid } from '../grid/grid.ts';
import { linkNumber } from '../style/attributes.ts';
import { spend, type TerminalState } from './terminal-state.ts';

/** Smaller tables are not compacted. */
const minEntries = 1024;

/**
 * Removes unused styles and clusters when their table has more than twice as many entries as there
 * are cells, and unused links when there are more than are kept. The cost is proportional to the cells of the
 * screens; for styles and clusters, it is incurred once per that many new entries.
 */
export function compactTables(t: TerminalState): void {
  const limit = Math.max(minEntries, 2 * t.cols * t.rows * gridsOf(t).length);
  if (t.styles.size > limit) compactStyles(t);
  if (t.clusters.size > limit) compactClusters(t);
  if (t.links.isFull) compactLinks(t);
}

function gridsOf({ primary, alternate, frame }: TerminalState): Grid[] {
  const grids = alternate === null ? [primary] : [primary, alternate];
  return frame === null ? grids : [...grids, ...frame.grids];
}

function filledGrids(t: TerminalState): Grid[] {
  const grids = gridsOf(t);
  for (const grid of grids) {
    const { readyFills } = grid;
    grid.applyFills();
    // Nobody has read them.
    grid.readyFills = readyFills;
  }
  return grids;
}

/** Returns the entries of the style table that cells have: 1 for each. */
function usedStyles(t: TerminalState, grids: readonly Grid[]): Uint8Array {
  const marks = new Uint8Array(t.styles.size);
  for (const { styles } of grids) {
    // An iterator is slow in loops over cells.
    for (let at = 0; at < styles.length; at++) {
      const style = styles[at];
      if (style < 0) marks[~style] = 1;
    }
  }
  return marks;
}

function compactStyles(t: TerminalState): void {
  const grids = filledGrids(t);
  const marks = usedStyles(t, grids);
  const moved = t.styles.retain(marks);
  for (const { styles } of grids) {
    for (let at = 0; at < styles.length; at++) {
      if (styles[at] < 0) styles[at] = ~moved[~styles[at]];
    }
  }
}

function compactClusters(t: TerminalState): void {
  const marks = new Uint8Array(t.clusters.size);
  const grids = filledGrids(t);
  for (const { codes } of grids) {
    for (const code of codes) if ((code & clusterFlag) !== 0) marks[code & codeMask] = 1;
  }
  if ((t.lastPrinted & clusterFlag) !== 0) marks[t.lastPrinted & codeMask] = 1;
  const moved = t.clusters.retain(marks);
  if ((t.lastPrinted & clusterFlag) !== 0) {
    t.lastPrinted = clusterFlag | moved[t.lastPrinted & codeMask];
  }
  for (const { codes } of grids) {
    for (let at = 0; at < codes.length; at++) {
      const code = codes[at];
      if ((code & clusterFlag) !== 0) codes[at] = (code & ~codeMask) | moved[code & codeMask];
    }
  }
}

/** Removes unused links, and the oldest if the screens have more than are kept. */
export function compactLinks(t: TerminalState): void {
  const used = new Set([t.pen.link]);
  const grids = filledGrids(t);
  for (const { styles } of grids) spend(t, styles.length);
  // Only styles with an entry have links.
  const marks = usedStyles(t, grids);
  for (let index = marks.indexOf(1); index >= 0; index = marks.indexOf(1, index + 1)) {
    used.add(linkNumber(t.styles.attributes(~index)));
  }
  t.links.retain(used);
  t.styles.forgetViews();
}

/** Approximate bytes of a terminal without screens and scrollback. */
const bytesOfRest = 8 * 1024;

/**
 * Returns the memory of a terminal in bytes: everything that grows with the screen or with output,
 * by the capacity of the buffers. It may be a few KiB of small objects too low.
 */
export function memoryBytes(t: TerminalState): number {
  const screens = gridsOf(t).reduce((sum, { bytes }) => sum + bytes, 0);
  const tables = t.styles.bytes + t.clusters.bytes + t.links.bytes;
  const pending = t.titles.bytes + t.events.bytes + t.printedOffScreen.bytes + t.savedColors.bytes;
  return screens + t.scrollback.bytes + tables + pending + bytesOfRest;
}
