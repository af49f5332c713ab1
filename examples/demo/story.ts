import type { WriteStream } from 'node:tty';
import type { ScreenSnapshot } from 'vtr';
import type { Result } from './play-all.ts';
import { screenBox } from './screen-box.ts';
import type { Surprise } from './surprise.ts';
import { counted } from './wording.ts';

const indent = '   ';
/** The longest name of a call, and two. */
const callWidth = 'waitForExit'.length + 2;

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
    this.#line(this.#bold('vtr drives real programs.'));
    this.#line('');
    this.#line(
      'On the left the calls that are made, on the right what came of them. A box is what the',
    );
    this.#line('program has drawn, as the terminal inside vtr knows it; █ is the cursor.');
  }

  scene(number: number, title: string): void {
    this.#line('');
    this.#line(this.#bold(`${number}. ${title}`));
  }

  skipped(reason: string): void {
    this.#line(`${indent}${this.#paint(33, '-')} Skipped: ${reason}.`);
  }

  call(name: string, what: string, result?: string): void {
    const outcome = result === undefined ? '' : this.#dim(` → ${result}`);
    this.#line(`${indent}${this.#dim(name.padEnd(callWidth))}${what}${outcome}`);
  }

  screen(name: string, screen: ScreenSnapshot): void {
    this.lines(screenBox(name, screen, (text) => this.#paint(7, text)));
  }

  /** What a call gave, line by line. */
  lines(lines: readonly string[]): void {
    for (const line of lines) this.#line(`${indent}${line}`);
  }

  /** What was seen, in a sentence. */
  seen(sentence: string): void {
    this.#line(`${indent}${this.#paint(32, '✓')} ${sentence}`);
  }

  surprise({ expected, instead }: Surprise): void {
    this.#line(`${indent}${this.#paint(31, '✗')} Expected ${expected}.`);
    this.#line(`${indent}  Instead: ${instead}.`);
  }

  end(sessions: number, left: readonly string[]): void {
    this.#line('');
    this.#line(this.#bold('The end'));
    this.call('close', counted(sessions, 'session'));
    const nothing = 'No process and no file is left.';
    if (left.length === 0) this.seen(nothing);
    else this.#line(`${indent}${this.#paint(31, '✗')} Left behind: ${left.join(', ')}.`);
  }

  summary({ shown, skipped, failed }: Result): void {
    this.#line('');
    const parts = [`${counted(shown.length, 'step')} as expected`];
    if (skipped.length > 0) parts.push(`${skipped.length} skipped`);
    if (failed.length > 0) parts.push(`${failed.length} failed: ${failed.join('; ')}`);
    this.#line(this.#bold(`${parts.join(', ')}.`));
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
