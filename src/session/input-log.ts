import { decodeUtf8 } from '#base';
import type { SentInput } from '#model';

/** The most inputs kept, and the most bytes of each. */
const maxInputs = 64;
const maxBytes = 16 * 1024;
/** The most characters of all inputs, in UTF-16 code units. */
const maxCharacters = 128 * 1024;

/** The last inputs of a session, oldest first, within bounds. */
export class InputLog {
  #inputs: SentInput[] = [];
  #characters = 0;
  #count = 0;

  get count(): number {
    return this.#count;
  }

  get inputs(): readonly SentInput[] {
    return this.#inputs;
  }

  add(bytes: Uint8Array, place: Pick<SentInput, 'offset' | 'line' | 'index'>): void {
    const text = decodeUtf8(bytes.subarray(0, maxBytes));
    this.#inputs.push({ number: ++this.#count, text, ...place });
    this.#characters += text.length;
    while (this.#inputs.length > maxInputs || this.#characters > maxCharacters) {
      const [oldest] = this.#inputs.splice(0, 1);
      this.#characters -= oldest?.text.length ?? 0;
    }
  }
}
