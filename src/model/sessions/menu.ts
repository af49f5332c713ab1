/** Choices that a program shows, of which a person selects with keys. */
export interface Menu {
  /** What is asked; empty if nothing stands above the choices. */
  readonly title: string;
  /**
   * The choices on the screen from top to bottom, or from left to right, with their numbers and
   * without pointers and boxes.
   */
  readonly options: readonly string[];
  /** The choice on which the pointer or the highlight stands, counted from 0; null if none is known. */
  readonly selected: number | null;
  /** Whether several can be chosen. */
  readonly multiple: boolean;
  /** The choices that are marked as chosen, counted from 0; absent if the list has no marks, or they do not tell. */
  readonly checked?: readonly number[];
  /** The button of a dialog below its list that has the focus, without its frame; absent if none is highlighted. */
  readonly button?: string;
  /** The program's own line about its keys; empty if it has none. */
  readonly keys: string;
}

/** Returns a menu in one line: `Which features? > [ ] Lint | [x] Tests`; `>` is before the selected one. */
export function menuText({ title, options, selected, multiple, checked, button }: Menu): string {
  const mark = (index: number) => (checked?.includes(index) ? 'x' : ' ');
  const box = (index: number) => (multiple ? `[${mark(index)}] ` : `(${mark(index)}) `);
  const choices = options.map((option, index) => {
    const pointer = index === selected ? '> ' : '';
    return `${pointer}${checked === undefined ? '' : box(index)}${option}`;
  });
  if (button !== undefined) choices.push(`> <${button}>`);
  return [title, choices.join(' | ')].filter((part) => part !== '').join(' ');
}
