import { ignored } from '#base';
import {
  asVtrError,
  type CallerEnvironment,
  type CancelSignal,
  type Coordinator,
  callOf,
  clampWaitMs,
  isSessionCall,
  type ListRequest,
  type ReadMark,
  type RedactRequest,
  type RunRequest,
  type SendResult,
  type SendTextOptions,
  type SessionInfo,
  type SessionRef,
  type SpawnedSession,
  type SpawnRequest,
  silentReason,
  VtrError,
  type WaitRequest,
  type WaitResult,
} from '#model';
import { aboutSession, checked, toNamed } from '../convert/driver.ts';
import { toSendFields } from '../convert/input.ts';
import { redactedAnswer, toInfoFields } from '../convert/read.ts';
import { fromSession } from '../convert/session.ts';
import type { CommandRequest } from '../convert/spawn.ts';
import {
  type AnswerOf,
  askedCalls,
  expectedMsOf,
  type RequestOf,
  rpcOf,
  type UnaryCall,
  type UnaryMethod,
} from './asked-calls.ts';
import {
  Continuity,
  farPatience,
  hadNoEffect,
  isInterruption,
  nearPatience,
  type Recover,
} from './continuity.ts';
import { CallTime, newInputId, waitAgain, waitMs } from './repeats.ts';

/** Returns the environment of a caller at the time of a call. */
export type CallerSource = () => CallerEnvironment;

/** How long a program may take to take a text that is submitted, in ms. */
const submitMs = 8_000;

export interface UnaryOptions {
  /** Ends the call. */
  readonly signal?: CancelSignal;
  /** Longest duration of a successful call, in ms; 0 when absent. */
  readonly expectedMs?: number;
  /** Called with the mark before the input of the call, before that is typed; see {@link UnaryClient.learnsMarks}. */
  readonly onMark?: (mark: ReadMark) => void;
  /** The call is made when this is fulfilled, before calls that are made later; it fails as this does. */
  readonly after?: Promise<unknown>;
  /**
   * What the call changes: nothing, only something the first time, or something each time. Default: `each`. Such a
   * call is repeated only if it did not reach the coordinator.
   */
  readonly effect?: 'none' | 'first' | 'each';
}

const cancelled = {
  wait: 'the wait was cancelled; the program is not affected',
  search: 'the search was cancelled',
} as const;

/** A call with its arguments. */
interface Given<Request = RedactRequest & { readonly signal?: CancelSignal }> {
  readonly name: UnaryCall;
  /** Null for a call that names no session. */
  readonly ref: SessionRef | null;
  readonly args: readonly unknown[];
  readonly request: Request;
}

/** A row of the table of calls, whatever its call. */
interface AnyCall {
  ask(...args: readonly unknown[]): RequestOf<UnaryMethod>;
  answer(message: unknown, ...args: readonly unknown[]): unknown;
}

const rows = askedCalls as unknown as Readonly<Record<UnaryCall, AnyCall>>;

abstract class UnaryCalls {
  static {
    for (const name of Object.keys(askedCalls) as UnaryCall[]) {
      Object.defineProperty(UnaryCalls.prototype, name, {
        configurable: true,
        writable: true,
        value(this: UnaryCalls, ...args: unknown[]) {
          return this.invoke(name, args);
        },
      });
    }
  }

  protected abstract invoke(name: UnaryCall, args: readonly unknown[]): Promise<unknown>;
}

const CallsOfTable = UnaryCalls as abstract new () => UnaryCalls &
  Pick<Coordinator, Exclude<UnaryCall, 'list' | 'spawn'>>;

/**
 * The calls of a {@link Coordinator} that have one request and one answer, as {@link askedCalls} converts them.
 * Subclasses implement the transport. Values that proto3 cannot represent, such as half a column, are refused here
 * with the coordinator's message.
 *
 * If the coordinator is replaced while its sessions continue, calls are repeated: reads always; input,
 * spawns and runs by an id, so that they happen at most once; waits from the mark of the first try.
 */
