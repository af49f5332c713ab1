import { ignored, safeLink } from '#base';
import { type Cell, counted, isSameStyle, plainStyle, runsOfCells, type Style } from '#model';
import type { Terminal } from '#vt';
import { cellColors, type ProgramColors } from './colors.ts';

/** Reads lines of the session that the page's terminal does not have. */
export type ReadLines = (from: number, to: number) => Promise<readonly (readonly Cell[])[]>;

/** Lines that are read at once. */
const pageLines = 200;
/** Lines above the screen while the view follows the output. */
const followedLines = 200;
/** The most lines in the page. */
const maxLines = 3_000;
/** The longest beginning of a line that is shown while the line goes on on the screen, in cells. */
const maxBegin = 16_384;
/** How near to the first line a person must be for more, in CSS pixels. */
const loadsWithin = 600;

/**
 * The lines above the screen that are in the page: neighbours, from `#from` up to but excluding `#to`.
 * More come when a person scrolls near an end of them.
 */
export class History {
  readonly element = document.createElement('div');
  readonly #scroller: HTMLElement;
  readonly #readLines: ReadLines | null;
  readonly #below = document.createElement('div');
  /** The beginning of the line of the topmost row, which is above the screen. */
  readonly #begin = document.createElement('div');
  #shownBegin = '';
  readonly #lines: HTMLElement[] = [];
  #from = 0;
  #to = 0;
  #terminal: Terminal | null = null;
  #cols = 0;
  #colors: ProgramColors | null = null;
  #loading: Promise<void> | null = null;
  /** Counts what invalidates lines that are being read. */
  #epoch = 0;
  #shownBelow = 0;
  /** The oldest line that the session has, as far as known. */
  #first = 0;

