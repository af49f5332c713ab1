import { defined } from '#base';
import type { Coordinator } from './coordinator.ts';
import { VtrError } from './errors.ts';
import type { Redacted, RedactRequest } from './read.ts';
import type { SessionInfo, SessionRef } from './session.ts';

export type CallName = keyof Coordinator;

/**
 * What a call does, and with that when a client repeats it if the coordinator is replaced meanwhile.
 *
 * - `read`: changes nothing. Repeated.
 * - `wait`: changes nothing, and may take as long as its request says. Repeated from the mark of its first try.
 * - `input`: writes to the program. Repeated by an id, so that it happens at most once.
 * - `make`: makes a session or a lease. Repeated by an id.
 * - `change`: has no id. Repeated only if it did not reach the coordinator.
 * - `stream`: goes on until its caller ends it.
 * - `close`: ends the client.
 */
export type CallKind = 'read' | 'wait' | 'input' | 'make' | 'change' | 'stream' | 'close';

type Arguments<Name extends CallName> = Required<Parameters<Coordinator[Name]>>;

/** Whether the request of a call has a field. */
type Takes<Name extends CallName, Field extends string> =
  true extends HasField<Arguments<Name>[number], Field> ? true : false;
type HasField<Value, Field> = Value extends object
  ? string extends keyof Value
    ? never
    : Field extends keyof Value
      ? true
      : never
  : never;

/** The place of the last argument, which is the request or the options of a call that has some. */
type LastPlace<Name extends CallName> =
  Arguments<Name> extends readonly [...infer Others, unknown] ? Others['length'] : never;

/**
 * How secrets are replaced in the answer of a call.
 *
 * - `request`: its request takes `redact`. `wait`: the wait in its request does.
 * - `session`: it answers with a session, whose texts must be read again.
 * - `refused`: it returns content and cannot replace secrets in it.
 * - `none`: it returns no content of sessions, or only what its caller gave.
 */
type Redaction<Name extends CallName> =
  | 'refused'
  | (Takes<Name, 'redact'> extends true
      ? Takes<Name, 'wait'> extends true
        ? 'request and wait'
        : 'request'
      : Awaited<ReturnType<Coordinator[Name]>> extends SessionInfo
        ? Takes<Name, 'wait'> extends true
          ? 'session and wait'
          : 'session'
        : Takes<Name, 'wait'> extends true
          ? 'wait'
          : 'none');

type Row<Name extends CallName> = {
  readonly redact: Redaction<Name>;
  /** The place of its request or options; required where others set fields of it. */
  readonly request?: LastPlace<Name>;
} & (
  | { readonly kind: 'read' | 'wait'; readonly audit: null }
  | { readonly kind: Exclude<CallKind, 'read' | 'wait'>; readonly audit: string | null }
) &
  (Redaction<Name> extends 'refused' | 'session' | 'none'
    ? unknown
    : { readonly request: LastPlace<Name> });

type First<Name extends CallName> = Parameters<Coordinator[Name]>[0];

/** The calls whose first argument is a session. */
export type SessionCall = {
  [Name in CallName]: [First<Name>, SessionRef] extends [SessionRef, First<Name>] ? Name : never;
}[CallName];

/**
 * The table of the calls of a {@link Coordinator}, with {@link otherCalls}. A new method does not compile without its
 * row, nor does a row that contradicts the method's types.
 */
