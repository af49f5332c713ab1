import type { KeyPress, Size } from '#model';
import type { Region } from '../golden/golden-file.ts';
import type { Setting } from './settings.ts';

/** Where a pattern is matched: the row of the cursor, the screen, or all lines of the session. */
export const scopes = ['Line', 'Screen', 'Output'] as const;

export type Scope = (typeof scopes)[number];

/** The format of a file that a tape makes, by its suffix; `frames` is a directory of pictures. */
export type OutputFormat =
  | 'text'
  | 'cast'
  | 'gif'
  | 'apng'
  | 'mp4'
  | 'webm'
  | 'png'
  | 'svg'
  | 'html'
  | 'frames';

/** The format of a picture of one screen. */
export type StillFormat = 'text' | 'png' | 'svg' | 'html';

/** A position in a tape. */
export interface Place {
  /** As given on the command line, or after `Source`. */
  readonly file: string;
  /** 1-based. */
  readonly line: number;
  /** 1-based. */
  readonly column: number;
}

/** What a command of a tape does. Times are in ms; `delayMs` is null for the setting TypingSpeed. */
export type TapeAction =
  | { readonly type: 'output'; readonly path: string; readonly format: OutputFormat }
  | { readonly type: 'require'; readonly program: string }
  | { readonly type: 'set'; readonly setting: Setting }
  | { readonly type: 'env'; readonly name: string; readonly value: string }
  | { readonly type: 'type'; readonly text: string; readonly delayMs: number | null }
  | {
      readonly type: 'keys';
      readonly keys: readonly KeyPress[];
      readonly count: number;
      readonly delayMs: number | null;
    }
  | { readonly type: 'scroll' }
  | { readonly type: 'sleep'; readonly ms: number }
  | {
      readonly type: 'expect';
      readonly scope: Scope;
      readonly not: boolean;
      /** RE2; null for the setting WaitPattern. */
      readonly pattern: string | null;
      readonly timeoutMs: number | null;
    }
  | { readonly type: 'settle'; readonly quietMs: number }
  | {
      readonly type: 'waitCommand';
      readonly status: number | null;
      readonly timeoutMs: number | null;
    }
  | {
      readonly type: 'match';
      readonly name: string;
      readonly masks: readonly string[];
      readonly region: Region | null;
      readonly styles: boolean;
    }
  | { readonly type: 'click'; readonly on: string | { readonly row: number; readonly col: number } }
  | { readonly type: 'exit'; readonly status: number; readonly timeoutMs: number | null }
  | { readonly type: 'resize'; readonly size: Size }
  | { readonly type: 'hide' | 'show' | 'paste' }
  | { readonly type: 'screenshot'; readonly path: string; readonly format: StillFormat }
  | { readonly type: 'copy'; readonly text: string };

export interface TapeCommand extends Place {
  /** The text of the command in the tape. */
  readonly text: string;
  readonly action: TapeAction;
}
