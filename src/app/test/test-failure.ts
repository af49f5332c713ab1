import type { Place } from './tape/commands.ts';

/** What a test expected and did not see. */
export class TestFailure extends Error {
  /** Absent if it is not at one place. */
  readonly place?: Pick<Place, 'file' | 'line'>;
  /** Lines for a person: a difference, or the screen. */
  readonly details: string;
  /** Paths of files that it left. */
  readonly left: readonly string[];

  constructor(
    message: string,
    options: {
      readonly place?: Pick<Place, 'file' | 'line'>;
      readonly details?: string;
      readonly left?: readonly string[];
    } = {},
  ) {
    super(message);
    if (options.place !== undefined) this.place = options.place;
    this.details = options.details ?? '';
    this.left = options.left ?? [];
  }

  /** The message with its place, as compilers print it. */
  get headline(): string {
    const { place, message } = this;
    return place === undefined ? message : `${place.file}:${place.line}: ${message}`;
  }
}
