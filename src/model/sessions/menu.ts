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
  /** Those of `multiple` that are chosen, counted from 0; absent if the screen does not tell. */
  readonly checked?: readonly number[];
  /** The program's own line about its keys; empty if it has none. */
  readonly keys: string;
}

/** Returns a menu in one line: `Which features? > [ ] Lint | [x] Tests`; `>` is before the selected one. */
export function menuText({ title, options, selected, multiple, checked }: Menu): string {
  const choices = options.map((option, index) => {
    const box = checked?.includes(index) ? '[x] ' : '[ ] ';
    const hasBox = multiple && checked !== undefined;
    return `${index === selected ? '> ' : ''}${hasBox ? box : ''}${option}`;
  });
  return [title, choices.join(' | ')].filter((part) => part !== '').join(' ');
}
