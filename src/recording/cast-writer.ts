import { encodeUtf8 } from '#base';
import { CastEncoder } from './cast-encoder.ts';
import { CleanOutput } from './clean-output.ts';
import type { CastVersion, RecordedEvent } from './recording.ts';
import type { SecretWords } from './redaction/secrets.ts';

/** The end of an event. */
const tail = encodeUtf8('"]\n');
/** More than the beginning of an event before its data, and its end. */
const room = { before: 64, behind: tail.length };
/** Shared: what it holds is copied at once. */
const clean = new CleanOutput();

/** Encodes a recording as lines of asciicast in UTF-8. */
export class CastWriter {
  readonly #encoder: CastEncoder;
  #parts: Uint8Array[] = [];
  #length = 0;

  /** @param writtenMs continues a recording whose last event has this time */
  constructor(version: CastVersion, writtenMs: number) {
    this.#encoder = new CastEncoder(version, writtenMs);
  }

  /** The size of the lines that are not taken yet, in bytes. */
  get length(): number {
    return this.#length;
  }

  /** The time of the events so far, as a reader computes it, in ms. */
  get writtenMs(): number {
    return this.#encoder.writtenMs;
  }

  event(event: RecordedEvent): void {
    this.#add(encodeUtf8(this.#encoder.event(event)));
  }

  /**
   * Adds an event with output from `from` on, as far as it certainly has no secret and is well-formed. A
   * line of output must begin there, unless nothing is a secret.
   *
   * @returns where that ends
   */
  cleanOutput(atMs: number, output: Uint8Array, from: number, words: SecretWords): number {
    const end = clean.write(output, from, words, room);
    if (end === from) return from;
    const head = encodeUtf8(this.#encoder.outputHead(atMs));
    const start = room.before - head.length;
    clean.json.set(head, start);
    clean.json.set(tail, clean.jsonEnd);
    this.#add(clean.json.slice(start, clean.jsonEnd + tail.length));
    return end;
  }

  /** Returns the lines since the last call. */
  take(): Uint8Array {
    const lines = new Uint8Array(this.#length);
    let at = 0;
    for (const part of this.#parts) {
      lines.set(part, at);
      at += part.length;
    }
    this.#parts = [];
    this.#length = 0;
    return lines;
  }

  #add(line: Uint8Array): void {
    this.#parts.push(line);
    this.#length += line.length;
  }
}
