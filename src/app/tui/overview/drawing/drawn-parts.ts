import type { Cell } from '#model';
import { type Span, spansCells } from './spans.ts';
import type { StyleName } from './styles.ts';

type Cells = readonly Cell[];

interface Part {
  readonly made: string | readonly unknown[];
  readonly cells: Cells;
}

const isSame = (a: Part['made'], b: Part['made']): boolean =>
  typeof a === 'string' || typeof b === 'string'
    ? a === b
    : a.length === b.length && a.every((each, index) => each === b[index]);

/**
 * The parts of the picture before, by place. A part that would be made of the same is the same array,
 * which painting skips.
 */
export class DrawnParts {
  #before = new Map<string, Part>();
  #now = new Map<string, Part>();

  /** Forgets the parts that were not drawn since the last call. */
  turn(): void {
    this.#before = this.#now;
    this.#now = new Map();
  }

  spans(place: string, spans: readonly Span[], cols: number, fill: StyleName = 'plain'): Cells {
    const made = `${cols} ${fill}${spans
      .map(({ text, style, cols: own = '', keep = '' }) => `\0${style} ${own} ${keep}\0${text}`)
      .join('')}`;
    return this.of(place, made, () => spansCells(spans, cols, fill));
  }

  /** @param made what the part is made of: a text, or objects that are compared by identity */
  of(place: string, made: Part['made'], make: () => Cells): Cells {
    const before = this.#before.get(place);
    const part =
      before !== undefined && isSame(before.made, made) ? before : { made, cells: make() };
    this.#now.set(place, part);
    return part.cells;
  }
}
