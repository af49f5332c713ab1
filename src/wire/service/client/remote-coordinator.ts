import { type CallOptions, type Client, createClient } from '@connectrpc/connect';
import { createGrpcTransport } from '@connectrpc/connect-node';
import {
  type Coordinator,
  type FramesRequest,
  type Lease,
  maxRequestBytes,
  type OpenLeaseRequest,
  type Publication,
  type PublishRequest,
  type SessionRef,
  type SessionsWatch,
  type SubscribeRequest,
  type Subscription,
  type Viewing,
  type ViewRequest,
  VtrError,
  type WatchSessionsRequest,
} from '#model';
import { toViewFields } from '../convert/driver.ts';
import { field } from '../convert/field.ts';
import { toNamed } from '../convert/session-ref.ts';
import { toSubscribeFields } from '../convert/subscription.ts';
import { toFramesRequest } from '../convert/watching.ts';
import { fromStatus } from '../errors.ts';
import { VTR } from '../gen/vtr.gen.ts';
import { Connection } from './connection.ts';
import type { Recover } from './continuity.ts';
import { type LeaseStream, RemoteLease } from './remote-lease.ts';
import { openRemotePublication } from './remote-publication.ts';
import { RemoteSessionsWatch } from './remote-sessions-watch.ts';
import { RemoteSubscription } from './remote-subscription.ts';
import { RemoteViewing, type ViewStream } from './remote-viewing.ts';
import { Silence } from './silence.ts';
import {
  type AnswerOf,
  present,
  type RequestOf,
  UnaryClient,
  type UnaryMethod,
  type UnaryOptions,
} from './unary-client.ts';

type Headers = Record<string, string>;

type UnaryCall<Name extends UnaryMethod> = (
  request: RequestOf<Name>,
  options: CallOptions,
) => Promise<AnswerOf<Name>>;

/** A coordinator behind a Unix socket, over one gRPC connection. Contract: {@link Coordinator}. */
export class RemoteCoordinator extends UnaryClient implements Coordinator {
  readonly #place: string;
  readonly #connection: Connection;
  readonly #client: Client<typeof VTR>;
  readonly #silence: Silence;
  #closed = false;

  /**
   * @param onLost called when the connection is gone, also after {@link close}
   * @param recover see {@link Continuity}; without it, no call is repeated
   */
  constructor(socketPath: string, onLost?: () => void, recover: Recover | null = null) {
    super(recover);
    this.#place = `the coordinator at ${socketPath}`;
    this.#silence = new Silence(socketPath, this.#place);
    const connection = new Connection(socketPath, onLost);
    this.#connection = connection;
    const transport = createGrpcTransport({
      baseUrl: connection.authority,
      sessionManager: connection,
      // Refused here, because a server's refusal is not always received.
      writeMaxBytes: maxRequestBytes,
    });
    this.#client = createClient(VTR, transport);
  }

