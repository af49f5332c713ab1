import type { Saved, SavedChange, SavedState, Segment } from '#pty';

/** Keeps what is saved of a session, as a PTY host does. */
export class KeptChanges implements Saved {
  facts: Uint8Array = new Uint8Array(0);
  state: SavedState | null = null;
  segments: readonly Segment[] = [];

  apply(change: SavedChange): void {
    const { replaceFrom = Number.POSITIVE_INFINITY, firstLine = 0, segments = [] } = change;
    const cut = this.segments.find(({ from, to }) => from < replaceFrom && to > replaceFrom);
    if (cut !== undefined) throw new Error(`line ${replaceFrom} is in ${cut.from} to ${cut.to}`);
    this.facts = change.facts ?? this.facts;
    this.state = change.state ?? this.state;
    const earlier = this.segments.filter(({ from }) => from < replaceFrom);
    this.segments = [...earlier, ...segments].filter(({ to }) => to > firstLine);
  }
}
