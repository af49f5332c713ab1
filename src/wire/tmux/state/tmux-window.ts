import type { ChildProcess } from 'node:child_process';
import { type Direction, Layout, layoutText } from '#layout';
import { PaneModes } from '../modes/pane-modes.ts';
import type { Options } from './options.ts';

/** How a program is started in a pane. */
export interface PaneProgram {
  /** One word is a line for the shell; several are a program and its arguments; none is the shell. */
  readonly words: readonly string[];
  readonly cwd: string;
  /** Variables added to those of the session. */
  readonly env: Readonly<Record<string, string>>;
  /** There is no program: the pane shows this text. */
  readonly shows?: string;
}

/** The vtr session of a pane. */
export interface PaneSession {
  readonly name: string;
  readonly id: string;
}

/** A session in which the program of a pane was started. */
export interface StartedSession extends PaneSession {
  readonly pid: number;
  /** The file or the name of the program. */
  readonly program: string;
}

/** How a program ended, in a pane that stays. */
export interface DeadPane {
  readonly status: number | null;
  readonly signal: string | null;
  /** Null if the pane has had no program. */
  readonly atMs: number | null;
}

/** A command that gets the output of a pane. */
export interface PanePipe {
  readonly child: ChildProcess;
  /** Ends the command's input. */
  readonly end: () => void;
}

/** Somebody who types in a pane at a terminal. */
export interface PaneTypist {
  /** The id of the viewing. */
  readonly id: string;
  resize(size: { readonly cols: number; readonly rows: number }): Promise<void>;
}

/** A pane: one vtr session, in the layout of a window. */
export class TmuxPane {
  readonly id: number;
  window: TmuxWindow;
  readonly options: Options;
  program: PaneProgram;
  /** The vtr session; another one after the pane was respawned. */
  session: PaneSession;
  pid: number;
  /** The file or the name of the program that runs: of the shell, if `program` is a line for it. */
  file: string;
  /** A title set by `select-pane -T`, until the program sets one. */
  title: { readonly text: string; readonly over: string } | null = null;
  dead: DeadPane | null = null;
  pipe: PanePipe | null = null;
  /** Rows and columns as last given to the vtr session. */
  cols = 0;
  rows = 0;
  inputOff = false;
  /** The latest client of this server in which somebody typed here; null if none is there. */
  typist: PaneTypist | null = null;
  readonly modes = new PaneModes();
  /** The first line that counts as history, after `clear-history`. */
  firstLine = 0;

  constructor(
    id: number,
    window: TmuxWindow,
    program: PaneProgram,
    options: Options,
    session: StartedSession,
  ) {
    this.id = id;
    this.window = window;
    this.program = program;
    this.options = options;
    this.session = session;
    this.pid = session.pid;
    this.file = session.program;
  }

  /** The number in its window, counted from `pane-base-index`. */
  get index(): number {
    return this.window.panes.indexOf(this) + this.window.options.number('pane-base-index');
  }

  get isActive(): boolean {
    return this.window.active === this;
  }
}

/** Where a pane is in its window. */
export interface PanePlace {
  readonly pane: TmuxPane;
  readonly x: number;
  readonly y: number;
  readonly cols: number;
  readonly rows: number;
}

export class TmuxWindow {
  readonly id: number;
  readonly options: Options;
  readonly createdAtMs: number;
  /** When it began, or had output while that was watched; ms since 1970. */
  activityAtMs: number;
  /** Its name while `automatic-rename` is off: as given, or the last one of its program; null if it has had none. */
  name: string | null = null;
  /** In the order of their indexes. */
  panes: TmuxPane[] = [];
  /** Those that were active before, the latest first. */
  #earlier: TmuxPane[] = [];
  #active: TmuxPane | null = null;
  #layout: Layout<TmuxPane> | null = null;
  /** The layout without the zoomed pane; null if none is zoomed. */
  #unzoomed: Layout<TmuxPane> | null = null;
  cols: number;
  rows: number;
  /** The layout before the last `select-layout`, as text. */
  oldLayout: string | null = null;
  /** The index in the list of named layouts; -1 for none. */
  lastPreset = -1;

  constructor(id: number, options: Options, size: { cols: number; rows: number }, nowMs: number) {
    this.id = id;
    this.options = options;
    this.cols = size.cols;
    this.rows = size.rows;
    this.createdAtMs = nowMs;
    this.activityAtMs = nowMs;
  }

  get active(): TmuxPane {
    const active = this.#active ?? this.panes[0];
    if (active === undefined) throw new Error(`window @${this.id} has no panes`);
    return active;
  }

  /** The pane that was active before; null if it is gone. */
  get last(): TmuxPane | null {
    return this.#earlier[0] ?? null;
  }

  /** Compares panes by when they were active last: those that never were are the first ones. */
  readonly activeOrder = (one: TmuxPane, other: TmuxPane): number =>
    this.#recency(other) - this.#recency(one);

  #recency(pane: TmuxPane): number {
    const all = [this.active, ...this.#earlier];
    const at = all.indexOf(pane);
    return at === -1 ? all.length : at;
  }

  /** The tree in which panes are arranged, also while one is zoomed. */
  get layout(): Layout<TmuxPane> {
    const layout = this.#unzoomed ?? this.#layout;
    if (layout === null) throw new Error(`window @${this.id} has no layout`);
    return layout;
  }

