import { type Cell, plainStyle, type Style } from '#model';
import { textCells } from '#vt/widths';
import { type Align, changedBy, type Drawn, drawnAs, type RangeOf } from './styles.ts';

/** A part of a line that the mouse can find. */
export interface LineRange extends RangeOf {
  /** The first column, and the one after the last. */
  readonly from: number;
  readonly to: number;
}

/** A line as it is drawn. */
export interface DrawnLine {
  readonly cells: readonly Cell[];
  readonly ranges: readonly LineRange[];
}

const sectionNames = [
  'left',
  'centre',
  'right',
  'absolute-centre',
  'list',
  'list-left',
  'list-right',
  'after',
] as const;

type SectionName = (typeof sectionNames)[number];

/** The text of a part of the line, before it has a place. */
class Section {
  readonly cells: Cell[] = [];
  readonly ranges: LineRange[] = [];

  get width(): number {
    return this.cells.length;
  }

  add(other: Section): void {
    const { width } = this;
    this.cells.push(...other.cells);
    for (const { from, to, ...of } of other.ranges) {
      this.ranges.push({ ...of, from: from + width, to: to + width });
    }
  }
}

type Sections = Readonly<Record<SectionName, Section>>;

/** Reads an expanded format, as `format_draw` of tmux does. */
class FormatReader {
  readonly sections: Sections;
  listAlign: Align = 'default';
  hasList = false;
  focus: { start: number; end: number } | null = null;
  fill: Drawn['fill'];
  readonly #base: Style;
  #default: Style;
  #drawn: Drawn;
  #current: SectionName = 'left';
  #range: { of: RangeOf; section: SectionName; from: number } | null = null;
  /** Before the list, in it, and after it. */
  #state: 'before' | 'in' | 'after' = 'before';
  #focusStart = -1;
  #focusEnd = -1;
  readonly #places: Record<Align, SectionName> = {
    default: 'left',
    left: 'left',
    centre: 'centre',
    right: 'right',
    'absolute-centre': 'absolute-centre',
  };

  constructor(base: Style) {
    this.#base = base;
    this.#default = base;
    this.#drawn = drawnAs(base);
    this.sections = Object.fromEntries(
      sectionNames.map((name) => [name, new Section()]),
    ) as unknown as Sections;
  }

  read(text: string): void {
    for (let at = 0; at < text.length; ) {
      const [hashes = ''] = /^#+/.exec(text.slice(at)) ?? [];
      const next = text[at + hashes.length];
      if (hashes.length > 0 && next === '[') {
        const isStyle = hashes.length % 2 === 1;
        this.#put('#'.repeat(hashes.length >> 1));
        at += hashes.length + 1;
        if (!isStyle || this.#drawn.isIgnored) {
          this.#put(isStyle ? '#[' : '[');
          continue;
        }
        const end = text.indexOf(']', at);
        if (end === -1) break;
        this.#change(text.slice(at, end));
        at = end + 1;
      } else if (hashes.length > 0) {
        this.#put('#'.repeat((hashes.length + 1) >> 1));
        at += hashes.length;
      } else {
        const end = text.indexOf('#', at);
        const plain = text.slice(at, end === -1 ? text.length : end);
        this.#put(plain);
        at += plain.length;
      }
    }
    if (this.#range !== null) this.#endRange();
    if (this.#focusStart !== -1 && this.#focusEnd !== -1) {
      this.focus = { start: this.#focusStart, end: this.#focusEnd };
    }
  }

  #put(text: string): void {
    if (text === '') return;
    const printable = text.replace(/[\x00-\x1f\x7f]/g, '');
    this.sections[this.#current].cells.push(...textCells(printable, this.#drawn.style));
  }

  #change(words: string): void {
    const before = this.#drawn;
    const next = changedBy(words, before, this.#default);
    if (next === null) return;
    this.#drawn = next;
    if (next.fill !== undefined) this.fill = next.fill;
    if (next.defaults === 'push') this.#default = before.style;
    else if (next.defaults === 'pop') this.#default = this.#base;
    this.#changeList();
    this.#changeRange();
  }

  #changeList(): void {
    const { list, align } = this.#drawn;
    const { width } = this.sections.list;
    const endFocus = () => {
      if (this.#focusStart !== -1 && this.#focusEnd === -1) this.#focusEnd = width;
    };
    if (list === 'on') {
      if (this.#state !== 'in') {
        this.#range = null;
        this.#state = 'in';
        this.hasList = true;
        this.listAlign = align;
      }
      endFocus();
      this.#current = 'list';
    } else if (list === 'focus') {
      if (this.#state === 'in' && this.#focusStart === -1) this.#focusStart = width;
    } else if (list === 'off') {
      if (this.#state === 'in') {
        this.#range = null;
        endFocus();
        this.#places[this.listAlign] = 'after';
        if (this.listAlign === 'left') this.#places.default = 'after';
        this.#state = 'after';
      }
      this.#current = this.#places[align];
    } else if (this.#state === 'in') {
      const name = list === 'left-marker' ? 'list-left' : 'list-right';
      if (this.sections[name].width > 0) return;
      this.#range = null;
      this.#current = name;
    }
  }

  #changeRange(): void {
    const { range } = this.#drawn;
    const open = this.#range;
    const isSame =
      open !== null && range?.kind === open.of.kind && range.argument === open.of.argument;
    if (open !== null && !isSame) this.#endRange();
    if (this.#range !== null || range === null) return;
    const section = this.#current;
    this.#range = { of: range, section, from: this.sections[section].width };
  }

  #endRange(): void {
    const open = this.#range;
    this.#range = null;
    if (open === null) return;
    const { of, section, from } = open;
    const to = this.sections[section].width;
    if (to > from) this.sections[section].ranges.push({ ...of, from, to });
  }
}

/** Puts parts of sections into a line. */
class Line {
  readonly cells: Cell[];
  readonly ranges: LineRange[] = [];

  constructor(width: number, style: Style) {
    this.cells = Array.from({ length: width }, () => ({ text: ' ', width: 1, style }));
  }

  /** Puts columns of a section at a column. */
  put(section: Section, at: number, from: number, width: number): void {
    for (let col = 0; col < width; col++) {
      const cell = section.cells[from + col];
      if (cell !== undefined && at + col >= 0 && at + col < this.cells.length) {
        this.cells[at + col] = cell;
      }
    }
    for (const { from: first, to, ...of } of section.ranges) {
      const [start, end] = [Math.max(first, from), Math.min(to, from + width)];
      if (start < end) this.ranges.push({ ...of, from: at + start - from, to: at + end - from });
    }
  }
}

type Widths = Record<'left' | 'centre' | 'right' | 'list' | 'after', number>;

/** Makes parts narrower, in an order, until they fit. */
function trim(widths: Widths, available: number, order: readonly (keyof Widths)[]): void {
  let over = Object.values(widths).reduce((sum, each) => sum + each, 0) - available;
  for (const name of order) {
    const by = Math.min(Math.max(0, over), widths[name]);
    widths[name] -= by;
    over -= by;
  }
}

/**
 * Returns a line of a width from an expanded format with styles: what is on the left, in the centre, on the right,
 * and a list of which the part in focus is shown.
 *
 * @param base the style of blanks and of `default`
 */
export function drawFormat(text: string, width: number, base: Style = plainStyle): DrawnLine {
  const reader = new FormatReader(base);
  reader.read(text);
  const { sections, fill } = reader;
  const line = new Line(width, fill === undefined ? base : { ...base, bg: fill });
  if (reader.hasList && sections.list.width > 0) placeWithList(line, reader);
  else {
    if (reader.hasList) sections[afterOf(reader.listAlign)].add(sections.after);
    placeWithoutList(line, sections);
  }
  return { cells: wholeCells(line.cells), ranges: line.ranges };
}

/** Where what follows an empty list goes. */
const afterOf = (align: Align): SectionName => (align === 'default' ? 'left' : align);

function placeWithoutList(line: Line, sections: Sections): void {
  const { left, centre, right } = sections;
  const available = line.cells.length;
  const widths: Widths = {
    left: left.width,
    centre: centre.width,
    right: right.width,
    list: 0,
    after: 0,
  };
  trim(widths, available, ['centre', 'right', 'left']);
  line.put(left, 0, 0, widths.left);
  line.put(right, available - widths.right, right.width - widths.right, widths.right);
  putCentre(line, centre, widths.centre, widths.left, available - widths.right);
  putAbsolute(line, sections);
}

/** Puts the centre in the middle between two columns. */
function putCentre(line: Line, centre: Section, width: number, from: number, to: number): void {
  const at = from + Math.trunc((to - from) / 2) - (width >> 1);
  line.put(centre, at, (centre.width >> 1) - (width >> 1), width);
}

function putAbsolute(line: Line, sections: Sections): void {
  const section = sections['absolute-centre'];
  const available = line.cells.length;
  const width = Math.min(section.width, available);
  line.put(section, (available - width) >> 1, 0, width);
}

const trimmedFirst: Readonly<Record<Align, readonly (keyof Widths)[]>> = {
  default: ['centre', 'list', 'right', 'after', 'left'],
  left: ['centre', 'list', 'right', 'after', 'left'],
  centre: ['list', 'after', 'centre', 'right', 'left'],
  right: ['centre', 'list', 'right', 'after', 'left'],
  'absolute-centre': ['list', 'after', 'centre', 'right', 'left'],
};

function placeWithList(line: Line, reader: FormatReader): void {
  const { sections, listAlign } = reader;
  const { left, centre, right, list, after } = sections;
  const available = line.cells.length;
  const isAbsolute = listAlign === 'absolute-centre';
  const widths: Widths = {
    left: left.width,
    centre: centre.width,
    right: right.width,
    list: list.width,
    after: after.width,
  };
  trim(widths, available, trimmedFirst[listAlign]);
  if (widths.list === 0) {
    sections[afterOf(listAlign)].add(after);
    placeWithoutList(line, sections);
    return;
  }
  line.put(left, 0, 0, widths.left);
  const ofRight = available - widths.right;
  if (listAlign === 'centre' || isAbsolute) {
    line.put(right, ofRight, right.width - widths.right, widths.right);
    const middle = (widths.left + ofRight) >> 1;
    const from = isAbsolute ? (available - widths.list) >> 1 : middle - (widths.list >> 1);
    line.put(centre, from - widths.centre, 0, widths.centre);
    line.put(after, from + widths.list, 0, widths.after);
    putList(line, reader, from, widths.list, list.width >> 1);
    if (!isAbsolute) putAbsolute(line, sections);
    return;
  }
  if (listAlign === 'right') {
    const from = available - widths.list - widths.after;
    line.put(after, available - widths.after, after.width - widths.after, widths.after);
    line.put(right, from - widths.right, 0, widths.right);
    putCentre(line, centre, widths.centre, widths.left, from - widths.right);
    putList(line, reader, from, widths.list, 0);
  } else {
    line.put(right, ofRight, right.width - widths.right, widths.right);
    const end = widths.left + widths.list + widths.after;
    line.put(after, widths.left + widths.list, 0, widths.after);
    putCentre(line, centre, widths.centre, end, ofRight);
    putList(line, reader, widths.left, widths.list, 0);
  }
  putAbsolute(line, sections);
}

/** Puts the list, or the part around its focus, with marks where it goes on. @param middle without a focus */
function putList(
  line: Line,
  { sections, focus }: FormatReader,
  at: number,
  x: number,
  middle: number,
): void {
  const { list } = sections;
  if (x >= list.width) {
    line.put(list, at, 0, x);
    return;
  }
  const centre = focus === null ? middle : focus.start + ((focus.end - focus.start) >> 1);
  let start = centre < x >> 1 ? 0 : centre - (x >> 1);
  if (start + x > list.width) start = list.width - x;
  const before = sections['list-left'];
  const beyond = sections['list-right'];
  let [offset, width] = [at, x];
  if (start !== 0 && width > before.width) {
    line.put(before, offset, 0, before.width);
    offset += before.width;
    start += before.width;
    width -= before.width;
  }
  if (start + width < list.width && width > beyond.width) {
    line.put(beyond, offset + width - beyond.width, 0, beyond.width);
    width -= beyond.width;
  }
  line.put(list, offset, start, width);
}

/** Replaces halves of wide characters by blanks. */
const wholeCells = (cells: readonly Cell[]): Cell[] =>
  cells.map((cell, at) => {
    const isHalf =
      (cell.width === 0 && cells[at - 1]?.width !== 2) ||
      (cell.width === 2 && cells[at + 1]?.width !== 0);
    return isHalf ? { text: ' ', width: 1, style: cell.style } : cell;
  });

/** Returns how many columns a format takes, without its styles. */
export function formatWidth(text: string): number {
  const reader = new FormatReader(plainStyle);
  reader.read(text);
  return Object.values(reader.sections).reduce((sum, { width }) => sum + width, 0);
}
