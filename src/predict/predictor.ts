import type { Cell, Color, Cursor, KeyPress, Style } from '#model';

type Row = readonly Cell[];

/** What is known of a screen on which keys are typed. */
export interface PredictableScreen {
  readonly cells: { readonly revision: number; readonly rows: readonly Row[] };
  readonly cursor: Cursor;
  readonly alternate: boolean;
  /** Another one where the screen is not a later state of the one before. */
  readonly source: unknown;
}

/** `auto` shows guesses where an echo takes long. */
export type PredictMode = 'auto' | 'always';

/** How many of the guesses that were shown have come true, and have not. */
export interface Settled {
  readonly right: number;
  readonly wrong: number;
}

/** With `auto`, guesses are shown where an echo takes longer than the first, until it takes less than the second, in ms. */
const slowMs = 20;
const fastMs = 15;
/** How much of the newest echo becomes part of the estimate. */
const weight = 0.25;
/**
 * A guess that is not on the screen so long after its key was written to the program, in ms, is wrong. A program that
 * takes longer echoes too late for guesses.
 */
const graceMs = 250;
/** So many keys must have been echoed before guesses are shown: programs on the alternate screen take keys as commands. */
const primaryProofs = 1;
const alternateProofs = 3;
/** A program that hides a password may show one of these for each key: they prove no echo. */
const proofless = /^[ *•●·]$/u;

/** A cell that will have this text, and then the cursor behind it or, if it is erased, on it. */
interface Guess {
  readonly row: number;
  readonly col: number;
  readonly text: string;
  readonly isErased: boolean;
  /** What the cell may have until then: what it had, and guesses before this one. */
  readonly before: readonly string[];
  readonly style: Style;
  /** Whether it shows that keys are echoed, if it is right. */
  readonly isProof: boolean;
  /** The number of the key. */
  readonly key: number;
  readonly epoch: number;
  readonly typedMs: number;
}

/**
 * Guesses what a program will show of the keys that a person types, by the rules of mosh. A character is guessed where
 * the cursor is, at the end of what the row has there, and so is the erasing of one that was typed. After every other
 * key an *epoch* begins: guesses are made, and not shown until the program has echoed a key of that epoch. So nothing
 * is shown at a password. All guesses are dropped once one is wrong.
 */
export class Predictor {
  readonly #mode: PredictMode;
  #guesses: Guess[] = [];
  /** The keys that were typed, and those that were written to the program. */
  #typed = 0;
  #written = 0;
  /** When the keys up to a number were written, oldest first, while guesses of them are open. */
  #writes: { readonly key: number; readonly atMs: number }[] = [];
  #epoch = 1;
  /** Guesses up to this epoch are shown. */
  #provenEpoch = 0;
  #proofs = 0;
  /** The characters before the cursor that were typed in this epoch. */
  #own = 0;
  /** No guess is made before this key was written: what it does is not on the screen. */
  #unknownUntil = 0;
  /** How long an echo takes, in ms; null if unknown. */
  #echoMs: number | null = null;
  #isSlow = false;
  #source: unknown = null;
  #isAlternate = false;

  constructor(mode: PredictMode) {
    this.#mode = mode;
  }

  /** Whether guesses are open. */
  get isOpen(): boolean {
    return this.#guesses.length > 0;
  }

  /** When `settle` must be called even if nothing changes, in ms; null if it need not. */
  get dueMs(): number | null {
    const [guess] = this.#guesses;
    const atMs = guess === undefined ? null : this.#writtenMs(guess);
    return atMs === null ? null : atMs + graceMs;
  }

