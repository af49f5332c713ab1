import { defined, ignored } from '#base';
import { type FollowRequest, type FollowResult, RememberedLines, type SessionRef } from '#model';
import type { JsonCoordinator } from '#wire/service/short';
import type { Context } from '../context.ts';

/** How long one call waits for lines, in ms: less than a reader is remembered. */
const callMs = 20_000;
/** Longer than any program runs. */
const neverMs = 1e9;

export interface FollowOptions extends Pick<FollowRequest, 'from' | 'redact' | 'signal'> {
  /** Whether a line that was printed is printed again only when it has left the screen. */
  readonly isFinal: boolean;
}

export interface FollowedPart extends FollowResult {
  /** The lines directly before `nextLine` that the program may still change, as they were printed. */
  readonly shown: readonly string[];
}

/**
 * Yields the output of a session as it comes, up to the exit of its program. The program waits for a consumer that is
 * slow.
 *
 * @throws VtrError SESSION_NOT_FOUND, CANCELLED
 */
export async function* followedOutput(
  coordinator: Pick<JsonCoordinator, 'follow'>,
  session: SessionRef,
  { isFinal, ...options }: FollowOptions,
): AsyncGenerator<FollowedPart> {
  const reader = crypto.randomUUID();
  const shown = new RememberedLines();
  let request: FollowRequest = { ...options, reader, timeoutMs: callMs };
  for (;;) {
    const result = await coordinator.follow(session, request);
    shown.add(result);
    yield { ...result, shown: shown.lines };
    if (result.ended) return;
    const { nextLine: from, again } = result;
    // The program draws over its lines, so it may also change what it prints next.
    const settleMs = again ? later(request.settleMs, isFinal) : request.settleMs;
    request = {
      ...request,
      from,
      shown: shown.lines,
      ...defined({ settleMs }),
    };
  }
}

const firstSettleMs = 500;
const maxSettleMs = 8_000;

function later(settleMs: number | undefined, isFinal: boolean): number {
  if (isFinal) return neverMs;
  return settleMs === undefined ? firstSettleMs : Math.min(maxSettleMs, settleMs * 2);
}

/** Resolves when stdout has taken everything; meanwhile, `keep` is called so that the reader is not forgotten. */
export async function flushed(context: Context, keep: () => Promise<unknown>): Promise<void> {
  const timer = setInterval(() => void ignored(keep(), 'the next read reports it'), callMs);
  try {
    await context.flushed();
  } finally {
    clearInterval(timer);
  }
}
