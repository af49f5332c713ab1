import type { TerminalState } from '../state/terminal-state.ts';

/** About what a terminal takes that says nothing and has neither screen nor scrollback. */
const bytesOfRest = 8 * 1024;

/**
 * Memory of a terminal in bytes: what of it grows with the screen or by what is fed, counted by the
 * buffers, so not less than it is but for a few KiB of small objects.
 */
export function memoryBytes(t: TerminalState): number {
  const grids = [
    t.primary,
    ...(t.alternate === null ? [] : [t.alternate]),
    ...(t.frame?.grids ?? []),
  ];
  const screens = grids.reduce((sum, { bytes }) => sum + bytes, 0);
  const tables = t.styles.bytes + t.clusters.bytes + t.links.bytes;
  const pending = t.titles.bytes + t.events.bytes + t.printedOff.bytes + t.savedColors.bytes;
  return screens + t.scrollback.bytes + tables + pending + bytesOfRest;
}
