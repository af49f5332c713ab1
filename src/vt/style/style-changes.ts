import { attributesMask } from './attributes.ts';
import type { StyleTable } from './style-table.ts';
import { attributesBits, attributesShift, colorsMask } from './style-word.ts';

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
    const known = this.#byName.get(name);
    if (known !== undefined) {
      known.grow();
      return known;
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