const sessionCalls = {
  info: { kind: 'read', request: 1, redact: 'request', audit: null },
  rename: { kind: 'change', redact: 'session', audit: 'rename' },
  setLabels: { kind: 'change', redact: 'session', audit: 'label' },
  report: { kind: 'change', redact: 'none', audit: 'report' },
  revive: { kind: 'make', request: 1, redact: 'session and wait', audit: 'revive' },
  sendText: { kind: 'input', request: 2, redact: 'wait', audit: 'send' },
  sendKeys: { kind: 'input', request: 2, redact: 'wait', audit: 'key' },
  sendBytes: { kind: 'input', request: 2, redact: 'wait', audit: 'raw' },
  sendMouse: { kind: 'input', request: 2, redact: 'request and wait', audit: 'mouse' },
  sendFocus: { kind: 'input', request: 2, redact: 'wait', audit: 'focus' },
  resize: { kind: 'change', redact: 'none', audit: 'resize' },
  kill: { kind: 'change', redact: 'none', audit: 'kill' },
  end: { kind: 'change', redact: 'none', audit: 'end' },
  remove: { kind: 'change', redact: 'none', audit: 'rm' },
  screen: { kind: 'read', request: 1, redact: 'request', audit: null },
  frame: { kind: 'read', redact: 'refused', audit: null },
  readLines: { kind: 'read', request: 1, redact: 'request', audit: null },
  follow: { kind: 'read', request: 1, redact: 'request', audit: null },
  search: { kind: 'read', request: 1, redact: 'request', audit: null },
  read: { kind: 'read', request: 1, redact: 'request', audit: null },
  mark: { kind: 'read', redact: 'none', audit: null },
  record: { kind: 'read', redact: 'refused', audit: null },
  setMarker: { kind: 'change', redact: 'none', audit: 'marker' },
  startRecording: { kind: 'change', redact: 'none', audit: 'record start' },
  stopRecording: { kind: 'change', redact: 'none', audit: 'record stop' },
  wait: { kind: 'wait', request: 1, redact: 'request', audit: null },
  activity: { kind: 'read', redact: 'none', audit: null },
  explainAgent: { kind: 'read', request: 1, redact: 'request', audit: null },
  commands: { kind: 'read', request: 1, redact: 'request', audit: null },
  commandOutput: { kind: 'read', request: 1, redact: 'request', audit: null },
  run: { kind: 'input', request: 1, redact: 'request', audit: 'run' },
  take: { kind: 'change', redact: 'none', audit: 'take' },
  give: { kind: 'change', redact: 'none', audit: 'give' },
  view: { kind: 'stream', redact: 'refused', audit: 'view' },
  subscribe: { kind: 'stream', request: 1, redact: 'refused', audit: null },
} as const satisfies { readonly [Name in SessionCall]: Row<Name> };

const otherCalls = {
  spawn: { kind: 'make', request: 0, redact: 'session and wait', audit: 'spawn' },
  publish: { kind: 'make', redact: 'none', audit: 'publish' },
  openLease: { kind: 'make', redact: 'none', audit: 'lease' },
  list: { kind: 'read', request: 0, redact: 'request', audit: null },
  recordings: { kind: 'read', redact: 'none', audit: null },
  renameRecording: { kind: 'change', redact: 'none', audit: 'record rename' },
  removeRecording: { kind: 'change', redact: 'none', audit: 'record rm' },
  watchSessions: { kind: 'stream', request: 0, redact: 'refused', audit: null },
  close: { kind: 'close', redact: 'none', audit: 'close' },
} as const satisfies { readonly [Name in Exclude<CallName, SessionCall>]: Row<Name> };

/** The rows of all calls. */
type Calls = typeof sessionCalls & typeof otherCalls;

/** The calls that the audit trail has. */
export type AuditedCall = {
  [Name in CallName]: Calls[Name]['audit'] extends null ? never : Name;
}[CallName];

/** A row of the table, whatever its call. */
export interface Call {
  readonly kind: CallKind;
  readonly request?: number;
  readonly redact: Calls[CallName]['redact'];
  readonly audit: string | null;
}

export const isSessionCall = (name: CallName): name is SessionCall =>
  Object.hasOwn(sessionCalls, name);

export const callOf = (name: CallName): Call =>
  isSessionCall(name) ? sessionCalls[name] : otherCalls[name as Exclude<CallName, SessionCall>];

/** Returns the names of all calls. */
export const callNames = (): CallName[] =>
  [otherCalls, sessionCalls].flatMap((rows) => Object.keys(rows) as CallName[]);

type AnyMethod = (...args: readonly unknown[]) => unknown;

/** Makes a call by its name. */
export const callByName = (to: Coordinator, name: CallName, args: readonly unknown[]): unknown =>
  (to as unknown as Readonly<Record<CallName, AnyMethod>>)[name](...args);

/** Returns a coordinator each of whose calls is `call`. */
export const coordinatorOf = (
  call: (name: CallName, args: readonly unknown[]) => unknown,
): Coordinator => {
  const methods = callNames().map((name) => [name, (...args: unknown[]) => call(name, args)]);
  return Object.fromEntries(methods) as Coordinator;
};

/** Returns the arguments of a call with other fields in its request. */
export function withFields(args: readonly unknown[], place: number, fields: object): unknown[] {
  const all = [...args];
  all[place] = { ...(args[place] ?? {}), ...fields };
  return all;
}

/**
 * Returns a coordinator each of whose calls sets {@link RedactRequest.redact}. With true, calls that cannot
 * replace secrets fail with INVALID_ARGUMENT.
 *
 * @param onAnswer called with the number in each answer, and the name of its call
 */
