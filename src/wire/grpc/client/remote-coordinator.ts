import { type Client, createClient } from '@connectrpc/connect';
import { createGrpcTransport } from '@connectrpc/connect-node';
import {
  type Coordinator,
  checkLine,
  checkRenderFormat,
  checkSignalName,
  checkSize,
  type ExitStatus,
  type InputReceipt,
  type KeyPress,
  type LinesRead,
  maxRequestBytes,
  type ReadLinesRequest,
  type RemoveOptions,
  type ScreenRequest,
  type ScreenSnapshot,
  type SearchRequest,
  type SearchResult,
  type SendOptions,
  type SendTextOptions,
  type SessionInfo,
  type SessionRef,
  type SignalName,
  type Size,
  type SpawnRequest,
  type Subscription,
  searchCounts,
  VtrError,
  type WaitForIdleRequest,
  type WaitForTextRequest,
  type WaitOptions,
  type WaitResult,
} from '#model';
import { toKey } from '../convert/key.ts';
import { fromLines, fromScreen, fromSearchResult } from '../convert/screen.ts';
import { fromExitStatus, fromRef, fromSession } from '../convert/session.ts';
import { durationField } from '../convert/time.ts';
import { fromMatch, fromWaitEnd } from '../convert/wait.ts';
import { pasteModes, renderFormats } from '../convert/words.ts';
import { fromStatus } from '../errors.ts';
import { VTR } from '../gen/vtr.gen.ts';
import { cancellable } from './cancellable.ts';
import { checked } from './checked.ts';
import { Connection } from './connection.ts';
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

  constructor(socketPath: string) {
    this.#place = `the coordinator at ${socketPath}`;
    const connection = new Connection(socketPath);
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
  ): Promise<InputReceipt> {
    const paste = pasteModes.toWire(options.paste);
    const message = { ...fromRef(ref), text, paste, ...timeout(options) };
    return receipt(await this.#call((headers) => this.#client.sendText(message, { headers })));
  }

  async sendKeys(
    ref: SessionRef,
    keys: readonly (string | KeyPress)[],
    options: SendOptions = {},
  ): Promise<InputReceipt> {
    const message = { ...fromRef(ref), keys: keys.map(toKey), ...timeout(options) };
    return receipt(await this.#call((headers) => this.#client.sendKey(message, { headers })));
  }

  async sendBytes(
    ref: SessionRef,
    bytes: Uint8Array,
    options: SendOptions = {},
  ): Promise<InputReceipt> {
    // A copy, because the caller's array is the caller's again when this returns.
    const message = { ...fromRef(ref), data: new Uint8Array(bytes), ...timeout(options) };
    return receipt(await this.#call((headers) => this.#client.sendBytes(message, { headers })));
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
    const { from, to, format = 'text' } = request;
    const message = checked(ref, () => ({
      ...fromRef(ref),
      ...(from === undefined ? {} : { from: BigInt(checkLine('from', from)) }),
      ...(to === undefined ? {} : { to: BigInt(checkLine('to', to)) }),
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

  async waitForText(ref: SessionRef, request: WaitForTextRequest): Promise<WaitResult> {
    const message = { ...fromRef(ref), pattern: request.pattern, ...timeout(request) };
    const answer = await this.#cancellable(ref, request.signal, 'wait', (headers, signal) =>
      this.#client.waitFor(message, { headers, signal }),
    );
    return { ...fromWaitEnd(answer.end), ...(answer.matched ? { match: fromMatch(answer) } : {}) };
  }

  async waitForIdle(ref: SessionRef, request: WaitForIdleRequest = {}): Promise<WaitResult> {
    const quiet = durationField('idleDuration', request.quietMs);
    const message = { ...fromRef(ref), ...quiet, ...timeout(request) };
    const { end } = await this.#cancellable(ref, request.signal, 'wait', (headers, signal) =>
      this.#client.waitForIdle(message, { headers, signal }),
    );
    return fromWaitEnd(end);
  }

  async waitForExit(ref: SessionRef, options: WaitOptions = {}): Promise<WaitResult> {
    const message = { ...fromRef(ref), ...timeout(options) };
    const { end } = await this.#cancellable(ref, options.signal, 'wait', (headers, signal) =>
      this.#client.waitForExit(message, { headers, signal }),
    );
    return fromWaitEnd(end);
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

/** The counts are checked here, because proto3 does not know 0 from none. */
function toSearchFields(request: SearchRequest) {
  const { before, after, maxMatches } = searchCounts(request);
  return { pattern: request.pattern, contextBefore: before, contextAfter: after, maxMatches };
}

const timeout = ({ timeoutMs }: { readonly timeoutMs?: number }) =>
  durationField('timeout', timeoutMs);

/** What a server of this version always gives. */
function present<T>(part: T | null | undefined): T {
  if (part !== null && part !== undefined) return part;
  throw new VtrError('INTERNAL_ERROR', 'the answer of the coordinator lacks a part');
}

const receipt = (answer: { readonly lineCutAtBytes?: number | undefined }): InputReceipt => ({
  lineCutAtBytes: answer.lineCutAtBytes ?? null,
});
