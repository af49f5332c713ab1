import type { HandlerContext, ServiceImpl } from '@connectrpc/connect';
import { VTR } from '#messages';
import { type CallMetrics, endOf, type MethodCalls } from './call-metrics.ts';

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