export function redactingCoordinator(
  coordinator: Coordinator,
  redact: boolean,
  onAnswer: (count: number, call: CallName) => void = () => {},
): Coordinator {
  const counted = <T>(name: CallName, answer: T): T => {
    for (const each of Array.isArray(answer) ? answer : [answer]) {
      const count = each == null ? 0 : replacedIn(each);
      if (count > 0) onAnswer(count, name);
    }
    return answer;
  };
  const answerOf = async (name: CallName, args: readonly unknown[]) => {
    const answer = await callByName(coordinator, name, args);
    const isSession = redact && callOf(name).redact.includes('session');
    return isSession ? withoutSecrets(coordinator, answer as SessionInfo) : answer;
  };
  return coordinatorOf((name, args) => {
    const { redact: how, request } = callOf(name);
    if (how === 'refused' && redact) return Promise.reject(notRedacted(name));
    if (how === 'refused' || how === 'none') return callByName(coordinator, name, args);
    const ownArgs = request === undefined ? args : withRedact(how, args, request, redact);
    return answerOf(name, ownArgs).then((answer) => counted(name, answer));
  });
}

/** Counts the secrets that were replaced in an answer, the wait in it, and the read after that. */
const replacedIn = ({ redacted = 0, wait, read }: Replaced): number =>
  redacted + (wait ? replacedIn(wait) : 0) + (read ? replacedIn(read) : 0);

interface Replaced extends Redacted {
  readonly wait?: Replaced;
  readonly read?: Replaced;
}

/** The other fields of the answer stay, such as the result of a wait. */
async function withoutSecrets(coordinator: Coordinator, answer: SessionInfo): Promise<SessionInfo> {
  const { name, id } = answer;
  return { ...answer, ...(await coordinator.info({ name, id }, { redact: true })) };
}

function withRedact(how: string, args: readonly unknown[], place: number, redact: boolean) {
  const { wait } = (args[place] ?? {}) as { readonly wait?: object };
  return withFields(args, place, {
    ...(how.includes('request') && { redact }),
    ...defined({ wait: wait && { ...wait, redact } }),
  });
}

function notRedacted(call: string): VtrError {
  const message = `${call} cannot replace secrets; use read or screen, or do not redact`;
  return new VtrError('INVALID_ARGUMENT', message);
}

/** Who makes calls. */
export interface Client {
  /**
   * The kind of program, as it says: `cli`, `mcp`, `acp`, `web` (the page), `share` (a visitor), `library`,
   * `grpc` (any other); `vtr` for the coordinator itself.
   */
  readonly kind: string;
  /** The process that connected, as the kernel reports it; absent if it is not known. */
  readonly pid?: number;
}

const kindPattern = /^[a-z][a-z0-9-]{0,31}$/;

/** Returns the kind that a client names, or `usual`. */
export const clientKind = (named: string | undefined, usual: string): string =>
  named !== undefined && kindPattern.test(named) ? named : usual;

let calling: Client | null = null;

/**
 * Makes a call for a client. What `call` does before it awaits anything can ask for the client with
 * {@link callingClient}: every call of a coordinator begins there, so no method needs a parameter for it.
 */
export function callAs<T>(client: Client | null, call: () => T): T {
  const before = calling;
  calling = client;
  try {
    return call();
  } finally {
    calling = before;
  }
}

/** Returns the client for which a call begins now; null if that is not known. */
export const callingClient = (): Client | null => calling;

/** The audit trail of a coordinator. */
export interface AuditState {
  /** Where its files are. */
  readonly directory: string;
  /** Entries that could not be written since the daemon was started. */
  readonly lost: number;
  /** Whether the last entry could not be written. */
  readonly isLosing: boolean;
  /** Why the last one that was lost could not be written. */
  readonly reason?: string;
  /** Absent if it is not forwarded. */
  readonly forward?: ForwardState;
}

/** The forwarding of an audit trail to a file or a service of the system. */
export interface ForwardState {
  /** The target, for example `syslog:/dev/log` or `file:/var/log/vtr.jsonl`. */
  readonly to: string;
  /** Entries that are to be forwarded. */
  readonly waiting: number;
  /** Entries that the trail's limit removed before they could be forwarded, since the daemon was started. */
  readonly lost: number;
  /** Whether the last entry could not be forwarded. */
  readonly isFailing: boolean;
  /** Why it could not. */
  readonly reason?: string;
}
