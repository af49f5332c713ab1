import type { Coordinator } from '../coordinator.ts';
import { VtrError } from '../errors.ts';
import type { SessionInfo } from '../sessions/session.ts';
import type { Redacted, RedactRequest } from './redaction.ts';

/**
 * How the answer of a call is redacted: `request` is the place of its request, which takes
 * {@link RedactRequest}, and `wait` the place of a request that may have a wait, which takes it. With
 * `session`, the answer is a session, whose texts are read again with {@link Coordinator.info}.
 */
interface Replacing {
  readonly request?: number;
  readonly wait?: number;
  readonly session?: true;
}

/**
 * `refused`: the call returns content and cannot replace secrets in it. Null: it returns no content of
 * sessions, or only what its caller gave.
 */
type Rule = Replacing | 'refused' | null;

/** A new method of the port does not compile without its line here. */
const rules: Readonly<Record<keyof Coordinator, Rule>> = {
  spawn: { wait: 0, session: true },
  publish: null,
  list: { request: 0 },
  info: { request: 1 },
  rename: { session: true },
  setLabels: { session: true },
  revive: { session: true },
  sendText: { wait: 2 },
  sendKeys: { wait: 2 },
  sendBytes: { wait: 2 },
  sendMouse: { request: 2, wait: 2 },
  sendFocus: { wait: 2 },
  resize: null,
  kill: null,
  end: null,
  remove: null,
  screen: { request: 1 },
  frame: 'refused',
  readLines: { request: 1 },
  follow: { request: 1 },
  search: { request: 1 },
  read: { request: 1 },
  mark: null,
  record: 'refused',
  setMarker: null,
  startRecording: null,
  stopRecording: null,
  recordings: null,
  removeRecording: null,
  wait: { request: 1 },
  activity: null,
  commands: { request: 1 },
  commandOutput: { request: 1 },
  run: { request: 1 },
  take: null,
  give: null,
  view: 'refused',
  openLease: null,
  subscribe: 'refused',
  watchSessions: 'refused',
  close: null,
};

/**
 * Returns a coordinator each of whose calls sets {@link RedactRequest.redact}. With true, calls that cannot
 * replace secrets fail with INVALID_ARGUMENT.
 *
 * @param onAnswer called with the number in each answer, and the name of its call
 */
export function redactingCoordinator(
  coordinator: Coordinator,
  redact: boolean,
  onAnswer: (count: number, call: keyof Coordinator) => void = () => {},
): Coordinator {
  const note = (call: keyof Coordinator, answer: unknown) => {
    for (const each of Array.isArray(answer) ? answer : [answer]) {
      const { redacted = 0, wait } = (each ?? {}) as Redacted & { readonly wait?: Redacted };
      const count = redacted + (wait?.redacted ?? 0);
      if (count > 0) onAnswer(count, call);
    }
  };
  return new Proxy(coordinator, {
    get(target, call: keyof Coordinator) {
      const method: unknown = target[call];
      // Not a method of the port: `then` of what may be a promise, and the like.
      const rule = Object.hasOwn(rules, call) ? rules[call] : null;
      if (typeof method !== 'function') return method;
      if (rule === 'refused') {
        return redact ? () => Promise.reject(notRedacted(call)) : method.bind(target);
      }
      if (rule === null) return method.bind(target);
      return async (...args: unknown[]) => {
        const answer: unknown = await method.apply(target, withRedact(rule, args, redact));
        const isSession = redact && rule.session === true;
        const shown = isSession ? await withoutSecrets(target, answer as SessionInfo) : answer;
        note(call, shown);
        return shown;
      };
    },
  });
}

/** The other fields of the answer stay, such as the result of a wait. */
async function withoutSecrets(coordinator: Coordinator, answer: SessionInfo): Promise<SessionInfo> {
  const { name, id } = answer;
  return { ...answer, ...(await coordinator.info({ name, id }, { redact: true })) };
}

function withRedact(rule: Replacing, args: readonly unknown[], redact: boolean): unknown[] {
  const at = rule.request ?? rule.wait;
  if (at === undefined) return [...args];
  const request = (args[at] ?? {}) as { readonly wait?: object };
  const { wait } = request;
  const own: RedactRequest = rule.request === undefined ? {} : { redact };
  const waiting = wait === undefined ? {} : { wait: { ...wait, redact } };
  const all = Array.from({ length: Math.max(args.length, at + 1) }, (_, index) => args[index]);
  return all.with(at, { ...request, ...own, ...waiting });
}

function notRedacted(call: string): VtrError {
  const message = `${call} cannot replace secrets; use read or screen, or do not redact`;
  return new VtrError('INVALID_ARGUMENT', message);
}
