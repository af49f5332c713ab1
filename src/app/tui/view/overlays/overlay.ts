import type { LineText } from '../../line-editor.ts';
import type { Effect } from '../effect.ts';

/** Why a line is asked for. */
export type PromptPurpose =
  | 'search'
  | 'searchBack'
  | 'line'
  | 'command'
  | 'mark'
  | 'note'
  | 'grepAll';

/** A line with a match, in one of the sessions. */
export interface FoundInSession {
  readonly session: string;
  readonly line: number;
  readonly text: string;
}

/** What is shown above everything else, and has the keys. */
export type Overlay =
  /** @param top the first line of the help that is shown */
  | { readonly type: 'help'; readonly top: number }
  /** A question that is answered with y or n. */
  | { readonly type: 'confirm'; readonly question: string; readonly effect: Effect }
  | { readonly type: 'prompt'; readonly purpose: PromptPurpose; readonly line: LineText }
  /** The result of a search in all sessions. */
  | {
      readonly type: 'results';
      readonly pattern: string;
      readonly found: readonly FoundInSession[];
      readonly isTruncated: boolean;
      readonly selected: number;
    };

/** What is asked for, before the line. */
export const promptLabels: Readonly<Record<PromptPurpose, string>> = {
  search: '/',
  searchBack: '?',
  line: 'line: ',
  command: ':',
  mark: 'name of the marker: ',
  note: 'note for the agent (may be empty): ',
  grepAll: 'search all sessions: ',
};
