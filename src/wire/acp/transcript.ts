import { Utf8Decoder } from '#base';
import { ControlFunctions } from './control-functions.ts';
import { KeptText } from './kept-text.ts';

/** What becomes of control functions: colours, movements of the cursor, titles. */
export type EscapeMode = 'strip' | 'keep';

/**
 * Everything that a program wrote, as text that only grows: what was read earlier is the beginning of
 * what is read later, until more has come than is kept; from then on its end is kept. In whatever
 * chunks the output comes, the text is the same.
 */
export class Transcript {
  readonly #characters = new Utf8Decoder();
  readonly #escapes: EscapeMode;
  #functions: ControlFunctions | null = null;
  #lineEnds = new LineEnds();
  readonly #kept: KeptText;
  /** Absolute offset of the next byte of output. */
  #offset = 0;

  constructor(maxBytes: number, escapes: EscapeMode) {
    this.#kept = new KeptText(maxBytes);
    this.#escapes = escapes;
    this.#begin();
  }

  get offset(): number {
    return this.#offset;
  }

  get truncated(): boolean {
    return this.#kept.truncated;
  }

  /** Of what is here already nothing is taken twice. Where output is missing, it begins anew. */
  push(offset: number, bytes: Uint8Array): void {
    const known = this.#offset - offset;
    if (known >= bytes.length) return;
    this.skipTo(offset);
    this.#offset = offset + bytes.length;
    this.#append(this.#characters.push(known > 0 ? bytes.subarray(known) : bytes));
  }

  /** The output up to there can be had no more. */
  skipTo(offset: number): void {
    if (offset <= this.#offset) return;
    this.#characters.end();
    this.#begin();
    this.#kept.cut();
    this.#offset = offset;
  }

  /** Nothing comes any more. */
  end(): void {
    this.#append(this.#characters.end());
    this.#kept.append(this.#lineEnds.end());
  }

  toString(): string {
    return this.#kept.toString();
  }

  /** What is cut off before a gap, a control function, say, does not go on behind it. */
  #begin(): void {
    this.#functions = this.#escapes === 'strip' ? new ControlFunctions() : null;
    this.#lineEnds = new LineEnds();
  }

  #append(text: string): void {
    const shown = this.#functions === null ? text : this.#functions.push(text);
    this.#kept.append(this.#lineEnds.push(shown));
  }
}

/**
 * Text in chunks with its line ends as line feeds: a terminal puts a carriage return before each, and
 * before the one that the program put there itself. Carriage returns elsewhere stay, so that a bar
 * that is painted over and over remains what it was; several in a row say what one says. Those at the
 * end wait for what comes after them.
 */
class LineEnds {
  #waiting = false;

  push(text: string): string {
    if (text === '') return '';
    const joined = this.#waiting ? `\r${text}` : text;
    const end = endBeforeReturns(joined);
    this.#waiting = end < joined.length;
    return withLineFeeds(joined.slice(0, end));
  }

  end(): string {
    const rest = this.#waiting ? '\r' : '';
    this.#waiting = false;
    return rest;
  }
}

function withLineFeeds(text: string): string {
  const usual = text.replaceAll('\r\n', '\n');
  if (!usual.includes('\r')) return usual;
  return usual.replace(/\r+\n?/g, (run) => (run.endsWith('\n') ? '\n' : '\r'));
}

function endBeforeReturns(text: string): number {
  let end = text.length;
  while (end > 0 && text[end - 1] === '\r') end--;
  return end;
}
