import { defined, machineMs } from '#base';
import {
  clampWaitMs,
  defaultWaitMs,
  type ReadMark,
  type SendOptions,
  type WaitOptions,
  type WaitRequest,
  type WaitResult,
} from '#model';

export const waitMs = ({ timeoutMs }: WaitOptions): number => clampWaitMs(timeoutMs, defaultWaitMs);

/** An id for a call that is made by this process alone. */
export const newInputId = (): string =>
  [Date.now(), process.pid, Math.random() * 2 ** 52]
    .map((part) => Math.floor(part).toString(36))
    .join('-');

/** The time limits of a call over all its tries. */
export class CallTime {
  readonly #startedMs = machineMs();

  get elapsedMs(): number {
    return machineMs() - this.#startedMs;
  }

  leftMs(timeoutMs: number): number {
    return Math.max(0, timeoutMs - this.elapsedMs);
  }

  /** A wait with the time that is left. */
  waitLeft<Request extends WaitOptions>(wait: Request): Request {
    return { ...wait, timeoutMs: this.leftMs(waitMs(wait)) };
  }

  /** Input with the time that is left; its wait, unless it has a mark, is from `since`. */
  sendLeft(options: SendOptions, since: ReadMark | null): SendOptions {
    const { timeoutMs, wait } = options;
    return {
      ...options,
      ...(timeoutMs !== undefined && { timeoutMs: this.leftMs(timeoutMs) }),
      ...defined({ wait: wait && { ...defined({ since }), ...this.waitLeft(wait) } }),
    };
  }

  /** The result of a repeated wait, with the times of all tries. */
  whole<Result extends Pick<WaitResult, 'timeoutMs' | 'elapsedMs'>>(
    request: WaitOptions,
    result: Result,
  ): Result {
    return { ...result, timeoutMs: waitMs(request), elapsedMs: this.elapsedMs };
  }
}

export type Wait = (request: WaitRequest) => Promise<WaitResult>;

/** Time in which a prompt that is already shown is recognised, in ms. */
const shownMs = 500;

/**
 * Repeats a wait from the mark of its first try. A command that had ended before, or a prompt that was
 * shown, would have ended the first try, so they count here too. Silence is counted from the first try.
 *
 * @param elapsedMs since the first try
 */
export async function waitAgain(
  wait: Wait,
  request: WaitRequest,
  since: ReadMark,
  elapsedMs: number,
): Promise<WaitResult> {
  const { finished = false, prompt = false, promptPattern, quietMs, tail, signal } = request;
  const repeat = { ...request, since };
  const missed = await wait({ ...repeat, timeoutMs: 0 });
  if (missed.outcome !== 'timed_out') return missed;
  if (finished || prompt) {
    const state = await wait({
      finished,
      prompt,
      timeoutMs: prompt ? Math.min(waitMs(request), shownMs) : 0,
      ...defined({ promptPattern, tail, signal }),
    });
    if (state.outcome !== 'timed_out') return state;
  }
  // Without output since the first try, the silence began then at the latest.
  const isQuiet = quietMs !== undefined && missed.mark === since;
  return wait({ ...repeat, ...(isQuiet && { quietMs: Math.max(1, quietMs - elapsedMs) }) });
}