  constructor(scroller: HTMLElement, readLines: ReadLines | null) {
    this.#scroller = scroller;
    this.#readLines = readLines;
    this.element.className = 'history';
    this.#below.className = 'below';
    this.#below.hidden = true;
    this.#begin.className = 'row line';
    this.#begin.hidden = true;
    this.#begin.dataset['behind'] = '';
    this.element.append(this.#below, this.#begin);
  }

  /** The lines between those in the page and the screen. */
  get linesBelow(): number {
    return Math.max(0, (this.#terminal?.topLine ?? 0) - this.#to);
  }

  /**
   * Shows the lines of a terminal that are above its screen. Lines keep their numbers, also in another
   * terminal of the same session, until they are wrapped anew or erased.
   *
   * @returns whether lines in the page have come or gone
   */
  show(terminal: Terminal, colors: ProgramColors, follows: boolean): boolean {
    const [from, to] = [this.#from, this.#to];
    const { firstLine, topLine } = terminal;
    const isRewrapped = this.#cols !== terminal.size.cols;
    // Where the lines above the screen are erased, there are none.
    const isErased = firstLine === topLine && this.#terminal === terminal;
    const isOther = isRewrapped || topLine < this.#to || (isErased && this.#to > this.#from);
    if (isOther) {
      this.#clear(Math.max(firstLine, topLine - followedLines));
      this.#first = isErased ? firstLine : 0;
      this.#epoch++;
    }
    this.#terminal = terminal;
    this.#cols = terminal.size.cols;
    this.#colors = colors;
    if (follows) this.follow();
    else this.#showBelow();
    const hasOtherBegin = this.#showBegin(terminal, colors);
    return hasOtherBegin || isOther || this.#from !== from || this.#to !== to;
  }

  /** Makes the lines anew, when they are shown next. */
  repaint(): void {
    const terminal = this.#terminal;
    if (terminal === null) return;
    this.#epoch++;
    this.#shownBegin = '';
    this.#clear(Math.max(terminal.firstLine, terminal.topLine - followedLines));
  }

  /** @returns whether it is another one */
  #showBegin(terminal: Terminal, colors: ProgramColors): boolean {
    const { topLine, cellsAbove, alternate } = terminal;
    const count = alternate || cellsAbove > maxBegin ? 0 : cellsAbove;
    const shown = count === 0 ? '' : `${topLine} ${count}`;
    if (shown === this.#shownBegin) return false;
    this.#shownBegin = shown;
    this.#begin.hidden = count === 0;
    const [line = []] = count === 0 ? [] : ownLines(terminal, topLine, topLine + 1);
    const cells = line.slice(0, count);
    showCells(this.#begin, cells, colors);
    const blanks = cells.length - cells.findLastIndex(({ text }) => text !== ' ') - 1;
    this.#begin.dataset['behind'] = ' '.repeat(blanks);
    return true;
  }

  /** Shows the lines next to the screen, and no more than a few. */
  follow(): void {
    const terminal = this.#terminal;
    if (terminal === null) return;
    const { topLine } = terminal;
    if (this.#to === topLine && this.#lines.length <= followedLines) {
      this.#showBelow();
      return;
    }
    // The selection is read only now, because reading it makes the browser lay out the page.
    if (this.#hasSelection()) return;
    if (this.#to < topLine - followedLines) this.#clear(topLine - followedLines);
    this.#append(terminal, topLine);
    this.#dropFirst(this.#lines.length - followedLines);
    this.#showBelow();
  }

  /** A person scrolled. Loads lines if few are left. */
  scrolled(): void {
    const { scrollTop, clientHeight } = this.#scroller;
    if (scrollTop < loadsWithin) void this.#loadAbove();
    const bottom = this.#below.offsetTop - scrollTop - clientHeight;
    if (this.linesBelow > 0 && bottom < loadsWithin) void this.#loadBelow();
  }

  /** Returns the element of a line, with lines around it; null if the session no longer has it. */
  async mount(line: number): Promise<HTMLElement | null> {
    if (line < this.#from || line >= this.#to) {
      const half = pageLines / 2;
      const from = Math.max(0, line - half);
      const to = Math.min(line + half, this.#terminal?.topLine ?? line);
      const lines = await this.#read(from, to);
      // They were made anew meanwhile, as when a font has been loaded.
      if (lines === null) return this.mount(line);
      // Those that are missing are the oldest.
      this.#clear(to - lines.length);
      this.#add(lines, 'append');
      this.#showBelow();
    }
    return this.#lines[line - this.#from] ?? null;
  }

  #loadAbove(): Promise<void> {
    return this.#load(async () => {
      const to = this.#from;
      const lines = await this.#read(Math.max(this.#first, to - pageLines), to);
      if (lines === null || to !== this.#from) return;
      this.#keepPlace(() => this.#add(lines, 'prepend'));
      this.#dropLast(this.#lines.length - maxLines);
      if (lines.length === 0) this.#first = to;
    });
  }

  #loadBelow(): Promise<void> {
    return this.#load(async () => {
      const from = this.#to;
      const to = Math.min(from + pageLines, this.#terminal?.topLine ?? from);
      const lines = await this.#read(from, to);
      if (lines === null || from !== this.#to) return;
      this.#add(lines, 'append');
      this.#keepPlace(() => this.#dropFirst(this.#lines.length - maxLines));
      this.#showBelow();
    });
  }

  /** Adds or drops lines above those that a person sees, which stay where they are. */
  #keepPlace(change: () => void): void {
    const { scrollTop, scrollHeight } = this.#scroller;
    change();
    this.#scroller.scrollTop = scrollTop + this.#scroller.scrollHeight - scrollHeight;
  }

  #load(work: () => Promise<void>): Promise<void> {
    this.#loading ??= ignored(
      work(),
      'what was not read is asked for again at the next scroll',
    ).finally(() => {
      this.#loading = null;
    });
    return this.#loading;
  }

  /** Returns lines; fewer if they no longer exist, and null if they are no longer the same. */
  async #read(from: number, to: number): Promise<readonly (readonly Cell[])[] | null> {
    const terminal = this.#terminal;
    if (terminal === null || from >= to) return [];
    if (from >= terminal.firstLine) return ownLines(terminal, from, to);
    const epoch = this.#epoch;
    const read = (await this.#readLines?.(from, to)) ?? [];
    return epoch === this.#epoch ? read : null;
  }

  #append(terminal: Terminal, to: number): void {
    const from = Math.max(this.#to, terminal.firstLine);
    if (from > this.#to) this.#clear(from);
    this.#add(ownLines(terminal, from, to), 'append');
  }

  #add(lines: readonly (readonly Cell[])[], at: 'append' | 'prepend'): void {
    const colors = this.#colors;
    if (colors === null || lines.length === 0) return;
    const first = at === 'append' ? this.#to : this.#from - lines.length;
    const elements = lines.map((cells, index) => {
      const element = document.createElement('div');
      element.className = 'row line';
      element.dataset['line'] = String(first + index);
      showCells(element, cells, colors);
      return element;
    });
    if (at === 'append') {
      this.#lines.push(...elements);
      this.#to += lines.length;
      this.#below.before(...elements);
    } else {
      this.#lines.unshift(...elements);
      this.#from -= lines.length;
      this.element.prepend(...elements);
    }
  }

  #dropFirst(count: number): void {
    if (count <= 0) return;
    for (const element of this.#lines.splice(0, count)) element.remove();
    this.#from += count;
  }

  #dropLast(count: number): void {
    if (count <= 0) return;
    for (const element of this.#lines.splice(this.#lines.length - count)) element.remove();
    this.#to -= count;
    this.#showBelow();
  }

  #clear(at: number): void {
    for (const element of this.#lines.splice(0)) element.remove();
    this.#from = this.#to = Math.max(0, at);
  }

  #showBelow(): void {
    const count = this.linesBelow;
    if (count === this.#shownBelow) return;
    this.#shownBelow = count;
    this.#below.hidden = count === 0;
    this.#below.textContent = count === 0 ? '' : counted(count.toLocaleString('en'), 'line');
  }

  /** Selected lines stay in the page. */
  #hasSelection(): boolean {
    const selection = getSelection();
    if (selection === null || selection.isCollapsed) return false;
    return this.element.contains(selection.anchorNode);
  }
}

function ownLines(terminal: Terminal, from: number, to: number): Cell[][] {
  return Array.from(terminal.readLines(from, to), ({ reader }) => reader.cells());
}

/** Text of which every font has each character in one column. */
const plainText =
  /^[\x20-\x7e\xa0-\xff\u23be\u23bf\u23cb\u23cc\u23f4-\u23fa\u2500-\u259f\u276e\u276f\u2800-\u28ff\ue0b0-\ue0bf]*$/;

/**
 * Shows cells in an element, as text in spans: one for each run of a style. Characters whose width
 * fonts dispute are in boxes of their columns, each alone, so that words stay words. Addresses are links. Blanks at the
 * end are left out.
 *
 * @param goesOn whether the cells are a row that is wrapped: an address at its end is not whole, and is no link
 */
export function showCells(
  element: HTMLElement,
  cells: readonly Cell[],
  colors: ProgramColors,
  goesOn = false,
): void {
  const nodes: Node[] = [];
  const all = runsOfCells(cells);
  for (const [at, { text, cols, cluster, style }] of all.entries()) {
    const next = all[at + 1];
    const isCut = next === undefined ? goesOn : !next.text.startsWith(' ');
    const isPlain = isSameStyle(style, plainStyle) && !colors.reverseVideo;
    const width = cols / (cluster ? 1 : [...text].length);
    const pieces: readonly Piece[] =
      cluster || style.link !== null ? [{ text }] : withAddresses(text, isCut);
    for (const piece of pieces) {
      const parts = boxed(cluster ? [text] : [...piece.text], width);
      if (!isPlain || piece.href !== undefined) nodes.push(styled(style, piece, parts, colors));
      else for (const part of parts) nodes.push(typeof part === 'string' ? new Text(part) : part);
    }
  }
  element.replaceChildren(...nodes);
}

/** A part of a text; with an address if it is one. */
interface Piece {
  readonly text: string;
  readonly href?: string;
}

const address = /https?:\/\/[^\s<>"'`|\\^{}]+/gi;
/** What ends a sentence, and no address. */
const behindAddress = /[.,;:!?*]+$/;

/** Returns a text in parts, of which some are addresses. @param isCut whether the text goes on behind its end */
function withAddresses(text: string, isCut: boolean): Piece[] {
  // Most text has none.
  if (!text.includes('://')) return [{ text }];
  const pieces: Piece[] = [];
  let from = 0;
  for (const { 0: link, index } of text.matchAll(address)) {
    const whole = withoutBracket(link.replace(behindAddress, ''));
    const href = safeLink(whole, 'browser');
    if (href === null || (isCut && index + link.length === text.length)) continue;
    if (index > from) pieces.push({ text: text.slice(from, index) });
    pieces.push({ text: whole, href });
    from = index + whole.length;
  }
  if (from < text.length) pieces.push({ text: text.slice(from) });
  return pieces;
}

/** An address may have brackets; one at its end that it does not open is that of the text around it. */
function withoutBracket(text: string): string {
  const last = text.at(-1);
  const open = last === ')' ? '(' : last === ']' ? '[' : null;
  if (open === null || text.split(open).length >= text.split(last ?? '').length) return text;
  return withoutBracket(text.slice(0, -1).replace(behindAddress, ''));
}

/** Returns text, and boxes of the graphemes whose width fonts dispute. @param cols of each of them */
function boxed(graphemes: readonly string[], cols: number): (string | HTMLElement)[] {
  const parts: (string | HTMLElement)[] = [];
  let plain = '';
  for (const grapheme of graphemes) {
    if (cols === 1 && plainText.test(grapheme)) {
      plain += grapheme;
      continue;
    }
    if (plain !== '') parts.push(plain);
    plain = '';
    const box = document.createElement('span');
    box.className = cols === 2 ? 'w2' : 'w1';
    box.textContent = grapheme;
    parts.push(box);
  }
  if (plain !== '') parts.push(plain);
  return parts;
}

const attributes = ['bold', 'italic', 'dim', 'blink', 'strikethrough', 'overline'] as const;

function styled(
  style: Style,
  { text, href }: Piece,
  parts: readonly (string | HTMLElement)[],
  colors: ProgramColors,
): HTMLElement {
  const link = href ?? safeLink(style.link, 'browser');
  const span = document.createElement(link === null ? 'span' : 'a');
  const names: string[] = attributes.filter((name) => style[name]);
  if (style.underline !== 'none') names.push(`underline-${style.underline}`);
  // Concealed text is not for eyes, but the row keeps it, as other readers of the screen have it.
  if (style.hidden) names.push('concealed');
  const { front, back } = cellColors(style, colors, text);
  if (back !== null) names.push('filled');
  if (names.length > 0) span.className = names.join(' ');
  if (front !== null) {
    if (style.dim || style.blink || style.hidden) span.style.setProperty('--text', front);
    else span.style.color = front;
  }
  if (back !== null) span.style.backgroundColor = back;
  if (style.underlineColor !== null && style.underline !== 'none') {
    const line = cellColors({ ...plainStyle, fg: style.underlineColor }, colors, '─').front;
    if (line !== null) span.style.textDecorationColor = line;
  }
  if (link !== null) span.dataset['href'] = link;
  if (href !== undefined) span.dataset['shown'] = '';
  span.append(...parts);
  return span;
}
