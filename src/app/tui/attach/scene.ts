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
import type { CopyPlaces } from './copying.ts';
import type { OtherSessions } from './other-sessions.ts';

/** Where a person goes from a session: away, or to another one. */
export type Way =
  | AttachEnd
  | {
      readonly type: 'other';
      readonly session: { readonly name: string; readonly id: string };
      /** Default: the coordinator in view. */
      readonly link?: CoordinatorLink;
      readonly line?: number;
      readonly as?: AttachOptions['as'];
    };

/** What an effect acts on. */
export interface Scene {
  readonly coordinator: Coordinator;
  /** Null until it is known who drives. */
  readonly viewing: Viewing | null;
  readonly session: { readonly name: string; readonly id: string };
  /** The names of the other viewers to whom the session can be handed. */
  readonly receivers: readonly string[];
  /** Whether a session wants somebody who sees another one. */
  readonly wants: (info: SessionInfo) => boolean;
  /** All sessions of the coordinator by id, with `attention`; empty until they are known. */
  readonly sessions: ReadonlyMap<string, SessionInfo>;
  readonly link: CoordinatorLink;
  /** The session that was in view before; null if there was none. */
  readonly last: Visited | null;
  /** The sessions among which the person moves; null for all. */
  readonly group: SessionGroup | null;
  /** The size in which the person's window can show the session. */
  readonly size: Size;
  readonly copying: CopyPlaces;
  /** Null where no verbs can be run. */
  readonly verbs: Verbs | null;
  /** Aborted when the person leaves the session. */
  readonly ended: AbortSignal;
  /** Lets another program have the terminal until `use` ends. */
  readonly lend: <T>(use: () => Promise<T>) => Promise<T>;
}

/** A session, and where it runs. */
export interface Visited {
  readonly link: CoordinatorLink;
  readonly session: { readonly name: string; readonly id: string };
}

/** Sessions that belong together: those of a directory, or with a label. */
export interface SessionGroup {
  /** For people: `project=web`, `~/src/web`. */
  readonly name: string;
  readonly has: (info: SessionInfo) => boolean;
}

/** The verbs of vtr, for what is typed after `:`. */
interface Verbs {
  /** Returns their first words. */
  readonly names: () => Promise<readonly string[]>;
  /** Returns what can stand in place of the last word. @param sessions names */
  readonly complete: (
    words: readonly string[],
    sessions: readonly string[],
  ) => Promise<readonly string[]>;
  /**
   * Runs a verb in a process of its own, for a session unless the words name another one. Returns what it prints.
   *
   * @throws VtrError INVALID_ARGUMENT for a verb that needs the terminal
   */
  readonly run: (
    words: readonly string[],
    place: {
      readonly socket: string;
      readonly session: string;
      readonly sessions: readonly string[];
      readonly signal: AbortSignal;
    },
  ) => Promise<{ readonly status: number; readonly out: string; readonly err: string }>;
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
  /** Whether the view uses the mouse; else only programs that ask for it do. Default: true */
  readonly usesMouse?: boolean;
  /** Whether what the person types is shown before its echo. Default: `auto`, where that takes long */
  readonly predict?: 'auto' | 'always' | 'never';
  /** A line of the shell that gets what is copied. Default: the clipboards of the terminal and of the system do */
  readonly copyCommand?: string | null;
  /** The formats of the two sides of the status line. Default: the usual content */
  readonly statusLeft?: string | null;
  readonly statusRight?: string | null;
  /** The sessions among which the person moves. Default: all */
  readonly group?: SessionGroup | null;
  /** Default: none can be run */
  readonly verbs?: Verbs | null;
  /** Whether programs may set the clipboard of the person's terminal. */
  readonly clipboard: boolean;
  /** Which bells ring in the person's terminal: of all sessions, of the one in view, or none. */
  readonly bell: 'all' | 'attached' | 'none';
  readonly notifications: NotificationMode;
  /** Whether the person's terminal is told what the program says that it does (OSC 7501). Default: it is not. */
  readonly passesStatus?: boolean | undefined;
  /** Whether attaching ends with the program. */
  readonly endsWithProgram: boolean;
  /** Whether a session in which the person typed stays when its program ends. Default: `on`, it does */
  readonly remains?: RemainOnExit | undefined;
}

/** As tmux: `failed` keeps a session whose program ended by a signal, or with a status other than 0. */
export type RemainOnExit = 'on' | 'failed' | 'off';

export interface AttachOptions {
  readonly link: CoordinatorLink;
  readonly session: { readonly name: string; readonly id: string };
  /** Default: `auto`. */
  readonly as?: ViewRequest['as'];
  /** Whose windows size the session from now on. Default: as before. */
  readonly sizing?: ViewRequest['sizing'];
  /** The name by which others know the person. */
  readonly person: string;
  readonly settings: AttachSettings;
  /** For a first picture before the connection. */
  readonly first?: SessionFrame;
  /** The line to show first, instead of the screen. */
  readonly line?: number;
  /** What the person has been told of other sessions. Default: nothing. */
  readonly others?: OtherSessions;
  /** The session that was in view before. */
  readonly last?: Visited;
  /** For the switcher. Default: it shows the sessions of `link` */
  readonly switching?: Switching;
}

/** What the switcher shows. */
export interface Switching {
  /** Returns all coordinators, the person's own first. */
  readonly links: () => Promise<readonly CoordinatorLink[]>;
  /** Shown as `~`. */
  readonly home?: string;
  /** The id of the session in which this process runs. */
  readonly ownId?: string;
}

/** How a person left a session. */
export type AttachEnd =
  /** `isUnsent` if what was typed before the session could be joined was not sent. */
  | { readonly type: 'detached'; readonly session: string; readonly isUnsent?: true }
  /** The program has ended. */
  | { readonly type: 'ended'; readonly session: string; readonly status: ExitStatus | null }
  | { readonly type: 'removed'; readonly session: string }
  /** The person wants to see all sessions. */
  | {
      readonly type: 'overview';
      readonly session: { readonly name: string; readonly id: string };
      /** Default: the coordinator of the options. */
      readonly link?: CoordinatorLink;
      /** The session that was in view before this one. */
      readonly last?: Visited;
      /** Whether only to choose another session. */
      readonly isSwitcher?: boolean;
    }
  /** The session, or its coordinator, has gone. */
  | { readonly type: 'lost'; readonly reason: string };
