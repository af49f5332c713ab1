import { type CallOptions, type Client, createClient } from '@connectrpc/connect';
import { createGrpcTransport } from '@connectrpc/connect-node';
import {
  type Activity,
  type CommandList,
  type CommandListRequest,
  type CommandOutput,
  type CommandOutputRequest,
  type Coordinator,
  checkLine,
  checkRenderFormat,
  checkSignalName,
  checkSize,
  type EndOptions,
  type ExitStatus,
  type KeyPress,
  type Lease,
  type LinesRead,
  maxRequestBytes,
  type Publication,
  type PublishRequest,
  type ReadLinesRequest,
  type ReadRequest,
  type ReadResult,
  type RemoveOptions,
  type RunRequest,
  type RunResult,
  type ScreenRequest,
  type ScreenSnapshot,
  type SearchRequest,
  type SearchResult,
  type SendOptions,
  type SendResult,
  type SendTextOptions,
  type SessionInfo,
  type SessionRef,
  type SignalName,
  type Size,
  type SpawnRequest,
  type Subscription,
  searchCounts,
  VtrError,
  type WaitOptions,
  type WaitRequest,
  type WaitResult,
} from '#model';
import { fromActivity } from '../convert/activity.ts';
import {
  fromCommandList,
  fromCommandOutput,
  toChoice,
  toCommandOutputFields,
  toListFields,
} from '../convert/command.ts';
import { field, wholeField } from '../convert/field.ts';
import { toKey } from '../convert/key.ts';
import { fromReadResult, toReadFields } from '../convert/read.ts';
import { fromRunResult, toRunFields } from '../convert/run.ts';
import { fromLines, fromScreen, fromSearchResult } from '../convert/screen.ts';
import { fromExitStatus, fromRef, fromSession } from '../convert/session.ts';
import { durationField } from '../convert/time.ts';
import { fromWaitResult, toConditions } from '../convert/wait.ts';
import { pasteModes, renderFormats } from '../convert/words.ts';
import { fromStatus } from '../errors.ts';
import { VTR, type WaitResult as WaitResultMessage } from '../gen/vtr.gen.ts';
import { cancellable } from './cancellable.ts';
import { checked } from './checked.ts';
import { Connection } from './connection.ts';
import { openRemoteLease } from './remote-lease.ts';
import { openRemotePublication } from './remote-publication.ts';
import { RemoteSubscription } from './remote-subscription.ts';
import { toSpawnMessage } from './spawn-message.ts';

type Headers = Record<string, string>;

/**
 * A coordinator on the other side of a Unix socket. Contract: {@link Coordinator}. What the wire has
 * no place for, half a column or a signal that nobody knows, is refused here, with the words that
 * the other side has for it.
 */
export class RemoteCoordinator implements Coordinator {
  readonly #place: string;
  readonly #connection: Connection;
  readonly #client: Client<typeof VTR>;
  #closed = false;

  /** @param onLost is told when the connection is gone, by {@link close} too */
  constructor(socketPath: string, onLost?: () => void) {
    this.#place = `the coordinator at ${socketPath}`;
    const connection = new Connection(socketPath, onLost);
    this.#connection = connection;
    const transport = createGrpcTransport({
      baseUrl: connection.authority,
      sessionManager: connection,
      // Refused here, because a server that refuses is not always heard out.
      writeMaxBytes: maxRequestBytes,
    });
    this.#client = createClient(VTR, transport);
  }

  /** Resolves when it answers. @throws VtrError UNAVAILABLE */
  async ready(timeoutMs: number): Promise<void> {
    try {
      await this.#connection.ready(timeoutMs);
    } catch (error) {
      throw fromStatus(error, this.#place);
    }
  }

  async spawn(request: SpawnRequest): Promise<SessionInfo> {
    const message = toSpawnMessage(request);
    const { session } = await this.#call((headers) => this.#client.spawn(message, { headers }));
    return fromSession(present(session));
  }

  async publish(request: PublishRequest): Promise<Publication> {
    const toError = (error: unknown) => this.#toError(error);
    return this.#call((headers) =>
      openRemotePublication(request, (steps) => this.#client.publish(steps, { headers }), toError),
    );
  }

  async list(): Promise<readonly SessionInfo[]> {
    const { sessions } = await this.#call((headers) => this.#client.list({}, { headers }));
    return sessions.map(fromSession);
  }

  async info(ref: SessionRef): Promise<SessionInfo> {
    const message = fromRef(ref);
    const { session } = await this.#call((headers) => this.#client.info(message, { headers }));
    return fromSession(present(session));
  }

  async sendText(
    ref: SessionRef,
    text: string,
    options: SendTextOptions = {},
  ): Promise<SendResult> {
    const paste = pasteModes.toWire(options.paste);
    return this.#send(ref, options, (fields, call) =>
      this.#client.sendText({ ...fields, text, paste }, call),
    );
  }

