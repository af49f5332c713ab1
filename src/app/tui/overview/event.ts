import type { SessionInfo, SessionsEvent } from '#model';
import type { TtyEffect, TtyMessage } from '../runtime.ts';
import type { Asked, Find, LinkState } from './model.ts';

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
  | { readonly type: 'spawned'; readonly link: number; readonly info: SessionInfo }
  | {
      readonly type: 'found';
      readonly id: number;
      /** Finds in one session. */
      readonly finds: readonly Find[];
      /** It has more of them. */
      readonly isCut: boolean;
    }
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
      readonly asked: Asked;
      readonly reply: string;
      /** The reply is a line; else a single key. */
      readonly isLine: boolean;
    }
  | { readonly type: 'kill' | 'remove'; readonly key: string }
  /** A shell. Without a directory, in that of the coordinator. */
  | { readonly type: 'spawn'; readonly link: number; readonly cwd: string | null }
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
