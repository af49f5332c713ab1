import { Emitter, encodeUtf8 } from '#base';
import type { ExitStatus, ScreenPlace, SessionEvent, Size } from '#model';
import { chunkFrom, type OutputChunk } from '#pty';
import { type LineArchive, SessionView, type ShellState } from '#session';
import { Ledger } from '#shell';
import { Terminal } from '#vt';
import { onDroppedLines } from '#vt/saving';
import { VirtualClock } from '../virtual-clock.ts';

/** The observer's view of a session without a program: a test writes the output. */
export class WatchedTerminal extends SessionView {
  override readonly terminal: Terminal;
  readonly #events: Emitter<SessionEvent>;
  readonly #chunks: OutputChunk[];
  readonly #clock: VirtualClock | null;

  constructor(
    size: Size = { cols: 20, rows: 4 },
    commands: ShellState = new Ledger({ clock: new VirtualClock() }),
    id = 'session1',
    maxLines = 10_000,
    /** The clock by which output is noted; null for none. */
    clock: VirtualClock | null = null,
    /** Has the lines that the scrollback drops; null: they are lost. */
    archive: LineArchive | null = null,
  ) {
    const terminal = new Terminal({ size, scrollback: { maxLines, maxBytes: 1024 * 1024 } });
    if (archive !== null)
      onDroppedLines(
        terminal,
        (lines, textBytes) => archive.add(lines, textBytes),
        () => archive.erase(),
      );
    const events = new Emitter<SessionEvent>();
    const chunks: OutputChunk[] = [];
    const pty = {
      outputStart: 0,
      keptOutput: async () => chunks,
      outputAtHand: (from: number) => chunks.flatMap((chunk) => chunkFrom(chunk, from)),
    };
    const shownClock = clock ?? new VirtualClock();
    super({ id, terminal, archive, pty, events, commands, clock: shownClock, startLine: 0 });
    this.terminal = terminal;
    this.#events = events;
    this.#chunks = chunks;
    this.#clock = clock;
  }

  /** The number of listeners. */
  get listenerCount(): number {
    return this.#events.listenerCount;
  }

  /** Writes output as a session does: without half a frame in an event. */
  outputByFrames(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; ) {
      const part = bytes.subarray(at);
      const count = this.terminal.feedToFrameBoundary(part);
      this.#fed(part.subarray(0, count));
      at += count;
    }
  }

  /** Shows an open frame, as a session does after a second. */
  endFrame(): void {
    if (!this.terminal.frameOpen) return;
    this.terminal.endFrame();
    this.#fed(new Uint8Array(0));
  }

  output(text: string | Uint8Array): void {
    const bytes = typeof text === 'string' ? encodeUtf8(text) : text;
    this.terminal.feed(bytes);
    this.#fed(bytes);
  }

  #fed(bytes: Uint8Array): void {
    const offset = this.outputEnd;
    this.#chunks.push({ offset, bytes });
    this.outputEnd += bytes.length;
    if (this.#clock !== null) this.noteOutput(this.#clock);
    this.renew();
    this.#events.emit({ type: 'output', revision: this.terminal.revision, atMs: 0, offset, bytes });
    for (const event of this.terminal.takeEvents()) {
      this.#events.emit({ ...event, revision: this.terminal.revision, atMs: 0 });
    }
  }

  /** @param place where the prompt begins that is erased before; ignored where a session erases nothing */
  resize(size: Size, place?: ScreenPlace): void {
    const { terminal } = this;
    terminal.endFrame();
    const erases = place !== undefined && !terminal.alternate && !terminal.isPending;
    const erased = erases ? { erasedFrom: place } : {};
    terminal.resize(size, erased.erasedFrom);
    this.renew();
    this.#events.emit({ type: 'resize', revision: terminal.revision, atMs: 0, size, ...erased });
  }

  exit(status: ExitStatus = { code: 0, signal: null }): void {
    this.exitStatus = status;
    this.#events.emit({ type: 'exit', revision: this.terminal.revision, atMs: 0, status });
  }
}
