import type { RE2JS } from 're2js';

/** One state of an automaton. */
interface State {
  /** The text so far contains a match. */
  readonly isMatch: boolean;
}

/**
 * What we use of the automaton that re2js makes of a pattern. Its own way over a text takes one
 * character at a time from a string, at a tenth of the speed at which {@link LineFilter} goes over
 * the bytes of many lines.
 */
interface Automaton {
  /** Whether the pattern is beyond it. */
  readonly failed: boolean;
  readonly prog: { readonly start: number };
  readonly numClasses: number;
  runeClass(rune: number): number;
  /** Null when it has used up its memory, and so below. */
  makeState(instructions: readonly number[], flags: number, ids: readonly number[]): State | null;
  step(state: State, runeClass: number, rune: number, anchor: number): State | null;
}

const unanchored = 0;
/** Both begin here: the text (4) and the line (1). */
const textBegins = 0b101;
/** In the place of a character: there is none, the text ends. */
const textEnd = -1;

/** The row of the state that ends the walk: the line may match. */
const accepted = 0;
const unknown = -1;
const firstRows = 8;
/** A pattern whose automaton needs a larger table is looked for in each line's text. */
const maxTableEntries = 256 * 1024;

const emptyMark = 0x00;
/** The last of the marks that stand for nothing. */
const lastMark = 0x03;
const lineFeed = 0x0a;
const space = 0x20;
const firstWide = 0x80;
/** Entries of a row that belong to bytes; behind them are those of classes of wide characters. */
const byteEntries = 0x100;

/**
 * Tells by their bytes which lines a pattern may match in, with one look-up a byte: making text of
 * all lines would take longer than all the rest of a search. What it finds has to be looked at again;
 * what it passes over does not match.
 */
export class LineFilter {
  readonly #automaton: Automaton;
  /** The bytes of ASCII characters that make no difference to the pattern, by class. */
  readonly #alike: number[][];
  readonly #width: number;
  /** A row a state: where bytes and wide characters lead to, as the index of a row. */
  #table: Int32Array;
  /** By number of row. */
  readonly #states: (State | null)[] = [null];
  readonly #rows = new Map<State, number>();
  /** The row in which a line begins. */
  #start = accepted;
  #givenUp = false;

  constructor(pattern: RE2JS) {
    this.#automaton = pattern.re2().dfa;
    const { numClasses } = this.#automaton;
    this.#alike = Array.from({ length: numClasses }, () => []);
    for (let byte = space; byte < firstWide; byte++) {
      this.#alike[this.#automaton.runeClass(byte)].push(byte);
    }
    this.#width = byteEntries + numClasses;
    this.#table = new Int32Array(this.#width * firstRows).fill(unknown);
    this.#begin();
  }

  /** See `LineFinder` in the model. */
  find(bytes: Uint8Array, start: number, end: number): number {
    if (this.#givenUp) return start < end ? start : -1;
    let row = this.#start;
    for (let at = start; ; ) {
      // A loop of its own without calls takes two thirds of the time.
      const table = this.#table;
      let next = row;
      for (; at < end; at++) {
        next = table[row + bytes[at]];
        // Most bytes leave things as they are; to say so is faster than to write it down.
        if (next === row) continue;
        if (next <= accepted) break;
        row = next;
      }
      if (at >= end) return -1;
      if (next === accepted) return at;
      const to = this.#nextStop(bytes, at, end);
      row = this.#stepOver(row, bytes, at, to);
      if (row === accepted) return to - 1;
      at = to;
    }
  }

  #begin(): void {
    const { failed, prog } = this.#automaton;
    const state = failed ? null : this.#automaton.makeState([prog.start], textBegins, []);
    if (state === null) this.#givenUp = true;
    else this.#start = this.#rowOf(state);
  }

  /** Where the character ends, or the run of empty cells. */
  #nextStop(bytes: Uint8Array, at: number, end: number): number {
    const byte = bytes[at];
    if (byte >= firstWide) return at + (byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4);
    let to = at + 1;
    if (byte === emptyMark) while (to < end && bytes[to] === emptyMark) to++;
    return to;
  }

  /** A step over what is not in the table, or never will be. */
  #stepOver(from: number, bytes: Uint8Array, at: number, to: number): number {
    const byte = bytes[at];
    if (byte >= firstWide) return this.#stepWide(from, runeOf(bytes, at, to));
    if (byte === lineFeed) return this.#learnLineEnd(from);
    if (byte !== emptyMark) return this.#learn(from, byte);
    // At the end of a line they are nothing.
    if (bytes[to] === lineFeed) return from;
    let row = from;
    for (let count = to - at; count > 0 && row !== accepted; count--) {
      const next = this.#table[row + space];
      row = next === unknown ? this.#learn(row, space) : next;
    }
    return row;
  }

  #stepWide(row: number, rune: number): number {
    const runeClass = this.#automaton.runeClass(rune);
    const entry = row + byteEntries + runeClass;
    if (this.#table[entry] !== unknown) return this.#table[entry];
    const next = this.#step(row, runeClass, rune);
    this.#table[entry] = next;
    return next;
  }

  /** Finds out where a byte leads, and those like it. */
  #learn(row: number, byte: number): number {
    const runeClass = this.#automaton.runeClass(byte);
    const next = this.#step(row, runeClass, byte);
    for (const each of this.#alike[runeClass]) this.#table[row + each] = next;
    return next;
  }

  #learnLineEnd(row: number): number {
    const { numClasses } = this.#automaton;
    const next = this.#step(row, numClasses, textEnd) === accepted ? accepted : this.#start;
    this.#table[row + lineFeed] = next;
    return next;
  }

  #step(row: number, runeClass: number, rune: number): number {
    const state = this.#states[row / this.#width];
    const next = state && this.#automaton.step(state, runeClass, rune, unanchored);
    return next ? this.#rowOf(next) : this.#giveUp();
  }

  #rowOf(state: State): number {
    if (state.isMatch) return accepted;
    return this.#rows.get(state) ?? this.#addRow(state);
  }

  #addRow(state: State): number {
    const row = this.#states.length * this.#width;
    if (row + this.#width > maxTableEntries) return this.#giveUp();
    if (row === this.#table.length) {
      const grown = new Int32Array(row * 2).fill(unknown);
      grown.set(this.#table);
      this.#table = grown;
    }
    this.#states.push(state);
    this.#rows.set(state, row);
    for (let mark = emptyMark + 1; mark <= lastMark; mark++) this.#table[row + mark] = row;
    return row;
  }

  #giveUp(): typeof accepted {
    this.#givenUp = true;
    return accepted;
  }
}

/** The character that UTF-8 says in `start` up to and without `end`. */
function runeOf(bytes: Uint8Array, start: number, end: number): number {
  let rune = bytes[start] & (0xff >> (end - start + 1));
  for (let at = start + 1; at < end; at++) rune = (rune << 6) | (bytes[at] & 0x3f);
  return rune;
}
