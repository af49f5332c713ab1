import type { ExitStatus, ScreenPlace, Size } from '#model';

/** What happened in a session apart from output and resizes. */
export type RecordedChange =
  | { readonly type: 'marker'; readonly label: string }
  | {
      readonly type: 'commandBegin';
      readonly command: number;
      /** Null if the shell does not report it. */
      readonly line: string | null;
      /** See `CommandRecord.unverified`. */
      readonly unverified?: true;
    }
  | {
      readonly type: 'commandEnd';
      readonly command: number;
      readonly exitCode: number | null;
      readonly durationMs: number;
    }
  /** An open frame was shown, because it took too long. No output says so. */
  | { readonly type: 'frameEnd' }
  | { readonly type: 'exit'; readonly status: ExitStatus };

/** A change after the output before an absolute offset, at a monotonic time in ms. */
export type PlacedChange = RecordedChange & { readonly offset: number; readonly atMs: number };

/**
 * Receives all that happens in a session, in order, while the session has the state after it. Times are
 * monotonic, in ms.
 */
export interface RecordConsumer {
  /** @param bytes shared by all observers; valid until this returns */
  output(bytes: Uint8Array, offset: number, atMs: number): void;
  /** @param erasedFrom see `ResizeEvent.erasedFrom` */
  resized(size: Size, atMs: number, erasedFrom: ScreenPlace | undefined): void;
  /** The offset of the change may be that of an earlier output, but never before one of a change. */
  changed(change: PlacedChange): void;
}

/** The label of a change that recordings show as a marker; null if it is none. */
export function labelOf(change: RecordedChange): string | null {
  if (change.type === 'marker') return change.label;
  if (change.type !== 'commandBegin') return null;
  const { line, command, unverified } = change;
  return `${line ?? `command ${command}`}${unverified ? ' (unverified)' : ''}`;
}
