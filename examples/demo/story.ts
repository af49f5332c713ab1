import type { WriteStream } from 'node:tty';
import { styleText } from 'node:util';
import type { Result } from './play-steps.ts';

const indent = '   ';
const colors = { '✓': 'green', '-': 'yellow', '✗': 'red' } as const;

/** Prints the demo. It reads the same without colours. */
export class Story {
  readonly #out: WriteStream;
  readonly #paint: typeof styleText;

  constructor(out: WriteStream) {
    this.#out = out;
    // `hasColors` is missing when the output is not a terminal, and obeys NO_COLOR.
    this.#paint = out.isTTY && out.hasColors() ? styleText : (_format, text) => text;
  }

  begin(): void {
    this.title('vtr drives real programs');
    this.#print(
      '',
      'A daemon keeps the sessions. You can type each line after $ as well. A box is',
    );
    this.#print('the screen of a session, with the cursor as █.', '');
  }

  title(title: string): void {
    this.#print('', this.#paint('bold', title));
  }

  command(words: readonly string[], after = ''): void {
    const quoted = words.map((word) => (/^[\w./:+-]+$/.test(word) ? word : `'${word}'`));
    this.line(`vtr ${quoted.join(' ')}${after}`);
  }

  /** A line that one could type in a shell. */
  line(text: string): void {
    this.#print(`${indent}$ ${text}`);
  }

  output(text: string): void {
    const lines = text.split('\n').filter((line) => line !== '');
    this.#print(...lines.map((line) => `${indent}  ${line}`));
  }

  result({ mark, sentence }: Omit<Result, 'title'>): void {
    this.#print(`${indent}${this.#paint(colors[mark], mark)} ${sentence}`);
  }

  summary(results: readonly Result[]): void {
    const shown = results.filter(({ mark }) => mark === '✓');
    const skipped = results.filter(({ mark }) => mark === '-');
    const failed = results.filter(({ mark }) => mark === '✗');
    const end = failed.length > 0 ? ':' : '.';
    const count = `${shown.length} of ${results.length} steps as expected`;
    this.title(`${count}, ${skipped.length} skipped, ${failed.length} failed${end}`);
    this.#print(...failed.map(({ title, sentence }) => `${indent}${title}: ${sentence}`));
  }

  #print(...lines: readonly string[]): void {
    this.#out.write(lines.map((line) => `${line}\n`).join(''));
  }
}
