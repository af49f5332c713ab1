import type { Clock } from '#base';
import type { CancelSignal, InputReceipt, SendOptions, SendResult } from '#model';
import type { Session } from '#session';
import { markNow, waitFor } from '#watch';

/**
 * Writes input, and waits for what it brings about where that is asked for: the wait is registered
 * before the first byte is written, so nothing can come too early for it. Input that does not go in
 * ends the wait.
 */
export async function sendAndWait(
  session: Session,
  { wait }: SendOptions,
  clock: Clock,
  write: () => Promise<InputReceipt>,
): Promise<SendResult> {
  const mark = markNow(session.view);
  if (wait === undefined) {
    return { mark, ...(await write()) };
  }
  const withdrawal = new Withdrawal(wait.signal);
  const request = { since: mark, ...wait, signal: withdrawal.signal };
  const waiting = waitFor(session.view, request, clock);
  // It may be withdrawn while the input goes in, and nobody listens to it yet.
  waiting.catch(() => {});
  try {
    const receipt = withdrawal.signal.aborted ? {} : await write();
    return { mark, ...receipt, wait: await waiting };
  } catch (error) {
    withdrawal.withdraw();
    await waiting.catch(() => {});
    throw error;
  } finally {
    withdrawal.dispose();
  }
}

/** Ends a wait, for a caller's reason or for one of ours. */
class Withdrawal {
  readonly #controller = new AbortController();
  readonly #asked: CancelSignal | undefined;
  readonly #withdraw = () => this.#controller.abort();

  constructor(asked: CancelSignal | undefined) {
    this.#asked = asked;
    if (asked?.aborted) this.withdraw();
    asked?.addEventListener('abort', this.#withdraw);
  }

  get signal(): CancelSignal {
    return this.#controller.signal;
  }

  withdraw(): void {
    this.#withdraw();
  }

  dispose(): void {
    this.#asked?.removeEventListener('abort', this.#withdraw);
  }
}
