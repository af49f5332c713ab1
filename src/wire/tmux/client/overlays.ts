import { type Cursor, type KeyPress, type MouseInput, plainStyle, type Size } from '#model';
import type { Box, Canvas } from '../drawing/canvas.ts';
import { digitCells } from '../drawing/digits.ts';
import { formatWidth } from '../drawing/draw-format.ts';
import { colourOf, styleOf } from '../drawing/styles.ts';
import type { MenuItem, MenuRequest, PopupRequest, ShownPopup } from '../state/client-terminal.ts';
import type { TmuxPane } from '../state/tmux-window.ts';
import type { SessionViews } from './session-views.ts';

/** Where the panes of the window are in the terminal. */
export interface PanePlace extends Box {
  readonly pane: TmuxPane;
}

/** What an overlay is drawn over. */
export interface Under {
  readonly views: SessionViews;
  readonly panes: readonly PanePlace[];
  readonly active: TmuxPane;
}

/** Something over the windows of a client that takes its keys: a menu, a popup, the numbers of panes. */
export interface Overlay {
  /** Draws it. Returns the cursor; null hides it. */
  draw(canvas: Canvas, under: Under): Promise<Cursor | null>;
  /** @returns whether the key is not for it, but for what is below */
  press(press: KeyPress, name: string): boolean;
  mouse(event: MouseInput): void;
  paste(text: string): void;
  /** The client closes it. */
  close(): void;
}

/** Inputs for the program of a popup. */
export interface PopupInput {
  keys(keys: readonly KeyPress[]): void;
  text(text: string): void;
  mouse(event: MouseInput): void;
}

/** A menu, from which an item is chosen by its key, the arrow keys or the mouse. */
export class MenuOverlay implements Overlay {
  readonly #request: MenuRequest;
  readonly #chosen: (item: MenuItem | null) => void;
  #at: number;
  /** As drawn last. */
  #box: Box = { row: 0, col: 0, rows: 0, cols: 0 };
  readonly #mode: () => string;

  /** @param mode the style of the chosen item */
  constructor(request: MenuRequest, mode: () => string, chosen: (item: MenuItem | null) => void) {
    this.#request = request;
    this.#mode = mode;
    this.#chosen = chosen;
    this.#at = request.isByMouse ? -1 : request.items.findIndex(canChoose);
  }