  async sendKeys(
    ref: SessionRef,
    keys: readonly (string | KeyPress)[],
    options: SendOptions = {},
  ): Promise<SendResult> {
    const given = keys.map(toKey);
    return this.#send(ref, options, (fields, call) =>
      this.#client.sendKey({ ...fields, keys: given }, call),
    );
  }

  async sendBytes(
    ref: SessionRef,
    bytes: Uint8Array,
    options: SendOptions = {},
  ): Promise<SendResult> {
    // A copy, because the caller's array is the caller's again when this returns.
    const data = new Uint8Array(bytes);
    return this.#send(ref, options, (fields, call) =>
      this.#client.sendBytes({ ...fields, data }, call),
    );
  }

  async resize(ref: SessionRef, size: Size): Promise<void> {
    const { cols, rows } = checked(ref, () => checkSize(size));
    const message = { ...fromRef(ref), cols, rows };
    await this.#call((headers) => this.#client.resize(message, { headers }));
  }

  async kill(ref: SessionRef, signal: SignalName = 'TERM'): Promise<void> {
    const message = { ...fromRef(ref), signal: checked(ref, () => checkSignalName(signal)) };
    await this.#call((headers) => this.#client.kill(message, { headers }));
  }

  async end(ref: SessionRef, { force = false }: EndOptions = {}): Promise<ExitStatus> {
    const message = { ...fromRef(ref), force };
    const answer = await this.#call((headers) => this.#client.end(message, { headers }));
    return present(fromExitStatus(answer.exitStatus));
  }

  async remove(ref: SessionRef, { force = false }: RemoveOptions = {}): Promise<ExitStatus> {
    const message = { ...fromRef(ref), force };
    const answer = await this.#call((headers) => this.#client.remove(message, { headers }));
    return present(fromExitStatus(answer.exitStatus));
  }

  async screen(ref: SessionRef, request: ScreenRequest = {}): Promise<ScreenSnapshot> {
    const format = renderFormats.toWire(
      checked(ref, () => checkRenderFormat(request.format ?? 'text')),
    );
    const message = { ...fromRef(ref), format };
    return fromScreen(await this.#call((headers) => this.#client.getScreen(message, { headers })));
  }

  async readLines(ref: SessionRef, request: ReadLinesRequest = {}): Promise<LinesRead> {
    const { format = 'text' } = request;
    const message = checked(ref, () => ({
      ...fromRef(ref),
      ...toRange(request),
      format: renderFormats.toWire(checkRenderFormat(format)),
    }));
    const read = await this.#call((headers) => this.#client.readLines(message, { headers }));
    return fromLines(read, format === 'cells');
  }

  async search(ref: SessionRef, request: SearchRequest): Promise<SearchResult> {
    const message = { ...fromRef(ref), ...checked(ref, () => toSearchFields(request)) };
    const found = await this.#cancellable(ref, request.signal, 'search', (headers, signal) =>
      this.#client.grep(message, { headers, signal }),
    );
    return fromSearchResult(found);
  }

  async read(ref: SessionRef, request: ReadRequest = {}): Promise<ReadResult> {
    const message = { ...fromRef(ref), ...checked(ref, () => toReadFields(request)) };
    return fromReadResult(await this.#call((headers) => this.#client.read(message, { headers })));
  }

  async wait(ref: SessionRef, request: WaitRequest = {}): Promise<WaitResult> {
    const message = { ...fromRef(ref), wait: checked(ref, () => toConditions(request)) };
    const { result } = await this.#cancellable(ref, request.signal, 'wait', (headers, signal) =>
      this.#client.wait(message, { headers, signal }),
    );
    return fromWaitResult(present(result));
  }

  async activity(ref: SessionRef): Promise<Activity> {
    const message = fromRef(ref);
    return fromActivity(
      await this.#call((headers) => this.#client.getActivity(message, { headers })),
    );
  }

  async commands(ref: SessionRef, request: CommandListRequest = {}): Promise<CommandList> {
    const message = { ...fromRef(ref), ...checked(ref, () => toListFields(request)) };
    return fromCommandList(
      await this.#call((headers) => this.#client.listCommands(message, { headers })),
    );
  }

  async commandOutput(ref: SessionRef, request: CommandOutputRequest = {}): Promise<CommandOutput> {
    const message = { ...fromRef(ref), ...checked(ref, () => toCommandOutputFields(request)) };
    const answer = await this.#call((headers) =>
      this.#client.getCommandOutput(message, { headers }),
    );
    return fromCommandOutput(answer, present(answer.command));
  }

  async run(ref: SessionRef, request: RunRequest): Promise<RunResult> {
    const message = { ...fromRef(ref), ...checked(ref, () => toRunFields(request)) };
    const ran = await this.#cancellable(ref, request.signal, 'wait', (headers, signal) =>
      this.#client.runCommand(message, { headers, signal }),
    );
    return fromRunResult(ran);
  }

  async openLease(): Promise<Lease> {
    const cancel = new AbortController();
    return this.#call((headers) =>
      openRemoteLease({
        opened: this.#client.openLease({}, { headers, signal: cancel.signal }),
        cancel,
        close: (leaseId) =>
          this.#call((turn) => this.#client.closeLease({ leaseId }, { headers: turn })),
        toError: (error) => this.#toError(error),
      }),
    );
  }

  async subscribe(ref: SessionRef): Promise<Subscription> {
    const message = { ...fromRef(ref), includeEvents: true };
    const cancel = new AbortController();
    return this.#call((headers) => {
      const events = this.#client.subscribe(message, { headers, signal: cancel.signal });
      return new RemoteSubscription(events, cancel, (error) => this.#toError(error)).begin();
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#connection.close();
  }

  /** @param call adds what is sent to the fields that all input has */
  async #send(
    ref: SessionRef,
    { timeoutMs, wait }: SendOptions,
    call: (fields: SendFields, options: CallOptions) => Promise<SentMessage>,
  ): Promise<SendResult> {
    const fields = {
      ...fromRef(ref),
      ...durationField('timeout', timeoutMs),
      ...field('wait', wait && checked(ref, () => toConditions(wait))),
    };
    const sent =
      wait === undefined
        ? await this.#call((headers) => call(fields, { headers }))
        : await this.#cancellable(ref, wait.signal, 'wait', (headers, signal) =>
            call(fields, { headers, signal }),
          );
    return {
      mark: sent.mark,
      ...field('lineCutAtBytes', sent.lineCutAtBytes),
      ...field('wait', sent.wait && fromWaitResult(sent.wait)),
    };
  }

  /** A call in its turn, at once; its failure in the words of the port. */
  async #call<T>(call: (headers: Headers) => Promise<T>): Promise<T> {
    if (this.#closed) throw this.#toError(null);
    try {
      return await this.#connection.call(call);
    } catch (error) {
      throw this.#toError(error);
    }
  }

  async #cancellable<T>(
    ref: SessionRef,
    signal: WaitOptions['signal'],
    what: 'wait' | 'search',
    call: (headers: Headers, signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    return cancellable(ref, signal, what, (abort) => this.#call((headers) => call(headers, abort)));
  }

  #toError(error: unknown): VtrError {
    if (!this.#closed) return fromStatus(error, this.#place);
    const message = `the connection to ${this.#place} is shutting down; start another one`;
    return new VtrError('UNAVAILABLE', message, { cause: error });
  }
}

type SendFields = ReturnType<typeof fromRef> & {
  readonly wait?: ReturnType<typeof toConditions>;
};

interface SentMessage {
  readonly mark: string;
  readonly wait?: WaitResultMessage | undefined;
  readonly lineCutAtBytes?: number | undefined;
}

function toRange({ from, to }: { readonly from?: number; readonly to?: number }) {
  return {
    ...wholeField('from', from === undefined ? from : checkLine('from', from)),
    ...wholeField('to', to === undefined ? to : checkLine('to', to)),
  };
}

/** The counts are checked here, because proto3 does not know 0 from none. */
function toSearchFields(request: SearchRequest) {
  const { pattern, command } = request;
  const { before, after, maxMatches } = searchCounts(request);
  return {
    pattern,
    contextBefore: before,
    contextAfter: after,
    maxMatches,
    ...toRange(request),
    ...field('command', command === undefined ? command : toChoice(command)),
  };
}

/** What a server of this version always gives. */
function present<T>(part: T | null | undefined): T {
  if (part !== null && part !== undefined) return part;
  throw new VtrError('INTERNAL_ERROR', 'the answer of the coordinator lacks a part');
}
