import { encodeKey } from '#keys';
import { initialViewModes, type KeyModes, type KeyPress } from '#model';

/** The modes in which a terminal may encode the leader: those that the program requested. */
const encodings: readonly KeyModes[] = [
  initialViewModes,
  { ...initialViewModes, kittyFlags: 1 },
  { ...initialViewModes, modifyOtherKeys: 2 },
];

/** Finds the leader in bytes that are otherwise passed on. Keys are not split over reads. */
export class LeaderBytes {
  readonly #leaders: readonly string[];
  #isLeading = false;

  /** @param leader null: no key is taken */
  constructor(leader: KeyPress | null) {
    const texts =
      leader === null ? [] : encodings.map((modes) => bytesText(encodeKey(leader, modes)));
    // A key that an encoding does not have, such as a media key, is not at every position.
    this.#leaders = texts.filter((text) => text !== '');
  }

  /** Returns the bytes to pass on, and whether the leader was followed by `d`. */
  read(bytes: Uint8Array): { readonly rest: Uint8Array; readonly detaches: boolean } {
    let passed = '';
    for (let text = bytesText(bytes); text !== ''; ) {
      const leader = this.#leaders.find((each) => text.startsWith(each));
      const length = leader?.length ?? 1;
      if (this.#isLeading && leader === undefined && text.startsWith('d')) {
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
