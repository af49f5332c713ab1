import { quoted, sanitize } from '#base';
import type { Activity, AgentInfo, Attention } from './activity.ts';
import type { Size } from './cell.ts';
import type { Driver, Sizing, Viewer } from './driver.ts';
import type { SessionEnvironment } from './environment.ts';
import { VtrError } from './errors.ts';
import type {
  EndedBy,
  ExitStatus,
  Persistence,
  SessionLifetime,
  SessionLimits,
} from './lifetime.ts';
import type { Redacted } from './read.ts';
import type { FileRecording } from './recording.ts';
import type { ToldStatus } from './report.ts';

/** The state of a session until it is removed. */
export type SessionState = 'running' | 'exited';

/**
 * A reference to a session: its name, or its name and id. The id is never reused. With it, the
 * session is found after it was renamed, and a name that was reused by a later session fails with
 * SESSION_NOT_FOUND.
 */
export type SessionRef = string | { readonly name: string; readonly id: string };

export interface SessionInfo extends Redacted {
  readonly name: string;
  readonly id: string;
  readonly state: SessionState;
  /** The absolute path of the program. */
  readonly program: string;
  readonly args: readonly string[];
  /** The directory in which the program was started. */
  readonly cwd: string;
  /** The process id of the program; 0 for a published session. */
  readonly pid: number;
  /**
   * The publisher of the session. A published session is read-only; its program, arguments and
   * directory are as the publisher states them.
   */
  readonly fedBy?: string;
  readonly size: Size;
  readonly title: string;
  /** Increases with each chunk of output and each resize. */
  readonly revision: number;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly createdAtMs: number;
  /** Milliseconds since 1970-01-01 UTC; null while the program runs. */
  readonly exitedAtMs: number | null;
  /** Null while the program runs. */
  readonly exitStatus: ExitStatus | null;
  /** As requested; absent if not requested. */
  readonly lifetime?: SessionLifetime;
  /** As requested; absent if not requested. */
  readonly limits?: SessionLimits;
  /** Set if vtr itself ended the program, or is about to. */
  readonly endedBy?: EndedBy;
  /**
   * Set if the session continued after its coordinator was restarted: whether its state is the same
   * as before, or output, scrollback or commands are missing. Absent if it was not.
   */
  readonly restored?: 'exactly' | 'partly';
  /** The last time that the program was paused because no coordinator read its output. */
  readonly paused?: PausedOutput;
  /**
   * Bytes of the terminal's replies that were dropped since the coordinator has the session: the program
   * sent queries and did not read the answers, of which at most 4 KiB wait. Absent if none were.
   */
  readonly droppedReplyBytes?: number;
  /** Where the session is saved; absent if it ends with its coordinator. */
  readonly persist?: Persistence;
  /** The last recording of the session in a file; absent if there is none. */
  readonly recording?: FileRecording;
  /** Absent if the session has none. */
  readonly labels?: SessionLabels;
  /** Absent for a published session. */
  readonly environment?: SessionEnvironment;
  /**
   * Set by `list` and `info` if requested. Absent if the system did not report it in time: within 3 s for `info`;
   * for `list`, within 300 ms of the last report for another session; on a busy machine, within a second more.
   */
  readonly activity?: SessionActivity;
  /** Absent if nobody drives. */
  readonly driver?: Driver;
  /** See {@link DriverState.epoch}. */
  readonly driverEpoch?: number;
  /** The viewers of the session, oldest first. Absent if there are none. */
  readonly viewers?: readonly Viewer[];
  /** Whose windows size the session; absent: `latest`. */
  readonly sizing?: Sizing;
  /** Set with `activity`; absent if the session wants nobody. */
  readonly attention?: Attention;
  /**
   * When the program last rang the bell, in ms since 1970; of bells within half a second, the first. Bells that answer
   * a key are left out. Set with `activity`; absent if it did not ring since the coordinator has the session.
   */
  readonly bellAtMs?: number;
  /** The coding agent in the foreground; absent if there is none, or it is not known. */
  readonly agent?: AgentInfo;
  /** What the program in the foreground says that it does; absent if it says nothing. */
  readonly programStatus?: ToldStatus;
}

