import { signal } from '@preact/signals';
import { ignored } from '#base';
import type { Cell, Cursor, ViewModes } from '#model';
import type { PredictableScreen } from '#predict';
import type { ScreenCells, Terminal } from '#vt';
import { type ProgramColors, screenColors } from './colors.ts';
import { History, type ReadLines, showCells } from './history.ts';

/** How near to the end of the lines a person must be to follow the output, in CSS pixels. */
const followsWithin = 24;
/** What a person does to select, and how long before the browser tells of the selection, in ms. */
const acts = ['pointerdown', 'pointerup', 'keydown'] as const;
const actMs = 1_000;
/** Half of the period of what blinks, in ms. */
const blinkMs = 600;

/** A way to scroll: by a page, or to the first or the last line. */
export type Scrolling = 'pageup' | 'pagedown' | 'home' | 'end';

/**
 * Shows a terminal as text in the page: a `data-row` element for each row of the screen, below
 * `data-line` elements for the lines above it.
 */
export class ScreenView {
  /** Scrolls. */
  readonly element: HTMLElement;
  readonly history: History;
  readonly #screen = document.createElement('div');
  readonly #cursor = document.createElement('div');
  readonly #composed = document.createElement('span');
  readonly #rows: HTMLElement[] = [];
  /** Whether the view follows the output. */
  readonly isFollowing = signal(true);
  /** Whether newer output is not shown, because a person has selected text, which would be lost. */
  readonly isHeld = signal(false);
  /** The newest state that is not shown. */
  #due: Terminal | null = null;
  #isSelected = false;
  readonly #onFollow: (newLines: number) => void;
  #cells: ScreenCells | null = null;
  /** The rows as they are in the page. */
  #shown: readonly (readonly Cell[])[] = [];
  #source: Terminal | null = null;
  #colors: ProgramColors | null = null;
  /** Whether the screen is higher than the element, so that the end depends on what is on it. */
  #isHigh = false;
  #isEndDue = false;
  /** How high the element was when the end was shown, in CSS pixels. */
  #height = 0;
  #hit: HTMLElement | null = null;
  #hitLine: number | null = null;
  /** The line to which the view is on its way, while its lines are read; null for none. */
  #awaited: number | null = null;
  /** Counts the ways to lines: a later one replaces those before. */
  #ways = 0;

