import type { RE2JS } from 're2js';
import { characterStart } from '../character-borders.ts';
import {
  type Automaton,
  automatonOf,
  type State,
  textBegins,
  textEnd,
  unanchored,
} from './automaton.ts';

/** The text that was read before, and the state behind it. */
interface Read {
  readonly text: string;
  readonly state: State;
}

/**
 * Tests whether a match may end in the new part of a text. Where the text has grown since the last test,
 * it reads only what is new: a long line would take quadratic time if each output read it from the start.
 */
export class GrowingText {
  readonly #automaton: Automaton;
  readonly #start: Read | null;
  #read: Read | null;
  /** The text has led to more states than are kept. */
  #givenUp = false;

  constructor(pattern: RE2JS) {
    this.#automaton = automatonOf(pattern);
    const { failed, prog } = this.#automaton;
    const state = failed ? null : this.#automaton.makeState([prog.start], textBegins, []);
    this.#start = state === null ? null : { text: '', state };
    this.#read = this.#start;
  }

  /**
   * Returns false if no match ends at `from` or behind it. True does not mean that one does: the text before may
   * be cut, and a pattern can have too many states.
   */
  mayMatchFrom(text: string, from: number): boolean {
    const border = characterStart(text, from);
    const known = this.#knownOf(text, border);
    if (known === null) return true;
    const before = this.#run(known.state, text, known.text.length, border, false);
    this.#read = before === null ? null : { text: text.slice(0, border), state: before };
    return before === null || this.#run(before, text, border, text.length, true) === null;
  }

  /** Returns what is known of the beginning of a text; null if the test has no states. */
  #knownOf(text: string, border: number): Read | null {
    const read = this.#read;
    if (read !== null && read.text.length <= border && text.startsWith(read.text)) return read;
    return this.#givenUp ? null : this.#start;
  }

  /**
   * Returns the state behind a part of a text; null if it is unknown.
   *
   * @param isLast whether the text ends there; the result is null as well if a match ends in the part
   */
  #run(from: State, text: string, start: number, end: number, isLast: boolean): State | null {
    const automaton = this.#automaton;
    let state: State | null = from;
    for (let at = start; at < end; ) {
      const rune = text.codePointAt(at) as number;
      state = automaton.step(state, automaton.runeClass(rune), rune, unanchored);
      this.#givenUp ||= state === null;
      if (state === null || (isLast && state.isMatch)) return null;
      at += rune > 0xffff ? 2 : 1;
    }
    if (!isLast) return state;
    const last = automaton.step(state, automaton.numClasses, textEnd, unanchored);
    return last === null || last.isMatch ? null : state;
  }
}
