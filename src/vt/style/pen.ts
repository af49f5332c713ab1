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

/** The style that the next character is written in. */
export class Pen {
  /** What a word can say of the style. */
  #word = defaultStyle;
  // And the rest, the default where there is none.
  #rgbForeground = defaultColor;
  #rgbBackground = defaultColor;
  #underlineColor = defaultColor;
  #link = noLink;
  /** Whether there is any of the rest. */
  #needsEntry = false;

  /** Attributes, and the colours that are of the palette, see `style-word.ts`. */
  get word(): number {
    return this.#word;
  }

  /** The foreground if it is RGB, else the default. */
  get rgbForeground(): number {
    return this.#rgbForeground;
  }

  /** The background if it is RGB, else the default. */
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

  /** The link that characters lead to. */
  get link(): number {
    return this.#link;
  }

  set link(link: number) {
    this.#link = link;
    this.set(this.#word, this.#rgbForeground, this.#rgbBackground, this.#underlineColor);
  }

  /** Sets all but the link; each colour is in the word or beside it. */
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

  /** Takes over all but the link, which nothing saves or restores. */
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

  /** The style that erased cells get: the background, and nothing else. */
  eraseStyle(table: StyleTable): number {
    if (this.#rgbBackground === defaultColor) return this.#word & backgroundMask;
    return table.intern(defaultColor, this.#rgbBackground, defaultColor, 0);
  }
}
