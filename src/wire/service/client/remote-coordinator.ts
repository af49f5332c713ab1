import { type DescMethodUnary, fromBinary } from '@bufbuild/protobuf';
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import { defined, ignored } from '#base';
import {
  type DumpRecordingResponse,
  GetMarkResponseSchema,
  ListResponseSchema,
  SessionSchema,
  VTR,
} from '#messages';
import {
  type Coordinator,
  type FramesRequest,
  isAddress,
  type Lease,
  type OpenLeaseRequest,
  type Publication,
  type PublishRequest,
  type RecordRequest,
  type SessionInfo,
  type SessionRecord,
  type SessionRef,
  type SessionsWatch,
  type SubscribeRequest,
  type Subscription,
  subscribedCommands,
  type Viewing,
  type ViewRequest,
  VtrError,
  type WatchSessionsRequest,
} from '#model';
import { checked, toNamed, toViewFields } from '../convert/driver.ts';
import { toSubscribeFields } from '../convert/event.ts';
import { field, present } from '../convert/field.ts';
import { toFramesRequest } from '../convert/frame.ts';
import { fromRecordParts, toRecordFields } from '../convert/recording.ts';
import { fromSession } from '../convert/session.ts';
import type { FramedClient } from '../frames/frame.ts';
import type { AnswerOf, RequestOf, UnaryMethod } from './asked-calls.ts';
import { type Answers, Connection, unreachable } from './connection.ts';
import type { Recover } from './continuity.ts';
import { type LeaseStream, RemoteLease, RemoteViewing, type ViewStream } from './held-streams.ts';
import { farGraceMs, listLimits, Pace, slowText } from './pace.ts';
import { openRemotePublication } from './remote-publication.ts';
import { RemoteSessionsWatch, RemoteSubscription } from './remote-streams.ts';
import { type CancelBy, Silence } from './silence.ts';
import { answeredMs, farStartMs, type IsStuck } from './silence-limits.ts';
import { type CallerSource, UnaryClient, type UnaryOptions } from './unary-client.ts';

const methods = VTR.method;

/** As `ConnectOptions`. */
interface RemoteCoordinatorOptions {
  readonly socket: string;
  readonly onLost?: () => void;
  readonly recover?: Recover;
  readonly isStuck?: IsStuck;
  readonly client?: FramedClient;
  readonly mayPrompt?: boolean;
  readonly caller?: CallerSource;
}

/** A coordinator behind a Unix socket or an address, over one connection. Contract: {@link Coordinator}. */
export class RemoteCoordinator extends UnaryClient implements Coordinator {
  readonly #place: string;
  /** Within which time a call that waits for nothing is answered, in ms. */
  readonly #answeredMs: number;
  readonly #connection: Connection;
  readonly #silence: Silence;
  readonly #sessions = new DecodedSessions();
  #closed = false;

  /**
   * @param onLost called when the connection is gone, also after {@link close}
   * @param recover see {@link Continuity}; without it, no call is repeated
   * @param isStuck see {@link IsStuck}
   */
  constructor({ socket: socketPath, ...options }: RemoteCoordinatorOptions) {
    const { recover = null, isStuck = null, client = 'library' } = options;
    const { onLost = () => {}, mayPrompt = true } = options;
    super(recover, isAddress(socketPath), options.caller ?? null);
    this.#place = `the coordinator at ${socketPath}`;
    // The connection to an address may have to be made first.
    this.#answeredMs = answeredMs + (isAddress(socketPath) ? farStartMs : 0);
    this.#silence = new Silence(socketPath, this.#place, isStuck);
    this.#connection = new Connection(socketPath, client, { onLost, mayPrompt });
  }

  /** Resolves when the coordinator answers. @param timeoutMs null: none. @throws VtrError UNAVAILABLE */
  async ready(timeoutMs: number | null): Promise<void> {
    await this.continuity.call(true, async () => {
      try {
        await this.#silence.during(() => this.#connection.ready(timeoutMs));
      } catch (error) {
        throw unreachable(error, this.#place);
      }
    });
  }

  async publish(request: PublishRequest): Promise<Publication> {
    const toError = (error: unknown) => this.#toError(error);
    return this.#inOrder(() =>
      openRemotePublication(
        request,
        (steps) => this.#connection.stream(methods.publish, steps),
        toError,
      ),
    );
  }

