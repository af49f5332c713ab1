import { decodeUtf8, encodeUtf8 } from '#base';
import {
  type CellPixels,
  defaultSize,
  type EndedBy,
  type EnvironmentMode,
  type ExitStatus,
  type SessionEnvironment,
  type SessionInfo,
  type SessionLabels,
  type SessionLifetime,
  type SessionLimits,
  type Size,
} from '#model';
import type { ShellProof } from '#shell';
import { defaultScrollback, type ScrollbackLimits, type TerminalColors } from '#vt';

/** What a coordinator knows about a session that the session itself does not. */
export interface CoordinatorFacts {
  /** The place among the sessions, which are listed by it. */
  readonly order: number;
  /** Former names, the oldest first. */
  readonly formerNames: readonly string[];
  /** When its last use ended, in ms since 1970; null while it is used. */
  readonly usedAtMs: number | null;
  /** The last resizes; not checked. */
  readonly resizes?: unknown;
  /** The last lines that were run by requests with ids; not checked. */
  readonly runs?: unknown;
  /** Who drives; not checked. */
  readonly driving?: unknown;
  /** The last report of its program; not checked. */
  readonly report?: unknown;
  /** When persons looked at it; not checked. */
  readonly looks?: unknown;
  /** Where its program works, or was last; not checked. */
  readonly place?: unknown;
  /** The commands that coding agents reported; not checked. */
  readonly agentCommands?: unknown;
  /** The coding agent in the foreground; not checked. */
  readonly agent?: unknown;
  /** Its last coding agent, also after the end; not checked. */
  readonly lastAgent?: unknown;
  /** The id of the ended session that it continues; absent: none. */
  readonly continues?: string;
  /** The ids of the sessions before that one, the oldest first; not checked. */
  readonly earlier?: unknown;
  /** The line that starts its coding agent, until it has been typed to its shell; absent: none. */
  readonly resumeLine?: string;
}

/** The options of a session's terminal, apart from its size. */
export interface TerminalFacts {
  readonly scrollback: ScrollbackLimits;
  readonly colors?: TerminalColors;
  readonly cellPixels?: CellPixels;
  readonly allowClipboard: boolean;
  readonly graphemeClusters: boolean;
}

/**
 * The properties of a session that do not follow from its output, as of its last save: enough to list
 * it, to continue it in another coordinator, and to start its program again. Variables are saved by name,
 * without their values.
 */
export interface SessionFacts {
  readonly name: string;
  readonly id: string;
  /** The program as requested: a name or a path. */
  readonly program: string;
  /** The resolved program; null before the start. */
  readonly path: string | null;
  /** Null before the start. */
  readonly pid: number | null;
  /** As requested. */
  readonly args: readonly string[];
  readonly cwd: string;
  readonly createdAtMs: number;
  readonly fedBy?: string;
  readonly lifetime?: SessionLifetime;
  readonly limits?: SessionLimits;
  readonly labels?: SessionLabels;
  readonly lease?: string;
  /** The id of the request that started it. */
  readonly spawnId?: string;
  /** A hash of that request; absent if it revived another session. */
  readonly spawnContent?: string;
  readonly endedBy?: EndedBy;
  /** Whether a caller of the coordinator ended it, or sent it a signal shortly before its end. */
  readonly endRequested?: boolean;
  /** How well it was restored; `partly` if it ever was. */
  readonly restored?: 'exactly' | 'partly';
  readonly exitedAtMs: number | null;
  readonly exitStatus: ExitStatus | null;
  /** At the start. */
  readonly startSize: Size;
  readonly size: Size;
  /** The oldest line above the screen: older ones are not missing. */
  readonly firstLine: number;
  /** The line in which the output begins; those before it are of a session that this one continues. */
  readonly startLine: number;
  readonly title: string;
  readonly revision: number;
  readonly terminal: TerminalFacts;
  /** TERM, if it was configured. */
  readonly term?: string;
  /** As requested. */
  readonly environment: EnvironmentMode;
  /** As it was started. */
  readonly startedWith?: SessionEnvironment;
  /** The names of the variables that were added. */
  readonly envNames: readonly string[];
  /** Whether shell integration was wanted. */
  readonly shellIntegration: boolean;
  /** The key of its archive, of 32 bytes in base64. Only in the memory of processes: not in a file. */
  readonly archiveKey?: string;
  /** The key with which its programs report. Only in the memory of processes: not in a file. */
  readonly reportKey?: string;
  /** How to recognize the shell's marks, or why there are none. */
  readonly shell?: ShellProof;
  /** As requested. */
  readonly rawBytes?: number;
  /** Whether it may be saved on disk. */
  readonly persist: boolean;
  /** See `bootId`; null if the system has none. */
  readonly bootId: string | null;
  readonly coordinator: CoordinatorFacts;
}