export abstract class UnaryClient extends CallsOfTable {
  protected readonly continuity: Continuity;
  readonly #isFar: boolean;
  readonly #caller: CallerSource | null;

  /**
   * @param recover null: no call is repeated
   * @param isFar whether the coordinator is reached through another program
   * @param caller the environment of programs, for requests without one
   */
  constructor(recover: Recover | null, isFar: boolean, caller: CallerSource | null = null) {
    super();
    this.#isFar = isFar;
    this.#caller = caller;
    this.continuity = new Continuity(recover, isFar ? farPatience : nearPatience);
  }

  /** Whether calls with input and a wait tell the mark before it; else it is asked for before the call. */
  protected get learnsMarks(): boolean {
    return false;
  }

  /** Makes a call once. @throws VtrError of the coordinator, or UNAVAILABLE */
  protected abstract once<Name extends UnaryMethod>(
    method: Name,
    request: RequestOf<Name>,
    options?: UnaryOptions,
  ): Promise<AnswerOf<Name>>;

  spawn(request: CommandRequest): Promise<SpawnedSession> {
    return this.invoke('spawn', [request]) as Promise<SpawnedSession>;
  }

  async list(request: ListRequest = {}): Promise<readonly SessionInfo[]> {
    const fields = toInfoFields(request);
    const sessions = await this.continuity.call(true, () => this.listOnce(fields));
    for (const each of sessions) redactedAnswer(request, each);
    return sessions;
  }

  /** Makes the call of {@link list} once. @throws VtrError as {@link once} */
  protected async listOnce(request: RequestOf<'list'>): Promise<readonly SessionInfo[]> {
    const { sessions } = await this.once('list', request, { effect: 'none' });
    return sessions.map(fromSession);
  }

  /** Makes a call of the table. */
  protected async invoke(name: UnaryCall, args: readonly unknown[]): Promise<unknown> {
    const { kind, request: place } = callOf(name);
    const request = (place === undefined ? null : args[place]) ?? {};
    const ref = isSessionCall(name) ? (args[0] as SessionRef) : null;
    const call = { name, ref, args, request };
    if (kind === 'make') return this.#start(call as Given<SpawnRequest>);
    if (kind === 'wait') return this.#wait(call as Given<WaitRequest>);
    if (name === 'run') return this.#run(call as Given<RunRequest>);
    if (kind === 'input') return this.#send(call);
    const { signal } = call.request as { readonly signal?: CancelSignal };
    const options: UnaryOptions = {
      expectedMs: expectedMsOf(name, request),
      effect: kind === 'read' ? 'none' : 'each',
    };
    const message = messageOf(call, request);
    const answer = await cancellable(ref, signal, name === 'search' ? 'search' : 'wait', (how) =>
      this.call(rpcOf(name), message, { ...how, ...options }),
    );
    return resultOf(call, answer);
  }