  async record(ref: SessionRef, request: RecordRequest = {}): Promise<SessionRecord> {
    const message = { ...toNamed(ref), ...checked(ref, () => toRecordFields(request)) };
    return this.continuity.call(true, () =>
      this.#inOrder(
        (cancelBy) => {
          const parts = this.#connection.stream(methods.dumpRecording, message);
          cancelBy(() => parts.return());
          return fromRecordParts(this.#paced(parts));
        },
        { limitMs: Number.POSITIVE_INFINITY },
      ),
    );
  }

  /** Passes on the messages of a stream, at the {@link Pace}: its call waits for all of them. */
  async *#paced(parts: Answers<DumpRecordingResponse>): AsyncGenerator<DumpRecordingResponse> {
    const message = `${this.#place}: ${slowText}`;
    const pace = new Pace(farGraceMs, () => parts.fail(new VtrError('UNAVAILABLE', message)));
    try {
      for await (const part of parts) {
        pace.received(part.data.length);
        yield part;
      }
    } finally {
      pace.end();
      await parts.return();
    }
  }

  openLease({ id }: OpenLeaseRequest = {}): Promise<Lease> {
    // A new lease whose call was interrupted closes by itself, because its stream has ended.
    const open = (leaseId: string | undefined, signal: AbortSignal) =>
      this.continuity.call(true, () => this.#openLease(leaseId, signal), signal);
    const close = (leaseId: string) => this.call('closeLease', { leaseId });
    return RemoteLease.open({ open, close, reopens: this.continuity.repeats }, id);
  }

  #openLease(leaseId: string | undefined, signal: AbortSignal): Promise<LeaseStream> {
    return this.#inOrder(async (cancelBy) => {
      const request = field('leaseId', leaseId);
      const answers = this.#connection.stream(methods.openLease, request, signal);
      cancelBy(() => answers.return());
      const { value } = await answers.next();
      // No message follows.
      const ended = answers.next();
      ignored(ended, 'the lease waits for it, and may do so later');
      return { id: value?.leaseId ?? '', ended };
    });
  }

  view(ref: SessionRef, request: ViewRequest): Promise<Viewing> {
    const open = (request: ViewRequest, signal: AbortSignal) =>
      this.continuity.call(true, () => this.#view(ref, request, signal), signal);
    return RemoteViewing.open(
      {
        open,
        update: (viewId, change) =>
          this.call('updateView', { viewId, change }, { effect: 'first' }),
        close: (viewId) => this.call('closeView', { viewId }),
        toError: (error) => this.#toError(error),
        reopens: this.continuity.repeats,
      },
      request,
    );
  }

  #view(ref: SessionRef, request: ViewRequest, signal: AbortSignal): Promise<ViewStream> {
    return this.#inOrder(async (cancelBy) => {
      const message = { ...toNamed(ref), ...toViewFields(request) };
      const rest = this.#connection.stream(methods.view, message, signal);
      cancelBy(() => rest.return());
      const { value } = await rest.next();
      return { first: present(value), rest };
    });
  }

  async subscribe(ref: SessionRef, request: SubscribeRequest = {}): Promise<Subscription> {
    const { scrollbackLines, redact, commands } = request;
    subscribedCommands(request);
    const cancel = new AbortController();
    const open = (isFirst: boolean) => {
      // Later ones begin with the state: events in the meantime may not be kept.
      const later = defined({ scrollbackLines, redact, commands: commands && {} });
      const current = isFirst ? request : later;
      const message = { ...toNamed(ref), ...toSubscribeFields(current) };
      return this.#inOrder(async (cancelBy) => {
        const rest = this.#connection.stream(methods.subscribe, message, cancel.signal);
        cancelBy(() => rest.return());
        const first = await rest.next();
        this.continuity.answered();
        return { first, rest };
      });
    };
    return RemoteSubscription.begin({
      open,
      cancel,
      toError: (error) => this.#toError(error),
      repeat: (attempt) => this.continuity.call(true, attempt, cancel.signal),
    });
  }

  async watchSessions({ frames, redact }: WatchSessionsRequest = {}): Promise<SessionsWatch> {
    const cancel = new AbortController();
    const message = (request: FramesRequest | null) =>
      field('frames', request && toFramesRequest(request));
    const open = (frames: FramesRequest | null) =>
      this.#inOrder(async (cancelBy) => {
        const request = { ...message(frames), ...field('redact', redact) };
        const rest = this.#connection.stream(methods.watchSessions, request, cancel.signal);
        cancelBy(() => rest.return());
        const first = await rest.next();
        this.continuity.answered();
        return { first, rest };
      });
    const calls = {
      open,
      cancel,
      toError: (error: unknown) => this.#toError(error),
      setFrames: (watchId: string, request: FramesRequest | null) =>
        this.call('setWatchFrames', { watchId, ...message(request) }, { effect: 'first' }),
      repeat: <T>(attempt: () => Promise<T>) => this.continuity.call(true, attempt, cancel.signal),
    };
    return RemoteSessionsWatch.begin(calls, frames ?? null);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#connection.close();
  }

  protected override listOnce(request: RequestOf<'list'>): Promise<readonly SessionInfo[]> {
    return this.#inOrder((cancelBy) =>
      this.#connection.decodedCall(
        methods.list,
        request,
        (answer) => this.#sessions.decode(answer),
        { cancelBy, answerMs: listLimits.answerMs },
      ),
    );
  }

  /** Frames before an answer are read in their order. */
  protected override get learnsMarks(): boolean {
    return true;
  }

  protected once<Name extends UnaryMethod>(
    method: Name,
    request: RequestOf<Name>,
    { signal, after, onMark, expectedMs = 0 }: UnaryOptions = {},
  ): Promise<AnswerOf<Name>> {
    const onMessage =
      onMark && ((payload: Uint8Array) => onMark(fromBinary(GetMarkResponseSchema, payload).mark));
    // TypeScript cannot relate the messages of a generic method to its name.
    const called = methods[method] as DescMethodUnary<never, never>;
    const send = (cancelBy: CancelBy) =>
      this.#connection.call(called, request as never, { signal, cancelBy, onMessage }) as Promise<
        AnswerOf<Name>
      >;
    return this.#inOrder(send, { after, limitMs: expectedMs + this.#answeredMs });
  }

  /**
   * Makes a call after those of all earlier calls of this method.
   *
   * @param call sends the call before it returns, and says how it is cancelled
   * @param after the call is made when this is fulfilled
   * @param limitMs see {@link Silence.during}
   * @throws VtrError
   */
  async #inOrder<T>(
    call: (cancelBy: CancelBy) => Promise<T>,
    {
      after,
      limitMs = this.#answeredMs,
    }: { readonly after?: Promise<unknown> | undefined; readonly limitMs?: number } = {},
  ): Promise<T> {
    if (this.#closed) throw this.#toError(null);
    try {
      // From the sending of the call on: its start limit counts from there, too.
      return await this.#connection.inOrder(() => this.#silence.during(call, limitMs), after);
    } catch (error) {
      throw this.#toError(error);
    }
  }

  #toError(error: unknown): VtrError {
    if (!this.#closed) return unreachable(error, this.#place);
    const message = `the connection to ${this.#place} is shutting down; start another one`;
    return new VtrError('UNAVAILABLE', message, { cause: error });
  }
}

