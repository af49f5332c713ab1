import { linkMask, linkNumber, protectedCell, withLink } from './attributes.ts';
import { defaultColor } from './color.ts';
import type { StyleTable } from './style-table.ts';

const unknown = -1;

/** The style that the next character is written in. */
export class Pen {
  #fg = defaultColor;
  #bg = defaultColor;
  #underlineColor = defaultColor;
  #attributes = 0;
  // Looked up when something is written, not when SGR changes something: many changes are undone
  // before a character comes.
  #style = unknown;
  #eraseStyle = unknown;

  get fg(): number {
    return this.#fg;
  }

  set fg(color: number) {
    this.#fg = color;
    this.forgetStyles();
  }

  get bg(): number {
    return this.#bg;
  }

  set bg(color: number) {
    this.#bg = color;
    this.forgetStyles();
  }

  get underlineColor(): number {
    return this.#underlineColor;
  }

  set underlineColor(color: number) {
    this.#underlineColor = color;
    this.forgetStyles();
  }

  get attributes(): number {
    return this.#attributes;
  }

  set attributes(attributes: number) {
    this.#attributes = attributes;
    this.forgetStyles();
  }

  /** The link that characters lead to. */
  get link(): number {
    return linkNumber(this.#attributes);
  }

  set link(link: number) {
    this.attributes = withLink(this.#attributes, link);
  }

  /** SGR 0: protection and link are no renditions and stay. */
  resetRendition(): void {
    const kept = this.#attributes & (protectedCell | linkMask);
    this.reset();
    this.#attributes = kept;
  }

  reset(): void {
    this.#fg = defaultColor;
    this.#bg = defaultColor;
    this.#underlineColor = defaultColor;
    this.#attributes = 0;
    this.forgetStyles();
  }

  /** Takes over all but the link, which nothing saves or restores. */
  copyFrom(other: Pen): void {
    this.#fg = other.#fg;
    this.#bg = other.#bg;
    this.#underlineColor = other.#underlineColor;
    this.#attributes = withLink(other.#attributes, this.link);
    this.forgetStyles();
  }

  /** The id of this style. */
  style(table: StyleTable): number {
    if (this.#style === unknown) {
      this.#style = table.intern(this.#fg, this.#bg, this.#underlineColor, this.#attributes);
    }
    return this.#style;
  }

  /** The id of the style that erased cells get: the background, and nothing else. */
  eraseStyle(table: StyleTable): number {
    if (this.#eraseStyle === unknown) {
      this.#eraseStyle = table.intern(defaultColor, this.#bg, defaultColor, 0);
    }
    return this.#eraseStyle;
  }

  /** To be called when ids are given anew. */
  forgetStyles(): void {
    this.#style = unknown;
    this.#eraseStyle = unknown;
  }
}