  /** A key goes to the program. Returns whether it is shown at once. */
  key(press: KeyPress, screen: PredictableScreen, nowMs: number): boolean {
    this.settle(screen, nowMs);
    this.#typed++;
    const isErase = isPlain(press) && press.key === 'backspace';
    const text = isErase ? ' ' : textOf(press);
    // Input before it is on its way, and it is not known where the cursor will be.
    const isUnknown = this.#written < this.#unknownUntil || this.#isBehind;
    if (text !== null && !isErase && isUnknown) return false;
    const guess = text === null || isUnknown ? null : this.#guess(text, isErase, screen, nowMs);
    if (guess === null) {
      this.#begin();
      return false;
    }
    const isSame = ({ row, col }: Guess) => row === guess.row && col === guess.col;
    const earlier = this.#guesses.find(isSame);
    const before = [...guess.before, ...(earlier ? [earlier.text, ...earlier.before] : [])];
    this.#guesses = [...this.#guesses.filter((each) => !isSame(each)), { ...guess, before }];
    this.#own += guess.isErased ? -1 : 1;
    return this.#isShown(guess);
  }

  /** Other input goes to the program: a paste, the mouse. */
  other(): void {
    this.#begin();
    this.#unknownUntil = this.#typed + 1;
  }

  /** The next `keys` keys were written to the program. */
  written(keys: number, nowMs: number): void {
    this.#written += keys;
    if (this.#guesses.length === 0) this.#writes = [];
    else this.#writes.push({ key: this.#written, atMs: nowMs });
  }

  /** Forgets all guesses, and what is on its way: input may be lost. */
  reset(): void {
    this.#written = this.#typed;
    this.#drop();
  }

  /** Compares the guesses with the screen. */
  settle(screen: PredictableScreen, nowMs: number): Settled {
    const { source, alternate } = screen;
    if (source !== this.#source || alternate !== this.#isAlternate) {
      this.#source = source;
      this.#isAlternate = alternate;
      this.#drop();
      return { right: 0, wrong: 0 };
    }
    let right = 0;
    // Before its key was written, a cell can have the same text from a key before it that is going to be erased.
    const isDone = (each: Guess) => each.key <= this.#written && isRight(each, screen);
    for (const guess of this.#guesses.filter(isDone)) {
      if (this.#isShown(guess)) right++;
      this.#confirm(guess, nowMs);
    }
    const wrong = this.#guesses.some((each) => this.#isWrong(each, screen, nowMs))
      ? this.#guesses.filter((each) => this.#isShown(each)).length
      : 0;
    if (this.#guesses.some((each) => this.#isWrong(each, screen, nowMs))) this.#drop();
    return { right, wrong };
  }

  /** Returns the screen with the guesses that are shown, underlined; the same screen if there are none. */
  show<Screen extends PredictableScreen>(screen: Screen): Screen {
    const shown = this.#guesses.filter((each) => this.#isShown(each));
    const last = shown.at(-1);
    if (last === undefined) return screen;
    const rows = [...screen.cells.rows];
    for (const { row, col, text, style, isErased } of shown) {
      const cells = [...(rows[row] ?? [])];
      const underline = isErased ? style.underline : 'single';
      cells[col] = { text, width: 1, style: { ...style, underline } };
      rows[row] = cells;
    }
    const col = last.col + (last.isErased ? 0 : 1);
    const cursor = { ...screen.cursor, row: last.row, col };
    return { ...screen, cells: { ...screen.cells, rows }, cursor };
  }

  #isShown({ epoch }: Guess): boolean {
    return epoch <= this.#provenEpoch && (this.#mode === 'always' || this.#isSlow);
  }

  /** Whether guesses of an earlier epoch are open. */
  get #isBehind(): boolean {
    const last = this.#guesses.at(-1);
    return last !== undefined && last.epoch !== this.#epoch;
  }

  /** Returns what a key will show; null if that cannot be told. */
  #guess(text: string, isErased: boolean, screen: PredictableScreen, nowMs: number): Guess | null {
    const { row, col } = this.#place(screen);
    const cells = screen.cells.rows[row] ?? [];
    const at = isErased ? col - 1 : col;
    const cell = cells[at];
    const { cursor } = screen;
    if (!cursor.visible || cursor.wrapPending || cell === undefined) return null;
    if (isErased ? this.#own === 0 : !isFree(cell) || !isFree(cells[col + 1])) return null;
    if (at >= cells.length - 1) return null;
    // As the character before it, which was typed, too.
    const style =
      this.#guesses.at(-1)?.style ?? (this.#own > 0 ? cells[col - 1] : undefined)?.style;
    const isSame = cell.text === text && !isFaint(cell);
    return {
      row,
      col: at,
      text,
      isErased,
      before: [cell.text],
      style: style ?? cell.style,
      isProof: !isErased && !isSame && !proofless.test(text),
      key: this.#typed,
      epoch: this.#epoch,
      typedMs: nowMs,
    };
  }

  /** Returns where the next character will be: after the last guess, or the keys that are on their way. */
  #place({ cursor }: PredictableScreen): { readonly row: number; readonly col: number } {
    const last = this.#guesses.at(-1);
    if (last !== undefined) return { row: last.row, col: last.col + (last.isErased ? 0 : 1) };
    return { row: cursor.row, col: cursor.col + this.#typed - 1 - this.#written };
  }

  #confirm(guess: Guess, nowMs: number): void {
    this.#guesses = this.#guesses.filter((each) => each !== guess);
    if (!guess.isProof) return;
    const ms = nowMs - guess.typedMs;
    this.#echoMs = this.#echoMs === null ? ms : this.#echoMs + weight * (ms - this.#echoMs);
    this.#isSlow = this.#echoMs > (this.#isSlow ? fastMs : slowMs);
    if (guess.epoch !== this.#epoch) return;
    this.#proofs++;
    if (this.#proofs >= (this.#isAlternate ? alternateProofs : primaryProofs))
      this.#provenEpoch = this.#epoch;
  }

  #isWrong(guess: Guess, { cells, cursor }: PredictableScreen, nowMs: number): boolean {
    const atMs = this.#writtenMs(guess);
    const cell = cells.rows[guess.row]?.[guess.col];
    if (cell === undefined) return true;
    const isPossible = cell.text === guess.text || guess.before.includes(cell.text);
    if (!isPossible && !isFaint(cell)) return true;
    if (atMs === null) return false;
    return cursor.row !== guess.row || nowMs >= atMs + graceMs;
  }

  /** When the key of a guess was written; null if it was not. */
  #writtenMs({ key }: Guess): number | null {
    return this.#writes.find((each) => each.key >= key)?.atMs ?? null;
  }

