import { decodeUtf8 } from '#base';
import { findInOutput, type SecretRule, tokenPlace } from '#recording';
import type { Session, SessionView } from '#session';

/** Output that may wait for a search, in bytes: a quarter of what is at hand. */
const maxUnsearched = 64 * 1024;
/** A line that is longer is searched in parts, in bytes. */
const maxLine = 16 * 1024;

const lineFeed = 0x0a;
/** Ends a line, so that the rule knows that a secret at its end is whole. */
const lineEnd = '\r\n';

/**
 * Searches a session for secrets that its output shows, once each: the lines above the screen, the screen, and
 * the raw output at hand, which has what was erased. From the first search on, output is searched before it is
 * no longer at hand.
 */
export class SeenSecrets {
  readonly #view: SessionView;
  readonly #rule: SecretRule;
  #nextLine = 0;
  #nextOffset = 0;
  #revision = -1;

  /** @param rule learns what it finds */
  constructor({ view }: Session, rule: SecretRule) {
    this.#view = view;
    this.#rule = rule;
    view.onEvent(({ type }) => {
      if (type === 'output' && view.outputEnd - this.#nextOffset > maxUnsearched) {
        this.#searchOutput();
      }
    });
  }

  /** Searches what is new. */
  search(): void {
    const { terminal } = this.#view;
    if (terminal.revision === this.#revision) return;
    this.#revision = terminal.revision;
    this.#searchScrollback();
    if (terminal.alternate) this.#searchRows();
    else this.#searchScreen();
    this.#searchOutput();
  }

  #searchScrollback(): void {
    const { terminal } = this.#view;
    const { topLine } = terminal;
    let line = Math.max(this.#nextLine, terminal.firstLine);
    while (line < topLine) {
      const scan = terminal.scanLines(line, topLine, tokenPlace);
      if (!scan.found && scan.line <= line) break;
      line = scan.line;
      if (!scan.found || line >= topLine) continue;
      this.#find(this.#textsFrom(line, line + 1).join(''));
      line++;
    }
    this.#nextLine = topLine;
  }

  /** The line of the cursor may continue, unless the program has ended. */
  #searchScreen(): void {
    const { terminal, exitStatus } = this.#view;
    const { topLine, endLine } = terminal;
    const open = exitStatus === null ? terminal.linePosition().line : endLine;
    this.#find(this.#textsFrom(topLine, open).join(''));
    this.#find(this.#textsFrom(open + 1, endLine).join(''));
    for (const { reader } of terminal.readLines(open, open + 1)) this.#find(reader.spaced());
  }

  #textsFrom(from: number, to: number): string[] {
    const reads = this.#view.terminal.readLines(from, to);
    return Array.from(reads, ({ reader }) => reader.spaced() + lineEnd);
  }

  /** A row that is full may continue where the program drew the rest. */
  #searchRows(): void {
    const { terminal } = this.#view;
    const { cols, rows } = terminal.size;
    let text = '';
    for (let row = 0; row < rows; row++) {
      const shown = terminal.readRow(row).spaced();
      text += shown;
      if (!terminal.wrapsAt(row)) text += shown.trimEnd().length < cols ? lineEnd : '\n';
    }
    this.#find(text);
  }

  #searchOutput(): void {
    const chunks = this.#view.rawOutput(this.#nextOffset);
    const bytes = Buffer.concat(chunks.map((chunk) => chunk.bytes));
    const lines = bytes.lastIndexOf(lineFeed) + 1;
    const end = lines === 0 && bytes.length > maxLine ? bytes.length : lines;
    for (let at = tokenPlace(bytes, 0, end); at >= 0; ) {
      const next = bytes.indexOf(lineFeed, at) + 1;
      const to = next === 0 ? end : next;
      const from = Math.max(bytes.lastIndexOf(lineFeed, at) + 1, at - maxLine);
      this.#find(decodeUtf8(bytes.subarray(from, to)));
      at = tokenPlace(bytes, to, end);
    }
    this.#nextOffset = (chunks[0]?.offset ?? this.#view.outputEnd) + end;
  }

  #find(text: string): void {
    findInOutput(text, [this.#rule]);
  }
}
