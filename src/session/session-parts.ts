import type { Clock } from '#base';
import type { Pty } from '#pty';
import type { Terminal } from '#vt';
import type { LineArchive } from './archive/archived-terminal.ts';
import type { KnownSecrets } from './known-secrets.ts';
import type { CommandBlock } from './saving/saved-commands.ts';
import type { SessionFacts } from './saving/session-facts.ts';
import type { SessionState } from './saving/session-state.ts';

export interface SessionParts {
  readonly facts: SessionFacts;
  readonly pty: Pty;
  /** Fresh, of the size of the pty; of a session that was left, as it was saved. */
  readonly terminal: Terminal;
  readonly clock: Clock;
  /** For the lines that the scrollback drops; null: they are lost. Default: null. */
  readonly archive?: LineArchive | null;
  /** Continues a session that another coordinator left. */
  readonly left?: LeftState;
  /** Contract: `Session.secrets`. Default: none. */
  readonly secrets?: KnownSecrets;
  /** Called with the error of an observer that threw, and with defects of the terminal. */
  readonly onFault: (error: unknown) => void;
}

/** A session that another coordinator left. */
export interface LeftState {
  readonly restored: 'exactly' | 'partly';
  readonly state: SessionState | null;
  readonly blocks: readonly CommandBlock[];
  /** The output before this offset is in `state`. */
  readonly offset: number;
  /** Resolves when all steps that the host had have been delivered. */
  readonly replayed: Promise<void>;
  /** Queries before this offset of the output have been answered. */
  readonly answeredTo: number;
  /** The end of the output when input with a line end was last written. */
  readonly lastEnterAt: number;
}

/** What changed: properties that do not follow from the output, or the rest. */
export type SessionChange = 'facts' | 'state';
