import type { HandlerContext } from '@connectrpc/connect';
import {
  type Coordinator,
  defaultQuietMs,
  type WaitOptions,
  type WaitRequest,
  type WaitResult,
} from '#model';
import { toRef } from '../convert/session.ts';
import { msField } from '../convert/time.ts';
import { fromConditions, toMatch, toWaitEnd, toWaitResult } from '../convert/wait.ts';
import { accepted, type Handlers } from './accepted.ts';

/** How a request names its session. */
type Named = Parameters<typeof toRef>[0];

/** One wait of the port, and the three that the specification has instead. */
export function waitHandlers(
  coordinator: Coordinator,
): Handlers<'wait' | 'waitFor' | 'waitForIdle' | 'waitForExit'> {
  const wait = (named: Named, request: WaitRequest, context: HandlerContext) =>
    accepted(context, () => coordinator.wait(toRef(named), request));
  return {
    async wait(request, context) {
      const conditions = { ...fromConditions(request.wait), signal: context.signal };
      return { result: toWaitResult(await wait(request, conditions, context)) };
    },
    async waitFor(request, context) {
      const asked = { match: [request.pattern], ...bare(request, context) };
      const result = await wait(request, asked, context);
      const match = result.match === undefined ? {} : toMatch(result.match);
      return { matched: result.outcome === 'matched', ...match, ...endOf(result) };
    },
    async waitForIdle(request, context) {
      const asked = {
        quietMs: defaultQuietMs,
        ...msField('quietMs', request.idleDuration),
        ...bare(request, context),
      };
      const result = await wait(request, asked, context);
      return { idle: result.outcome === 'idle', ...endOf(result) };
    },
    async waitForExit(request, context) {
      return { end: toWaitEnd(await wait(request, bare(request, context), context)) };
    },
  };
}

/** A wait that tells nothing of the output. */
const bare = (
  { timeout }: { readonly timeout?: Parameters<typeof msField>[1] },
  { signal }: HandlerContext,
): WaitOptions & Pick<WaitRequest, 'tail'> => ({
  ...msField('timeoutMs', timeout),
  signal,
  tail: { maxLines: 0 },
});

const endOf = (result: WaitResult) => ({
  timedOut: result.outcome === 'timed_out',
  end: toWaitEnd(result),
});