  /** Makes a call once, and converts its answer. */
  async #once<T>(
    call: Given<object>,
    message: RequestOf<UnaryMethod>,
    how: UnaryOptions,
  ): Promise<T> {
    return resultOf(call, await this.once(rpcOf(call.name), message, how)) as T;
  }

  /** Makes a call without an id, and repeats it if that is safe. */
  protected call<Name extends UnaryMethod>(
    method: Name,
    request: RequestOf<Name>,
    options: UnaryOptions = {},
  ): Promise<AnswerOf<Name>> {
    const { effect = 'each', signal } = options;
    return this.continuity.call(
      effect !== 'each',
      () => this.once(method, request, options),
      signal,
    );
  }

  /** Starts a program, and waits. The wait is for all output, so that it needs no mark. */
  #start(call: Given<SpawnRequest>): Promise<unknown> {
    const first = { ...this.#withCaller(call.request), ...this.#idOf(call.request) };
    const { wait } = first;
    const time = new CallTime();
    return cancellable(call.ref ?? first.name ?? '(no name)', wait?.signal, 'wait', (how) =>
      this.continuity.call(
        true,
        async (tries) => {
          const left = tries === 0 || wait === undefined ? wait : time.waitLeft(wait);
          const message = messageOf(call, left === undefined ? first : { ...first, wait: left });
          const options = { ...how, expectedMs: left === undefined ? 0 : waitMs(left) };
          const started = await this.#once<{ readonly wait?: WaitResult }>(call, message, options);
          if (wait === undefined || started.wait === undefined) return started;
          redactedAnswer(wait, started.wait);
          return tries === 0 ? started : { ...started, wait: time.whole(wait, started.wait) };
        },
        wait?.signal,
      ),
    );
  }

  /** Adds the caller's environment, which is wrong on another machine. */
  #withCaller(request: SpawnRequest): SpawnRequest {
    const { caller = this.#caller?.(), ...others } = request;
    return caller === undefined || this.#isFar ? others : { caller, ...others };
  }

  #wait(call: Given<WaitRequest>): Promise<WaitResult> {
    const { ref, request } = call;
    const { signal, since: text } = request;
    const time = new CallTime();
    return cancellable(ref, signal, 'wait', (how) => {
      const before = text === undefined ? 'unknown' : null;
      return this.#fromMark(ref ?? '', before, signal, async (tries, since, marking) => {
        const wait = async (request: WaitRequest): Promise<WaitResult> => {
          const options = { ...how, ...marking, expectedMs: waitMs(request) };
          const answer = await this.once('wait', messageOf(call, request), options);
          this.continuity.answered();
          return resultOf(call, answer) as WaitResult;
        };
        if (tries === 0) return wait(request);
        const left = time.waitLeft(request);
        const result =
          since === null ? await wait(left) : await waitAgain(wait, left, since, time.elapsedMs);
        return time.whole(request, result);
      });
    });
  }

  #run(call: Given<RunRequest>): Promise<unknown> {
    const { ref, request } = call;
    const { signal } = request;
    const first = { ...request, ...this.#idOf(request) };
    const time = new CallTime();
    return cancellable(ref, signal, 'wait', (how) =>
      this.continuity.call(
        true,
        async (tries) => {
          const left = tries === 0 ? first : time.waitLeft(first);
          const options = { ...how, expectedMs: waitMs(left) };
          const result = await this.#once<WaitResult>(call, messageOf(call, left), options);
          return tries === 0 ? result : time.whole(request, result);
        },
        signal,
      ),
    );
  }

  #send(call: Given<SendTextOptions>): Promise<SendResult> {
    const { ref, request: options } = call;
    const { wait } = options;
    // Now: the caller may change its array as soon as this returns.
    const input = messageOf(call, options);
    const first = { ...options, ...this.#idOf(options) };
    const time = new CallTime();
    const isMarked = wait === undefined || wait.since !== undefined;
    const unknown = this.learnsMarks ? 'told' : 'unknown';
    const before = isMarked ? null : (options.markBefore ?? unknown);
    const send = (how: UnaryOptions) =>
      this.#fromMark(ref ?? '', before, wait?.signal, async (tries, since, marking) => {
        const rest = tries === 0 ? first : time.sendLeft(first, since);
        const expectedMs =
          clampWaitMs(rest.timeoutMs, 0) +
          (rest.wait === undefined ? 0 : waitMs(rest.wait)) +
          (options.submit ? submitMs : 0);
        const message = { ...input, ...toSendFields(ref ?? '', rest) } as RequestOf<UnaryMethod>;
        const result = await this.#once<SendResult>(call, message, {
          ...how,
          ...marking,
          expectedMs,
        });
        if (wait === undefined || result.wait === undefined) return result;
        redactedAnswer(wait, result.wait);
        if (tries === 0) return result;
        return { ...result, mark: since ?? result.mark, wait: time.whole(wait, result.wait) };
      });
    const sending = cancellable(ref, wait?.signal, 'wait', send);
    return this.#isFar ? sending.catch(tellSent) : sending;
  }

  /**
   * Makes a call that can be repeated from the end of the output before its first try.
   *
   * @param before that mark, which is asked for if it is unknown; `told` if the call itself tells it; null for a call
   * that needs none
   * @param attempt its second argument is that mark, when it is repeated; null when it is not. The call
   * has the options of the third
   */
  #fromMark<T>(
    ref: SessionRef,
    before: ReadMark | 'unknown' | 'told' | null,
    signal: CancelSignal | undefined,
    attempt: (tries: number, since: ReadMark | null, marking: UnaryOptions) => Promise<T>,
  ): Promise<T> {
    let marking: Promise<ReadMark | null> | null = null;
    let firstMark: ReadMark | null = null;
    const onMark = (mark: ReadMark) => {
      firstMark ??= mark;
      this.continuity.answered();
    };
    const call = async (tries: number) => {
      if (before === 'told') return attempt(tries, firstMark, { onMark });
      if (before !== 'unknown') return attempt(tries, tries === 0 ? null : before, {});
      const since = marking === null ? null : await marking.catch(() => null);
      if (since !== null || !this.continuity.repeats) return attempt(tries, since, {});
      // Without its mark, the call is not made. Other failures are ignored: the call reports its own.
      marking = this.once('getMark', toNamed(ref), { effect: 'none' }).then(
        ({ mark }) => {
          this.continuity.answered();
          return mark;
        },
        (error) => {
          // The call after it would wait as long for a coordinator that does not respond.
          if (isInterruption(error) || asVtrError(error).details['reason'] === silentReason)
            throw error;
          return null;
        },
      );
      ignored(marking, 'the attempt waits for it, and may fail before');
      return attempt(tries, null, { after: marking });
    };
    return this.continuity.call(true, call, signal);
  }

  /** An id for a call that has none, if calls are repeated. */
  #idOf({ inputId }: { readonly inputId?: string }): { readonly inputId?: string } {
    return inputId === undefined && this.continuity.repeats ? { inputId: newInputId() } : {};
  }
}

