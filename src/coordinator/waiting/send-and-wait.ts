import { type Clock, deferred, ignored } from '#base';
import {
  Cancellation,
  checkInputId,
  type InputReceipt,
  type ObservedInput,
  type ReadMark,
  type SendOptions,
  type SendResult,
  type WaitRequest,
  type WaitResult,
} from '#model';
import type { Session } from '#session';
import { markNow, type WaitContext, waitFor } from '#watch';

/**
 * Writes input and waits for its result if requested. The wait is registered before the first byte is
 * written, so it cannot miss anything. If the input fails, is ignored or not submitted, the wait is cancelled.
 *
 * @param begin begins the wait; `written` settles when the input is written
 */
export async function sendAndWait<Receipt extends InputReceipt>(
  session: Session,
  { wait, inputId, onMark }: SendOptions & ObservedInput,
  clock: Clock,
  write: () => Promise<Receipt>,
  begin: (request: WaitRequest, written: Promise<unknown>) => Promise<WaitResult> = (
    request,
    written,
  ) => waitInSession(session, request, clock, { written }),
): Promise<SendResult & Receipt> {
  if (inputId !== undefined) checkInputId(inputId);
  if (wait === undefined && onMark === undefined) {
    const writing = write();
    // In the same turn, so it is before all output that comes after the input. A person's key does not wait for it.
    const mark = markOf(session, inputId);
    return { mark, ...(await writing) };
  }
  const mark = markOf(session, inputId);
  onMark?.(mark);
  if (wait === undefined) {
    return { mark, ...(await write()) };
  }
  const signal = new Cancellation();
  const cancel = () => signal.abort();
  if (wait.signal?.aborted) cancel();
  wait.signal?.addEventListener('abort', cancel);
  const request = { since: mark, ...wait, signal };
  const written = deferred();
  const waiting = begin(request, written.promise);
  ignored(waiting, 'it is awaited after the input is written, and may fail before');
  try {
    const receipt = signal.aborted ? ({} as Receipt) : await write();
    written.resolve();
    if (receipt.ignored || receipt.submitted === false) {
      cancel();
      await ignored(waiting, 'it is cancelled');
      return { mark, ...receipt };
    }
    return { mark, ...receipt, wait: await waiting };
  } catch (error) {
    cancel();
    await ignored(waiting, 'it is cancelled');
    throw error;
  } finally {
    wait.signal?.removeEventListener('abort', cancel);
  }
}

/** The inputs with ids of which a session has the marks. */
const maxMarks = 64;

const marks = new WeakMap<Session, Map<string, ReadMark>>();

/** Returns the mark before an input; that of the first if it is a repeat. */
function markOf(session: Session, inputId: string | undefined): ReadMark {
  const mark = markNow(session.view);
  if (inputId === undefined) return mark;
  const ids = marks.get(session) ?? new Map<string, ReadMark>();
  const first = ids.get(inputId) ?? mark;
  ids.set(inputId, first);
  const [oldest] = ids.keys();
  if (ids.size > maxMarks && oldest !== undefined) ids.delete(oldest);
  marks.set(session, ids);
  return first;
}

/** Input with which a wait is sent. */
export interface SentInput {
  /** Settles when it is written. */
  readonly written: Promise<unknown>;
  /** Its text, if it is a prompt for an agent. */
  readonly prompt?: string | undefined;
}

/**
 * Waits in a session; see `Coordinator.wait`.
 *
 * @param input the next input of the session, if that is sent with the wait
 * @throws VtrError INVALID_PATTERN, INVALID_MARK, INVALID_ARGUMENT: synchronously, before the wait
 * begins
 */
export function waitInSession(
  session: Session,
  request: WaitRequest,
  clock: Clock,
  input?: SentInput,
  context: Pick<WaitContext, 'shown' | 'agent' | 'status' | 'onMet'> = {},
): Promise<WaitResult> {
  const activity = () => session.activity();
  const driving = session.gate === null ? {} : { driving: session.gate };
  return waitFor(session.view, request, clock, {
    activity,
    ...(input && { sendsInput: true, ...input }),
    ...driving,
    ...context,
  });
}