export const newCoordinatorFacts: CoordinatorFacts = { order: 0, formerNames: [], usedAtMs: null };

/** The values of facts that are not known. */
const unknown: Omit<SessionFacts, 'name' | 'id'> = {
  program: '',
  path: null,
  pid: null,
  args: [],
  cwd: '/',
  createdAtMs: 0,
  exitedAtMs: null,
  exitStatus: null,
  startSize: defaultSize,
  size: defaultSize,
  firstLine: 0,
  startLine: 0,
  title: '',
  revision: 0,
  terminal: { scrollback: defaultScrollback, allowClipboard: false, graphemeClusters: true },
  environment: 'inherit',
  envNames: [],
  shellIntegration: true,
  persist: true,
  bootId: null,
  coordinator: newCoordinatorFacts,
};

/** Adds the facts that are missing. */
export function completeFacts(
  facts: Pick<SessionFacts, 'name' | 'id'> & Partial<SessionFacts>,
): SessionFacts {
  return {
    ...unknown,
    ...facts,
    terminal: { ...unknown.terminal, ...facts.terminal },
    coordinator: { ...newCoordinatorFacts, ...facts.coordinator },
  };
}

/** The facts that change while a session runs, as far as they are in its info. */
export interface PresentFacts
  extends Pick<SessionFacts, 'name' | 'path' | 'pid' | 'size' | 'title' | 'revision'>,
    Pick<SessionFacts, 'exitStatus' | 'exitedAtMs'> {
  readonly labels?: SessionLabels | undefined;
  readonly endedBy?: EndedBy | undefined;
  readonly restored?: SessionFacts['restored'] | undefined;
}

/**
 * Returns the session's info, as far as it follows from its facts. Objects are not merged, which takes
 * most of the time of a list of many sessions.
 *
 * @param now default: as in `facts`
 */
export function infoOf(facts: SessionFacts, now: PresentFacts = facts): SessionInfo {
  const { id, args, cwd, createdAtMs, program, fedBy, lifetime, limits } = facts;
  const { startedWith } = facts;
  const { name, size, title, revision, exitStatus, exitedAtMs, labels, endedBy, restored } = now;
  const info: { -readonly [Name in keyof SessionInfo]: SessionInfo[Name] } = {
    name,
    id,
    args,
    cwd,
    createdAtMs,
    size,
    title,
    revision,
    exitStatus,
    exitedAtMs,
    program: now.path ?? program,
    pid: now.pid ?? 0,
    state: exitStatus === null ? 'running' : 'exited',
  };
  if (fedBy !== undefined) info.fedBy = fedBy;
  if (startedWith !== undefined) info.environment = startedWith;
  if (lifetime !== undefined) info.lifetime = lifetime;
  if (limits !== undefined) info.limits = limits;
  if (labels !== undefined && Object.keys(labels).length > 0) info.labels = labels;
  if (endedBy !== undefined) info.endedBy = endedBy;
  if (restored !== undefined) info.restored = restored;
  return info;
}

export function encodeFacts(facts: SessionFacts): Uint8Array {
  return encodeUtf8(JSON.stringify(facts));
}

/** Returns null if the facts are damaged. Unknown ones are ignored, missing ones have defaults. */
export function decodeFacts(bytes: Uint8Array): SessionFacts | null {
  try {
    const facts = JSON.parse(decodeUtf8(bytes));
    const isNamed = typeof facts?.name === 'string' && typeof facts.id === 'string';
    return isNamed ? completeFacts(onlyKnown(facts)) : null;
  } catch {
    return null;
  }
}

const optional = [
  ...['fedBy', 'lifetime', 'limits', 'labels', 'lease', 'spawnId', 'endedBy', 'term', 'shell'],
  ...['rawBytes', 'restored', 'endRequested', 'spawnContent', 'startedWith', 'archiveKey'],
  'reportKey',
];
const names = new Set(['name', 'id', ...Object.keys(unknown), ...optional]);

function onlyKnown(facts: object): SessionFacts {
  const fields = Object.entries(facts).filter(([name, value]) => {
    const usual = (unknown as Readonly<Record<string, unknown>>)[name];
    const isOfType = usual == null || (value !== null && typeof value === typeof usual);
    return names.has(name) && isOfType && Array.isArray(usual) <= Array.isArray(value);
  });
  return Object.fromEntries(fields) as unknown as SessionFacts;
}
