import { type Clock, type Disposable, toDisposable } from '#base';
import type { CommandRecord, ResizeEvent, SessionEvent } from '#model';
import type { RecordConsumer, RecordedChange, RecordedSource } from './segment.ts';

/**
 * Observes one session for any number of recordings: its output and resizes, its commands, and the
 * markers that others set.
 */
export class SessionRecorder implements Disposable {
  readonly #source: RecordedSource;
  readonly #clock: Pick<Clock, 'nowMs'>;
  readonly #consumers = new Set<RecordConsumer>();
  readonly #listening: Disposable;
  /** Commands that ended before this offset are recorded. */
  #endedTo: number;
  /** The number of the last command whose beginning is recorded. */
  #begun: number;
  /** Whether the recorded commands are those of marks without the nonce. */
  #isUnverified: boolean;
  /** The offset of the last change. */
  #changedAt = 0;

  constructor(source: RecordedSource, clock: Pick<Clock, 'nowMs'>) {
    this.#source = source;
    this.#clock = clock;
    this.#endedTo = source.outputEnd;
    const { unverified } = source.commands;
    this.#isUnverified = unverified !== null;
    this.#begun = (unverified ?? source.commands).running?.number ?? 0;
    this.#listening = source.onEvent((event) => this.#observe(event));
  }

  add(consumer: RecordConsumer): Disposable {
    this.#consumers.add(consumer);
    return toDisposable(() => this.#consumers.delete(consumer));
  }

  /** Sets a marker at the end of the output. */
  mark(label: string): void {
    this.#change({ type: 'marker', label });
  }

  dispose(): void {
    this.#listening.dispose();
    this.#consumers.clear();
  }

  #observe(event: SessionEvent): void {
    switch (event.type) {
      case 'output':
        if (event.bytes.length === 0) this.#change({ type: 'frameEnd' });
        else this.#output(event.bytes, event.offset);
        break;
      case 'resize':
        this.#resized(event);
        break;
      case 'mark':
        this.#noteCommands();
        break;
      case 'exit':
        this.#noteCommands();
        this.#change({ type: 'exit', status: event.status });
    }
  }

  #output(bytes: Uint8Array, offset: number): void {
    const atMs = this.#clock.nowMs();
    for (const consumer of this.#consumers) consumer.output(bytes, offset, atMs);
  }

  #resized({ size, erasedFrom }: ResizeEvent): void {
    const atMs = this.#clock.nowMs();
    for (const consumer of this.#consumers) consumer.resized(size, atMs, erasedFrom);
  }

  /** Notes the commands that have begun or ended since the last call. */
  #noteCommands(): void {
    const { unverified } = this.#source.commands;
    const commands = unverified ?? this.#source.commands;
    if (this.#isUnverified && unverified === null) this.#begun = 0;
    this.#isUnverified = unverified !== null;
    let ended = commands.endedAfter(this.#endedTo);
    while (ended?.to != null) {
      this.#noteBegin(ended);
      const { number: command, exitCode, durationMs, to } = ended;
      this.#change({ type: 'commandEnd', command, exitCode, durationMs }, to.offset);
      this.#endedTo = to.offset + 1;
      ended = commands.endedAfter(this.#endedTo);
    }
    if (commands.running !== null) this.#noteBegin(commands.running);
  }

  #noteBegin({ number: command, line, from, unverified }: CommandRecord): void {
    if (command <= this.#begun) return;
    this.#begun = command;
    const change = { type: 'commandBegin', command, line } as const;
    this.#change(unverified ? { ...change, unverified } : change, from.offset);
  }

  #change(change: RecordedChange, offset = this.#source.outputEnd): void {
    this.#changedAt = Math.max(this.#changedAt, offset);
    const placed = { ...change, offset: this.#changedAt, atMs: this.#clock.nowMs() };
    for (const consumer of this.#consumers) consumer.changed(placed);
  }
}
