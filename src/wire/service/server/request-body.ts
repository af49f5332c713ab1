import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { Http2ServerRequest } from 'node:http2';
import type { Readable } from 'node:stream';
import type { DescMethod } from '@bufbuild/protobuf';
import { quoted, repeatedJsonName } from '#base';
import { VTR } from '#messages';
import { maxRequestBytes, VtrError } from '#model';
import { neededHeader, versionHeader } from '../call-headers.ts';
import { toStatus } from '../errors.ts';
import { allFieldNames, checkFields, checkUtf8, type JsonSender } from '../exact-json.ts';
import { type HeldBytes, leastGainBytes } from './limits/request-budget.ts';
import { methods } from './served-call.ts';

export interface RequestBodyOptions {
  readonly budget: HeldBytes;
  /** See `ServiceLimits`; null for a client that streams and may be silent. */
  readonly bodyMs: number | null;
  /** Called once, when all of it was received. */
  readonly onComplete: () => void;
}

/** The body of a request over HTTP: counts its bytes, and fails if the client does not go on. */
export class RequestBody implements AsyncIterableIterator<Uint8Array> {
  readonly #chunks: AsyncIterator<Uint8Array>;
  readonly #sharesConnection: boolean;
  readonly #options: RequestBodyOptions;
  readonly #timer: NodeJS.Timeout | null;
  #hasEnded = false;
  #gainedBytes = 0;
  #lastBytes = 0;
  #failure: unknown = null;
  #isLate = false;
  #reject: (error: unknown) => void = () => {};

  constructor(request: Readable, options: RequestBodyOptions) {
    this.#chunks = request[Symbol.asyncIterator]();
    this.#sharesConnection = request instanceof Http2ServerRequest;
    this.#options = options;
    const { bodyMs } = options;
    this.#timer = bodyMs === null ? null : setInterval(this.#lookAfterInput, bodyMs).unref();
  }