  /** What keys do is to be learnt again. */
  #begin(): void {
    this.#epoch++;
    this.#proofs = 0;
    this.#own = 0;
    this.#unknownUntil = this.#typed;
  }

  #drop(): void {
    this.#guesses = [];
    this.#writes = [];
    this.#begin();
  }
}

/** Whether a cell is what a shell suggests, which the next character replaces. */
const isFaint = ({ style }: Cell): boolean => style.dim || isGray(style.fg);

function isGray(color: Color): boolean {
  if (typeof color === 'number') return color === 8 || (color >= 236 && color <= 246);
  return color !== null && /^#([4-9a][0-9a-f])\1\1$/i.test(color);
}

/** Whether a character that is typed there moves no other. */
const isFree = (cell: Cell | undefined): boolean =>
  cell === undefined || cell.text === ' ' || isFaint(cell);

function isRight(
  { row, col, text, isErased }: Guess,
  { cells, cursor }: PredictableScreen,
): boolean {
  if (cells.rows[row]?.[col]?.text !== text || cursor.row !== row) return false;
  return isErased ? cursor.col === col : cursor.col > col;
}

const isPlain = ({ ctrl, alt, super: isSuper, hyper, meta, action }: KeyPress): boolean =>
  !(ctrl || alt || isSuper || hyper || meta || action === 'release');

/** Returns the character that a key types, if it is one column wide; else null. */
function textOf(press: KeyPress): string | null {
  if (!isPlain(press)) return null;
  const { key, shift, shiftedKey } = press;
  const text = key === 'space' ? ' ' : shift ? (shiftedKey ?? '') : key;
  const code = text.codePointAt(0) ?? 0;
  const isLatin = (code >= 0x20 && code < 0x7f) || (code >= 0xa1 && code < 0x300 && code !== 0xad);
  const isNarrow = isLatin || (code >= 0x370 && code < 0x483) || (code >= 0x48a && code < 0x530);
  return isNarrow && text.length === 1 ? text : null;
}
