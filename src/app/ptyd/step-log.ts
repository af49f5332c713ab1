import type { ExitStatus, Size } from '#model';
import type { Note, OutputChunk } from '#pty';

/** Output of up to this many bytes is one step. */
const maxStepBytes = 16 * 1024;
/** What a step costs besides its bytes. */
const overheadBytes = 128;

/** When output was read: ms since 1970, and ms of the system's monotonic clock. */
export interface ReadTime {
  readonly wallMs: number;
  readonly bootMs: number;
}

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
      /** The request that it answers when it is sent for the first time. */
      readonly request: number;
    }
  | { readonly type: 'note'; readonly offset: number; readonly note: Note }
  | {
      readonly type: 'exit';
      readonly offset: number;
      readonly status: ExitStatus;
      readonly wallMs: number;
    };

/**
 * The steps of a session that the coordinator may need again, in order. Whoever applies them gets
 * the same state as the first time: output is cut into the same steps forever.
 */
export class StepLog {
  readonly #onCost: (change: number) => void;
  #steps: KeptStep[] = [];
  /** The index of the first step that has not been sent. */
  #sent = 0;
  #cost = 0;
  #end = 0;

  /** @param onCost called with each change of {@link cost} */
  constructor(onCost: (change: number) => void = () => {}) {
    this.#onCost = onCost;
  }

  /** The memory that the steps take, in bytes. */
  get cost(): number {
    return this.#cost;
  }

  /** The offset of the next byte of output. */
  get end(): number {
    return this.#end;
  }

  /** The first step that has not been sent; null if there is none. */
  get unsent(): KeptStep | null {
    return this.#steps[this.#sent] ?? null;
  }

  /** Whether the only unsent step is output that has room for more, and is newer than a time. */
  isGathering(sinceBootMs: number): boolean {
    const step = this.unsent;
    if (step?.type !== 'output' || this.#sent !== this.#steps.length - 1) return false;
    return step.bytes.length < maxStepBytes && step.bootMs > sinceBootMs;
  }

  /** Adds output to the last step if that has not been sent, and has room. */
  addOutput({ offset, bytes }: OutputChunk, now: () => ReadTime): void {
    for (let at = 0; at < bytes.length; at += maxStepBytes) {
      this.#addPiece(offset + at, bytes.subarray(at, at + maxStepBytes), now);
    }
    this.#end = offset + bytes.length;
  }

  add(step: Exclude<KeptStep, OutputStep>): void {
    this.#steps.push(step);
    this.#charge(overheadBytes);
  }

  /**
   * Adds a note at an offset up to which output was sent: before the output there, and after what else
   * was sent before it.
   */
  addNote(note: Note, offset: number): void {
    const after = this.#steps.findLastIndex(
      (step, index) => index < this.#sent && endOf(step) <= offset,
    );
    this.#steps.splice(after + 1, 0, { type: 'note', offset, note });
    // The coordinator has applied it.
    this.#sent++;
    this.#charge(overheadBytes);
  }

  /** Marks the first unsent step as sent. */
  send(): void {
    this.#sent++;
  }

  /** Marks all steps as not sent, for a coordinator that begins. */
  rewind(): void {
    this.#sent = 0;
  }

  /** Drops the steps before an offset that were sent. */
  trim(offset: number): void {
    let count = 0;
    let freed = 0;
    for (const step of this.#steps) {
      if (count === this.#sent || endOf(step) > offset) break;
      freed += costOf(step);
      count++;
    }
    if (count === 0) return;
    this.#steps.splice(0, count);
    this.#sent -= count;
    this.#charge(-freed);
  }

  #addPiece(offset: number, bytes: Uint8Array, now: () => ReadTime): void {
    const last = this.#steps.length > this.#sent ? this.#steps.at(-1) : undefined;
    if (last?.type === 'output' && last.bytes.length + bytes.length <= maxStepBytes) {
      const joined = join(last.bytes, bytes);
      if (joined !== null) {
        last.bytes = joined;
        this.#charge(bytes.length);
        return;
      }
    }
    this.#steps.push({ type: 'output', offset, bytes, ...now() });
    this.#charge(bytes.length + overheadBytes);
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
