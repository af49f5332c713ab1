import { computed, signal } from '@preact/signals';

/** What a mark stands for; its colour. `here`: the match that is shown. */
export type ScrollMarkKind = 'good' | 'bad' | 'unknown' | 'running' | 'match' | 'here';

/** A line of the session that has a mark beside the scroll bar. */
export interface ScrollMark {
  /** The number of the line, as in `ReadLines`. */
  readonly line: number;
  readonly kind: ScrollMarkKind;
  /** What a mouse over it tells. */
  readonly title?: string;
}

/** Kinds that hide others at the same height come later. */
const order: readonly ScrollMarkKind[] = ['good', 'unknown', 'running', 'bad', 'match', 'here'];

/**
 * The marks of a session beside the scroll bar (`ScrollMarksStrip` in focus.tsx), by their owner. To add yours, call `pane.scrollMarks.set('search', marks)`; an empty list
 * removes them. Other owners' marks stay as they are.
 */
export class ScrollMarks {
  readonly #owners = signal<ReadonlyMap<string, readonly ScrollMark[]>>(new Map());
  readonly all = computed(() => [...this.#owners.value.values()].flat());

  set(owner: string, marks: readonly ScrollMark[]): void {
    if (marks.length === 0 && !this.#owners.peek().has(owner)) return;
    const others = new Map(this.#owners.peek());
    others.delete(owner);
    if (marks.length > 0) others.set(owner, marks);
    this.#owners.value = others;
  }
}

/** A mark at its height, in thousandths of the strip. */
export interface PlacedMark extends ScrollMark {
  readonly at: number;
}

/**
 * Returns where marks are in a strip that stands for the lines `from` up to but excluding `to`. Of several at one
 * height, the one of the last kind in {@link order} is kept, so that there are at most 1,000.
 */
export function placedMarks(
  marks: readonly ScrollMark[],
  from: number,
  to: number,
): readonly PlacedMark[] {
  const count = Math.max(1, to - from);
  const places = new Map<number, PlacedMark>();
  for (const mark of marks) {
    if (mark.line < from || mark.line >= to) continue;
    const at = Math.floor(((mark.line - from) * 1000) / count);
    const other = places.get(at);
    if (other === undefined || order.indexOf(mark.kind) >= order.indexOf(other.kind))
      places.set(at, { ...mark, at });
  }
  return [...places.values()];
}
