import { createHash } from 'node:crypto';
import { type Disposable, toDisposable } from '#base';
import type { Pty, WriteModes } from '#pty';

/** @param bytes what was written; null in place of input that may be a password */
export type InputListener = (bytes: Uint8Array | null) => void;

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
/** The beginning of a bracketed paste: its lines are not read one by one. */
const pasteBegin = Uint8Array.from('\x1b[200~', (each) => each.charCodeAt(0));

/**
 * Tells listeners what is written to the program, except passwords: input while the terminal is in
 * canonical mode without echo, before or after it, and input for which that is not known. Without
 * listeners, input is written as always; with some, the modes are read before it.
 */
export class RecordedInput {
  readonly #pty: Pick<Pty, 'modes'>;
  /** Whether the screen of a full-screen program is shown. */
  readonly #isFullScreen: () => boolean;
  readonly #listeners = new Set<InputListener>();
  /** Input that waits for the modes; what follows must not overtake it. */
  #waiting = 0;
  #reading: Promise<boolean> = Promise.resolve(false);
  #telling: Promise<void> = Promise.resolve();

  constructor(pty: Pick<Pty, 'modes'>, isFullScreen: () => boolean) {
    this.#pty = pty;
    this.#isFullScreen = isFullScreen;
  }

  listen(listener: InputListener): Disposable {
    this.#listeners.add(listener);
    return toDisposable(() => this.#listeners.delete(listener));
  }

  async write<T>(bytes: Uint8Array, write: () => Promise<T>): Promise<T> {
    if (this.#listeners.size === 0 && this.#waiting === 0) return write();
    this.#waiting++;
    this.#reading = this.#reading.then(() => this.#hidesInput());
    const isHidden = await this.#reading.finally(() => {
      this.#waiting--;
    });
    const writing = write();
    const isKnown = writing.then(
      async () => !isHidden && !(await this.#hidesInput()),
      () => false,
    );
    this.#telling = this.#telling.then(async () => this.#tell(bytes, await isKnown));
    await this.#telling;
    return writing;
  }

  async #hidesInput(): Promise<boolean> {
    const modes = await this.#pty.modes();
    return modes === null || (modes.canonical && !modes.echo);
  }

  /**
   * Whether the terminal or the shell's line editor shows all of some input that was written. Programs that
   * show their input themselves, with ECHO off, look as those that read a password key by key.
   *
   * @param modes undefined if they are not known
   * @param isEdited whether the shell's line editor read when it was written
   */
  isShown(bytes: Uint8Array, modes: WriteModes | undefined, isEdited: boolean): boolean {
    if (modes === undefined) return false;
    const { before, after } = modes;
    if (before.echo) return after.echo;
    if (!isEdited || before.canonical || (after.canonical && !after.echo)) return false;
    return this.#knownLength(bytes) === bytes.length;
  }

  #tell(bytes: Uint8Array, isKnown: boolean): void {
    const length = isKnown ? this.#knownLength(bytes) : 0;
    for (const listener of this.#listeners) {
      if (length > 0) listener(bytes.subarray(0, length));
      if (length < bytes.length) listener(null);
    }
  }

  /** The program that a line starts may read the next one as a password. */
  #knownLength(bytes: Uint8Array): number {
    if (this.#isFullScreen() || pasteBegin.every((code, at) => bytes[at] === code)) {
      return bytes.length;
    }
    const end = bytes.findIndex((byte) => byte === lineFeed || byte === carriageReturn);
    return end < 0 ? bytes.length : end + 1;
  }
}

/** Bytes of a hash: a repeat is recognised by it, and it is kept for each id. */
const hashBytes = 16;

/**
 * Returns a hash of what a call asks for, in hexadecimal: 32 digits. Two calls with the same id of input
 * are repeats only if it is the same. Properties of objects have any order.
 */
export function contentHash(...parts: readonly unknown[]): string {
  const hash = createHash('sha256');
  for (const part of parts) {
    const bytes = part instanceof Uint8Array ? part : Buffer.from(JSON.stringify(part, ordered));
    hash.update(`${bytes.length}:`).update(bytes);
  }
  return hash.digest('hex').slice(0, 2 * hashBytes);
}

function ordered(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
