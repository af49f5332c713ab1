import type { Style } from '#model';
import * as attribute from './attributes.ts';
import { attributesMask } from './attributes.ts';
import { defaultColor, toColor } from './color.ts';
import type { Link, LinkTable } from './link-table.ts';
import {
  attributesBits,
  attributesShift,
  colorsMask,
  wordAttributes,
  wordBackground,
  wordForeground,
  wordOf,
} from './style-word.ts';

/** Words per entry: foreground, background, underline colour, attributes. */
export const entryWords = 4;
const firstCapacity = 16;
/** Approximate bytes of a style object. */
const bytesOfView = 200;
/** Maximum number of cached style objects for styles without an entry. */
const maxWordViews = 1024;

/**
 * The styles that do not fit a style word (`style-word.ts`), each stored once. Entries are numbered
 * from 0; {@link StyleTable.retain} renumbers them.
 */
export class StyleTable {
  readonly #links: LinkTable;
  #entries = new Int32Array(firstCapacity * entryWords);
  #size = 0;
  /** Open addressing: each slot contains an index + 1, or 0. */
  #slots = new Int32Array(firstCapacity * 2);
  /** By index. */
  #views: (Style | undefined)[] = [];
  readonly #wordViews = new Map<number, Style>();

  constructor(links: LinkTable) {
    this.#links = links;
  }

  /** Number of entries. */
  get size(): number {
    return this.#size;
  }

  /** All entries, {@link entryWords} words each; valid until the next change. */
  get entries(): Int32Array {
    return this.#entries;
  }

