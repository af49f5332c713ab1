import * as attribute from './attributes.ts';
import { colorKind, defaultColor } from './color.ts';
import { noLink } from './link-table.ts';
import type { StyleTable } from './style-table.ts';
import {
  attributesBits,
  backgroundBits,
  backgroundMask,
  colorsMask,
  defaultStyle,
  foregroundBits,
  foregroundMask,
  wordAttributes,
  wordBackground,
  wordForeground,
} from './style-word.ts';

function rgbOrNone(color: number): number {
  return colorKind(color) > 1 ? color : defaultColor;
}

/** The style of the next character. */
export class Pen {
  /** The part of the style that fits a style word. */
  #word = defaultStyle;
  // The other parts; the default if not set.
  #rgbForeground = defaultColor;
  #rgbBackground = defaultColor;
  #underlineColor = defaultColor;
  #link = noLink;
  /** Whether any of the other parts or the link is set. */
  #needsEntry = false;

  /** Attributes and palette colours, see `style-word.ts`. */
  get word(): number {
    return this.#word;
  }

  /** The foreground if it is RGB, otherwise the default. */
  get rgbForeground(): number {
    return this.#rgbForeground;
  }

  /** The background if it is RGB, otherwise the default. */
  get rgbBackground(): number {
    return this.#rgbBackground;
  }

  get underlineColor(): number {
    return this.#underlineColor;
  }

  set underlineColor(color: number) {
    this.set(this.#word, this.#rgbForeground, this.#rgbBackground, color);
  }

  get fg(): number {
    return this.#rgbForeground || wordForeground(this.#word);
  }

  set fg(color: number) {
    const word = (this.#word & ~foregroundMask) | foregroundBits(color);
    this.set(word, rgbOrNone(color), this.#rgbBackground, this.#underlineColor);
  }

  get bg(): number {
    return this.#rgbBackground || wordBackground(this.#word);
  }

  set bg(color: number) {
    const word = (this.#word & ~backgroundMask) | backgroundBits(color);
    this.set(word, this.#rgbForeground, rgbOrNone(color), this.#underlineColor);
  }

  /** Without the link. */
  get attributes(): number {
    return wordAttributes(this.#word);
  }

  set attributes(attributes: number) {
    const word = (this.#word & colorsMask) | attributesBits(attributes);
    this.set(word, this.#rgbForeground, this.#rgbBackground, this.#underlineColor);
  }

  /** The number of the current link. */
  get link(): number {
    return this.#link;
  }

  set link(link: number) {
    this.#link = link;
    this.set(this.#word, this.#rgbForeground, this.#rgbBackground, this.#underlineColor);
  }

  /** Sets everything except the link. Each colour is either in the word or separate. */
  set(word: number, rgbForeground: number, rgbBackground: number, underlineColor: number): void {
    this.#word = word;
    this.#rgbForeground = rgbForeground;
    this.#rgbBackground = rgbBackground;
    this.#underlineColor = underlineColor;
    this.#needsEntry = (rgbForeground | rgbBackground | underlineColor | this.#link) !== 0;
  }

  reset(): void {
    this.#link = noLink;
    this.set(defaultStyle, defaultColor, defaultColor, defaultColor);
  }

  /** Copies everything except the link, which is never saved or restored. */
  copyFrom(other: Pen): void {
    this.set(other.#word, other.#rgbForeground, other.#rgbBackground, other.#underlineColor);
  }

  style(table: StyleTable): number {
    return this.#needsEntry ? ~this.#entry(table) : this.#word;
  }

  #entry(table: StyleTable): number {
    const attributes = attribute.withLink(wordAttributes(this.#word), this.#link);
    return table.entry(this.fg, this.bg, this.#underlineColor, attributes);
  }

  /** The style of erased cells: only the background. */
  eraseStyle(table: StyleTable): number {
    if (this.#rgbBackground === defaultColor) return this.#word & backgroundMask;
    return table.intern(defaultColor, this.#rgbBackground, defaultColor, 0);
  }
}
