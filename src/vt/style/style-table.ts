import type { Style } from '#model';
import * as attribute from './attributes.ts';
import { defaultColor, toColor } from './color.ts';
import type { Link, LinkTable } from './link-table.ts';
import { wordAttributes, wordBackground, wordForeground, wordOf } from './style-word.ts';

/** What an entry takes: foreground, background, underline colour, attributes. */
export const entryWords = 4;
const firstCapacity = 16;
/** About what a style in the words of the model takes. */
const bytesOfView = 200;
/** So many are kept of styles that need no entry. */
const maxWordViews = 1024;

/**
 * Every style in use that is more than its word (`style-word.ts`), kept once. Entries are numbered
 * from 0 on; {@link StyleTable.retain} numbers them anew.
 */
export class StyleTable {
  readonly #links: LinkTable;
  #entries = new Int32Array(firstCapacity * entryWords);
  #size = 0;
  /** Open addressing; a slot holds an index + 1, or 0. */
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

  /** All entries, {@link entryWords} each; valid until the next change. */
  get entries(): Int32Array {
    return this.#entries;
  }

  /** Whether any of them may have a link. */
  get hasLinks(): boolean {
    return this.#links.size > 0;
  }

  /** Memory held, in bytes, roughly. */
  get bytes(): number {
    const views = (this.#views.length + this.#wordViews.size) * bytesOfView;
    return this.#entries.byteLength + this.#slots.byteLength + views;
  }

  /** The word of a style. */
  intern(fg: number, bg: number, underlineColor: number, attributes: number): number {
    const word = wordOf(fg, bg, underlineColor, attributes);
    return word >= 0 ? word : ~this.entry(fg, bg, underlineColor, attributes);
  }

  /** The index of the entry of a style that is more than its word. */
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

  /** Null for none. */
  link(style: number): Link | null {
    return this.#links.get(attribute.linkNumber(this.attributes(style)));
  }

  /** To be called when numbers of links have been given up. */
  forgetViews(): void {
    this.#views = [];
  }

  /** A style in the words of the model; the same object for the same style, as long as it is kept. */
  view(style: number): Style {
    const known = style >= 0 ? this.#wordViews.get(style) : this.#views[~style];
    if (known !== undefined) return known;
    const view = this.#makeView(style);
    if (style < 0) this.#views[~style] = view;
    else {
      if (this.#wordViews.size === maxWordViews) this.#wordViews.clear();
      this.#wordViews.set(style, view);
    }
    return view;
  }

  /**
   * Forgets the entries whose mark is 0; returns the new index of each old one. What room the table
   * has it keeps: who needed it once will need it again.
   */
  retain(marks: Uint8Array): Int32Array {
    const old = this.#entries.slice(0, this.#size * entryWords);
    const moved = new Int32Array(this.#size).fill(-1);
    this.#slots.fill(0);
    this.#size = 0;
    this.#views = [];
    for (let index = 0; index < moved.length; index++) {
      if (marks[index] === 0) continue;
      const at = index * entryWords;
      moved[index] = this.entry(old[at], old[at + 1], old[at + 2], old[at + 3]);
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
      const at = index * entryWords;
      const [fg, bg] = [this.#entries[at], this.#entries[at + 1]];
      let slot = hash(fg, bg, this.#entries[at + 2], this.#entries[at + 3]) & mask;
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

/** Multiplications by odd constants, so that near colours fall far apart. */
function hash(fg: number, bg: number, underlineColor: number, attributes: number): number {
  let value = Math.imul(fg, 0x9e3779b1) ^ Math.imul(bg, 0x85ebca6b);
  value ^= Math.imul(underlineColor, 0xc2b2ae35) ^ Math.imul(attributes, 0x27d4eb2f);
  return value ^ (value >>> 15);
}
