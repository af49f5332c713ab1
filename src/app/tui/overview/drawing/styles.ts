import { plainStyle, type Style } from '#model';

const made = (changes: Partial<Style>): Style => Object.freeze({ ...plainStyle, ...changes });

/** The styles of the overview. Colours are of the palette, so that they suit the person's theme. */
export const styles = {
  plain: plainStyle,
  bold: made({ bold: true }),
  dim: made({ dim: true }),
  question: made({ fg: 3, bold: true }),
  failed: made({ fg: 1, bold: true }),
  done: made({ fg: 2 }),
  told: made({ fg: 6 }),
  driver: made({ fg: 5 }),
  match: made({ fg: 3, bold: true, underline: 'single' }),
  selected: made({ inverse: true }),
  selectedBold: made({ inverse: true, bold: true }),
} as const satisfies Record<string, Style>;

export type StyleName = keyof typeof styles;
