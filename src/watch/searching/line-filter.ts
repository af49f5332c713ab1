import type { RE2JS } from 're2js';

/** The row that ends the scan: the line may match. */
const accepted = 0;
const unknown = -1;
const firstRows = 8;
/** With a larger table, the filter gives up: it accepts every line. */
const maxTableEntries = 256 * 1024;

const emptyMark = 0x00;
/** The last of the marks of the scrollback that are not text. */
const lastMark = 0x03;
/** The last of the bytes of cells that a tab moved over; they are read as empty cells. */
const lastTab = 0x07;
const lineFeed = 0x0a;
const space = 0x20;
const firstWide = 0x80;
/** Entries of a row for bytes. Entries for the classes of non-ASCII characters follow them. */
const byteEntries = 0x100;

/**
 * Finds lines that a pattern may match, with one table lookup per byte: to convert all lines to
 * text would take longer than the rest of a search. Lines that it finds must be matched again;
 * lines that it skips do not match.
 */
export class LineFilter {
  readonly #automaton: Automaton;
  /** The printable ASCII bytes of each character class. */
  readonly #bytesOfClass: number[][];
  readonly #width: number;
  /** One row per state: for each byte and class, the index of the next state's row. */
  #table: Int32Array;
  /** By row number. */
  readonly #states: (State | null)[] = [null];
  readonly #rows = new Map<State, number>();
  /** The row of the state at the beginning of a line. */
  #start = accepted;
  #givenUp = false;

  constructor(pattern: RE2JS) {
    this.#automaton = automatonOf(pattern);
    const { numClasses } = this.#automaton;
    this.#bytesOfClass = Array.from({ length: numClasses }, () => []);
    for (let byte = space; byte < firstWide; byte++) {
      this.#bytesOfClass[this.#automaton.runeClass(byte)].push(byte);
    }
    this.#width = byteEntries + numClasses;
    this.#table = new Int32Array(this.#width * firstRows).fill(unknown);
    this.#begin();
  }

  /** Implements `LineFinder` of the model. */
  find(bytes: Uint8Array, start: number, end: number): number {
    if (this.#givenUp) return start < end ? start : -1;
    let row = this.#start;
    for (let at = start; ; ) {
      // An inner loop without calls takes two thirds of the time.
      const table = this.#table;
      let next = row;
      for (; at < end; at++) {
        next = table[row + bytes[at]];
        // Most bytes keep the state; the test is faster than the assignment.
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

  /** Returns the end of the character, or of the run of empty cells. */
  #nextStop(bytes: Uint8Array, at: number, end: number): number {
    const byte = bytes[at];
    if (byte >= firstWide) return at + (byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4);
    let to = at + 1;
    if (isEmpty(byte)) while (to < end && isEmpty(bytes[to])) to++;
    return to;
  }

  /** Steps over a character that has no entry in the table yet, or never has one. */
  #stepOver(from: number, bytes: Uint8Array, at: number, to: number): number {
    const byte = bytes[at];
    if (byte >= firstWide) return this.#stepWide(from, runeOf(bytes, at, to));
    if (byte === lineFeed) return this.#learnLineEnd(from);
    if (!isEmpty(byte)) return this.#learn(from, byte);
    // Empty cells at the end of a line are ignored.
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

  /** Adds the entries of a byte and of all bytes of its class. */
  #learn(row: number, byte: number): number {
    const runeClass = this.#automaton.runeClass(byte);
    const next = this.#step(row, runeClass, byte);
    for (const each of this.#bytesOfClass[runeClass]) this.#table[row + each] = next;
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

/** Whether a byte is a cell that looks empty. */
function isEmpty(byte: number): boolean {
  return byte === emptyMark || (byte > lastMark && byte <= lastTab);
}

/** Decodes the UTF-8 character from `start` up to but not including `end`. */
function runeOf(bytes: Uint8Array, start: number, end: number): number {
  let rune = bytes[start] & (0xff >> (end - start + 1));
  for (let at = start + 1; at < end; at++) rune = (rune << 6) | (bytes[at] & 0x3f);
  return rune;
}

/**
 * The limit of the states that a pattern keeps, in bytes. re2js has 8 MB. Where states are too many to be kept,
 * it makes as many as fit before it matches without them, which takes several times as long as the match.
 */
const maxStateBytes = 1024 * 1024;

/** Patterns with at most this many instructions have fewer states. */
const fewInstructions = 11;

/** Limits the memory and the time that the states of a pattern take. Must be called before it is used. */
export function limitStates(pattern: RE2JS): void {
  if (pattern.programSize() <= fewInstructions) return;
  const automaton = automatonOf(pattern);
  automaton.stateBudget = maxStateBytes;
  automaton.memBudget = maxStateBytes;
}

/** re2js: `RE2Flags.UNANCHORED`. */
export const unanchored = 0;
/** re2js: `Utils.EMPTY_BEGIN_TEXT | Utils.EMPTY_BEGIN_LINE`. */
export const textBegins = 0b101;
/** re2js: `END_TEXT`, in place of a character. */
export const textEnd = -1;

export const automatonOf = (pattern: RE2JS): Automaton => pattern.re2().dfa;

/** A state of the automaton. Equal states are the same object. */
export interface State {
  /** Whether the text before the last character has a match. */
  readonly isMatch: boolean;
}

/**
 * The part of re2js's lazy DFA (`RE2JS.re2().dfa`) that `LineFilter` and `GrowingText` use. The DFA is internal to
 * re2js: its types are `any`, and it may change in any release. re2js itself runs it over a string,
 * one character at a time, ten times slower than `LineFilter` scans the bytes of many lines.
 *
 * Both rely on the following, as of re2js 2.10.0. The tests under "re2js internals" check
 * it and fail if an upgrade changes it:
 *
 * - the members below, and the values of the constants above;
 * - `step` depends on the class of a character only, and returns the same object for equal states;
 * - a match is reported by the step after its last character, at the end of the text by the step
 *   with `textEnd` and the class `numClasses`.
 *
 * If a member is missing, searches throw. If the meaning of one changes, searches miss lines. If
 * re2js cannot make a DFA for a pattern, `failed` is true and both accept every text, which
 * is correct but slow. After an upgrade that breaks the tests, adapt this interface, or let `find`
 * return `start`.
 */
export interface Automaton {
  /** Whether re2js has no DFA for the pattern. */
  readonly failed: boolean;
  readonly prog: { readonly start: number };
  /** The number of character classes. */
  readonly numClasses: number;
  /** How much memory the states may use, in bytes as re2js estimates them, and how much of it is left. */
  stateBudget: number;
  memBudget: number;
  runeClass(rune: number): number;
  /** Returns null if the memory of the automaton is used up; so does `step`. */
  makeState(instructions: readonly number[], flags: number, ids: readonly number[]): State | null;
  step(state: State, runeClass: number, rune: number, anchor: number): State | null;
}
