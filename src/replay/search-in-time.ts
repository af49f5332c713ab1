import type { Terminal } from '#vt';
import type { Replay } from './replay.ts';

/**
 * Finds the first time after `afterMs` at which a row with a match appears that was not shown before.
 * Yields the time up to which it has searched, after each change; returns null if there is no match.
 */
export function* searchInTime(
  replay: Replay,
  matches: (row: string) => boolean,
  afterMs: number,
): Generator<number, number | null> {
  for (const { atMs, isFound } of matchesInTime(replay, matches, afterMs)) {
    if (isFound && atMs > afterMs) return atMs;
    yield atMs;
  }
  return null;
}

/** Yields each change of what is shown, and whether a row with a match appears by it that was not shown before. */
export function* matchesInTime(
  replay: Replay,
  matches: (row: string) => boolean,
  fromMs = 0,
): Generator<{ readonly atMs: number; readonly isFound: boolean }, void> {
  const rows = new RowMatches(matches);
  for (const { atMs, terminal } of replay.steps({ fromMs })) {
    yield { atMs, isFound: rows.update(terminal) };
  }
}

/** The rows of a screen that match, from one state of a terminal to the next. */
class RowMatches {
  readonly #matches: (row: string) => boolean;
  /** The text of each row that matches; null for the others. */
  #rows: (string | null)[] = [];
  #revision = -1;

  constructor(matches: (row: string) => boolean) {
    this.#matches = matches;
  }

  /** Returns whether a row matches that was not shown in the state before, in any place. */
  update(terminal: Terminal): boolean {
    const before = this.#rows;
    const changed = terminal.changedRows(this.#revision);
    this.#revision = terminal.shownRevision;
    this.#rows = before.slice(0, terminal.size.rows);
    for (const row of changed) {
      const text = terminal.readRow(row).spaced();
      this.#rows[row] = this.#matches(text) ? text : null;
    }
    return changed.some((row) => this.#rows[row] !== null) && this.#hasMoreThan(before);
  }

  #hasMoreThan(before: readonly (string | null)[]): boolean {
    const counts = new Map<string, number>();
    for (const text of before) if (text !== null) counts.set(text, (counts.get(text) ?? 0) + 1);
    for (const text of this.#rows) {
      if (text === null) continue;
      const left = (counts.get(text) ?? 0) - 1;
      if (left < 0) return true;
      counts.set(text, left);
    }
    return false;
  }
}
