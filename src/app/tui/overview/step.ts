import {
  counted,
  type SessionInfo,
  type SessionsEvent,
  type TmuxEvent,
  type Tracking,
} from '#model';
import type { TtyEvent } from '#tty';
import type { AttachEnd } from '../attach/scene.ts';
import type * as runtime from '../runtime.ts';
import type { TtyEffect, TtyMessage } from '../runtime.ts';
import type { Asked, Find, LinkState, Mode, OpenPlace, OverviewModel } from './model.ts';

/** The next model, and what is to be done. */
export type Step = runtime.Step<OverviewModel, OverviewEffect>;

export const step = (state: OverviewModel, ...effects: readonly OverviewEffect[]): Step => ({
  state,
  effects,
});

/** A notice is shown for this time, in ms. */
const noticeMs = 4000;

/** Returns the model with a message for the person. */
export const noticed = (
  model: OverviewModel,
  text: string,
  { isError = false }: { readonly isError?: boolean | undefined } = {},
): OverviewModel => ({
  ...model,
  notice: { text, isError, untilMs: model.nowMs + noticeMs },
});

/** Returns the model in another mode, with nothing to be done. */
export const inMode = (model: OverviewModel, mode: Mode): Step => step({ ...model, mode });

/** Returns `1 session`, `2 sessions`. */
export const sessionCount = (count: number): string => counted(count, 'session');

/** What changes the overview. */
export type OverviewEvent =
  | TtyMessage
  | {
      readonly type: 'link';
      readonly link: number;
      readonly state: LinkState['state'];
      readonly reason: string;
    }
  /** A coordinator that was not known before; it gets the next number. */
  | { readonly type: 'newLink'; readonly name: string }
  | { readonly type: 'sessions'; readonly link: number; readonly events: readonly SessionsEvent[] }
  | { readonly type: 'lastLines'; readonly lines: ReadonlyMap<string, string> }
  /** @param tracking of the branch there; null: it follows none */
  | { readonly type: 'tracking'; readonly directory: string; readonly tracking: Tracking | null }
  | {
      readonly type: 'spawned';
      readonly link: number;
      readonly info: SessionInfo;
      /** The pane in which it is shown. Default: none. */
      readonly opens?: OpenPlace;
    }
  /** A pane shows another session. */
  | {
      readonly type: 'paneShows';
      readonly pane: number;
      readonly link: number;
      readonly session: { readonly name: string; readonly id: string };
    }
  /** The session of tmux in a pane has another name, or is another one. */
  | { readonly type: 'paneShowsTmux'; readonly pane: number; readonly name: string }
  /** The person has left the session of a pane, or it has gone. */
  | { readonly type: 'paneEnded'; readonly pane: number; readonly end: AttachEnd }
  | {
      readonly type: 'found';
      readonly id: number;
      /** Finds in one session. */
      readonly finds: readonly Find[];
      /** It has more of them. */
      readonly isCut: boolean;
    }
  /** A session was not removed, because its worktree has work left. */
  | { readonly type: 'workLeft'; readonly key: string; readonly text: string }
  | { readonly type: 'notice'; readonly text: string; readonly isError: boolean };

/** What the overview wants to be done. */
export type OverviewEffect =
  | {
      readonly type: 'attach';
      readonly key: string;
      readonly as: 'auto' | 'take';
      readonly line?: number;
    }
  | {
      readonly type: 'reply';
      readonly question: Asked;
      readonly reply: string;
      /** The reply is a line; else a single key. */
      readonly isLine: boolean;
    }
  | { readonly type: 'kill' | 'remove' | 'discard'; readonly key: string }
  /** @param label the value of the label that says for what the session is watched; null removes it */
  | { readonly type: 'watch'; readonly key: string; readonly label: string | null }
  /** A shell. Without a directory, in that of the coordinator. */
  | {
      readonly type: 'spawn';
      readonly link: number;
      readonly cwd: string | null;
      /** Default: that of the directory, with a number if it exists. */
      readonly name?: string;
      readonly opens?: OpenPlace;
    }
  | { readonly type: 'rename'; readonly key: string; readonly name: string }
  /** Input for the sessions of panes. It may be a command only in the first one. */
  | { readonly type: 'toPanes'; readonly panes: readonly number[]; readonly event: TtyEvent }
  /** Something for the server of the session of tmux that a pane shows. */
  | { readonly type: 'toTmux'; readonly pane: number; readonly event: TmuxEvent }
  | {
      readonly type: 'search';
      readonly id: number;
      readonly pattern: string;
      readonly keys: readonly string[];
    }
  /** Looks for coordinators that were not known before. */
  | { readonly type: 'findLinks' }
  | { readonly type: 'leave' }
  | TtyEffect;
