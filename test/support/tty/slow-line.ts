import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { encodeUtf8, ignored } from '#base';
import { createPtyHost, type OwnedPty } from '#pty';
import { Terminal } from '#vt';
import { type Place, vtrFile } from '../command/vtr-command.ts';
import { ptyRequest } from '../pty/pty-request.ts';

const size = { cols: 100, rows: 30 };
const prompt = '$ ';

/** A person at a bash behind a slow line: the terminal gets output late, and what it answers follows that. */
export class SlowLine {
  readonly #pty: OwnedPty;
  readonly #terminal = new Terminal({ size });
  /** What the program has sent, as text. */
  #output = '';
  /** Chunks that the terminal has not got yet. */
  #underWay = 0;
  #typedAfterAnswer = '';

  /** @param delayMs from the program to the terminal; infinite for a terminal that gets everything and answers nothing */
  static async open(
    place: Place,
    delayMs: number,
    env: Readonly<Record<string, string>> = {},
  ): Promise<SlowLine> {
    const host = createPtyHost();
    onTestFinished(() => host.close({ force: true }));
    // The process of the command is known by a file.
    const command = `sh -c 'echo $$ >"$HOME/pid"; exec "${process.execPath}" "${vtrFile}" "$@"' vtr "$@"`;
    const profile = join(place.directory, 'bashrc');
    writeFileSync(profile, `PS1='${prompt}'; vtr() { ${command}; }\n`);
    const terminal = { TERM: 'xterm-256color', COLORTERM: 'truecolor' };
    const request = ptyRequest('bash', ['--noprofile', '--rcfile', profile, '-i'], {
      cwd: place.directory,
      env: { ...place.env, ...terminal, ...env },
      size,
    });
    return new SlowLine(await host.spawn(request), delayMs);
  }

  private constructor(pty: OwnedPty, delayMs: number) {
    this.#pty = pty;
    pty.readOutput(0, ({ bytes }) => {
      const chunk = bytes.slice();
      this.#output += Buffer.from(chunk).toString('latin1');
      this.#underWay++;
      const isSilent = delayMs === Number.POSITIVE_INFINITY;
      setTimeout(() => this.#receive(chunk, isSilent), isSilent ? 0 : delayMs);
    });
  }

  #receive(bytes: Uint8Array, isSilent: boolean): void {
    this.#underWay--;
    this.#terminal.feed(bytes);
    const answers = this.#terminal.takeReplies();
    if (answers === null || isSilent) return;
    const typed = encodeUtf8(this.#typedAfterAnswer);
    this.#typedAfterAnswer = '';
    this.#write(Buffer.concat([answers, typed]));
  }

  #write(bytes: Uint8Array): void {
    ignored(this.#pty.write(bytes), 'bash may have ended');
  }

  /** Sends what a terminal sends. */
  type(text: string): void {
    this.#write(encodeUtf8(text));
  }

  /** Types text right behind the next answer of the terminal. */
  typeAfterAnswer(text: string): void {
    this.#typedAfterAnswer = text;
  }

  /** Resolves when the program has sent a text since now, before the terminal gets it. */
  async sends(text: string, begin: () => void): Promise<void> {
    const from = this.#output.length;
    begin();
    await expect.poll(() => this.#output.indexOf(text, from), { interval: 1 }).toBeGreaterThan(-1);
  }

  /** Resolves when a row of the screen matches. */
  async shows(pattern: RegExp): Promise<void> {
    await expect.poll(() => this.rows.some((row) => pattern.test(row)), { interval: 5 }).toBe(true);
  }

  get rows(): readonly string[] {
    return this.#terminal.screenText();
  }

  /** What stands at the prompts once the terminal has got, and answered, all that was sent. */
  async prompts(): Promise<readonly string[]> {
    const last = () => (this.#terminal.alternate ? '' : this.rows.findLast((row) => row !== ''));
    await expect.poll(last).toMatch(/^\$(?! vtr)/);
    await expect.poll(() => this.#underWay).toBe(0);
    // What bash reads after the answers has them before it.
    this.type('echo at the e""nd\r');
    await this.shows(/^at the end$/);
    return this.rows.filter((row) => row.startsWith('$ '));
  }
}
