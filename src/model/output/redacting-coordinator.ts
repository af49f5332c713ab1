import { type CallName, callByName, callOf, coordinatorOf, withFields } from '../calls/calls.ts';
import type { Coordinator } from '../coordinator.ts';
import { VtrError } from '../errors.ts';
import type { SessionInfo } from '../sessions/session.ts';
import type { Redacted, RedactRequest } from './redaction.ts';

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
      const { redacted = 0, wait } = (each ?? {}) as Redacted & { readonly wait?: Redacted };
      const count = redacted + (wait?.redacted ?? 0);
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
    const asked = request === undefined ? args : withRedact(how, args, request, redact);
    return answerOf(name, asked).then((answer) => counted(name, answer));
  });
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
    ...(wait !== undefined && { wait: { ...wait, redact } }),
  });
}

function notRedacted(call: string): VtrError {
  const message = `${call} cannot replace secrets; use read or screen, or do not redact`;
  return new VtrError('INVALID_ARGUMENT', message);
}