  /** Resolves when the coordinator answers. @throws VtrError UNAVAILABLE */
  async ready(timeoutMs: number): Promise<void> {
    await this.continuity.call(true, async () => {
      try {
        await this.#silence.during(this.#connection.ready(timeoutMs));
      } catch (error) {
        throw fromStatus(error, this.#place);
      }
    });
  }

  async publish(request: PublishRequest): Promise<Publication> {
    const toError = (error: unknown) => this.#toError(error);
    return this.#inOrder((headers) =>
      openRemotePublication(request, (steps) => this.#client.publish(steps, { headers }), toError),
    );
  }

  openLease({ id }: OpenLeaseRequest = {}): Promise<Lease> {
    // A new lease whose call was interrupted closes by itself, because its stream has ended.
    const open = (leaseId: string | undefined, signal: AbortSignal) =>
      this.continuity.call(true, () => this.#openLease(leaseId, signal), signal);
    const close = (leaseId: string) => this.call('closeLease', { leaseId });
    return RemoteLease.open({ open, close, reopens: this.continuity.repeats }, id);
  }

  #openLease(leaseId: string | undefined, signal: AbortSignal): Promise<LeaseStream> {
    return this.#inOrder(async (headers) => {
      const opened = this.#client.openLease(field('leaseId', leaseId), { headers, signal });
      const answers = opened[Symbol.asyncIterator]();
      const { value } = await answers.next();
      // No message follows.
      const ended = answers.next();
      ended.catch(() => {});
      return { id: value?.leaseId ?? '', ended };
    });
  }

  view(ref: SessionRef, request: ViewRequest): Promise<Viewing> {
    const open = (asked: ViewRequest, signal: AbortSignal) =>
      this.continuity.call(true, () => this.#view(ref, asked, signal), signal);
    return RemoteViewing.open(
      {
        open,
        update: (viewId, change) => this.call('updateView', { viewId, change }),
        close: (viewId) => this.call('closeView', { viewId }),
        toError: (error) => this.#toError(error),
        reopens: this.continuity.repeats,
      },
      request,
    );
  }

  #view(ref: SessionRef, request: ViewRequest, signal: AbortSignal): Promise<ViewStream> {
    return this.#inOrder(async (headers) => {
      const message = { ...toNamed(ref), ...toViewFields(request) };
      const states = this.#client.view(message, { headers, signal });
      const rest = states[Symbol.asyncIterator]();
      const { value } = await rest.next();
      return { first: present(value), rest };
    });
  }

  subscribe(ref: SessionRef, request: SubscribeRequest = {}): Promise<Subscription> {
    const { scrollbackLines } = request;
    const cancel = new AbortController();
    const open = (isFirst: boolean) => {
      // Later ones begin with the state: events in the meantime may not be kept.
      const asked = isFirst ? request : { ...field('scrollbackLines', scrollbackLines) };
      const message = { ...toNamed(ref), ...toSubscribeFields(asked), includeEvents: true };
      return this.#inOrder(async (headers) => {
        const events = this.#client.subscribe(message, { headers, signal: cancel.signal });
        const rest = events[Symbol.asyncIterator]();
        const first = await rest.next();
        this.continuity.answered();
        return { first, rest };
      });
    };
    return RemoteSubscription.begin({
      ...{ open, cancel, toError: (error) => this.#toError(error) },
      repeat: (attempt) => this.continuity.call(true, attempt, cancel.signal),
    });
  }

  async watchSessions({ frames }: WatchSessionsRequest = {}): Promise<SessionsWatch> {
    const cancel = new AbortController();
    const message = (asked: FramesRequest | null) =>
      field('frames', asked && toFramesRequest(asked));
    const open = (asked: FramesRequest | null) =>
      this.#inOrder(async (headers) => {
        const options = { headers, signal: cancel.signal };
        const rest = this.#client.watchSessions(message(asked), options)[Symbol.asyncIterator]();
        const first = await rest.next();
        this.continuity.answered();
        return { first, rest };
      });
    const calls = {
      ...{ open, cancel, toError: (error: unknown) => this.#toError(error) },
      setFrames: (watchId: string, asked: FramesRequest | null) =>
        this.call('setWatchFrames', { watchId, ...message(asked) }),
      repeat: <T>(attempt: () => Promise<T>) => this.continuity.call(true, attempt, cancel.signal),
    };
    return RemoteSessionsWatch.begin(calls, frames ?? null);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#connection.close();
  }

  protected once<Name extends UnaryMethod>(
    method: Name,
    request: RequestOf<Name>,
    { signal, after }: UnaryOptions = {},
  ): Promise<AnswerOf<Name>> {
    // TypeScript cannot relate the request of a generic method to its answer.
    const client = this.#client as unknown as Record<UnaryMethod, UnaryCall<Name>>;
    return this.#inOrder(async (headers) => {
      if (after !== undefined) await after;
      return client[method](request, { headers, ...(signal && { signal }) });
    });
  }

  /**
   * Makes a call whose stream opens after those of all earlier calls.
   *
   * @throws VtrError
   */
  async #inOrder<T>(call: (headers: Headers) => Promise<T>): Promise<T> {
    if (this.#closed) throw this.#toError(null);
    try {
      return await this.#silence.during(this.#connection.call(call));
    } catch (error) {
      throw this.#toError(error);
    }
  }

  #toError(error: unknown): VtrError {
    if (!this.#closed) return fromStatus(error, this.#place);
    const message = `the connection to ${this.#place} is shutting down; start another one`;
    return new VtrError('UNAVAILABLE', message, { cause: error });
  }
}
