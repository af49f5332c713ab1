import type { Style } from '#model';
import * as attribute from './attributes.ts';
import { defaultColor, toColor } from './color.ts';
import type { Link, LinkTable } from './link-table.ts';
import { encodedStyleBytes, encodeStyle } from './style-encoding.ts';

/** The id of the style that a fresh terminal writes in. */
export const defaultStyle = 0;

/** Words a style takes: foreground, background, underline colour, attributes. */
const words = 4;
const firstCapacity = 16;
/** About what a style in the words of the model takes. */
const bytesOfView = 200;

/**
 * Every style in use, kept once, so that a cell needs one small number for how it looks. Ids are
 * given from 0 on; {@link StyleTable.retain} gives them anew.
 */
export class StyleTable {
  readonly #links: LinkTable;
  #words = new Int32Array(firstCapacity * words);
  #encoded = new Uint8Array(firstCapacity * encodedStyleBytes);
  #size = 0;
  /** Open addressing; a slot holds an id + 1, or 0. */
  #slots = new Int32Array(firstCapacity * 2);
  #views: (Style | undefined)[] = [];

  constructor(links: LinkTable) {
    this.#links = links;
    this.intern(defaultColor, defaultColor, defaultColor, 0);
  }

  get size(): number {
    return this.#size;
  }

  /** Memory held, in bytes, roughly. */
  get bytes(): number {
    const { byteLength } = this.#words;
    const views = this.#views.length * bytesOfView;
    return byteLength + this.#encoded.byteLength + this.#slots.byteLength + views;
  }

  /** The id of a style, given as the engine's numbers. */
  intern(fg: number, bg: number, underlineColor: number, attributes: number): number {
    const mask = this.#slots.length - 1;
    let slot = hash(fg, bg, underlineColor, attributes) & mask;
    for (;;) {
      const id = this.#slots[slot] - 1;
      if (id < 0) return this.#add(slot, fg, bg, underlineColor, attributes);
      const at = id * words;
      if (
        this.#words[at] === fg &&
        this.#words[at + 1] === bg &&
        this.#words[at + 2] === underlineColor &&
        this.#words[at + 3] === attributes
      ) {
        return id;
      }
      slot = (slot + 1) & mask;
    }
  }

  /** Every style as scrollback keeps it, see `style-encoding.ts`; valid until the next change. */
  get encoded(): Uint8Array {
    return this.#encoded;
  }

  fg(id: number): number {
    return this.#words[id * words];
  }

  bg(id: number): number {
    return this.#words[id * words + 1];
  }

  underlineColor(id: number): number {
    return this.#words[id * words + 2];
  }

  attributes(id: number): number {
    return this.#words[id * words + 3];
  }

  /** Null for none. */
  link(id: number): Link | null {
    return this.#links.get(attribute.linkNumber(this.attributes(id)));
  }

  /** To be called when numbers of links have been given up. */
  forgetViews(): void {
    this.#views = [];
  }

  /** A style in the words of the model; the same object for the same id. */
  view(id: number): Style {
    const known = this.#views[id];
    if (known !== undefined) return known;
    const view = this.#makeView(id);
    this.#views[id] = view;
    return view;
  }

  /**
   * Forgets the styles whose mark is 0; returns the new id of each old one. What room the table has
   * it keeps: who needed it once will need it again.
   */
  retain(marks: Uint8Array): Int32Array {
    const old = this.#words.slice(0, this.#size * words);
    const moved = new Int32Array(this.#size).fill(-1);
    this.#slots.fill(0);
    this.#size = 0;
    this.#views = [];
    moved[defaultStyle] = this.intern(defaultColor, defaultColor, defaultColor, 0);
    for (let id = 0; id < moved.length; id++) {
      const at = id * words;
      if (marks[id] !== 0) moved[id] = this.intern(old[at], old[at + 1], old[at + 2], old[at + 3]);
    }
    return moved;
  }

  #add(slot: number, fg: number, bg: number, underlineColor: number, attributes: number): number {
    const id = this.#size++;
    this.#slots[slot] = id + 1;
    if (this.#size * words > this.#words.length) {
      this.#grow();
    }
    const at = id * words;
    this.#words[at] = fg;
    this.#words[at + 1] = bg;
    this.#words[at + 2] = underlineColor;
    this.#words[at + 3] = attributes;
    encodeStyle(this.#encoded, id * encodedStyleBytes, fg, bg, underlineColor, attributes);
    if (this.#size * 2 > this.#slots.length) this.#rehash();
    return id;
  }

  #grow(): void {
    const grown = new Int32Array(this.#words.length * 2);
    grown.set(this.#words);
    this.#words = grown;
    const encoded = new Uint8Array(this.#encoded.length * 2);
    encoded.set(this.#encoded);
    this.#encoded = encoded;
  }

  #rehash(): void {
    const slots = new Int32Array(this.#slots.length * 2);
    const mask = slots.length - 1;
    for (let id = 0; id < this.#size; id++) {
      let slot =
        hash(this.fg(id), this.bg(id), this.underlineColor(id), this.attributes(id)) & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = id + 1;
    }
    this.#slots = slots;
  }

  #makeView(id: number): Style {
    const attributes = this.attributes(id);
    const has = (bit: number) => (attributes & bit) !== 0;
    return Object.freeze({
      fg: toColor(this.fg(id)),
      bg: toColor(this.bg(id)),
      underlineColor: toColor(this.underlineColor(id)),
      underline: attribute.underlineStyle(attributes),
      bold: has(attribute.bold),
      dim: has(attribute.dim),
      italic: has(attribute.italic),
      blink: has(attribute.blink),
      inverse: has(attribute.inverse),
      hidden: has(attribute.hidden),
      strikethrough: has(attribute.strikethrough),
      overline: has(attribute.overline),
      link: this.link(id)?.uri ?? null,
    });
  }
}

/** Multiplications by odd constants, so that near colours fall far apart. */
function hash(fg: number, bg: number, underlineColor: number, attributes: number): number {
  let value = Math.imul(fg, 0x9e3779b1) ^ Math.imul(bg, 0x85ebca6b);
  value ^= Math.imul(underlineColor, 0xc2b2ae35) ^ Math.imul(attributes, 0x27d4eb2f);
  return value ^ (value >>> 15);
}