/** A pause of a program whose output could not be kept. */
export interface PausedOutput {
  /** The beginning, in ms since 1970. */
  readonly sinceMs: number;
  /** The output that was kept when it began, in bytes. */
  readonly bytes: number;
}

/** The activity of a session in a list of sessions. */
export interface SessionActivity extends Activity {
  /** The line that the session's shell runs; null if none runs or the shell does not report it. */
  readonly command: string | null;
  /**
   * The current directory: the one that a shell with vtr's integration reported, or else that of the program in
   * the foreground. If the system does not provide that, the one that any program reported. After the exit, the
   * last one that was known. Null if it is unknown.
   */
  readonly directory: string | null;
  /**
   * The branch that is checked out in the git repository of `directory`; the first 7 digits of the commit if no branch
   * is. After the exit, the last one that was known. Absent if there is no repository that belongs to the coordinator's
   * user, or if it cannot be read in time.
   */
  readonly branch?: string;
}

const namePattern = /^[A-Za-z0-9._-]{1,64}$/;

/** Whether a name can be that of a session. */
export const isSessionName = (name: string): boolean =>
  namePattern.test(name) && name !== '.' && name !== '..';

const maxNameLength = 64;

/** Returns a text as the name of a session, with `-` for what is not allowed in one; null if nothing is left. */
export function sessionNameFrom(text: string): string | null {
  const name = text.replace(/[^A-Za-z0-9._-]+/g, '-').replace(/^-+|-+$/g, '');
  const short = name.slice(0, maxNameLength);
  return isSessionName(short) ? short : null;
}

/** Returns `name` if it is a valid session name. @throws VtrError INVALID_NAME */
export function checkSessionName(name: string): string {
  if (isSessionName(name)) return name;
  throw new VtrError(
    'INVALID_NAME',
    `session name ${quoted(name)} is not allowed; use 1 to 64 characters of A-Z a-z 0-9 . _ -`,
    { details: { name } },
  );
}

/** The labels of a session: values by key. */
export type SessionLabels = Readonly<Record<string, string>>;

/** Changes of labels by key: a value sets a label, null removes it. */
export type LabelChanges = Readonly<Record<string, string | null>>;

const keyPattern = /^[A-Za-z0-9][A-Za-z0-9._/-]{0,62}$/;
const maxValueLength = 256;
const maxLabels = 32;

/** @throws VtrError INVALID_ARGUMENT */
export function checkLabels<L extends LabelChanges>(labels: L): L {
  for (const [key, value] of Object.entries(labels)) {
    checkLabelKey(key);
    if (value !== null) checkLabelValue(key, value);
  }
  const count = Object.values(labels).filter((value) => value !== null).length;
  if (count <= maxLabels) return labels;
  throw refused(`${count} labels are over the limit of ${maxLabels} per session`);
}

/** @throws VtrError INVALID_ARGUMENT */
export function checkLabelKey(key: string): string {
  if (keyPattern.test(key)) return key;
  throw refused(
    `label key ${quoted(key)} is not allowed; use 1 to 63 characters of A-Z a-z 0-9 . _ / -, beginning with a letter or digit`,
  );
}

function checkLabelValue(key: string, value: string): void {
  const isPlain = sanitize(value).removed === 0 && !/[\n\t]/.test(value);
  if (isPlain && value.length >= 1 && value.length <= maxValueLength) return;
  throw refused(
    `the value of label ${key} is not allowed; use 1 to ${maxValueLength} characters without control characters`,
  );
}

/** Returns labels with changes applied. @throws VtrError INVALID_ARGUMENT */
export function changedLabels(labels: SessionLabels, changes: LabelChanges): SessionLabels {
  const entries = Object.entries({ ...labels, ...checkLabels(changes) });
  const pairs = entries.filter((entry): entry is [string, string] => entry[1] !== null);
  return checkLabels(Object.fromEntries(pairs));
}

const refused = (message: string): VtrError => new VtrError('INVALID_ARGUMENT', message);
