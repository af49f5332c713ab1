import { EarlierTerminal, type TerminalFacts } from '#session';
import { type Moment, Transcript } from '#watch';
import type { Turns } from './earlier-state.ts';

/** A program that does not draw in frames (mode 2026) has drawn its screen when no output follows for so long, in ms. */
const drawnMs = 8;

/** Returns what the alternate screen has shown in a recording, up to a moment. */
export async function transcriptOf(
  facts: TerminalFacts,
  { segments, segment: last, ...end }: Moment,
  turns: Turns,
): Promise<Transcript> {
  const transcript = new Transcript();
  const screen = new SeenScreen(transcript);
  for (const segment of segments) {
    const { begin } = segment;
    const terminal = new EarlierTerminal(facts, begin);
    screen.look();
    screen.begin(terminal, begin.offset);
    for (const step of segment.steps(segment === last ? end : segment.end)) {
      if (step.type === 'frameEnd') {
        terminal.endFrame();
        screen.look();
      }
      if (step.type !== 'output') continue;
      screen.feed(step.bytes, step.atMs);
      await turns.worked(step.bytes.length);
    }
  }
  screen.look();
  return transcript;
}

/** Shows a transcript what a terminal shows. */
class SeenScreen {
  readonly #transcript: Transcript;
  #terminal: EarlierTerminal | null = null;
  #offset = 0;
  #rows: string[] = [];
  /** The revision of {@link #rows}; null if the alternate screen was not shown. */
  #revision: number | null = null;
  #wasAlternate = false;
  /** When output was fed last, in ms. */
  #fedMs = 0;

  constructor(transcript: Transcript) {
    this.#transcript = transcript;
  }

  /** @param offset of the output that follows */
  begin(terminal: EarlierTerminal, offset: number): void {
    this.#terminal = terminal;
    this.#offset = offset;
    this.#revision = null;
    // The program may have shown more before.
    if (terminal.terminal.alternate && !this.#wasAlternate) this.#transcript.begin(true);
    this.#wasAlternate = terminal.terminal.alternate;
    this.look();
  }

  feed(bytes: Uint8Array, atMs: number): void {
    const terminal = this.#terminal?.terminal;
    if (terminal === undefined) return;
    if (atMs - this.#fedMs >= drawnMs) this.look();
    this.#fedMs = atMs;
    for (let at = 0; at < bytes.length; ) {
      const isFrame = terminal.frameOpen;
      const count = terminal.feedToFrameBoundary(bytes.subarray(at));
      at += count;
      this.#offset += count;
      terminal.takeEvents();
      terminal.takeReplies();
      if (isFrame && !terminal.frameOpen) this.look();
    }
  }

  look(): void {
    const terminal = this.#terminal?.terminal;
    if (terminal === undefined || terminal.frameOpen) return;
    const { alternate, revision, size } = terminal;
    if (alternate && !this.#wasAlternate) this.#transcript.begin(false);
    this.#wasAlternate = alternate;
    if (!alternate) {
      this.#revision = null;
      return;
    }
    const changed =
      this.#revision === null
        ? Array.from({ length: size.rows }, (_, row) => row)
        : terminal.changedRows(this.#revision);
    this.#revision = revision;
    if (changed.length === 0) return;
    this.#rows.length = size.rows;
    for (const row of changed) this.#rows[row] = terminal.readRow(row).spaced().trimEnd();
    this.#transcript.show(this.#rows, this.#offset);
  }
}
