import { type CallOptions, type Client, createClient } from '@connectrpc/connect';
import { createGrpcTransport } from '@connectrpc/connect-node';
import {
  type Coordinator,
  type Lease,
  maxRequestBytes,
  type OpenLeaseRequest,
  type Publication,
  type PublishRequest,
  type SessionRef,
  type SubscribeRequest,
  type Subscription,
  VtrError,
} from '#model';
import { field } from '../convert/field.ts';
import { toNamed } from '../convert/session-ref.ts';
import { toSubscribeFields } from '../convert/subscription.ts';
import { fromStatus } from '../errors.ts';
import { VTR } from '../gen/vtr.gen.ts';
import { Connection } from './connection.ts';
import { openRemotePublication } from './remote-publication.ts';
import { RemoteSubscription } from './remote-subscription.ts';
import {
  type AnswerOf,
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
  #closed = false;

  /** @param onLost called when the connection is gone, also after {@link close} */
  constructor(socketPath: string, onLost?: () => void) {
    super();
    this.#place = `the coordinator at ${socketPath}`;
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
    try {
      await this.#connection.ready(timeoutMs);
    } catch (error) {
      throw fromStatus(error, this.#place);
    }
  }

  async publish(request: PublishRequest): Promise<Publication> {
    const toError = (error: unknown) => this.#toError(error);
    return this.#inOrder((headers) =>
      openRemotePublication(request, (steps) => this.#client.publish(steps, { headers }), toError),
    );
  }

  /** The lease lasts as long as the stream that opened it. */
  async openLease({ id: lost }: OpenLeaseRequest = {}): Promise<Lease> {
    const stream = new AbortController();
    const id = await this.#inOrder(async (headers) => {
      const opened = this.#client.openLease(field('leaseId', lost), {
        headers,
        signal: stream.signal,
      });
      const answers = opened[Symbol.asyncIterator]();
      const { value } = await answers.next();
      // No message follows, but the end of the stream rejects, which must be handled.
      answers.next().catch(() => {});
      return value?.leaseId ?? '';
    });
    let closing: Promise<void> | null = null;
    const close = async () => {
      try {
        await this.call('closeLease', { leaseId: id });
      } finally {
        stream.abort();
      }
    };
    return {
      id,
      close() {
        closing ??= close();
        return closing;
      },
    };
  }

  async subscribe(ref: SessionRef, request: SubscribeRequest = {}): Promise<Subscription> {
    const message = { ...toNamed(ref), ...toSubscribeFields(request), includeEvents: true };
    const cancel = new AbortController();
    return this.#inOrder((headers) => {
      const events = this.#client.subscribe(message, { headers, signal: cancel.signal });
      return new RemoteSubscription(events, cancel, (error) => this.#toError(error)).begin();
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#connection.close();
  }

  protected call<Name extends UnaryMethod>(
    method: Name,
    request: RequestOf<Name>,
    { signal }: UnaryOptions = {},
  ): Promise<AnswerOf<Name>> {
    // TypeScript cannot relate the request of a generic method to its answer.
    const client = this.#client as unknown as Record<UnaryMethod, UnaryCall<Name>>;
    return this.#inOrder((headers) =>
      client[method](request, { headers, ...(signal && { signal }) }),
    );
  }

  /**
   * Makes a call whose stream opens after those of all earlier calls.
   *
   * @throws VtrError
   */
  async #inOrder<T>(call: (headers: Headers) => Promise<T>): Promise<T> {
    if (this.#closed) throw this.#toError(null);
    try {
      return await this.#connection.call(call);
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
