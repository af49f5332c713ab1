import type { ExitStatus } from './exit-status.ts';
import type { Size } from './size.ts';

interface Stamp {
  readonly revision: number;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly atMs: number;
}

/** What a program wrote, as one read delivered it. */
export interface OutputEvent extends Stamp {
  readonly type: 'output';
  /** Absolute offset of the first byte in the session's output. */
  readonly offset: number;
  /** Shared by all observers: read only. */
  readonly bytes: Uint8Array;
}

export interface ResizeEvent extends Stamp {
  readonly type: 'resize';
  readonly size: Size;
}

export interface TitleEvent extends Stamp {
  readonly type: 'title';
  readonly title: string;
}

export interface BellEvent extends Stamp {
  readonly type: 'bell';
  /** Bells in this chunk. */
  readonly count: number;
}

/** Always the last event of a session, after the final byte of output. */
export interface ExitEvent extends Stamp {
  readonly type: 'exit';
  readonly status: ExitStatus;
}

/** What happened in a session, in order. */
export type SessionEvent = OutputEvent | ResizeEvent | TitleEvent | BellEvent | ExitEvent;

/**
 * The state at a revision, from which the events after it continue without gap or repeat. First in
 * every subscription, and again whenever the subscriber was too slow to be given every event.
 */
export interface SnapshotEvent extends Stamp {
  readonly type: 'snapshot';
  readonly size: Size;
  /** Fed to a fresh terminal of `size`, these bytes give the state at `revision`. */
  readonly dump: Uint8Array;
  /** Line number that the fresh terminal's first line must have. */
  readonly firstLine: number;
  /** Absolute offset of the next byte of output. */
  readonly offset: number;
}

export type SubscriptionEvent = SnapshotEvent | SessionEvent;
