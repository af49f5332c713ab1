import type { AgentKind } from '#agents';
import type { Clock } from '#base';
import type { EndedBy, SessionWorktree, Sizing } from '#model';
import type { LineArchives, PtyHost, SessionDefaults } from '#session';
import type { RecordingLimits } from '#watch';
import type { FileOptions } from './recording/recorders.ts';
import type { RedactionOptions } from './recording/session-secrets.ts';
import type { SessionStore } from './saving/session-save.ts';
import type { FindConversations } from './starting/resuming.ts';
import type { BranchOf } from './watching/session-places.ts';

export interface RecordingOptions {
  /** The limits of the recordings in memory. Default: {@link defaultRecordingLimits}. */
  readonly limits?: Partial<RecordingLimits>;
  readonly redaction?: RedactionOptions;
  readonly files?: FileOptions;
}

/** What a coordinator does without a call, and who drives a session as a result of calls or of time. */
export type OwnAction = { readonly session: { readonly name: string; readonly id: string } } & (
  | { readonly action: 'end'; readonly endedBy: EndedBy }
  | {
      readonly action: 'driver';
      /** The person. */
      readonly by: string;
      readonly done: 'took over' | 'gave back';
    }
);

export interface LocalCoordinatorOptions {
  /** The limit of running sessions. Default: 1000. */
  readonly maxSessions?: number;
  /**
   * The limit of exited sessions with `keepExitedMs`. Above it, the one that exited
   * first is removed. Default: 100.
   */
  readonly maxKeptExited?: number;
  /** For how long agents wait after a person has typed, in ms. Default: {@link personTypesMs}. */
  readonly waitForPersonMs?: number;
  /** Whose windows size a session that does not say. Default: `latest`. */
  readonly sizing?: Sizing;
  /**
   * The owner of the pseudo-terminals, which `close` closes. Default: this process, which must then
   * not start children by other means.
   */
  readonly ptyHost?: PtyHost;
  /**
   * Keeps sessions where they survive the process that owns the pseudo-terminals. The caller closes it,
   * after the coordinator.
   */
  readonly store?: SessionStore;
  /** For the lines that scrollbacks drop; the caller closes it, after the coordinator. Default: they are lost. */
  readonly archives?: LineArchives;
  /** Defaults of new sessions. */
  readonly defaults?: SessionDefaults;
  readonly recording?: RecordingOptions;
  /** The path of the socket at which programs of sessions report what they do. Default: there is none. */
  readonly reportSocket?: string;
  /** The source of time, for tests. Default: the clock of the system. */
  readonly clock?: Clock;
  /** Returns the kinds of coding agents that are known. Default: none. */
  readonly agentKinds?: () => Promise<readonly AgentKind[]>;
  /** Finds the branches of git in the directories of sessions. Default: none are found. */
  readonly branchOf?: BranchOf;
  /** Checks that a worktree has no work left. @throws VtrError WORK_LEFT, IO_ERROR. Default: nothing is checked */
  readonly checkWorktree?: (session: string, worktree: SessionWorktree) => Promise<void>;
  /** Finds conversations of agents in their files. Default: they have none. */
  readonly findConversations?: FindConversations;
  /**
   * Collects the garbage of this process, for which everything else waits. Called after many sessions came or went, when
   * nothing is typed or printed. Default: V8 collects it when the heap grows.
   */
  readonly collectGarbage?: () => void;
  /**
   * Called when a session is removed, with its id and those of the sessions that it continued. Not called when the
   * coordinator closes.
   */
  readonly onRemoved?: (ids: readonly string[]) => void;
  /** Called with what the coordinator does itself. */
  readonly onOwnAction?: (action: OwnAction) => void;
  /**
   * Called with errors that no operation can report: those thrown by an observer, which is then
   * removed, and those thrown by the terminal engine. Default: they are ignored.
   */
  readonly onFault?: (error: unknown) => void;
}
