import type { KeyPress, MouseInput } from '#model';
import { type BoundKey, boundPress } from '../keys/bound-key.ts';
import type { MousePlace } from '../state/client-terminal.ts';
import type { Binding } from '../state/key-tables.ts';
import type { TmuxServer } from '../state/tmux-server.ts';
import type { TmuxSession, WindowLink } from '../state/tmux-session.ts';
import type { TmuxPane } from '../state/tmux-window.ts';
import type { Target } from '../target/target.ts';
import type { Composed } from './composer.ts';

/** What the keys of a client need of it. */
export interface KeyedClient {
  readonly server: TmuxServer;
  readonly session: TmuxSession;
  readonly isReadOnly: boolean;
  /** What the terminal shows; null before the first picture. */
  readonly composed: Composed | null;
  /** Runs what a key is bound to. */
  run(commands: string, mouse: MousePlace | null): Promise<void>;
  /** Passes a key on to the program of a pane, or to the mode in which the pane is. */
  type(pane: TmuxPane, keys: readonly KeyPress[]): void;
  pressInMode(pane: TmuxPane, name: string): Promise<void>;
  click(pane: TmuxPane, mouse: MousePlace): void;
  /** Another table is used for the next key. */
  tableChanged(): void;
}

/** A second press within this time, in ms, is a double click. */
const clickMs = 300;

/** The key of a name, for a table. */
const keyNamed = (name: string): BoundKey => ({ name, order: 0 });

/** Returns a key as tables have it: a character that needs shift is that character. */
export function plainPress(press: KeyPress): KeyPress {
  const { key, shift = false, shiftedKey } = press;
  if (!shift || [...key].length !== 1) return press;
  const { shift: _shift, shiftedKey: _key, ...rest } = press;
  return { ...rest, key: shiftedKey ?? key.toUpperCase() };
}

/** The key tables of a client: what a key does, and what is passed on. */
export class ClientKeys {
  readonly #client: KeyedClient;
  /** The table for the next key; null: the usual one. */
  #table: string | null = null;
  #isRepeating = false;
  #timer: NodeJS.Timeout | null = null;
  #click: { readonly atMs: number; readonly place: string; readonly count: number } | null = null;
  /** The button that is held while the mouse moves. */
  #dragged: string | null = null;
  #drag: { readonly type: 'copy'; readonly pane: TmuxPane } | { readonly type: 'border' } | null =
    null;
  #last: { readonly row: number; readonly col: number } = { row: 0, col: 0 };

  constructor(client: KeyedClient) {
    this.#client = client;
  }

  get table(): string {
    return this.#table ?? this.#usual;
  }

  useTable(name: string): void {
    this.#table = name === this.#usual ? null : name;
    this.#isRepeating = false;
    this.#client.tableChanged();
  }

  dispose(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  get #usual(): string {
    return this.#client.session.options.text('key-table');
  }

