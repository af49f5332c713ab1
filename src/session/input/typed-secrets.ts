import { decodeUtf8 } from '#base';
import type { TerminalModes, WriteModes } from '#pty';

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
