import type { HandlerContext } from '@connectrpc/connect';
import {
  type Coordinator,
  defaultQuietMs,
  type WaitOptions,
  type WaitRequest,
  type WaitResult,
} from '#model';
import { toMatch, toWaitEnd } from '../../convert/output/wait.ts';
import { fromNamed, type Named } from '../../convert/sessions/session-ref.ts';
import { msField } from '../../convert/time.ts';
import { accepted, type Handlers } from '../accepted.ts';

/** The specification's three waits. */
export function waitHandlers(
  coordinator: Coordinator,
): Handlers<'waitFor' | 'waitForIdle' | 'waitForExit'> {
  const wait = (named: Named, request: WaitRequest, context: HandlerContext) =>
    accepted(context, () => coordinator.wait(fromNamed(named), request));
  return {
    async waitFor(request, context) {
      const asked = { match: [request.pattern], ...withoutOutput(request, context) };
      const result = await wait(request, asked, context);
      const match = result.match === undefined ? {} : toMatch(result.match);
      return { matched: result.outcome === 'matched', ...match, ...endOf(result) };
    },
    async waitForIdle(request, context) {
      const asked = {
        quietMs: defaultQuietMs,
        ...msField('quietMs', request.idleDuration),
        ...withoutOutput(request, context),
      };
      const result = await wait(request, asked, context);
      return { idle: result.outcome === 'idle', ...endOf(result) };
    },
    async waitForExit(request, context) {
      return { end: toWaitEnd(await wait(request, withoutOutput(request, context), context)) };
    },
  };
}

/** Options of a wait whose answer has no output. */
const withoutOutput = (
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
