import { questionOnScreen, type ShownQuestion, type ShownScreen } from '#watch';
import type { Region } from './agent-kind.ts';
import { type Composer, findComposer } from './composer.ts';

/** The screen of an agent in parts. */
export interface Scene {
  /** Null if none is shown, as below a dialog. */
  readonly composer: Composer | null;
  /** What is asked below the conversation; null if there is a composer, or nothing is asked. */
  readonly question: ShownQuestion | null;
  /** The rows with text of each region, without the blanks around them. */
  readonly rows: Readonly<Record<Exclude<Region, 'title'>, readonly string[]>>;
}

/** How many rows with text the regions `over` and `end` have. */
const overRows = 4;
const endRows = 6;

/** Returns the parts of a screen. */
export function sceneOf(screen: ShownScreen): Scene {
  const { rows } = screen;
  const composer = findComposer(screen);
  const end = textsOf(rows).slice(-endRows);
  if (composer === null) {
    const parts = { over: end, composer: [], footer: [], end };
    return { composer, question: questionOnScreen(screen), rows: parts };
  }
  // With the upper edge, which may have a text in it.
  const over = textsOf(rows.slice(0, composer.top)).slice(-overRows);
  const footer = textsOf(rows.slice(composer.bottom));
  return { composer, question: null, rows: { over, composer: [composer.text], footer, end } };
}

const textsOf = (rows: readonly string[]): string[] =>
  rows.map((row) => row.trim()).filter((row) => row !== '');
