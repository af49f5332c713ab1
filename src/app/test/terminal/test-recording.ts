import { constants } from 'node:os';
import { decodeUtf8, Utf8Decoder } from '#base';
import { eraseOutput, type Size, type SubscriptionEvent } from '#model';
import { CastEncoder, type RecordedEvent, type Recording } from '#recording';
import { Replay } from '#replay';

/** More output is not kept, in UTF-16 code units. */
const maxUnits = 32 * 1024 * 1024;

const signals: Readonly<Record<string, number>> = constants.signals;

/**
 * The recording of a test's session. What happens while it is paused takes no time in it, so that a
 * player shows only the result.
 */
export class TestRecording {
  #events: RecordedEvent[] = [];
  /** The output that is kept, in UTF-16 code units. */
  #units = 0;
  readonly #decoder = new Utf8Decoder();
  readonly #startedAtMs = Date.now();
  readonly #begin = performance.now();
  #size: Size;
  /** When it was paused; null while it is not. */
  #pausedAtMs: number | null = null;
  #pausedMs = 0;

  constructor(size: Size) {
    this.#size = size;
  }

  get #nowMs(): number {
    return (this.#pausedAtMs ?? performance.now() - this.#begin) - this.#pausedMs;
  }

  add(event: SubscriptionEvent): void {
    switch (event.type) {
      case 'snapshot':
        // A later one follows output that was too much for the subscription.
        if (this.#events.length > 0) this.#resize(event.size);
        else this.#size = event.size;
        this.#output(this.#decoder.push(event.dump));
        break;
      case 'output':
        this.#output(this.#decoder.push(event.bytes));
        break;
      case 'resize':
        if (event.erasedFrom !== undefined) this.#output(eraseOutput(event.erasedFrom));
        this.#resize(event.size);
        break;
      case 'exit': {
        const { code, signal } = event.status;
        const status = code ?? 128 + (signals[signal ?? ''] ?? 0);
        this.#output(this.#decoder.end());
        this.#events.push({ type: 'exit', status, atMs: this.#nowMs });
        break;
      }
    }
  }

  #resize(size: Size): void {
    this.#events.push({ type: 'resize', size, atMs: this.#nowMs });
  }

  #output(text: string): void {
    if (text === '') return;
    this.#events.push({ type: 'output', text, atMs: this.#nowMs });
    this.#units += text.length;
    if (this.#units > maxUnits) this.#shorten();
  }

  /** Replaces all events by one that shows the screen. */
  #shorten(): void {
    const { terminal, dump } = this.#stateAt(this.#events.length);
    const atMs = this.#nowMs;
    this.#size = terminal.size;
    this.#units = dump.length;
    this.#events = [
      { type: 'marker', label: 'vtr: the output before was too much to keep', atMs },
      { type: 'output', text: dump, atMs },
    ];
  }

  /** Returns the terminal before an event, and output that shows its screen. */
  #stateAt(index: number) {
    const events = this.#events.slice(0, index);
    const replay = new Replay({ version: 3, header: this.#header(this.#size), events });
    const terminal = replay.at(replay.durationMs);
    return { terminal, dump: decodeUtf8(terminal.snapshot({ scrollbackLines: 0 }).dump) };
  }

  mark(label: string): void {
    this.#events.push({ type: 'marker', label, atMs: this.#nowMs });
  }

  pause(): void {
    this.#pausedAtMs ??= performance.now() - this.#begin;
  }

  resume(): void {
    if (this.#pausedAtMs === null) return;
    this.#pausedMs += performance.now() - this.#begin - this.#pausedAtMs;
    this.#pausedAtMs = null;
  }

  /** Returns what is recorded so far. @param theme the colours that the program has not set */
  all(theme?: Recording['header']['theme']): Recording {
    const header = this.#header(this.#size);
    return {
      version: 3,
      header: theme === undefined ? header : { ...header, theme },
      events: [...this.#events],
    };
  }

  /** Returns the part from the last marker on, as asciicast version 3. It begins with the screen of that time. */
  castFromLastMarker(): string {
    const at = this.#events.findLastIndex(({ type }) => type === 'marker');
    if (at < 0) return castOf(this.all());
    const { terminal, dump: text } = this.#stateAt(at);
    const startMs = this.#events[at]?.atMs ?? 0;
    const rest = this.#events.slice(at).map((event) => ({ ...event, atMs: event.atMs - startMs }));
    const events = [{ type: 'output', text, atMs: 0 } as const, ...rest];
    return castOf({ version: 3, header: this.#header(terminal.size), events });
  }

  #header(size: Size): Recording['header'] {
    return { size, startedAtMs: this.#startedAtMs, env: { TERM: 'xterm-256color' } };
  }
}

/** Returns a recording as asciicast version 3. */
export function castOf({ header, events }: Recording): string {
  const encoder = new CastEncoder(3);
  return encoder.header(header) + events.map((event) => encoder.event(event)).join('');
}
