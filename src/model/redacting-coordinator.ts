import type { Coordinator } from './coordinator.ts';
import { VtrError } from './errors.ts';
import type { Redacted } from './redaction.ts';

/** The calls that take {@link RedactRequest}, by the place of their request. */
const requestAt = {
  list: 0,
  info: 1,
  screen: 1,
  readLines: 1,
  search: 1,
  read: 1,
  wait: 1,
  commands: 1,
  commandOutput: 1,
  run: 1,
} as const satisfies Partial<Record<keyof Coordinator, number>>;

/** The calls whose request may have a wait, by the place of the request. */
const waitAt = {
  spawn: 0,
  sendText: 2,
  sendKeys: 2,
  sendBytes: 2,
  sendMouse: 2,
  sendFocus: 2,
} as const satisfies Partial<Record<keyof Coordinator, number>>;

/** The calls that return content and cannot replace secrets in it. */
const unredacted: ReadonlySet<string> = new Set<keyof Coordinator>([
  'frame',
  'record',
  'subscribe',
  'view',
  'watchSessions',
]);

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
  const noted = (call: keyof Coordinator, answer: unknown) => {
    for (const each of Array.isArray(answer) ? answer : [answer]) {
      const { redacted = 0, wait } = (each ?? {}) as Redacted & { readonly wait?: Redacted };
      const count = redacted + (wait?.redacted ?? 0);
      if (count > 0) onAnswer(count, call);
    }
    return answer;
  };
  return new Proxy(coordinator, {
    get(target, call: keyof Coordinator) {
      const method: unknown = target[call];
      if (typeof method !== 'function') return method;
      if (redact && unredacted.has(call)) return () => Promise.reject(notRedacted(call));
      if (!(call in requestAt || call in waitAt)) return method.bind(target);
      return (...args: unknown[]) => {
        const answer: Promise<unknown> = method.apply(target, withRedact(call, args, redact));
        return answer.then((each) => noted(call, each));
      };
    },
  });
}

function withRedact(call: string, args: readonly unknown[], redact: boolean): unknown[] {
  const places: Readonly<Record<string, number>> = { ...requestAt, ...waitAt };
  const at = places[call] ?? 0;
  const request = (args[at] ?? {}) as { readonly wait?: object };
  const { wait } = request;
  const own = call in requestAt || call === 'sendMouse' ? { redact } : {};
  const waiting = wait === undefined ? {} : { wait: { ...wait, redact } };
  const all = Array.from({ length: Math.max(args.length, at + 1) }, (_, index) => args[index]);
  return all.with(at, { ...request, ...own, ...waiting });
}

function notRedacted(call: string): VtrError {
  const message = `${call} cannot replace secrets; use read or screen, or do not redact`;
  return new VtrError('INVALID_ARGUMENT', message);
}
