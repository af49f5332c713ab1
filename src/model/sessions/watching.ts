import { VtrError } from '../errors.ts';
import type { RowFrame } from '../output/row-frame.ts';
import type { SessionInfo, SessionRef } from './session.ts';

/** Which sessions a watch sends frames of, and how often. */
export interface FramesRequest {
  readonly sessions: readonly SessionRef[];
  /** At most this many frames a second for each session, 1 to 60. Default: 10. */
  readonly perSecond?: number;
}

export interface WatchSessionsRequest {
  /** Default: none. */
  readonly frames?: FramesRequest;
  /** Whether secrets are replaced; there are no frames then. Default: false. */
  readonly redact?: boolean;
}

/**
 * - `sessions`: first, and again if events were skipped: all sessions, oldest first.
 * - `session`: a new session, or one of which anything in its info changed. Sent at most ten times a
 *   second for each session; its `revision` alone is not a change.
 * - `removed`: a session was removed.
 * - `frame`: see {@link RowFrame}. The first of a session is full.
 *
 * All infos have `activity` and `attention`.
 */
export type SessionsEvent =
  | { readonly type: 'sessions'; readonly sessions: readonly SessionInfo[] }
  | { readonly type: 'session'; readonly session: SessionInfo }
  | { readonly type: 'removed'; readonly id: string; readonly name: string }
  | { readonly type: 'frame'; readonly id: string; readonly frame: RowFrame };

/** All sessions of a coordinator as they change, for one consumer. Ends with `dispose`. */
export interface SessionsWatch extends AsyncIterable<SessionsEvent> {
  /** Replaces the frames that are sent; null for none. Sessions that do not exist are ignored. */
  setFrames(frames: FramesRequest | null): Promise<void>;
  dispose(): void;
}

/** The frames of a session per second, unless requested otherwise. */
const defaultPerSecond = 10;
const maxPerSecond = 60;

/** Returns how many frames of a session are sent per second. @throws VtrError INVALID_ARGUMENT */
export function checkPerSecond({ perSecond = defaultPerSecond }: FramesRequest): number {
  if (Number.isInteger(perSecond) && perSecond >= 1 && perSecond <= maxPerSecond) return perSecond;
  throw new VtrError(
    'INVALID_ARGUMENT',
    `perSecond is ${perSecond}; give a number of frames from 1 to ${maxPerSecond}`,
  );
}