  /** Whether the call has failed because too little arrived within {@link RequestBodyOptions.bodyMs}. */
  get isLate(): boolean {
    return this.#isLate;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<Uint8Array, undefined>> {
    if (this.#failure !== null) return Promise.reject(this.#failure);
    return new Promise((resolve, reject) => {
      this.#reject = reject;
      this.#read().then(resolve, reject);
    });
  }

  async return(): Promise<IteratorResult<Uint8Array, undefined>> {
    this.end();
    // Over HTTP/2 that would close the stream before the answer is sent.
    if (!this.#sharesConnection) await this.#chunks.return?.();
    return { done: true, value: undefined };
  }

  /** Makes the call fail that reads it. */
  fail(error: VtrError): void {
    this.end();
    this.#failure ??= toStatus(error);
    this.#reject(this.#failure);
  }

  /** The handler is done with the messages before this one: they no longer count. */
  handled(): void {
    this.#options.budget.keep(this.#lastBytes);
  }

  /** Nothing more is expected of the client. */
  end(): void {
    this.#hasEnded = true;
    if (this.#timer !== null) clearInterval(this.#timer);
  }

  async #read(): Promise<IteratorResult<Uint8Array, undefined>> {
    const { done, value } = await this.#chunks.next();
    // It would count for ever: the call has given back what it held.
    if (this.#hasEnded)
      throw this.#failure ?? toStatus(new VtrError('CANCELLED', 'the call has ended'));
    if (done) {
      this.end();
      this.#options.onComplete();
      return { done: true, value: undefined };
    }
    this.#gainedBytes += value.length;
    this.#lastBytes = value.length;
    try {
      this.#options.budget.add(value.length);
    } catch (error) {
      this.end();
      throw toStatus(error);
    }
    return { done: false, value };
  }

  /** What has arrived while this process was suspended counts. */
  readonly #lookAfterInput = () => setImmediate(this.#look);

  readonly #look = () => {
    const { bodyMs } = this.#options;
    this.#isLate = this.#gainedBytes < leastGainBytes;
    if (this.#isLate) this.fail(incomplete(bodyMs ?? 0));
    this.#gainedBytes = 0;
  };
}

/** The error of a request of which too little arrives. */
const incomplete = (withinMs: number): VtrError =>
  new VtrError(
    'REQUEST_INCOMPLETE',
    `less than ${leastGainBytes} bytes of the request arrived within ${withinMs / 1000} s`,
  );

interface ExactBodyParts {
  readonly method: DescMethod;
  readonly headers: IncomingHttpHeaders;
  /** The version of this coordinator; empty if it is not known. */
  readonly version: string;
}

/** Returns the chunks of a request's body, checked by {@link exactBody} where it matters. */
export function checkedBody(
  chunks: AsyncIterable<Uint8Array>,
  { url = '', headers }: IncomingMessage | Http2ServerRequest,
  version: string,
): AsyncIterable<Uint8Array> {
  const [service = '', name = ''] = url.slice(1).split(/[/?]/);
  const method = service === VTR.typeName ? methods.get(name) : undefined;
  const isChecked = isJson.test(headers['content-type'] ?? '') || headers[neededHeader];
  if (method === undefined || !isChecked) return chunks;
  return exactBody(chunks, { method, headers, version });
}

/**
 * Passes on the body of a request over HTTP, unless it is JSON of which something would be lost when it is
 * decoded, or its client needs something that this version does not know.
 *
 * @throws ConnectError INVALID_ARGUMENT, from `next`
 */
async function* exactBody(
  chunks: AsyncIterable<Uint8Array>,
  { method, headers, version }: ExactBodyParts,
): AsyncGenerator<Uint8Array, undefined> {
  try {
    const header = headers[versionHeader];
    const clientVersion = typeof header === 'string' ? header : '';
    checkNeeds(method, headers[neededHeader], clientVersion, version);
    const type = headers['content-type'] ?? '';
    if (!isJson.test(type)) return yield* chunks;
    const sender = { isNewer: isNewer(clientVersion, version), version };
    yield* isEnveloped.test(type)
      ? exactEnvelopes(chunks, method, sender)
      : exactMessage(chunks, method, sender);
  } catch (error) {
    throw toStatus(error);
  }
}

const isJson = /^application\/(?:json|(?:connect|grpc|grpc-web)\+json) *(?:;|$)/i;
const isEnveloped = /\+json/i;

async function* exactMessage(
  chunks: AsyncIterable<Uint8Array>,
  method: DescMethod,
  sender: JsonSender,
): AsyncGenerator<Uint8Array, undefined> {
  let parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    parts.push(chunk);
    // It is refused for its size by whom it is passed on to.
    if (bytes > maxRequestBytes) {
      yield* parts;
      parts = [];
    }
  }
  const whole = Buffer.concat(parts);
  checkJson(whole, method, sender);
  yield whole;
}

/** The flags and the length of a message in a stream. */
const envelopeBytes = 5;
/** The flag of the message that ends a stream. It is not a message of the method. */
const endFlag = 2;

/** Messages of Connect's and gRPC's streams: a byte of flags, the length in 4, the message. */
async function* exactEnvelopes(
  chunks: AsyncIterable<Uint8Array>,
  method: DescMethod,
  sender: JsonSender,
): AsyncGenerator<Uint8Array, undefined> {
  let parts: Uint8Array[] = [];
  let bytes = 0;
  // Before so many have arrived, nothing is complete, and nothing is copied.
  let neededBytes = envelopeBytes;
  for await (const chunk of chunks) {
    parts.push(chunk);
    bytes += chunk.length;
    if (bytes < neededBytes) continue;
    let rest = Buffer.concat(parts, bytes);
    for (;;) {
      neededBytes = envelopeBytes;
      if (rest.length < neededBytes) break;
      const end = envelopeBytes + rest.readUInt32BE(1);
      neededBytes = end;
      // It is refused for its size by whom it is passed on to.
      if (end > maxRequestBytes) return yield* passed(rest, chunks);
      if (rest.length < end) break;
      const isEnd = ((rest[0] ?? 0) & endFlag) !== 0;
      if (!isEnd) checkJson(rest.subarray(envelopeBytes, end), method, sender);
      yield rest.subarray(0, end);
      rest = rest.subarray(end);
    }
    parts = [rest];
    bytes = rest.length;
  }
  if (bytes > 0) yield Buffer.concat(parts, bytes);
}

async function* passed(
  first: Uint8Array,
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, undefined> {
  yield first;
  yield* chunks;
}

/** What is not JSON at all is refused when it is decoded. @throws VtrError INVALID_ARGUMENT */
function checkJson(bytes: Uint8Array, { input }: DescMethod, sender: JsonSender): void {
  checkUtf8(bytes);
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString();
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return;
  }
  const repeated = repeatedJsonName(text);
  if (repeated !== null) {
    throw new VtrError('INVALID_ARGUMENT', `field ${repeated} is given twice`);
  }
  checkFields(input, json, sender);
}

/** @throws VtrError INVALID_ARGUMENT for a field that the client cannot do without, and is unknown */
function checkNeeds(
  { input, name }: DescMethod,
  needed: string | string[] | undefined,
  clientVersion: string,
  version: string,
): void {
  if (needed === undefined) return;
  const names = allFieldNames(input);
  for (const field of String(needed)
    .split(',')
    .map((each) => each.trim())) {
    if (field === '' || names.has(field)) continue;
    const client = clientVersion === '' ? 'the client' : `vtr ${clientVersion} of the client`;
    const details = { field, version, clientVersion };
    throw new VtrError(
      'INVALID_ARGUMENT',
      `${client} needs the field ${field} of ${name}, which vtr ${version} of the coordinator does not know; after an upgrade, vtr serve --restart replaces it`,
      { details },
    );
  }
}

/** Whether a client's version of vtr is newer than that of this coordinator. */
function isNewer(clientVersion: string, version: string): boolean {
  if (clientVersion === '') return false;
  const client = numbersOf(clientVersion);
  if (version === '') return true;
  const own = numbersOf(version);
  const at = client.findIndex((number, index) => number !== own[index]);
  return at !== -1 && (client[at] ?? 0) > (own[at] ?? 0);
}

/** The three numbers of a version. @throws VtrError INVALID_ARGUMENT */
function numbersOf(version: string): number[] {
  const [, ...numbers] = /^(\d{1,9})\.(\d{1,9})\.(\d{1,9})(?:[-+]|$)/.exec(version) ?? [];
  if (numbers.length === 3) return numbers.map(Number);
  const message = `the header ${versionHeader} is ${quoted(version)}; a version is like 1.2.3`;
  throw new VtrError('INVALID_ARGUMENT', message);
}