  /** Approximate allocated memory in bytes. */
  get bytes(): number {
    const views = (this.#views.length + this.#wordViews.size) * bytesOfView;
    return this.#entries.byteLength + this.#slots.byteLength + views;
  }

  /** Returns the word of a style, adding an entry if needed. */
  intern(fg: number, bg: number, underlineColor: number, attributes: number): number {
    const word = wordOf(fg, bg, underlineColor, attributes);
    return word >= 0 ? word : ~this.entry(fg, bg, underlineColor, attributes);
  }

  /** Returns the index of the entry of a style that does not fit a style word. */
  entry(fg: number, bg: number, underlineColor: number, attributes: number): number {
    const mask = this.#slots.length - 1;
    let slot = hash(fg, bg, underlineColor, attributes) & mask;
    for (;;) {
      const index = this.#slots[slot] - 1;
      if (index < 0) return this.#add(slot, fg, bg, underlineColor, attributes);
      const at = index * entryWords;
      if (
        this.#entries[at] === fg &&
        this.#entries[at + 1] === bg &&
        this.#entries[at + 2] === underlineColor &&
        this.#entries[at + 3] === attributes
      ) {
        return index;
      }
      slot = (slot + 1) & mask;
    }
  }

  fg(style: number): number {
    return style >= 0 ? wordForeground(style) : this.#entries[~style * entryWords];
  }

  bg(style: number): number {
    return style >= 0 ? wordBackground(style) : this.#entries[~style * entryWords + 1];
  }

  underlineColor(style: number): number {
    return style >= 0 ? defaultColor : this.#entries[~style * entryWords + 2];
  }

  attributes(style: number): number {
    return style >= 0 ? wordAttributes(style) : this.#entries[~style * entryWords + 3];
  }

  /** A number that does not change when entries are renumbered. */
  hash(style: number): number {
    if (style >= 0) return style;
    const at = ~style * entryWords;
    const [fg, bg] = [this.#entries[at], this.#entries[at + 1]];
    return hash(fg, bg, this.#entries[at + 2], this.#entries[at + 3]);
  }

  /** The links that entries refer to. */
  get links(): LinkTable {
    return this.#links;
  }

  /** Null if there is none. */
  link(style: number): Link | null {
    return this.#links.get(attribute.linkNumber(this.attributes(style)));
  }

  /** Must be called when link numbers are released. */
  forgetViews(): void {
    this.#views = [];
  }

  /**
   * Returns the style as an object of the model. The same style yields the same object while it is
   * cached.
   */
  view(style: number): Style {
    const before = style >= 0 ? this.#wordViews.get(style) : this.#views[~style];
    if (before !== undefined) return before;
    const view = this.#makeView(style);
    if (style < 0) this.#views[~style] = view;
    else {
      if (this.#wordViews.size === maxWordViews) this.#wordViews.clear();
      this.#wordViews.set(style, view);
    }
    return view;
  }

  /**
   * Removes the entries whose mark is 0. Returns the new index of each old one. The capacity stays,
   * because it is probably needed again.
   */
  retain(marks: Uint8Array): Int32Array {
    const entries = this.#entries;
    const moved = new Int32Array(this.#size).fill(-1);
    this.#slots.fill(0);
    this.#size = 0;
    this.#views = [];
    for (let index = 0; index < moved.length; index++) {
      if (marks[index] === 0) continue;
      const at = index * entryWords;
      // It moves to the front, never over one that has not moved yet.
      moved[index] = this.entry(entries[at], entries[at + 1], entries[at + 2], entries[at + 3]);
    }
    return moved;
  }

  #add(slot: number, fg: number, bg: number, underlineColor: number, attributes: number): number {
    const index = this.#size++;
    this.#slots[slot] = index + 1;
    const at = index * entryWords;
    if (at === this.#entries.length) {
      const grown = new Int32Array(this.#entries.length * 2);
      grown.set(this.#entries);
      this.#entries = grown;
    }
    this.#entries[at] = fg;
    this.#entries[at + 1] = bg;
    this.#entries[at + 2] = underlineColor;
    this.#entries[at + 3] = attributes;
    if (this.#size * 2 > this.#slots.length) this.#rehash();
    return index;
  }

  #rehash(): void {
    const slots = new Int32Array(this.#slots.length * 2);
    const mask = slots.length - 1;
    for (let index = 0; index < this.#size; index++) {
      let slot = this.hash(~index) & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = index + 1;
    }
    this.#slots = slots;
  }

  #makeView(style: number): Style {
    const attributes = this.attributes(style);
    const has = (bit: number) => (attributes & bit) !== 0;
    return Object.freeze({
      fg: toColor(this.fg(style)),
      bg: toColor(this.bg(style)),
      underlineColor: toColor(this.underlineColor(style)),
      underline: attribute.underlineStyle(attributes),
      bold: has(attribute.bold),
      dim: has(attribute.dim),
      italic: has(attribute.italic),
      blink: has(attribute.blink),
      inverse: has(attribute.inverse),
      hidden: has(attribute.hidden),
      strikethrough: has(attribute.strikethrough),
      overline: has(attribute.overline),
      link: this.link(style)?.uri ?? null,
    });
  }
}

/** Multiplies by odd constants, so that similar colours have different hashes. */
function hash(fg: number, bg: number, underlineColor: number, attributes: number): number {
  let value = Math.imul(fg, 0x9e3779b1) ^ Math.imul(bg, 0x85ebca6b);
  value ^= Math.imul(underlineColor, 0xc2b2ae35) ^ Math.imul(attributes, 0x27d4eb2f);
  return value ^ (value >>> 15);
}

/** The changes whose results are kept. */
const maxChanges = 32;

/**
 * The results of the changes of attributes that a feed made (DECCARA, DECRARA). The same one is often
 * made again, and there may be hundreds of styles.
 */
export class StyleChanges {
  readonly #styles: StyleTable;
  readonly #byName = new Map<string, ChangedStyles>();

  constructor(styles: StyleTable) {
    this.#styles = styles;
  }

  /** @param name identifies `change` */
  of(name: string, change: (attributes: number) => number): ChangedStyles {
    const styles = this.#byName.get(name);
    if (styles !== undefined) {
      styles.grow();
      return styles;
    }
    if (this.#byName.size >= maxChanges) this.#byName.clear();
    const changed = new ChangedStyles(this.#styles, change);
    this.#byName.set(name, changed);
    return changed;
  }

  /** Must be called before styles are renumbered. */
  clear(): void {
    if (this.#byName.size > 0) this.#byName.clear();
  }
}

/**
 * Maps styles to changed styles. Each combination of attributes is computed once, because there are
 * many cells and few styles.
 */
export class ChangedStyles {
  /** By attributes of a style word: the resulting attribute bits; negative if not computed yet. */
  readonly bits = new Int32Array(attributesMask + 1).fill(-1);
  /** By entry of the style table: the resulting entry; negative if not computed yet. */
  entries: Int32Array;
  readonly #styles: StyleTable;
  readonly #change: (attributes: number) => number;

  constructor(styles: StyleTable, change: (attributes: number) => number) {
    this.entries = new Int32Array(styles.size).fill(-1);
    this.#styles = styles;
    this.#change = change;
  }

  /** Must be called before it is used again: styles may have been added. */
  grow(): void {
    const { size } = this.#styles;
    if (size <= this.entries.length) return;
    const grown = new Int32Array(2 * size).fill(-1);
    grown.set(this.entries);
    this.entries = grown;
  }

  of(style: number): number {
    const styles = this.#styles;
    const attributes = styles.attributes(style);
    const own = attributes & attributesMask;
    if (this.bits[own] < 0) this.bits[own] = attributesBits(this.#change(own));
    if (style >= 0) return (style & colorsMask) | this.bits[own];
    const changed = (attributes & ~attributesMask) | (this.bits[own] >> attributesShift);
    const underlineColor = styles.underlineColor(style);
    const next = styles.intern(styles.fg(style), styles.bg(style), underlineColor, changed);
    this.entries[~style] = ~next;
    return next;
  }
}
