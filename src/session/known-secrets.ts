import { decodeUtf8 } from '#base';
import { minSecretLength } from '#model';
import { type LearnedSecrets, nothingLearned, type TerminalModes, type WriteModes } from '#pty';

/** The most learned secrets of a kind, and their most characters in all. The oldest are forgotten first. */
const maxCount = 256;
const maxCharacters = 64 * 1024;

/**
 * The secrets of a session: the values with which its program was started, and those that were learned since.
 * They are kept in memory only, until the session is removed. What output shows displaces nothing that was
 * typed.
 */
export class KnownSecrets implements Iterable<string> {
  /** The values of secret variables. */
  readonly variables: readonly string[];
  readonly #typed: Bounded;
  readonly #onScreen: Bounded;
  /** Rises when a secret is learned. */
  version = 0;
  /** Called when a secret was learned. */
  onLearned: () => void = () => {};

  constructor(values: readonly string[] = [], learned: LearnedSecrets = nothingLearned) {
    this.variables = values;
    this.#typed = new Bounded(learned.typed);
    this.#onScreen = new Bounded(learned.seen);
  }

  /**
   * Keeps what is learned, after the turn in which it is.
   *
   * @param isNew whether the program is new: what was learned before is kept, too
   */
  keepWith(keep: (learned: LearnedSecrets) => void, isNew: boolean): void {
    let isDue = false;
    const keepNow = () => {
      isDue = false;
      keep(this.learned);
    };
    if (isNew && this.hasLearned) keepNow();
    this.onLearned = () => {
      if (!isDue) queueMicrotask(keepNow);
      isDue = true;
    };
  }

  /** Learns what was typed while the terminal hid it. */
  typed(value: string): void {
    this.#learn(this.#typed, value);
  }

  /** Learns what the output showed as a secret. */
  learnShown(value: string): void {
    this.#learn(this.#onScreen, value);
  }

  /** Whether secrets that output showed reach the limits of what is kept. */
  static isFull(values: ReadonlySet<string>): boolean {
    let [count, characters] = [0, 0];
    for (const { length } of values) {
      if (length < minSecretLength || length > maxCharacters) continue;
      count++;
      characters += length;
    }
    return count >= maxCount || characters >= maxCharacters;
  }

  get hasLearned(): boolean {
    return this.#typed.values.size + this.#onScreen.values.size > 0;
  }

  get learned(): LearnedSecrets {
    return { typed: [...this.#typed.values], seen: [...this.#onScreen.values] };
  }

  *[Symbol.iterator](): Iterator<string> {
    yield* this.variables;
    yield* this.#typed.values;
    yield* this.#onScreen.values;
  }

  #learn(kind: Bounded, value: string): void {
    if (value.length < minSecretLength || !kind.add(value)) return;
    this.version++;
    this.onLearned();
  }
}

/** Values, oldest first, within the limits. */
class Bounded {
  readonly values = new Set<string>();
  #characters = 0;

  constructor(values: readonly string[]) {
    for (const value of values) this.add(value);
  }

  /** @returns whether it is new and fits */
  add(value: string): boolean {
    if (this.values.has(value) || value.length > maxCharacters) return false;
    this.values.add(value);
    this.#characters += value.length;
    for (const oldest of this.values) {
      if (this.values.size <= maxCount && this.#characters <= maxCharacters) break;
      this.values.delete(oldest);
      this.#characters -= oldest.length;
    }
    return true;
  }
}

/** The longest line that a terminal in canonical mode passes on, in bytes (Linux). */
const maxLine = 4095;

/**
 * Learns the lines that are typed while the terminal hides them: in canonical mode without ECHO, as getpass(3)
 * and sudo read a password. A program that reads keys one by one also turns ECHO off to show them itself, so
 * what it reads is not known to be a secret.
 */
export class TypedSecrets {
  readonly #learn: (line: string) => void;
  /** The line so far, which can be typed key by key. */
  #line: string[] = [];

  constructor(learn: (line: string) => void) {
    this.#learn = learn;
  }

  /** @param modes of the terminal right before and right after the input was written */
  note(input: Uint8Array, { before, after }: WriteModes): void {
    if (!hides(before)) this.#line = [];
    // What follows a line end is read by a program that the line may have started.
    const [first = '', ...others] = decodeUtf8(input).split(/(?<=[\r\n])/);
    if (hides(before)) this.#add(first);
    if (hides(after)) for (const line of others) this.#add(line);
  }

  /** @param keys up to the end of a line */
  #add(keys: string): void {
    for (const key of keys) {
      if (key === '\r' || key === '\n' || key === eof) this.#end();
      else if (key === '\x7f' || key === '\b') this.#line.pop();
      else if (key < ' ') this.#line = [];
      else if (this.#line.length < maxLine) this.#line.push(key);
    }
  }

  #end(): void {
    this.#learn(this.#line.join(''));
    this.#line = [];
  }
}

/** Ctrl+d passes on what was typed, without a line end. */
const eof = '\x04';

const hides = ({ canonical, echo }: TerminalModes): boolean => canonical && !echo;
