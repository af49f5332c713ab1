import { performance } from 'node:perf_hooks';
import { Code, ConnectError, type HandlerContext, type ServiceImpl } from '@connectrpc/connect';
import { VTR } from '#messages';
import { Histogram, type MetricFamily } from '#metrics';
import type { ErrorCode } from '#model';
import { fromStatus } from '../../errors.ts';

/** How a call ended: as in docs/errors.md, or without an error. */
type CallEnd = ErrorCode | 'OK' | 'DEADLINE_EXCEEDED';

/** The largest duration of each bucket, in seconds: an answer at once, a program's start, a wait. */
const durationBounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.25, 1, 5, 30, 300];

/** The calls of one method. */
class MethodCalls {
  readonly method: string;
  readonly isUnary: boolean;
  readonly durations = new Histogram(durationBounds);
  readonly ends = new Map<CallEnd, number>();
  underWay = 0;

  constructor(method: string, isUnary: boolean) {
    this.method = method;
    this.isUnary = isUnary;
  }

  /** A call begins. Returns the time, for {@link ended}. */
  begun(): number {
    this.underWay++;
    return performance.now();
  }

  /** @param end what was thrown, or `OK` */
  ended(beganMs: number, end: CallEnd): void {
    this.underWay--;
    this.ends.set(end, (this.ends.get(end) ?? 0) + 1);
    // How long a stream lasts tells nothing about the coordinator.
    if (this.isUnary) this.durations.observe((performance.now() - beganMs) / 1000);
  }
}

/** Counts the calls of all clients, by method. Only the methods of the service are labels. */
export class CallMetrics {
  readonly #methods: readonly MethodCalls[] = VTR.methods.map(
    ({ name, methodKind }) => new MethodCalls(name, methodKind === 'unary'),
  );
  readonly #createdAtMs = Date.now();

  /** @param method of the service */
  of(method: string): MethodCalls {
    return this.#methods.find((each) => each.method === method) as MethodCalls;
  }

  families(): MetricFamily[] {
    const createdAtMs = this.#createdAtMs;
    const called = this.#methods.filter(({ ends, underWay }) => ends.size > 0 || underWay > 0);
    return [
      {
        name: 'vtr_calls',
        help: 'Calls that have ended, by method and error code. OK is success.',
        type: 'counter',
        createdAtMs,
        points: called.flatMap(({ method, ends }) =>
          [...ends].map(([code, value]) => ({ labels: { method, code }, value })),
        ),
      },
      {
        name: 'vtr_calls_in_progress',
        help: 'Calls under way, by method. Waits, subscriptions and leases are long calls.',
        type: 'gauge',
        points: called.map(({ method, underWay }) => ({ labels: { method }, value: underWay })),
      },
      {
        name: 'vtr_call_duration_seconds',
        unit: 'seconds',
        help: 'Time from the decoded request to the answer, with the waits in it. Streams are not included.',
        type: 'histogram',
        createdAtMs,
        points: called
          .filter(({ isUnary, ends }) => isUnary && ends.size > 0)
          .map(({ method, durations }) => durations.point({ method })),
      },
    ];
  }
}

/** Errors of Connect without a code of vtr: the client has gone, or its deadline has passed. */
const bareEnds: ReadonlyMap<Code, CallEnd> = new Map([
  [Code.Canceled, 'CANCELLED'],
  [Code.Aborted, 'CANCELLED'],
  [Code.DeadlineExceeded, 'DEADLINE_EXCEEDED'],
]);

/** Returns how a call ended that threw. */
function endOf(thrown: unknown): CallEnd {
  const { code } = fromStatus(thrown);
  if (code !== 'INTERNAL_ERROR' || !(thrown instanceof ConnectError)) return code;
  return bareEnds.get(thrown.code) ?? code;
}

type Handler = (request: unknown, context: HandlerContext) => unknown;

/**
 * Returns the handlers, which count and time their calls. Every protocol calls them, so this is the only
 * place. A request that is refused before its handler is called is not counted here.
 */
export function measured(
  handlers: ServiceImpl<typeof VTR>,
  metrics: CallMetrics,
): ServiceImpl<typeof VTR> {
  const counted: Record<string, unknown> = {};
  for (const { name, localName, methodKind } of VTR.methods) {
    const handler = handlers[localName as keyof typeof handlers] as Handler;
    const calls = metrics.of(name);
    counted[localName] =
      methodKind === 'unary'
        ? (request: unknown, context: HandlerContext) =>
            measureAnswer(calls, handler, request, context)
        : (request: unknown, context: HandlerContext) =>
            new MeasuredStream(calls, handler(request, context) as AsyncIterable<unknown>);
  }
  return counted as unknown as ServiceImpl<typeof VTR>;
}

/** The answer is returned as it is, so that it is not delayed. */
function measureAnswer(
  calls: MethodCalls,
  handler: Handler,
  request: unknown,
  context: HandlerContext,
): unknown {
  const beganMs = calls.begun();
  const fail = (error: unknown) => calls.ended(beganMs, endOf(error));
  try {
    const answer = handler(request, context);
    if (answer instanceof Promise) answer.then(() => calls.ended(beganMs, 'OK'), fail);
    else calls.ended(beganMs, 'OK');
    return answer;
  } catch (error) {
    fail(error);
    throw error;
  }
}

/** The messages of a stream, as they are. The call begins when the first one is asked for. */
class MeasuredStream implements AsyncIterableIterator<unknown> {
  readonly #calls: MethodCalls;
  readonly #messages: AsyncIterator<unknown>;
  #beganMs: number | null = null;
  #hasEnded = false;

  constructor(calls: MethodCalls, messages: AsyncIterable<unknown>) {
    this.#calls = calls;
    this.#messages = messages[Symbol.asyncIterator]();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<unknown>> {
    this.#beganMs ??= this.#calls.begun();
    const result = this.#messages.next();
    result.then(this.#onResult, this.#onError);
    return result;
  }

  async return(value?: unknown): Promise<IteratorResult<unknown>> {
    // The client wants no more.
    this.#end('CANCELLED');
    return (await this.#messages.return?.(value)) ?? { done: true, value };
  }

  async throw(error?: unknown): Promise<IteratorResult<unknown>> {
    this.#end(endOf(error));
    if (this.#messages.throw === undefined) throw error;
    return this.#messages.throw(error);
  }

  readonly #onResult = ({ done }: IteratorResult<unknown>) => {
    if (done) this.#end('OK');
  };

  readonly #onError = (error: unknown) => this.#end(endOf(error));

  #end(end: Parameters<MethodCalls['ended']>[1]): void {
    if (this.#beganMs === null || this.#hasEnded) return;
    this.#hasEnded = true;
    this.#calls.ended(this.#beganMs, end);
  }
}