const { number: sessionsField } = ListResponseSchema.field.sessions;

/**
 * The sessions of a coordinator as last listed, by their bytes. Few of a thousand sessions change between two
 * lists, and decoding them takes most of a client's time.
 */
export class DecodedSessions {
  #infos = new Map<string, SessionInfo>();

  /**
   * Decodes the answer to a list. A session whose bytes were in the list before is the same object, which
   * nobody can change.
   *
   * @throws Error if the answer cannot be decoded
   */
  decode(answer: Uint8Array): SessionInfo[] {
    const reader = new BinaryReader(answer);
    const sessions = new Map<string, SessionInfo>();
    const infos: SessionInfo[] = [];
    while (reader.pos < reader.len) {
      const [field, type] = reader.tag();
      if (field === sessionsField && type === WireType.LengthDelimited) {
        infos.push(this.#infoOf(reader.bytes(), sessions));
      } else reader.skip(type, field);
    }
    this.#infos = sessions;
    return infos;
  }

  /** @param infos where it is added */
  #infoOf(bytes: Uint8Array, infos: Map<string, SessionInfo>): SessionInfo {
    const key = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
    const info = this.#infos.get(key) ?? frozen(fromSession(fromBinary(SessionSchema, bytes)));
    infos.set(key, info);
    return info;
  }
}

/** Freezes a value made of objects, arrays and primitive values. */
function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  for (const each of Object.values(value)) frozen(each);
  return Object.freeze(value);
}
