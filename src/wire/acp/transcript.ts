import { Utf8Decoder } from '#base';
import { ControlFunctions } from './control-functions.ts';
import { KeptText } from './kept-text.ts';

/** Whether control functions (colours, cursor movements, titles) are removed or kept. */
export type EscapeMode = 'strip' | 'keep';

/**
 * The output of a program as growing text: an earlier read is the beginning of a later one, until the
 * limit is exceeded; then only the end is kept. The text does not depend on how output is chunked.
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

  /** Adds output. Bytes before the current offset are ignored. After missing output the text starts again. */
  push(offset: number, bytes: Uint8Array): void {
    const known = this.#offset - offset;
    if (known >= bytes.length) return;
    this.skipTo(offset);
    this.#offset = offset + bytes.length;
    this.#append(this.#characters.push(known > 0 ? bytes.subarray(known) : bytes));
  }

  /** Records that the output up to `offset` is lost. */
  skipTo(offset: number): void {
    if (offset <= this.#offset) return;
    this.#characters.end();
    this.#begin();
    this.#kept.cut();
    this.#offset = offset;
  }

  /** Records the end of output. */
  end(): void {
    this.#append(this.#characters.end());
    this.#kept.append(this.#lineEnds.end());
  }

  toString(): string {
    return this.#kept.toString();
  }

  /** Resets the parsers: a control function does not continue after a gap. */
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
 * Converts line ends of text in chunks to line feeds. A terminal adds a carriage return before each
 * line feed, also where the program wrote one. Other carriage returns stay, because progress bars use
 * them; several in a row become one. Those at the end of a chunk wait for the next one.
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