  get shownLayout(): Layout<TmuxPane> {
    return this.#layout ?? this.layout;
  }

  /** Where the panes that are shown are: without the rows that `pane-border-status` takes from them. */
  get places(): readonly PanePlace[] {
    const status = this.options.text('pane-border-status');
    return this.shownLayout.root.leaves().flatMap((cell) => {
      const { pane, x, y, cols, rows } = cell;
      if (pane === null) return [];
      const hasLine = status !== 'off' && cell.isAtEdge(status === 'top' ? 'top' : 'bottom');
      if (!hasLine) return [{ pane, x, y, cols, rows }];
      // A pane has at least one row.
      const left = Math.max(1, rows - 1);
      return [{ pane, x, y: status === 'top' ? y + rows - left : y, cols, rows: left }];
    });
  }

  placeOf(pane: TmuxPane): PanePlace | null {
    return this.places.find((place) => place.pane === pane) ?? null;
  }

  get isZoomed(): boolean {
    return this.#unzoomed !== null;
  }

  /** Whether its name is that of the program in its active pane. */
  get isNamedByProgram(): boolean {
    return this.options.isOn('automatic-rename');
  }

  get layoutText(): string {
    return layoutText(this.layout.root);
  }

  get shownLayoutText(): string {
    return layoutText(this.shownLayout.root);
  }

  /** Begins with one pane. */
  begin(pane: TmuxPane): void {
    this.panes = [pane];
    this.#active = pane;
    this.#layout = new Layout(pane, this.cols, this.rows);
  }

  select(pane: TmuxPane): boolean {
    if (this.#active === pane) return false;
    const before = this.#active;
    this.#active = pane;
    this.#earlier = this.#earlier.filter((each) => each !== pane);
    if (before !== null)
      this.#earlier = [before, ...this.#earlier.filter((each) => each !== before)];
    return true;
  }

  /** Forgets a pane that has gone to another window in exchange for one of its panes. */
  forget(pane: TmuxPane): void {
    this.#earlier = this.#earlier.filter((each) => each !== pane);
  }

  /** @returns whether it has changed something */
  zoom(pane: TmuxPane): boolean {
    if (this.isZoomed || this.panes.length < 2) return false;
    this.select(pane);
    this.#unzoomed = this.#layout;
    this.#layout = new Layout(pane, this.cols, this.rows);
    return true;
  }

  unzoom(): boolean {
    if (this.#unzoomed === null) return false;
    this.#layout = this.#unzoomed;
    this.#unzoomed = null;
    return true;
  }

  /** Adds a pane to the list, after or before another one; the layout already has it. */
  list(pane: TmuxPane, beside: TmuxPane, before: boolean, whole: boolean): void {
    pane.window = this;
    if (whole) this.panes = before ? [pane, ...this.panes] : [...this.panes, pane];
    else {
      const at = this.panes.indexOf(beside);
      this.panes.splice(before ? at : at + 1, 0, pane);
    }
  }

  /** Takes a pane out of the list and the layout. Returns whether panes are left. */
  remove(pane: TmuxPane): boolean {
    this.unzoom();
    const at = this.panes.indexOf(pane);
    if (at === -1) return this.panes.length > 0;
    this.panes.splice(at, 1);
    this.#earlier = this.#earlier.filter((each) => each !== pane);
    if (this.panes.length === 0) return false;
    this.layout.remove(pane);
    if (this.#active === pane) {
      const next = this.#earlier[0] ?? this.panes[at - 1] ?? this.panes[0] ?? null;
      this.#active = next;
      this.#earlier = this.#earlier.filter((each) => each !== next);
    }
    return true;
  }

  resize(cols: number, rows: number): void {
    this.cols = cols;
    this.rows = rows;
    this.layout.resize(cols, rows);
    if (this.isZoomed) this.shownLayout.resize(cols, rows);
  }

  /** The pane beyond an edge of another one; the latest active if several touch it. */
  neighbour(pane: TmuxPane, direction: Direction, step: 1 | -1): TmuxPane | null {
    const cell = this.layout.cellOf(pane);
    if (cell === null) return null;
    const horizontal = direction === 'row';
    const total = horizontal ? this.cols : this.rows;
    const [from, size] = horizontal ? [cell.x, cell.cols] : [cell.y, cell.rows];
    let edge = step === 1 ? from + size + 1 : from;
    if (step === 1 && edge >= total) edge = 0;
    if (step === -1 && edge === 0) edge = total + 1;
    const [low, high] = horizontal ? [cell.y, cell.y + cell.rows] : [cell.x, cell.x + cell.cols];
    const neighbours = this.layout.root.leaves().filter((each) => {
      if (each === cell) return false;
      const [at, length] = horizontal ? [each.x, each.cols] : [each.y, each.rows];
      const [top, height] = horizontal ? [each.y, each.rows] : [each.x, each.cols];
      const touches = step === 1 ? at === edge : at + length + 1 === edge;
      return (
        touches && top < high + 1 && top + height > low - 1 && overlaps(top, height, low, high)
      );
    });
    const panes = neighbours.flatMap((each) => (each.pane === null ? [] : [each.pane]));
    const recent = [this.active, ...this.#earlier].find((each) => panes.includes(each));
    return recent ?? panes[0] ?? null;
  }
}

/** Whether two ranges have a cell, or a border, in common. */
const overlaps = (top: number, height: number, low: number, high: number): boolean =>
  top <= high && top + height >= low;
