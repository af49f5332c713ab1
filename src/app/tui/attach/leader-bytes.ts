import { encodeKey, parseKey } from '#keys';
import { initialViewModes, type KeyModes, type KeyPress } from '#model';
import type { Keys } from '../keys.ts';

/** The modes in which a terminal may encode the leader: those that the program requested. */
const encodings: readonly KeyModes[] = [
  initialViewModes,
  { ...initialViewModes, kittyFlags: 1 },
  { ...initialViewModes, modifyOtherKeys: 2 },
];

/** Returns all ways to encode a key. One that an encoding does not have, such as a media key, is left out. */
const waysOf = (press: KeyPress): readonly string[] =>
  [...new Set(encodings.map((modes) => bytesText(encodeKey(press, modes))))].filter(
    (text) => text !== '',
  );

/** Finds the leader in bytes that are otherwise passed on. Keys are not split over reads. */
export class LeaderBytes {
  readonly #leaders: readonly string[];
  readonly #detaching: readonly string[];
  #isLeading = false;

  constructor(keys: Pick<Keys, 'leader' | 'of'>) {
    this.#leaders = keys.leader === null ? [] : waysOf(keys.leader);
    const detaching = keys.of('attach', 'detach').filter((key) => key !== 'leader');
    this.#detaching = detaching.flatMap((key) => waysOf(parseKey(key)));
  }

  /** Returns the bytes to pass on, and whether the leader was followed by the key that detaches. */
  read(bytes: Uint8Array): { readonly rest: Uint8Array; readonly detaches: boolean } {
    let passed = '';
    for (let text = bytesText(bytes); text !== ''; ) {
      const leader = this.#leaders.find((each) => text.startsWith(each));
      const length = leader?.length ?? 1;
      const isDetaching = this.#detaching.some((each) => text.startsWith(each));
      if (this.#isLeading && leader === undefined && isDetaching) {
        return { rest: Buffer.from(passed, 'latin1'), detaches: true };
      }
      // The leader twice, or any other key after it, is for the program.
      if (leader === undefined || this.#isLeading) passed += text.slice(0, length);
      this.#isLeading = leader !== undefined && !this.#isLeading;
      text = text.slice(length);
    }
    return { rest: Buffer.from(passed, 'latin1'), detaches: false };
  }
}

/** One character per byte. */
const bytesText = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1');
