import type {
  Coordinator,
  ExitStatus,
  SessionFrame,
  SessionInfo,
  Size,
  Viewing,
  ViewRequest,
} from '#model';
import type { CoordinatorLink } from '../coordinator-link.ts';
import type { Keys } from '../keys.ts';
import type { Action, NotificationMode, StatusMode } from '../view/view.ts';
import type { OtherSessions } from './other-sessions.ts';

/** Where a person goes from a session: away, or to another one. */
export type Way =
  | AttachEnd
  | {
      readonly type: 'other';
      readonly session: { readonly name: string; readonly id: string };
      readonly line?: number;
      readonly as?: AttachOptions['as'];
    };

/** What an effect acts on. */
export interface Scene {
  readonly coordinator: Coordinator;
  /** Null until it is known who drives. */
  readonly viewing: Viewing | null;
  readonly session: { readonly name: string; readonly id: string };
  /** The session that was shown before; null if none was. */
  readonly before: { readonly name: string; readonly id: string } | null;
  /** Whether a session wants somebody who sees another one. */
  readonly wants: (info: SessionInfo) => boolean;
  /** All sessions of the coordinator by id, with `attention`; empty until they are known. */
  readonly sessions: ReadonlyMap<string, SessionInfo>;
  /** The size in which the person's window can show the session. */
  readonly size: Size;
  readonly setClipboard: (text: string) => void;
}

/** What follows when an effect has been performed. */
export interface Done {
  readonly way?: Way;
  readonly said?: string;
  readonly action?: Action;
}

/** Starts the program of an ended session again; shows the session if somebody else has. */
export async function restart({ coordinator, session }: Scene): Promise<Done> {
  try {
    const { name, id } = await coordinator.revive(session);
    return { way: { type: 'other', session: { name, id } } };
  } catch (error) {
    const { name, id, state } = await coordinator.info(session.name).catch(() => {
      throw error;
    });
    if (state !== 'running' || id === session.id) throw error;
    return { way: { type: 'other', session: { name, id } } };
  }
}

/** What a person chose for all sessions. */
export interface AttachSettings {
  readonly keys: Keys;
  readonly status: StatusMode;
  /** Whether programs may set the clipboard of the person's terminal. */
  readonly clipboard: boolean;
  /** Which bells ring in the person's terminal: of all sessions, of the one in view, or none. */
  readonly bell: 'all' | 'attached' | 'none';
  readonly notifications: NotificationMode;
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
  /** The session of the same coordinator that was shown before. */
  readonly before?: { readonly name: string; readonly id: string };
  /** What the person has been told of other sessions. Default: nothing. */
  readonly others?: OtherSessions;
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
