import { isSameStyle, type RowFrame, type Run, runsOfCells } from '#model';
import type { SessionView } from '#session';

type Row = readonly Run[];

/** The rows of a session's shown screen as runs, for all its viewers. */
export class SessionRows {
  readonly #terminal: SessionView['terminal'];
  #revision = -1;
  #cols = 0;
  #rows: readonly Row[] = [];

  constructor({ terminal }: Pick<SessionView, 'terminal'>) {
    this.#terminal = terminal;
  }

  /** Returns the rows now. Rows that look the same as in the last call are the same objects. */
  rows(): readonly Row[] {
    const { revision, size } = this.#terminal;
    if (revision === this.#revision) return this.#rows;
    const isNew = size.cols !== this.#cols || size.rows !== this.#rows.length;
    const rows: Row[] = isNew ? [] : [...this.#rows];
    const changed = isNew ? Array(size.rows).keys() : this.#terminal.changedRows(this.#revision);
    for (const row of changed) {
      const runs = runsOfCells(this.#terminal.readRow(row).cells());
      const before = rows[row];
      if (before === undefined || !isSameRow(before, runs)) rows[row] = runs;
    }
    this.#revision = revision;
    this.#cols = size.cols;
    this.#rows = rows;
    return rows;
  }

  /** Everything of a frame but its rows. */
  look(): Omit<RowFrame, 'full' | 'rows'> {
    const { revision, size, cursor, alternate, title, viewModes: modes } = this.#terminal;
    return { revision, size, cursor, alternate, title, modes };
  }
}

const isSameRow = (a: Row, b: Row): boolean =>
  a.length === b.length && a.every((run, at) => isSameRun(run, b[at] as Run));

const isSameRun = (a: Run, b: Run): boolean =>
  a.text === b.text &&
  a.cols === b.cols &&
  a.cluster === b.cluster &&
  isSameStyle(a.style, b.style);

/** Returns the whole screen. */
export function fullFrame(view: Pick<SessionView, 'terminal'>): RowFrame {
  const source = new SessionRows(view);
  const rows = source.rows().map((runs, row) => ({ row, runs }));
  return { ...source.look(), full: true, rows };
}

/** The frames of a session for one viewer: each has what changed since the one before. */
export class FrameMaker {
  readonly #source: SessionRows;
  #look: Omit<RowFrame, 'full' | 'rows'> | null = null;
  #rows: readonly Row[] = [];

  constructor(source: SessionRows) {
    this.#source = source;
  }

  /** Returns the next frame, the first one full; null if nothing changed. */
  next(): RowFrame | null {
    const before = this.#rows;
    const lastLook = this.#look;
    const rows = this.#source.rows();
    const look = this.#source.look();
    const full =
      lastLook === null ||
      lastLook.alternate !== look.alternate ||
      lastLook.size.cols !== look.size.cols ||
      lastLook.size.rows !== look.size.rows;
    const changed = rows.flatMap((runs, row) =>
      full || runs !== before[row] ? [{ row, runs }] : [],
    );
    if (!full && changed.length === 0 && isSameLook(lastLook, look)) return null;
    this.#rows = rows;
    this.#look = look;
    return { ...look, full, rows: changed };
  }
}

type Look = Omit<RowFrame, 'full' | 'rows'>;

const isSameLook = (a: Look, b: Look): boolean =>
  a.title === b.title && hasSameFields(a.cursor, b.cursor) && hasSameFields(a.modes, b.modes);

function hasSameFields<T extends object>(a: T, b: T): boolean {
  for (const name in b) if (a[name] !== b[name]) return false;
  return true;
}
