import type { CommandRecord, ViewingState } from '#model';
import type { TtyMessage } from '../runtime.ts';
import type { FoundInSession } from './overlays/overlay.ts';
import type { Frozen, ViewLine } from './scroll/lines.ts';
import type { Matcher } from './scroll/scroll.ts';
import type { SessionScreen } from './session-screen.ts';
import type { Connection } from './view-state.ts';

/** Something that happened, from which the next state of a view follows. */
export type Action =
  | TtyMessage
  | { readonly type: 'screen'; readonly screen: SessionScreen }
  | { readonly type: 'viewing'; readonly viewing: ViewingState }
  /** @param activity for example `at prompt` */
  | { readonly type: 'session'; readonly name: string; readonly activity: string }
  | { readonly type: 'connection'; readonly connection: Connection }
  | { readonly type: 'notice'; readonly text: string }
  /** Shows a line of the scrollback. */
  | { readonly type: 'goTo'; readonly line: number }
  | Answer;

/** What a {@link Read} found. */
export type Answer =
  | { readonly type: 'frozen'; readonly frozen: Frozen }
  /** @param first the oldest line kept */
  | {
      readonly type: 'lines';
      readonly first: number;
      readonly from: number;
      readonly to: number;
      readonly lines: readonly ViewLine[];
    }
  | { readonly type: 'compiled'; readonly id: number; readonly matcher: Matcher | string }
  /** @param next where the search continues; null at its end */
  | {
      readonly type: 'found';
      readonly id: number;
      readonly lines: readonly number[];
      readonly next: number | null;
    }
  | { readonly type: 'commands'; readonly commands: readonly CommandRecord[] }
  | { readonly type: 'texts'; readonly id: number; readonly texts: readonly string[] }
  | { readonly type: 'output'; readonly text: string; readonly of: string }
  | {
      readonly type: 'grepped';
      readonly pattern: string;
      readonly found: readonly FoundInSession[];
      readonly isTruncated: boolean;
    };