  async draw(canvas: Canvas): Promise<null> {
    const { items, title, place } = this.#request;
    const names = items.map((item) => (item === null ? '' : lineOf(item)));
    const widths = names.map((name) => formatWidth(name) - (name.startsWith('-') ? 1 : 0));
    const { cols: most, rows: least } = canvas.size;
    const width = Math.min(Math.max(formatWidth(title), ...widths), most - 4);
    const size: Size = { cols: width + 4, rows: items.length + 2 };
    if (width < 1 || size.rows > least) {
      this.close();
      return null;
    }
    this.#box = { ...place(size), ...size };
    const { row, col } = this.#box;
    canvas.fill(this.#box, plainStyle);
    canvas.box(this.#box, 'single', plainStyle, title);
    const chosen = styleOf(this.#mode());
    for (const [at, name] of names.entries()) {
      const line = row + 1 + at;
      if (items[at] === null) canvas.text(line, col, `├${'─'.repeat(width + 2)}┤`);
      else if (name.startsWith('-')) {
        canvas.format(line, col + 2, width, name.slice(1), { ...plainStyle, dim: true });
      } else if (at === this.#at) {
        canvas.format(line, col + 2, width, name, chosen);
      } else canvas.format(line, col + 2, width, name);
    }
    return null;
  }

  press(_press: KeyPress, name: string): boolean {
    const { items } = this.#request;
    const byKey = items.find((item) => canChoose(item) && item?.key === name);
    if (byKey) this.#chosen(byKey);
    else if (['Up', 'k', 'BTab', 'C-p'].includes(name)) this.#step(-1);
    else if (['Down', 'j', 'Tab', 'C-n'].includes(name)) this.#step(1);
    else if (['g', 'Home', 'PPage'].includes(name)) this.#at = items.findIndex(canChoose);
    else if (['G', 'End', 'NPage'].includes(name)) this.#at = items.findLastIndex(canChoose);
    else if (name === 'Enter') this.#chosen(items[this.#at] ?? null);
    else if (['Escape', 'C-c', 'C-g', 'q'].includes(name)) this.#chosen(null);
    return false;
  }

  mouse({ action, row, col }: MouseInput): void {
    const { row: top, col: left, rows, cols } = this.#box;
    const isInside = row > top && row < top + rows - 1 && col > left && col < left + cols - 1;
    const at = row - top - 1;
    const item = isInside ? (this.#request.items[at] ?? null) : null;
    this.#at = canChoose(item) ? at : -1;
    if (action === 'release' && isInside)
      this.#chosen(item !== null && canChoose(item) ? item : null);
    else if (action === 'press' && !isInside) this.#chosen(null);
  }

  paste(): void {}

  close(): void {
    this.#chosen(null);
  }

  #step(by: 1 | -1): void {
    const { items } = this.#request;
    for (let tried = 0; tried < items.length; tried++) {
      this.#at = (this.#at + by + items.length) % items.length;
      if (canChoose(items[this.#at])) return;
    }
  }
}

const canChoose = (item: MenuItem | null | undefined): boolean =>
  item !== null && item !== undefined && !item.name.startsWith('-');

/** The name of an item, with its key on the right. */
function lineOf({ name, key }: MenuItem): string {
  return key === '' || name.startsWith('-') ? name : `${name}#[default] #[align=right](${key})`;
}

/** A box with the screen of a session. */
export class PopupOverlay implements Overlay, ShownPopup {
  readonly closed: Promise<void>;
  readonly #request: PopupRequest;
  readonly #input: PopupInput;
  readonly #leave: () => void;
  #resolve: () => void = () => {};
  #isClosedByKey: boolean;
  #hasEnded = false;

  /** @param leave takes the overlay away */
  constructor(request: PopupRequest, input: PopupInput, leave: () => void) {
    this.#request = request;
    this.#input = input;
    this.#leave = leave;
    this.#isClosedByKey = request.isClosedByKey;
    this.closed = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  async draw(canvas: Canvas, { views }: Under): Promise<Cursor | null> {
    const { box, lines, style, borderStyle, title, session } = this.#request;
    canvas.fill(box, style);
    canvas.box(box, lines, borderStyle, title);
    const border = lines === 'none' ? 0 : 1;
    const [top, left] = [box.row + border, box.col + border];
    const screen = await views.screenOf(session);
    if (screen === null) return null;
    for (const [at, row] of screen.rows.slice(0, box.rows - 2 * border).entries()) {
      const cells = row.slice(0, box.cols - 2 * border).map((cell) => {
        const { fg, bg } = cell.style;
        if (style === plainStyle || (fg !== null && bg !== null)) return cell;
        return { ...cell, style: { ...cell.style, fg: fg ?? style.fg, bg: bg ?? style.bg } };
      });
      canvas.put(top + at, left, cells);
    }
    const { cursor } = screen;
    return { ...cursor, row: top + cursor.row, col: left + cursor.col };
  }

  press(press: KeyPress, name: string): boolean {
    const isEnd = name === 'Escape' || name === 'C-c';
    if (isEnd && (this.#isClosedByKey || this.#hasEnded)) this.close();
    else if (!this.#hasEnded) this.#input.keys([press]);
    return false;
  }

  mouse(event: MouseInput): void {
    const { box, lines } = this.#request;
    const border = lines === 'none' ? 0 : 1;
    const [row, col] = [event.row - box.row - border, event.col - box.col - border];
    const isInside =
      row >= 0 && col >= 0 && row < box.rows - 2 * border && col < box.cols - 2 * border;
    if (isInside && !this.#hasEnded) this.#input.mouse({ ...event, row, col });
  }

  paste(text: string): void {
    if (!this.#hasEnded) this.#input.text(text);
  }

  ended(): void {
    this.#hasEnded = true;
    this.#isClosedByKey = true;
  }

  close(): void {
    this.#leave();
    this.#resolve();
  }
}

/** The numbers of panes, of which a key chooses one. */
export class PaneNumbers implements Overlay {
  readonly #takesKeys: boolean;
  readonly #colours: () => readonly [active: string, others: string];
  readonly #chosen: (pane: TmuxPane | null) => void;
  readonly #panes: () => readonly TmuxPane[];

  constructor(
    how: {
      readonly takesKeys: boolean;
      readonly colours: () => readonly [active: string, others: string];
      readonly panes: () => readonly TmuxPane[];
    },
    chosen: (pane: TmuxPane | null) => void,
  ) {
    this.#takesKeys = how.takesKeys;
    this.#colours = how.colours;
    this.#panes = how.panes;
    this.#chosen = chosen;
  }

  async draw(canvas: Canvas, { panes, active }: Under): Promise<null> {
    const [ofActive, ofOthers] = this.#colours();
    for (const place of panes) {
      const colour = colourOf(place.pane === active ? ofActive : ofOthers) ?? null;
      drawNumber(canvas, place, colour);
    }
    return null;
  }

  press(_press: KeyPress, name: string): boolean {
    if (!this.#takesKeys) {
      this.#chosen(null);
      return true;
    }
    const at = /^\d$/.test(name)
      ? Number(name)
      : /^[a-z]$/.test(name)
        ? name.charCodeAt(0) - 87
        : -1;
    this.#chosen(this.#panes().find(({ index }) => index === at) ?? null);
    return at === -1 && name !== 'Escape';
  }

  mouse(): void {}

  paste(): void {}

  close(): void {
    this.#chosen(null);
  }
}

function drawNumber(
  canvas: Canvas,
  { row, col, rows, cols, pane }: PanePlace,
  colour: ReturnType<typeof colourOf>,
): void {
  const text = String(pane.index);
  const letter = pane.index > 9 && pane.index < 35 ? String.fromCharCode(87 + pane.index) : '';
  const style = { ...plainStyle, fg: colour ?? null };
  const [middle, centre] = [row + (rows >> 1), col + (cols >> 1)];
  if (cols < text.length * 6 || rows < 5) {
    const whole = letter === '' ? text : `${text} ${letter}`;
    const shown = cols >= whole.length + 1 ? whole : text;
    canvas.text(middle, centre - (shown.length >> 1), shown, style);
    return;
  }
  const block = { ...plainStyle, fg: colour ?? null, bg: colour ?? null };
  for (const [at, digit] of [...text].entries()) {
    for (const [y, x] of digitCells(digit)) {
      canvas.text(middle - 2 + y, centre - text.length * 3 + at * 6 + x, ' ', block);
    }
  }
  if (rows <= 6) return;
  const size = `${cols}x${rows}`;
  if (cols >= size.length) canvas.text(row, col + cols - size.length, size, style);
  if (letter !== '') canvas.text(middle + 3, centre + text.length * 3 - 2, letter, style);
}
