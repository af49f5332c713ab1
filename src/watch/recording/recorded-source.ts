import type { Disposable, Listener } from '#base';
import type { ExitStatus, SessionEvent, Size } from '#model';
import type { WatchedCommands } from '../watched.ts';

/** A session as a recorder sees it. While an event is delivered, the state is that of the event. */
export interface RecordedSource {
  readonly terminal: {
    readonly revision: number;
    readonly size: Size;
    /** The oldest line kept. */
    readonly firstLine: number;
    /** Whether the program draws a frame (mode 2026). */
    readonly frameOpen: boolean;
    /** Whether the output so far ends within a sequence or a character. */
    readonly isPending: boolean;
    /** Output that makes a new terminal equal to this one, with that terminal's first line. */
    snapshot(options: { readonly scrollbackLines: number }): {
      readonly dump: Uint8Array;
      readonly firstLine: number;
    };
  };
  readonly outputEnd: number;
  readonly exitStatus: ExitStatus | null;
  readonly commands: Pick<WatchedCommands, 'running' | 'endedAfter' | 'unverified'>;
  onEvent(listener: Listener<SessionEvent>): Disposable;
}
