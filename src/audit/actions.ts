import { shellQuoted } from '#base';
import {
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

/** How a method is recorded. */
export interface Action<Args extends readonly unknown[], Result> {
  readonly action: string;
  readonly describe: (...args: Args) => Described;
  /**
   * The place of its options if it writes input: it is recorded when that is written, with its size, and its
   * text only if all of it is shown.
   */
  readonly inputOptions?: number;
  readonly outcome?: (result: Result, described: Described) => Outcome;
}

type Method = (...args: never[]) => unknown;

/** How each method of a port is recorded; null for those that change nothing. */
export type Actions<Port> = {
  readonly [Name in keyof Port]: Port[Name] extends Method
    ? Action<Parameters<Port[Name]>, Awaited<ReturnType<Port[Name]>>> | null
    : null;
};

/** A new method of the port does not compile without its line here. */
export const coordinatorActions: Actions<Coordinator> = {
  spawn: {
    action: 'spawn',
    describe: (request) => ({
      ...(request.name !== undefined && { session: request.name }),
      by: request.by,
      ...(request.program !== undefined && { text: commandLine(request.program, request.args) }),
      details: {
        ...{ program: request.program, cwd: request.cwd, lease: request.lease },
        ...environment(request),
        record: request.record || undefined,
        record_input: request.recordInput || undefined,
      },
    }),
    outcome: (session, { text }) => ({
      session,
      // Without a program in the request, the coordinator has chosen the shell.
      ...(text === undefined && { text: commandLine(session.program, session.args) }),
      details: { reused: session.reused, ...(text === undefined && { program: session.program }) },
    }),
  },
  publish: {
    action: 'publish',
    describe: ({ name, by, program = '', args, cwd }) => ({
      ...(name !== undefined && { session: name }),
      by,
      text: commandLine(program, args),
      details: { program, cwd },
    }),
    outcome: ({ session }) => ({ session }),
  },
  list: null,
  info: null,
  rename: {
    action: 'rename',
    describe: (session, name) => ({ session, details: { new_name: name } }),
  },
  setLabels: {
    action: 'label',
    describe: (session, changes) => ({ session, details: { keys: Object.keys(changes) } }),
  },
  revive: {
    action: 'revive',
    describe: (session, request = {}) => ({
      session,
      ...(request.program !== undefined && { text: commandLine(request.program, request.args) }),
      details: { program: request.program, ...environment(request) },
    }),
    outcome: (session) => ({ session }),
  },
  sendText: {
    action: 'send',
    inputOptions: 2,
    describe: (session, text, { by, paste = 'never', submit } = {}) => ({
      ...{ session, by, text },
      details: { paste: paste === 'never' ? undefined : paste, submit: submit || undefined },
    }),
  },
  sendKeys: {
    action: 'key',
    inputOptions: 2,
    describe: (session, keys, options) => ({
      ...{ session, by: options?.by, text: keys.map(keyText).join(' ') },
    }),
  },
  sendBytes: {
    action: 'raw',
    inputOptions: 2,
    // A copy: the caller may use the array again.
    describe: (session, bytes, options) => ({
      ...{ session, by: options?.by, text: new Uint8Array(bytes) },
    }),
  },
  sendMouse: {
    action: 'mouse',
    inputOptions: 2,
    describe: (session, events, options) => ({
      ...{ session, by: options?.by, details: { events: events.length } },
    }),
  },
  sendFocus: {
    action: 'focus',
    inputOptions: 2,
    describe: (session, focused, options) => ({
      ...{ session, by: options?.by, details: { focused } },
    }),
  },
  resize: {
    action: 'resize',
    describe: (session, { cols, rows }) => ({ session, details: { cols, rows } }),
  },
  kill: {
    action: 'kill',
    describe: (session, signal = 'TERM') => ({ session, details: { signal } }),
  },
  end: { action: 'end', describe: (session, options = {}) => ({ session, ...forced(options) }) },
  remove: { action: 'rm', describe: (session, options = {}) => ({ session, ...forced(options) }) },
  screen: null,
  frame: null,
  readLines: null,
  follow: null,
  search: null,
  read: null,
  mark: null,
  record: null,
  setMarker: { action: 'marker', describe: (session) => ({ session }) },
  startRecording: {
    action: 'record start',
    describe: (session, { file, force, input } = {}) => ({
      session,
      details: { file, force: force || undefined, input: input || undefined },
    }),
  },
  stopRecording: { action: 'record stop', describe: (session) => ({ session }) },
  recordings: null,
  removeRecording: { action: 'record rm', describe: (id) => ({ details: { id } }) },
  wait: null,
  activity: null,
  commands: null,
  commandOutput: null,
  run: {
    action: 'run',
    inputOptions: 1,
    describe: (session, { line, by }) => ({ session, by, text: line }),
  },
  take: {
    action: 'take',
    describe: (session, { name, force } = {}) => ({
      ...{ session, by: name, details: { force: force || undefined } },
    }),
  },
  give: {
    action: 'give',
    describe: (session, { epoch } = {}) => ({ session, details: { epoch } }),
  },
  view: {
    action: 'view',
    describe: (session, { name, kind, as = 'auto' }) => ({
      ...{ session, by: name, details: { kind, as } },
    }),
  },
  openLease: {
    action: 'lease',
    describe: ({ id } = {}) => ({ details: { lease: id } }),
    outcome: ({ id }) => ({ details: { lease: id } }),
  },
  subscribe: null,
  watchSessions: null,
  close: { action: 'close', describe: () => ({}) },
};

/** See {@link coordinatorActions}. */
export const webActions: Actions<WebControls> = {
  start: {
    action: 'web',
    describe: ({ port, host, behindProxy }) => ({
      details: { port, host, behind_proxy: behindProxy },
    }),
  },
  stop: { action: 'web stop', describe: () => ({}) },
  describe: null,
  share: {
    action: 'share',
    describe: (session, { forMs, write, alis, withHistory, redact }) => ({
      session,
      details: {
        ...{ for_ms: forMs, write: write || undefined, alis: alis || undefined },
        ...{ with_history: withHistory || undefined, redact },
      },
    }),
    outcome: ({ id }) => ({ details: { share: id } }),
  },
  shares: null,
  unshare: { action: 'unshare', describe: (id) => ({ details: { share: id } }) },
};

/** Names only: values may be secrets. */
const environment = ({ env }: Pick<SpawnRequest, 'env'>) => {
  const names = Object.keys(env ?? {});
  return { env: names.length === 0 ? undefined : names };
};

const commandLine = (program: string, args: readonly string[] = []): string =>
  [program, ...args].map(shellQuoted).join(' ');

const forced = ({ force }: { readonly force?: boolean }) => ({
  details: { force: force || undefined },
});

const modifiers = ['ctrl', 'alt', 'shift', 'super', 'hyper', 'meta'] as const;

function keyText(key: string | KeyPress): string {
  if (typeof key === 'string') return key;
  const held = modifiers.filter((each) => key[each]);
  const action = key.action === undefined || key.action === 'press' ? [] : [key.action];
  return [...held, key.key, ...action].join('+');
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
