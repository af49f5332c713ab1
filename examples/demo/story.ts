import type { WriteStream } from 'node:tty';
import type { ScreenSnapshot } from 'vtr';
import type { Result } from './play-all.ts';
import { screenBox } from './screen-box.ts';
import { Surprise } from './surprise.ts';
import { counted } from './wording.ts';

const indent = '   ';
const maxWidth = 80;
const callWidth = 'readLines'.length + 2;
/** Where what stands behind the name of a call begins. */
const column = indent.length + callWidth;

/** Tells the demo to a person. Colours only underline what the words say. */
export class Story {
  readonly #out: WriteStream;
  readonly #paint: (sgr: number, text: string) => string;

  constructor(out: WriteStream) {
    this.#out = out;
    // Not there where the output is no terminal; knows NO_COLOR.
    const hasColors = out.isTTY && out.hasColors();
    this.#paint = hasColors ? (sgr, text) => `\x1b[${sgr}m${text}\x1b[0m` : (_sgr, text) => text;
  }

  begin(): void {
    this.#line(this.#bold('vtr drives real programs'));
    this.#line('');
    this.#line(
      'A daemon keeps the sessions. Lines with vtr are commands, which you can type as well; the',
    );
    this.#line(
      'others are calls of a client that looks on, behind the arrows what came of them. A box',
    );
    this.#line('is a screen as the terminal inside vtr knows it, with the cursor as █.');
    this.#line('');
  }

  scene(title: string): void {
    this.#line('');
    this.#line(this.#bold(title));
  }

  skipped(reason: string): void {
    this.#line(`${indent}${this.#paint(33, '-')} Skipped: ${reason}.`);
  }

  call(name: string, what: string, result?: string): void {
    const call = `${indent}${this.#dim(name.padEnd(callWidth))}${what}`;
    if (result === undefined) {
      this.#line(call);
      return;
    }
    const fits = column + what.length + ' → '.length + result.length <= maxWidth;
    const between = fits ? ' ' : `\n${' '.repeat(column)}`;
    this.#line(`${call}${between}${this.#dim(`→ ${result}`)}`);
  }

  screen(name: string, screen: ScreenSnapshot): void {
    const box = screenBox(name, screen, (text) => this.#paint(7, text));
    for (const line of box) this.#line(`${indent}${line}`);
  }

  /** What a call gave, line by line. */
  result(lines: readonly string[]): void {
    for (const line of lines) this.#line(`${' '.repeat(column)}${line}`);
  }

  /** What was seen, in a sentence. */
  seen(sentence: string): void {
    this.#line(`${indent}${this.#paint(32, '✓')} ${sentence}`);
  }

  surprise({ expected, instead }: Surprise): void {
    this.#line(`${indent}${this.#paint(31, '✗')} Expected ${expected}.`);
    this.#line(`${indent}  Instead: ${instead}.`);
  }

  end(): void {
    this.#line('');
    this.#line(this.#bold('The end'));
  }

  /** @param left processes and files; empty where all is well */
  left(sessions: number, left: readonly string[]): void {
    if (left.length === 0) {
      this.seen(
        `No process and no file is left of the daemon and ${counted(sessions, 'session')}.`,
      );
    } else {
      this.surprise(new Surprise('nothing to be left', left.join(', ')));
    }
  }

  summary({ shown, skipped, failed }: Result): void {
    const count = shown.length + skipped.length + failed.length;
    this.#line('');
    this.#line(
      this.#bold(
        `${shown.length} of ${counted(count, 'step')} as expected, ` +
          `${skipped.length} skipped, ${failed.length} failed${failed.length > 0 ? ':' : '.'}`,
      ),
    );
    for (const each of failed) this.#line(`${indent}${each}`);
  }

  interrupted(): void {
    this.#line('');
    this.#line(this.#bold('Interrupted.'));
  }

  #bold(text: string): string {
    return this.#paint(1, text);
  }

  #dim(text: string): string {
    return this.#paint(2, text);
  }

  #line(text: string): void {
    this.#out.write(`${text}\n`);
  }
}
