import type { Candidate } from '../../searching/pattern.ts';
import type { Watched } from '../../watched.ts';
import type { EchoRange } from './echo-filter.ts';
import { sentLines, without } from './sent-lines.ts';

/**
 * Finds the echo of input in raw output: the first text that equals a line of the input. A line editor
 * may put escape sequences into its echo, which is then not found.
 */
export class RawEcho {
  readonly #watched: Watched;
  readonly #range: EchoRange;
  #loaded = 0;
  /** The parts of the input that have not been found. */
  #pieces: string[] = [];

  constructor(watched: Watched, range: EchoRange) {
    this.#watched = watched;
    this.#range = range;
  }

  /** Returns the new parts of the output that are not echo. */
  real(candidate: Candidate): Candidate[] {
    this.#load();
    const { text, from, to } = candidate;
    const echo = [];
    let at = 0;
    for (let piece = this.#pieces[0]; piece !== undefined; piece = this.#pieces[0]) {
      // The text before may have the echo of an equal line.
      const index = text.indexOf(piece, Math.max(at, from - piece.length + 1));
      if (index < 0) break;
      at = index + piece.length;
      echo.push({ from: index, to: at });
      this.#pieces.shift();
    }
    if (echo.length === 0) return [candidate];
    return without({ from, to }, echo).map((span) => ({ ...candidate, ...span }));
  }

  /** Whether a match may be in an echo that has not been found. */
  mayBeEcho(matched: string): boolean {
    return this.#pieces.some((piece) => piece.includes(matched));
  }

  #load(): void {
    const { sinceOffset, lastInput } = this.#range;
    for (const { number, offset, text } of this.#watched.inputs) {
      if (number <= this.#loaded || offset < sinceOffset || number > lastInput) continue;
      const lines = sentLines(text).flatMap(({ pieces }) => pieces);
      this.#pieces.push(...lines.flatMap((piece) => (piece.isOptional ? [] : [piece.text])));
    }
    this.#loaded = this.#watched.inputCount;
  }
}
