import { type Disposable, Emitter, encodeUtf8, type Listener } from '#base';
import type { ExitStatus, SessionEvent, Size, SnapshotEvent } from '#model';
import { type PrintedText, Terminal } from '#vt';

/** What an observer sees of a session, without a program: a test says what it prints. */
export class WatchedTerminal {
  readonly terminal: Terminal;
  readonly #events = new Emitter<SessionEvent>();
  #offset = 0;
  exitStatus: ExitStatus | null = null;

  constructor(size: Size = { cols: 20, rows: 4 }) {
    this.terminal = new Terminal({ size });
  }

  get revision(): number {
    return this.terminal.revision;
  }

  /** Who listens still. */
  get listenerCount(): number {
    return this.#events.listenerCount;
  }

  printedText(): Iterable<PrintedText> {
    return this.terminal.printedText();
  }

  fingerprint(): number {
    return this.terminal.fingerprint();
  }

  onEvent(listener: Listener<SessionEvent>): Disposable {
    return this.#events.on(listener);
  }

  snapshot(): SnapshotEvent {
    const { size, firstLine, revision } = this.terminal;
    const dump = this.terminal.dump();
    return { type: 'snapshot', revision, atMs: 0, size, firstLine, dump, offset: this.#offset };
  }

  output(text: string | Uint8Array): void {
    const bytes = typeof text === 'string' ? encodeUtf8(text) : text;
    this.terminal.feed(bytes);
    const offset = this.#offset;
    this.#offset += bytes.length;
    this.#events.emit({ type: 'output', revision: this.revision, atMs: 0, offset, bytes });
  }

  resize(size: Size): void {
    this.terminal.resize(size);
    this.#events.emit({ type: 'resize', revision: this.revision, atMs: 0, size });
  }

  exit(status: ExitStatus = { code: 0, signal: null }): void {
    this.exitStatus = status;
    this.#events.emit({ type: 'exit', revision: this.revision, atMs: 0, status });
  }
}
