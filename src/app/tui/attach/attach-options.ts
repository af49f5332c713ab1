import type { ExitStatus, SessionFrame, ViewRequest } from '#model';
import type { CoordinatorLink } from '../coordinator-link.ts';
import type { Keys } from '../keys.ts';
import type { StatusMode } from '../view/view.ts';

/** What a person chose for all sessions. */
export interface AttachSettings {
  readonly keys: Keys;
  readonly status: StatusMode;
  /** Whether programs may set the clipboard of the person's terminal. */
  readonly clipboard: boolean;
  /** Whether attaching ends with the program. */
  readonly endsWithProgram: boolean;
}

export interface AttachOptions {
  readonly link: CoordinatorLink;
  readonly session: { readonly name: string; readonly id: string };
  /** Default: `auto`. */
  readonly as?: ViewRequest['as'];
  /** The name by which others know the person. */
  readonly person: string;
  readonly settings: AttachSettings;
  /** For a first picture before the connection. */
  readonly first?: SessionFrame;
  /** The line to show first, instead of the screen. */
  readonly line?: number;
}

/** How a person left a session. */
export type AttachEnd =
  /** `isUnsent` if what was typed before the session could be joined was not sent. */
  | { readonly type: 'detached'; readonly session: string; readonly isUnsent?: true }
  /** The program has ended. */
  | { readonly type: 'ended'; readonly session: string; readonly status: ExitStatus | null }
  | { readonly type: 'removed'; readonly session: string }
  /** The person wants to see all sessions. */
  | { readonly type: 'overview'; readonly session: { readonly name: string; readonly id: string } }
  /** The session, or its coordinator, has gone. */
  | { readonly type: 'lost'; readonly reason: string };
