import { defined } from '#base';
import type { Saved, SavedChange, SavedState, Segment } from '#pty';

/** Changes that are not written yet, joined. */
export interface PendingChange {
  readonly facts?: Uint8Array;
  readonly state?: SavedState;
  /** Saved lines from here on are replaced; Infinity: none. */
  readonly replaceFrom: number;
  readonly segments: readonly Segment[];
  /** Saved lines before are dropped. */
  readonly firstLine: number;
}

export const noChange: PendingChange = { replaceFrom: Infinity, segments: [], firstLine: 0 };

/** Returns the change that has the effect of both. */
export function joined(first: PendingChange, then: SavedChange): PendingChange {
  const { facts = first.facts, state = first.state } = then;
  const { replaceFrom = Infinity, segments = [], firstLine = 0 } = then;
  const earlier = first.segments.filter(({ to }) => to <= replaceFrom);
  return {
    ...defined({ facts, state }),
    replaceFrom: Math.min(first.replaceFrom, replaceFrom),
    segments: [...earlier, ...segments].filter(({ to }) => to > firstLine),
    firstLine: Math.max(first.firstLine, firstLine),
  };
}

/** Returns what is saved after a change, which may be applied again. */
export function savedWith(
  { facts, state, segments }: Saved,
  { replaceFrom, firstLine, segments: added, ...change }: PendingChange,
): Saved {
  const rest = segments.filter(({ to }) => to <= replaceFrom && to > firstLine);
  return {
    facts: change.facts ?? facts,
    state: change.state ?? state,
    segments: withoutGaps<Segment>([...rest, ...added]),
  };
}

export const bytesOf = ({ facts, state, segments }: PendingChange): number =>
  (facts?.length ?? 0) +
  (state?.bytes.length ?? 0) +
  segments.reduce((sum, { bytes }) => sum + bytes.length, 0);

/**
 * Returns the newest items without a gap between them. An item that begins before the end of the
 * ones before it replaces those that it overlaps.
 */
export function withoutGaps<T extends { readonly from: number; readonly to: number }>(
  items: readonly T[],
): T[] {
  let run: T[] = [];
  for (const item of items) {
    if (item.to <= item.from) continue;
    while ((run.at(-1)?.to ?? -Infinity) > item.from) run.pop();
    if (run.at(-1)?.to !== item.from) run = [];
    run.push(item);
  }
  return run;
}