  get #pane(): TmuxPane {
    return this.#client.session.current.window.active;
  }

  async press(rawPress: KeyPress): Promise<void> {
    const press = plainPress(rawPress);
    const key = boundPress(press);
    const pane = this.#pane;
    if (key !== null && this.#isPrefix(key.name) && this.table !== 'prefix') {
      this.#toTable('prefix');
      return;
    }
    const binding = key === null ? null : this.#bound(key, pane);
    if (binding === 'dropped') return;
    if (binding !== null) return this.#client.run(binding.commands, null);
    if (this.#client.isReadOnly) return;
    if (pane.modes.current === null) this.#client.type(pane, [rawPress]);
    else if (key !== null) await this.#client.pressInMode(pane, key.name);
  }

  /**
   * Does what a key is bound to in a table, as after the key that leads to it.
   *
   * @param otherwise commands to run if the table does not have the key; without them, it is dropped
   */
  async pressIn(table: string, press: KeyPress, otherwise?: string): Promise<void> {
    const key = boundPress(plainPress(press));
    const { keys } = this.#client.server;
    const isBound =
      key !== null && (keys.get(table, key) ?? keys.get(table, keyNamed('Any'))) !== null;
    this.#toTable(isBound ? table : null);
    if (isBound) await this.press(press);
    else if (otherwise !== undefined) await this.#client.run(otherwise, null);
  }

  #isPrefix(name: string): boolean {
    const { options } = this.#client.session;
    return name === options.text('prefix') || name === options.text('prefix2');
  }

  /**
   * Finds what a key is bound to, and goes to the table for the next key.
   *
   * @returns null: it is for the pane; `dropped`: it was in a table that does not have it
   */
  #bound(key: BoundKey, pane: TmuxPane): Binding | 'dropped' | null {
    const { keys } = this.#client.server;
    const lookUp = (table: string) => keys.get(table, key) ?? keys.get(table, keyNamed('Any'));
    const first = this.#table ?? modeTable(pane) ?? this.#usual;
    const binding = lookUp(first);
    if (binding !== null && !(this.#isRepeating && !binding.isRepeated)) {
      this.#afterBinding(binding);
      return binding;
    }
    const isOther = first !== this.#usual && !this.#isRepeating;
    if (first === this.#usual) return null;
    this.#toTable(null);
    return lookUp(this.#usual) ?? (isOther ? 'dropped' : null);
  }

  #afterBinding(binding: Binding): void {
    const ms = this.#client.session.options.number('repeat-time');
    if (binding.isRepeated && ms > 0) {
      this.#isRepeating = true;
      if (this.#timer !== null) clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#toTable(null), ms).unref();
    } else if (this.#table !== null) this.#toTable(null);
  }

  #toTable(table: string | null): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#isRepeating = false;
    if (this.#table === table) return;
    this.#table = table;
    this.#client.tableChanged();
  }

  /** Lets the selection of a pane, or a border, follow the mouse. */
  drag(
    drag: { readonly type: 'copy'; readonly pane: TmuxPane } | { readonly type: 'border' },
  ): void {
    this.#drag = drag;
  }

  async mouse(event: MouseInput): Promise<void> {
    const { composed } = this.#client;
    if (composed === null) return;
    const before = this.#last;
    const now = placeOfMouse(event, composed);
    const isHeld = event.action === 'move' && (event.button ?? 'none') !== 'none';
    const pressed = placeOfMouse({ ...event, ...before }, composed);
    // A drag is about what was pressed, also where its first move leaves that.
    const isLeft = pressed.where !== now.where || pressed.place.pane !== now.place.pane;
    const isStart = isHeld && this.#dragged === null && isLeft;
    const { place, where } = isStart ? pressed : now;
    this.#last = { row: event.row, col: event.col };
    if (this.#drag !== null && event.action === 'move') return this.#dragTo(now.place, before);
    const kind = this.#kindOf(event, where);
    if (event.action === 'release') {
      this.#drag = null;
      this.#dragged = null;
    }
    if (kind !== null) {
      const name = `${modifiersOf(event)}${kind}${where}`;
      const pane = place.pane ?? this.#pane;
      const binding = this.#bound(keyNamed(name), pane);
      if (binding === 'dropped') return;
      if (binding !== null) {
        await this.#client.run(binding.commands, place);
        return isStart && this.#drag !== null ? this.#dragTo(now.place, before) : undefined;
      }
    }
    if (place.pane !== null && !this.#client.isReadOnly) this.#client.click(place.pane, place);
  }

  /** The kind of key that an event of the mouse is; null if it is none. */
  #kindOf(event: MouseInput, where: string): string | null {
    const { action, button = 'left' } = event;
    const number = { left: 1, middle: 2, right: 3, back: 8, forward: 9, none: 0 }[button];
    if (action === 'scrollUp') return 'WheelUp';
    if (action === 'scrollDown') return 'WheelDown';
    if (action === 'press') {
      this.#dragged = null;
      return `${this.#clicks(event, where)}${number}`;
    }
    if (action === 'release') {
      const ended = this.#dragged;
      return ended === null ? `MouseUp${number || 1}` : `MouseDragEnd${ended}`;
    }
    if (action !== 'move' || number === 0) return null;
    this.#dragged = String(number);
    return `MouseDrag${number}`;
  }

  /** How a press is called: the first, the second and the third one at a place. */
  #clicks({ button = 'left', row, col }: MouseInput, where: string): string {
    const atMs = this.#client.server.nowMs();
    const place = `${button} ${row} ${col} ${where}`;
    const last = this.#click;
    const isAgain = last !== null && last.place === place && atMs - last.atMs < clickMs;
    const count = isAgain ? last.count + 1 : 1;
    this.#click = { atMs, place, count: count === 3 ? 0 : count };
    return count === 3 ? 'TripleClick' : count === 2 ? 'DoubleClick' : 'MouseDown';
  }

  async #dragTo(
    place: MousePlace,
    before: { readonly row: number; readonly col: number },
  ): Promise<void> {
    const drag = this.#drag;
    this.#dragged ??= '1';
    if (drag?.type === 'copy') {
      const { current } = drag.pane.modes;
      const shown = this.#client.composed?.panes.find(({ pane }) => pane === drag.pane);
      if (!current?.copy || shown === undefined) return;
      const row = place.row - shown.row;
      if (row < 0) current.copy.step(-1, true);
      else if (row >= shown.rows) current.copy.step(1, true);
      current.copy.goToPlace(place.col - shown.col, row);
      this.#client.tableChanged();
    } else if (drag !== null) await this.#moveBorder(place, before);
  }

  async #moveBorder(
    place: MousePlace,
    before: { readonly row: number; readonly col: number },
  ): Promise<void> {
    const { server, composed } = this.#client;
    if (composed === null) return;
    const { window } = composed.link;
    const { layout } = window;
    const [x, y] = [
      before.col + composed.window.x,
      before.row - composed.window.row + composed.window.y,
    ];
    const cells = layout.root.leaves();
    const left = cells.find(
      (cell) => cell.x + cell.cols === x && y >= cell.y && y < cell.y + cell.rows,
    );
    const above = cells.find(
      (cell) => cell.y + cell.rows === y && x >= cell.x && x < cell.x + cell.cols,
    );
    await server.inTurn(async () => {
      const [right, down] = [place.col - before.col, place.row - before.row];
      if (left?.pane && right !== 0) layout.resizePane(left.pane, 'row', right, false);
      if (above?.pane && down !== 0) layout.resizePane(above.pane, 'column', down, false);
      await server.programs.fit(window);
      server.notices.emit({ name: 'layout-changed', window });
    });
  }
}

