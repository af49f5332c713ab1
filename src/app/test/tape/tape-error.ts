import type { Place } from './commands.ts';

/** A mistake in a tape, with its place. */
export class TapeError extends Error {
  readonly place: Place;

  constructor(place: Place, message: string) {
    super(message);
    this.place = place;
  }

  /** As compilers print it, for editors: `demo.tape:3:5: message`. */
  override toString(): string {
    const { file, line, column } = this.place;
    return `${file}:${line}:${column}: ${this.message}`;
  }
}
