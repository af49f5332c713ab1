import { type ExitStatus, flow, type Size } from '#model';
import type { Note, OutputChunk, ReadTime } from '#pty';

const { overheadBytes, joinedMs, joinedShare } = flow.steps;

export interface OutputStep extends ReadTime {
  readonly type: 'output';
  readonly offset: number;
  /** A view of the pages that the kernel wrote to; never written again. */
  bytes: Uint8Array;
}

export type KeptStep =
  | OutputStep
  | {
      readonly type: 'resize';
      readonly offset: number;
      readonly size: Size;
      /** The request that it answers when it is sent; 0 for none. */
      request: number;
    }
  | { readonly type: 'note'; readonly offset: number; readonly note: Note }
  | {
      readonly type: 'exit';
      readonly offset: number;
      readonly status: ExitStatus;
      /** In ms since 1970. */
      readonly atMs: number;
    };

/** A place in a log: output has an offset, and resizes and notes are counted. */
export interface LogPosition {
  readonly offset: number;
  readonly steps: number;
}

/**
 * The steps of a session that a coordinator may need, in order. A reader that applies them gets the same
 * state as the first time: output that was sent is cut into the same steps forever.
 */
export class StepLog {
  readonly #onCost: (change: number) => void;
  #steps: KeptStep[] = [];
  /** The index of the first step that the present coordinator does not have. */
  #sentTo = 0;
  /** The index of the first step that no coordinator had. */
  #cut = 0;
  #cost = 0;
  #end = 0;
  #base: LogPosition = { offset: 0, steps: 0 };

  /** @param onCost called with each change of {@link cost} */
  constructor(onCost: (change: number) => void = () => {}) {
    this.#onCost = onCost;
  }

  /** The memory that the steps take, in bytes. */
  get cost(): number {
    return this.#cost;
  }

  /** Where the steps begin. */
  get base(): LogPosition {
    return this.#base;
  }

  /** The offset of the next byte of output. */
  get end(): number {
    return this.#end;
  }

  /** The first step that has not been sent; null if there is none. */
  get unsent(): KeptStep | null {
    return this.#steps[this.#sentTo] ?? null;
  }

  /** The number of steps that have not been sent. */
  get unsentSteps(): number {
    return this.#steps.length - this.#sentTo;
  }

  /** Whether the only unsent step is output that has room for `bytes` more. */
  hasRoomFor(bytes: number, maxStepBytes: number): boolean {
    const step = this.unsent;
    if (step?.type !== 'output' || this.#sentTo !== this.#steps.length - 1) return false;
    return step.bytes.length + bytes <= maxStepBytes;
  }

  /**
   * Adds output, to the last step if that has never been sent, has room, and was read at about that time.
   *
   * @param maxStepBytes output of up to this many bytes is one step
   */
  addOutput({ offset, bytes }: OutputChunk, readAt: ReadTime, maxStepBytes: number): void {
    for (let at = 0; at < bytes.length; at += maxStepBytes) {
      const isWhole = bytes.length <= maxStepBytes;
      const piece = isWhole ? bytes : bytes.subarray(at, at + maxStepBytes);
      this.#addPiece(offset + at, piece, readAt, maxStepBytes);
    }
    this.#end = offset + bytes.length;
  }

  add(step: Exclude<KeptStep, OutputStep>): void {
    this.#steps.push(step);
    this.#charge(overheadBytes);
  }

  /** Adds a note that the coordinator made at a position that it has reached. */
  addNote(note: Note, { offset, steps }: LogPosition): void {
    const { base } = this;
    if (offset < base.offset || steps < base.steps) {
      // Nobody replays it, but the coordinator counts it.
      this.#base = { ...base, steps: base.steps + 1 };
      return;
    }
    let index = 0;
    for (let count = base.steps; index < this.#sentTo; index++) {
      const step = this.#steps[index];
      if (step === undefined || step.type === 'exit') break;
      if (step.type === 'output' ? step.offset >= offset : count >= steps) break;
      if (step.type !== 'output') count++;
    }
    this.#steps.splice(index, 0, { type: 'note', offset, note });
    // The coordinator has applied it.
    this.#sentTo++;
    this.#cut++;
    this.#charge(overheadBytes);
  }

  /** Marks the first unsent step as sent. */
  send(): void {
    this.#sentTo++;
    this.#cut = Math.max(this.#cut, this.#sentTo);
  }

  /** Marks all steps as not sent, for a coordinator that begins. */
  rewind(): void {
    this.#sentTo = 0;
    for (const step of this.#steps) {
      // The request was another coordinator's.
      if (step.type === 'resize') step.request = 0;
    }
  }

  /** Drops the steps before an offset that were sent, but not the exit. */
  trim(offset: number): void {
    this.trimTo({ offset, steps: Number.POSITIVE_INFINITY });
  }

  /** Drops the steps before a position that were sent, but not the exit. */
  trimTo({ offset, steps }: LogPosition): void {
    let count = 0;
    let freed = 0;
    let { offset: baseOffset, steps: baseSteps } = this.#base;
    for (const step of this.#steps) {
      if (count === this.#sentTo || step.type === 'exit' || endOf(step) > offset) break;
      if (step.type === 'output') baseOffset = endOf(step);
      else if (baseSteps < steps) baseSteps++;
      else break;
      freed += costOf(step);
      count++;
    }
    if (count === 0) return;
    this.#steps.splice(0, count);
    this.#sentTo -= count;
    this.#cut -= count;
    this.#base = { offset: baseOffset, steps: baseSteps };
    this.#charge(-freed);
  }

  #addPiece(offset: number, bytes: Uint8Array, readAt: ReadTime, maxStepBytes: number): void {
    const last = this.#steps.length > this.#cut ? this.#steps.at(-1) : undefined;
    const hasRoom = last?.type === 'output' && last.bytes.length + bytes.length <= maxStepBytes;
    if (hasRoom && readAt.bootMs - last.bootMs <= this.#joinedMs(readAt)) {
      const joined = join(last.bytes, bytes);
      if (joined !== null) {
        last.bytes = joined;
        this.#charge(bytes.length);
        return;
      }
    }
    const { wallMs, bootMs } = readAt;
    this.#steps.push({ type: 'output', offset, bytes, wallMs, bootMs });
    this.#charge(bytes.length + overheadBytes);
  }

  /** How long after the beginning of a step output can join it, in ms. */
  #joinedMs({ bootMs }: ReadTime): number {
    let at = this.#cut;
    while (this.#steps[at]?.type === 'resize') at++;
    const first = this.#steps[at];
    return Math.max(joinedMs, first?.type === 'output' ? (bootMs - first.bootMs) * joinedShare : 0);
  }

  #charge(change: number): void {
    this.#cost += change;
    this.#onCost(change);
  }
}

/** Returns a view of two adjacent views, null if they are not adjacent. */
function join(first: Uint8Array, second: Uint8Array): Uint8Array | null {
  const isNext = first.byteOffset + first.length === second.byteOffset;
  if (first.buffer !== second.buffer || !isNext) return null;
  return new Uint8Array(first.buffer, first.byteOffset, first.length + second.length);
}

const endOf = (step: KeptStep): number =>
  step.type === 'output' ? step.offset + step.bytes.length : step.offset;

const costOf = (step: KeptStep): number =>
  overheadBytes + (step.type === 'output' ? step.bytes.length : 0);