/** The table of the mode in which a pane is; null for the usual one. */
function modeTable({ modes, options }: TmuxPane): string | null {
  if (!modes.current?.copy) return null;
  return options.text('mode-keys') === 'vi' ? 'copy-mode-vi' : 'copy-mode';
}

const modifiersOf = ({ ctrl = false, alt = false, shift = false }: MouseInput): string =>
  `${ctrl ? 'C-' : ''}${alt ? 'M-' : ''}${shift ? 'S-' : ''}`;

/** Where an event of the mouse is: its target, and the last part of the name of its key. */
function placeOfMouse(
  event: MouseInput,
  { panes, status, link, window, rows }: Composed,
): { readonly place: MousePlace; readonly where: string } {
  const { row, col } = event;
  const at = { event, row, col, paneRow: 0, paneCol: 0, line: [] };
  const shown = status.lines[row - status.row];
  if (shown !== undefined) {
    const range = shown.ranges.find(({ from, to }) => col >= from && col < to);
    const chosen: WindowLink | null =
      range?.kind === 'window' ? link.session.linkAt(Number(range.argument)) : null;
    const where =
      range === undefined
        ? 'StatusDefault'
        : { window: 'Status', left: 'StatusLeft', right: 'StatusRight' }[range.kind];
    return { place: { ...at, link: chosen ?? link, pane: null }, where };
  }
  const over = panes.find(
    (each) =>
      row >= each.row &&
      row < each.row + each.rows &&
      col >= each.col &&
      col < each.col + each.cols,
  );
  if (over === undefined) {
    const isInside = row >= window.row && row < window.row + window.rows;
    return { place: { ...at, link, pane: isInside ? link.window.active : null }, where: 'Border' };
  }
  const cells = rows[row]?.slice(over.col, over.col + over.cols) ?? [];
  const place = {
    ...at,
    paneRow: row - over.row,
    paneCol: col - over.col,
    line: cells.map(({ text }) => text),
    link,
    pane: over.pane,
  };
  return { place, where: 'Pane' };
}

/** What a key of the mouse is about. */
export const mouseTarget = ({ link, pane }: MousePlace): Target => ({
  session: link.session,
  link,
  pane: pane ?? link.window.active,
});
