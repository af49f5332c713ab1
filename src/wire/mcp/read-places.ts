import type { TextDecoder } from 'node:util';
import type { ReadMark } from '#model';

/** Where one client is in the output of one session. */
export interface ReadPlace {
  /** Up to where the view `new` has been read; the beginning when null. */
  readMark: ReadMark | null;
  /** Of the output with its ANSI codes, where that was read up to there. */
  decoder: TextDecoder | null;
  /** From where a wait for text counts: the last input, or the end of the last wait. */
  waitMark: ReadMark | null;
  /** The newest screen that was read in any view; -1 before the first. */
  seenRevision: number;
}

/** More are not kept: the places that were not used for longest are forgotten first. */
const maxPlaces = 1000;

/** The places of one client, by the ids of sessions: they are its own, reading takes from nobody. */
export class ReadPlaces {
  readonly #places = new Map<string, ReadPlace>();

  of(sessionId: string): ReadPlace {
    const place = this.#places.get(sessionId) ?? {
      readMark: null,
      decoder: null,
      waitMark: null,
      seenRevision: -1,
    };
    this.#places.delete(sessionId);
    this.#places.set(sessionId, place);
    if (this.#places.size > maxPlaces) {
      for (const oldest of this.#places.keys()) {
        this.#places.delete(oldest);
        break;
      }
    }
    return place;
  }

  forget(sessionId: string): void {
    this.#places.delete(sessionId);
  }
}
