import type { RE2JS } from 're2js';

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
