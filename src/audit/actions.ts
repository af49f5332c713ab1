import { defined, shellQuoted } from '#base';
import {
  type AuditedCall,
  type Coordinator,
  driverName,
  type KeyPress,
  type Sender,
  type SessionRef,
  type SpawnRequest,
  type WebControls,
} from '#model';
import { type AuditDetail, limited } from './entry.ts';

/** What a call does, as far as its arguments say. */
export interface Described {
  readonly session?: SessionRef;
  readonly by?: string | undefined;
  /** What is hashed, and recorded if that is configured. */
  readonly text?: string | Uint8Array;
  /** Undefined values are left out. */
  readonly details?: Readonly<Record<string, AuditDetail | undefined>>;
}

/** What only the result tells. */
export interface Outcome {
  /** The session that was made. */
  readonly session?: { readonly name: string; readonly id: string };
  /** In place of that of the call. */
  readonly text?: string;
  readonly details?: Described['details'];
}

type Method = (...args: never[]) => unknown;

/** Tells what a call of a method does. */
type Describe<Port, Name extends keyof Port> = Port[Name] extends Method
  ? (...args: Parameters<Port[Name]>) => Described
  : never;

/** What only the results of some methods tell. */
type Outcomes<Port> = {
  readonly [Name in keyof Port]?: Port[Name] extends Method
    ? (result: Awaited<ReturnType<Port[Name]>>, described: Described) => Outcome
    : never;
};

/** What a call says besides its session, and besides who sends input: those are in the same place in all. */
export const coordinatorActions: {
  readonly [Name in AuditedCall]: Describe<Coordinator, Name>;
} = {
  spawn: (request) => ({
    ...defined({ session: request.name }),
    by: request.by,
    ...(request.program !== undefined && { text: commandLine(request.program, request.args) }),
    details: {
      program: request.program,
      cwd: request.cwd,
      lease: request.lease,
      ...environment(request),
      record: request.record || undefined,
      record_input: request.recordInput || undefined,
    },
  }),
  publish: ({ name, by, program = '', args, cwd }) => ({
    ...defined({ session: name }),
    by,
    text: commandLine(program, args),
    details: { program, cwd },
  }),
  rename: (_session, name) => ({ details: { new_name: name } }),
  setLabels: (_session, changes) => ({ details: { keys: Object.keys(changes) } }),
  report: (_session, { state, agent, message }) => ({
    by: agent,
    ...defined({ text: message }),
    details: { state },
  }),
  revive: (_session, request = {}) => ({
    ...(request.program !== undefined && { text: commandLine(request.program, request.args) }),
    details: {
      program: request.program,
      ...environment(request),
      now: request.now || undefined,
      fork_as: request.forkAs,
      conversation: request.conversation,
    },
  }),
  sendText: (_session, text, { paste = 'never', submit } = {}) => ({
    text,
    details: { paste: paste === 'never' ? undefined : paste, submit: submit || undefined },
  }),
  sendKeys: (_session, keys) => ({ text: keys.map(keyText).join(' ') }),
  // A copy: the caller may use the array again.
  sendBytes: (_session, bytes) => ({ text: new Uint8Array(bytes) }),
  sendMouse: (_session, events) => ({ details: { events: events.length } }),
  sendFocus: (_session, focused) => ({ details: { focused } }),
  resize: (_session, { cols, rows }) => ({ details: { cols, rows } }),
  kill: (_session, signal = 'TERM') => ({ details: { signal } }),
  end: (_session, { force } = {}) => ({ details: { force: force || undefined } }),
  remove: (_session, { force } = {}) => ({ details: { force: force || undefined } }),
  setMarker: () => ({}),
  startRecording: (_session, { file, force, input } = {}) => ({
    details: { file, force: force || undefined, input: input || undefined },
  }),
  stopRecording: () => ({}),
  renameRecording: (id, name) => ({ details: { id, new_name: name } }),
  removeRecording: (id) => ({ details: { id } }),
  run: (_session, { line }) => ({ text: line }),
  take: (_session, { name, force } = {}) => ({ by: name, details: { force: force || undefined } }),
  give: (_session, { name, epoch, to } = {}) => ({ by: name, details: { epoch, to } }),
  view: (_session, { name, kind, as = 'auto' }) => ({ by: name, details: { kind, as } }),
  openLease: ({ id } = {}) => ({ details: { lease: id } }),
  close: () => ({}),
};

export const coordinatorOutcomes: Outcomes<Coordinator> = {
  spawn: (session, { text }) => ({
    session,
    // Without a program in the request, the coordinator has chosen the shell.
    ...(text === undefined && { text: commandLine(session.program, session.args) }),
    details: { reused: session.reused, ...(text === undefined && { program: session.program }) },
  }),
  publish: ({ session }) => ({ session }),
  revive: (session) => ({ session }),
  openLease: ({ id }) => ({ details: { lease: id } }),
};

/** How each call about the web page is recorded; null for those that change nothing. */
export const webActions: {
  readonly [Name in keyof WebControls]: readonly [string, Describe<WebControls, Name>] | null;
} = {
  start: [
    'web',
    ({ port, host, behindProxy }) => ({ details: { port, host, behind_proxy: behindProxy } }),
  ],
  stop: ['web stop', () => ({})],
  describe: null,
  share: [
    'share',
    (session, { forMs, write, alis, withHistory, redact }) => ({
      session,
      details: {
        for_ms: forMs,
        write: write || undefined,
        alis: alis || undefined,
        with_history: withHistory || undefined,
        redact,
      },
    }),
  ],
  shares: null,
  unshare: ['unshare', (id) => ({ details: { share: id } })],
  logins: null,
  endLogin: ['web logout', (id) => ({ details: { login: id } })],
};

export const webOutcomes: Outcomes<WebControls> = {
  share: ({ id }) => ({ details: { share: id } }),
};

/** Names only: values may be secrets. */
const environment = ({ env }: Pick<SpawnRequest, 'env'>) => {
  const names = Object.keys(env ?? {});
  return { env: names.length === 0 ? undefined : names };
};

const commandLine = (program: string, args: readonly string[] = []): string =>
  [program, ...args].map(shellQuoted).join(' ');

const modifiers = ['ctrl', 'alt', 'shift', 'super', 'hyper', 'meta'] as const;

function keyText(key: string | KeyPress): string {
  if (typeof key === 'string') return key;
  const keyModifiers = modifiers.filter((each) => key[each]);
  const action = key.action === undefined || key.action === 'press' ? [] : [key.action];
  return [...keyModifiers, key.key, ...action].join('+');
}

/** Returns the name of a sender for an entry. */
export const senderName = (by: Sender['by']): string | undefined =>
  by === undefined ? undefined : driverName(by, '') || undefined;

const maxNames = 64;

/** Returns details as they are recorded: without undefined values, and limited. */
export function limitedDetails(details: Described['details'] = {}): Record<string, AuditDetail> {
  return Object.fromEntries(
    Object.entries(details).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, limitedDetail(value)]],
    ),
  );
}

function limitedDetail(value: AuditDetail): AuditDetail {
  if (typeof value === 'string') return limited(value);
  if (typeof value !== 'object') return value;
  return value.slice(0, maxNames).map((each) => limited(each, maxNames));
}
