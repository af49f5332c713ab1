import type { HandlerContext } from '@connectrpc/connect';
import {
  type Coordinator,
  defaultQuietMs,
  type WaitOptions,
  type WaitRequest,
  type WaitResult,
} from '#model';
import { fromRunRequest, toRunResult } from '../../convert/output/run.ts';
import { fromConditions, toMatch, toWaitEnd, toWaitResult } from '../../convert/output/wait.ts';
import { fromNamed, type Named } from '../../convert/sessions/session-ref.ts';
import { msField } from '../../convert/time.ts';
import { accepted, type Handlers } from '../accepted.ts';
import { checkClient } from '../late-calls.ts';

/** The coordinator's wait, the specification's three waits, and the run of a command. */
export function waitHandlers(
  coordinator: Coordinator,
): Handlers<'wait' | 'waitFor' | 'waitForIdle' | 'waitForExit' | 'runCommand'> {
  const wait = (named: Named, request: WaitRequest, context: HandlerContext) =>
    accepted(context, () => coordinator.wait(fromNamed(named), request));
  return {
    async wait(request, context) {
      const conditions = { ...fromConditions(request.wait), signal: context.signal };
      return { result: toWaitResult(await wait(request, conditions, context)) };
    },
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
    async runCommand(request, context) {
      const asked = {
        ...fromRunRequest(request),
        signal: context.signal,
        beforeTyping: () => checkClient(context),
      };
      const run = () => coordinator.run(fromNamed(request), asked);
      return toRunResult(await accepted(context, run));
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