  /** @param onFollow called with the number of lines that came since the view was frozen; 0 when it follows */
  constructor(
    element: HTMLElement,
    readLines: ReadLines | null,
    onFollow: (lines: number) => void,
  ) {
    this.element = element;
    this.#onFollow = onFollow;
    this.history = new History(element, readLines);
    this.#screen.className = 'screen';
    this.#cursor.className = 'cursor';
    this.#composed.className = 'composed';
    this.#composed.hidden = true;
    this.#cursor.append(this.#composed);
    this.#screen.append(this.#cursor);
    element.append(this.history.element, this.#screen);
    element.addEventListener('scroll', () => this.#scrolled(), { passive: true });
    copyLines(element);
    this.#followSelection();
  }

  /** The element in whose coordinates rows and columns are. */
  get screen(): HTMLElement {
    return this.#screen;
  }

  /** The element of the cursor, at which input methods show their window. */
  get cursor(): HTMLElement {
    return this.#cursor;
  }

  get follows(): boolean {
    return this.isFollowing.value;
  }

  /** Returns what a person sees of the screen: also what they have typed and the program has not echoed yet. */
  predict: ((screen: PredictableScreen) => PredictableScreen) | null = null;

  /** Returns the screen of a terminal. */
  read(terminal: Terminal): PredictableScreen & { readonly cells: ScreenCells } {
    const cells = terminal.screenCells(this.#source === terminal ? this.#cells : null);
    const { cursor, alternate } = terminal;
    return { cells, cursor, alternate, source: terminal };
  }

  /** Shows the newest state. Rows that have not changed stay as they are. */
  show(terminal: Terminal): void {
    if (this.#isSelected) {
      this.#due = terminal;
      this.isHeld.value = true;
      return;
    }
    const isSame = this.#source === terminal;
    const colors = terminal.viewModes;
    const isSameColors = this.#colors !== null && sameColors(this.#colors, colors);
    const screen = this.read(terminal);
    const { cells } = screen;
    const {
      cells: { rows: shown },
      cursor,
    } = this.predict?.(screen) ?? screen;
    if (!isSameColors) this.#recolor(colors);
    for (const [row, each] of shown.entries()) {
      if (isSame && isSameColors && this.#shown[row] === each) continue;
      const element = this.#row(row);
      // Another line is there now.
      if (element === this.#hit) this.#mark(null);
      showCells(element, each, colors, row < terminal.size.rows && terminal.wrapsAt(row));
    }
    while (this.#rows.length > cells.rows.length) this.#rows.pop()?.remove();
    this.#noteWraps(terminal);
    const hasNewRows = this.#cells?.rows.length !== cells.rows.length;
    this.#cells = cells;
    this.#shown = shown;
    this.#source = terminal;
    this.#colors = colors;
    this.#showCursor(cursor);
    const hasNewLines = this.history.show(terminal, colors, this.follows);
    if (!this.follows) this.#onFollow(this.history.linesBelow);
    else if (hasNewRows || hasNewLines || this.#isHigh) this.#moveToEnd();
    else this.#toEndLater();
  }

  /** Remembers what is behind the text of each row in its line, for copies: see `textOf`. */
  #noteWraps(terminal: Terminal): void {
    for (const [row, { dataset }] of this.#rows.entries()) {
      const behind = behindRow(terminal, row);
      if (dataset['behind'] === behind) continue;
      if (behind === undefined) delete dataset['behind'];
      else dataset['behind'] = behind;
    }
  }

  /** Holds output back while a person has selected text with the mouse, a finger or keys; see {@link isHeld}. */
  #followSelection(): void {
    const { element } = this;
    let isDown = false;
    let actedAtMs = Number.NEGATIVE_INFINITY;
    const acted = ({ type }: Event) => {
      isDown = type === 'pointerdown';
      actedAtMs = performance.now();
    };
    const selected = () => {
      if (!element.isConnected) {
        for (const type of acts) document.removeEventListener(type, acted);
        document.removeEventListener('selectionchange', selected);
        return;
      }
      this.#selected(isDown || performance.now() - actedAtMs < actMs);
    };
    for (const type of acts) document.addEventListener(type, acted);
    document.addEventListener('selectionchange', selected);
  }

  /** Text was selected, or is no longer. */
  #selected(isByPerson: boolean): void {
    const selection = getSelection();
    const isAny = isByPerson && selection !== null && !selection.isCollapsed;
    const has = (node: Node | null) => this.element.contains(node);
    this.#isSelected = isAny && (has(selection.anchorNode) || has(selection.focusNode));
    if (!this.#isSelected) this.#showDue();
  }

  #showDue(): void {
    const due = this.#due;
    this.#due = null;
    this.isHeld.value = false;
    if (due !== null) this.show(due);
  }

  /** Nothing is selected any more, and the newest output is shown. */
  release(): void {
    if (!this.#isSelected) return;
    getSelection()?.removeAllRanges();
    this.#isSelected = false;
    this.#showDue();
  }

  /** Paints all of it anew: the theme or the font has changed. A person who reads stays where they are. */
  repaint(): void {
    if (this.#source === null) return;
    const hit = this.#awaited ?? this.#hitLine;
    const first = this.follows ? null : this.firstInView();
    this.#colors = null;
    this.history.repaint();
    this.show(this.#source);
    const back = hit === null ? this.#readAt(first) : this.toLine(hit);
    ignored(back, 'without a connection, the lines are read when a person scrolls');
  }

  /** Shows a line at the top of what is in view; null: nothing changes. */
  async #readAt(line: number | null): Promise<void> {
    if (line === null) return;
    (await this.history.mount(line))?.scrollIntoView({ block: 'start' });
  }

  /** The end has hardly moved: the next frame of the browser needs the layout anyway. */
  #toEndLater(): void {
    if (this.#isEndDue) return;
    this.#isEndDue = true;
    requestAnimationFrame(() => {
      this.#isEndDue = false;
      if (this.follows) this.element.scrollTop = this.#end;
    });
  }

  /** Shows the end of the output, and follows it. */
  toEnd(): void {
    this.#awaited = null;
    this.#ways++;
    this.release();
    this.#moveToEnd();
  }

  /** The layout has changed: who follows the output still sees its end. */
  keepEnd(): void {
    if (this.follows && !this.#isSelected) this.#moveToEnd();
  }

  #moveToEnd(): void {
    this.isFollowing.value = true;
    this.#onFollow(0);
    this.history.follow();
    this.#height = this.element.clientHeight;
    this.element.scrollTop = this.#end;
  }

  /**
   * Where the end of the output is in view: the bottom, or the last row that is in use, if the screen is
   * higher than the element.
   */
  get #end(): number {
    const { clientHeight, scrollHeight } = this.element;
    const { offsetTop, offsetHeight } = this.#screen;
    const bottom = scrollHeight - clientHeight;
    // What is below the screen is its padding.
    this.#isHigh = scrollHeight - offsetTop > clientHeight;
    if (!this.#isHigh || this.#cells === null) return bottom;
    const { rows } = this.#cells;
    const isUsed = (row: readonly Cell[]) => row.some(({ text }) => text.trim() !== '');
    const last = Math.max(rows.findLastIndex(isUsed), this.#source?.cursor.row ?? 0);
    const end = offsetTop + ((last + 1) * offsetHeight) / rows.length;
    const top = this.history.element.offsetHeight === 0 ? 0 : offsetTop;
    return Math.min(bottom, Math.max(top, end - clientHeight));
  }

  /** Scrolls by what is in view, or to the first or the last line. */
  scroll(way: Scrolling): void {
    const { element } = this;
    const page = element.clientHeight * 0.9;
    if (way === 'end') this.toEnd();
    else if (way === 'home') element.scrollTop = 0;
    else element.scrollTop += way === 'pageup' ? -page : page;
  }

  /** Shows what is being composed at the cursor; empty for nothing. */
  compose(text: string): void {
    this.#composed.textContent = text;
    this.#composed.hidden = text === '';
    this.#cursor.classList.toggle('composing', text !== '');
  }

  /** Shows a line, frozen, and marks it until another one is found or shown in its place. */
  async toLine(line: number): Promise<void> {
    this.release();
    const source = this.#source;
    if (source !== null && line >= source.topLine) {
      this.toEnd();
      // Under a full-screen program, these are lines of the primary screen.
      const row = source.alternate ? null : source.rowOf(line);
      if (row !== null) this.#mark(this.#row(row), line);
      return;
    }
    this.isFollowing.value = false;
    this.#awaited = line;
    const way = ++this.#ways;
    const element = await this.history.mount(line);
    if (way !== this.#ways) return;
    this.#awaited = null;
    element?.scrollIntoView({ block: 'center' });
    this.#mark(element, line);
  }

  /** Returns the line above the screen that is at the top of what is in view; null if none is. */
  firstInView(): number | null {
    const { left, top } = this.element.getBoundingClientRect();
    const { topLine } = this.#source ?? {};
    // Behind the padding; what lies over the terminal is no row.
    for (const element of document.elementsFromPoint(left + 16, top + 12)) {
      if (!(element instanceof HTMLElement) || !this.element.contains(element)) continue;
      const { line, row } = element.closest<HTMLElement>('.row')?.dataset ?? {};
      if (line !== undefined) return Number(line);
      if (row !== undefined && topLine !== undefined) return topLine + Number(row);
    }
    return null;
  }

  /** The parts of lines that a search has found, by line: a line that is marked has its part marked most. */
  matches: ReadonlyMap<number, TextPart> = new Map();

  /** Shows no longer which line was found. */
  unmark(): void {
    this.#mark(null);
  }

  #mark(element: HTMLElement | null, line: number | null = null): void {
    this.#hit?.classList.remove('found');
    this.#hit = element;
    this.#hitLine = element === null ? null : line;
    const part = line === null ? undefined : this.matches.get(line);
    const range = element === null || part === undefined ? null : rangeIn(element, part);
    element?.classList.add('found');
    element?.classList.toggle('exact', range !== null);
    if (!('highlights' in CSS)) return;
    if (range === null) CSS.highlights.delete('found');
    else CSS.highlights.set('found', new Highlight(range));
  }

  #row(row: number): HTMLElement {
    for (let at = this.#rows.length; at <= row; at++) {
      const element = document.createElement('div');
      element.className = 'row';
      element.dataset['row'] = String(at);
      this.#rows.push(element);
      this.#cursor.before(element);
    }
    return this.#rows[row] as HTMLElement;
  }

  #recolor(modes: ViewModes): void {
    const { front, back } = screenColors(modes);
    this.element.style.color = front ?? '';
    this.element.style.backgroundColor = back ?? '';
    const { cursorColor } = modes;
    const cursor = cursorColor === null ? '' : `#${cursorColor.toString(16).padStart(6, '0')}`;
    this.#cursor.style.setProperty('--cursor', cursor);
  }

  #showCursor({ row, col, visible, shape, blinking }: Cursor): void {
    const { style } = this.#cursor;
    style.transform = `translate(calc(${col} * var(--cell-width)), calc(${row} * var(--row-height)))`;
    const composing = this.#composed.hidden ? '' : ' composing';
    const name = `cursor ${shape}${visible ? '' : ' off'}${blinking ? ' blinking' : ''}${composing}`;
    if (this.#cursor.className !== name) this.#cursor.className = name;
  }

  #scrolled(): void {
    // An earlier scroll is told only now: it ends no way to a line.
    if (this.#awaited !== null) return;
    // The layout scrolled, and not the person: it has changed since the end was shown.
    if (this.follows && this.element.clientHeight !== this.#height) {
      this.keepEnd();
      return;
    }
    const isAtEnd = this.element.scrollTop >= this.#end - followsWithin;
    if (isAtEnd === this.follows) {
      if (!isAtEnd) this.history.scrolled();
      return;
    }
    this.isFollowing.value = isAtEnd;
    if (!isAtEnd) this.history.scrolled();
    // What is selected stays: the end follows when it is not any more.
    else if (!this.#isSelected) this.toEnd();
  }
}

const sameColors = (a: ProgramColors, b: ProgramColors): boolean =>
  a.foreground === b.foreground &&
  a.background === b.background &&
  a.reverseVideo === b.reverseVideo &&
  JSON.stringify(a.palette) === JSON.stringify(b.palette);

/**
 * Hides and shows what blinks in the page's terminals, from now on. During an animation, a browser draws
 * one frame after the other, also while nothing changes, and output waits for them.
 */
export function startBlinking(): void {
  const { classList } = document.documentElement;
  setInterval(() => {
    const isOff = classList.contains('blink-off');
    if (isOff || document.querySelector('.blink, .cursor.blinking') !== null) {
      classList.toggle('blink-off');
    }
  }, blinkMs);
}

/** A part of a text, in UTF-16 code units. */
export interface TextPart {
  readonly start: number;
  /** Excluded. */
  readonly end: number;
}

/** Returns a part of a line that begins with a row, which may go on in the rows below; null if it is not there. */
function rangeIn(first: HTMLElement, { start, end }: TextPart): Range | null {
  const range = new Range();
  let at = 0;
  let isBegun = false;
  for (let row: Element | null = first; row instanceof HTMLElement; row = row.nextElementSibling) {
    const texts = document.createTreeWalker(row, NodeFilter.SHOW_TEXT);
    for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
      const length = node.textContent?.length ?? 0;
      if (!isBegun && start < at + length) {
        range.setStart(node, Math.max(0, start - at));
        isBegun = true;
      }
      if (isBegun && end <= at + length) {
        range.setEnd(node, end - at);
        return range;
      }
      at += length;
    }
    const { behind } = row.dataset;
    if (behind === undefined) return null;
    at += behind.length;
  }
  return null;
}

/** Rows of the screen, and lines above it. */
const rows = '.row';

/**
 * Copies what is selected in a terminal as its lines: a browser leaves out those that are empty, and ends one
 * where the screen wraps it.
 */
function copyLines(element: HTMLElement): void {
  element.addEventListener('copy', (event) => {
    const selection = getSelection();
    if (selection === null || selection.isCollapsed || event.clipboardData === null) return;
    const text = textOf(selection.getRangeAt(0).cloneContents());
    event.clipboardData.setData('text/plain', text);
    event.preventDefault();
  });
}

/** @param selected `data-behind` of a row or a line is what is behind it in place of a line feed */
function textOf(selected: DocumentFragment): string {
  const elements = [...selected.querySelectorAll<HTMLElement>(rows)];
  // A part of one row.
  if (elements.length === 0) return selected.textContent ?? '';
  const texts = elements.map(({ textContent, dataset: { behind = '\n' } }, at) =>
    at === elements.length - 1 ? textContent : textContent + behind,
  );
  return texts.join('');
}

/** Returns the blanks at which a row of the screen is wrapped; undefined if its line ends with it. */
function behindRow(source: Terminal, row: number): string | undefined {
  if (row >= source.size.rows || !source.wrapsAt(row)) return undefined;
  const text = source.readRow(row).text();
  return text.slice(text.trimEnd().length);
}