/** Returns the message of a call with a request. @throws VtrError for values that proto3 cannot represent */
function messageOf({ name, ref, args }: Given<object>, request: object): RequestOf<UnaryMethod> {
  const { request: place } = callOf(name);
  const values = [...args];
  if (place !== undefined) values[place] = request;
  if (ref === null) return rows[name].ask(...values);
  return { ...toNamed(ref), ...checked(ref, () => rows[name].ask(...values.slice(1))) };
}

/** Returns the result of a call. @throws VtrError UNAVAILABLE if secrets were not replaced as requested */
function resultOf({ name, ref, args, request }: Given<object>, answer: unknown): unknown {
  const result = rows[name].answer(answer, ...(ref === null ? args : args.slice(1)));
  return callOf(name).redact === 'request' ? redactedAnswer(request, result as object) : result;
}

/** Tells whether input was sent, if the connection broke. @throws VtrError */
function tellSent(thrown: unknown): never {
  const { code, message, details } = asVtrError(thrown);
  if (code !== 'UNAVAILABLE') throw thrown;
  const isUnsent = details['sent'] === 'no' || hadNoEffect(thrown);
  const certainty = isUnsent && details['sent'] !== 'unknown' ? 'no' : 'unknown';
  const text = certainty === 'no' ? 'nothing was sent' : 'whether the input was sent is unknown';
  throw new VtrError(code, `${message}; ${text}`, {
    cause: thrown,
    details: { ...details, sent: certainty },
  });
}

/**
 * Makes a call that `signal` ends.
 *
 * @throws VtrError CANCELLED
 */
async function cancellable<T>(
  ref: SessionRef | null,
  signal: CancelSignal | undefined,
  what: keyof typeof cancelled,
  call: (how: UnaryOptions) => Promise<T>,
): Promise<T> {
  if (signal === undefined) return call({});
  const error = () => new VtrError('CANCELLED', aboutSession(ref ?? '', cancelled[what]));
  if (signal.aborted) throw error();
  try {
    return await call({ signal });
  } catch (thrown) {
    throw signal.aborted ? error() : thrown;
  }
}
