import type { RE2JS } from 're2js';
import {
  type Automaton,
  automatonOf,
  type State,
  textBegins,
  textEnd,
  unanchored,
} from './automaton.ts';

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
