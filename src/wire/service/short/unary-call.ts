import { statSync } from 'node:fs';
import type { MetricFamily } from '#metrics';
import {
  asVtrError,
  type ErrorCode,
  errorTable,
  isVtrError,
  type JsonConnection,
  type JsonMessage,
  maxRequestBytes,
  type Stuck,
  silentReason,
  VtrError,
} from '#model';
import { untrustedSocket } from '#trust';
import { clientHeader, neededHeader, versionHeader } from '../call-headers.ts';
import type { AnswerOf, RequestOf, UnaryMethod } from '../client/asked-calls.ts';
import { farGraceMs } from '../client/pace.ts';
import { silentText } from '../client/silence-limits.ts';
import { type HttpAnswer, type HttpRequestOptions, httpRequest } from './http-request.ts';
import { isJson, type Json, readMessage, writeMessage } from './proto-json.ts';

export interface UnaryCallOptions extends Omit<HttpRequestOptions, 'headers'> {
  /** The client's version of vtr: an older coordinator ignores fields that it does not know. */
  readonly version?: string;
  /** Whether the call is answered at once, and may be made again without another effect. Default: false. */
  readonly mayRepeat?: boolean;
  /** Makes the call in the process of the coordinator, in place of a request. */
  readonly service?: JsonConnection | null;
}

/** Fields that change what a call does, so that a coordinator that does not know them must refuse it. */
const neededFields = ['inputId', 'driverEpoch', 'viewer', 'forkAs', 'conversation', 'to'];

function versionHeaders(version: string, request: Json): string[] {
  if (version === '') return [];
  const client = `${clientHeader}: cli`;
  const needed = neededFields.filter((name) => name in request);
  const needs = needed.length === 0 ? [] : [`${neededHeader}: ${needed.join(', ')}`];
  return [`${versionHeader}: ${version}`, client, ...needs];
}

/**
 * Makes one call of Connect's unary protocol (connectrpc.com/docs/protocol): an HTTP POST of JSON.
 *
 * @throws VtrError of the coordinator, UNAVAILABLE, or INPUT_TOO_LARGE
 */
export async function unaryCall<Name extends UnaryMethod>(
  socket: string,
  method: Name,
  request: RequestOf<Name>,
  { version = '', mayRepeat = false, service = null, ...options }: UnaryCallOptions,
): Promise<AnswerOf<Name>> {
  // buf's rule RPC_REQUEST_STANDARD_NAME: messages are named after their method.
  const rpc = `${method[0]?.toUpperCase()}${method.slice(1)}`;
  const json = writeMessage(`${rpc}Request`, request as Json);
  if (service !== null) {
    const answer = await here(socket, () => service.unary(rpc, json as JsonMessage));
    return readMessage(`${rpc}Response`, answer as Json) as AnswerOf<Name>;
  }
  const requestText = JSON.stringify(json);
  // The coordinator would close the connection before it has received all of it.
  if (requestText.length > maxRequestBytes) throw tooLarge(requestText.length);
  const askAt = (place: string) =>
    httpRequest(place, `/vtr.VTR/${rpc}`, requestText, {
      ...options,
      // The socket that ssh forwards is on this machine, but what answers is not.
      ...(place !== socket && { graceMs: farGraceMs }),
      headers: versionHeaders(version, json),
    });
  const { status, body } = await answered(socket, () =>
    mayRepeat && socket.startsWith('ssh://') ? overForward(socket, askAt) : askAt(socket),
  );
  // An error with this status, such as SESSION_NOT_FOUND, has a body.
  if (status === 404 && body === '') throw unknownCall(socket, rpc);
  const answer = parse(body, socket);
  if (status !== 200) throw errorFromJson(answer, socket);
  try {
    return readMessage(`${rpc}Response`, answer) as AnswerOf<Name>;
  } catch (error) {
    throw notVtr(socket, error);
  }
}

/** The errors of another bundle have their own class. @throws VtrError with `details.socket` */
async function here<T>(socket: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    const { code, message, details, cause } = asVtrError(error);
    throw new VtrError(code, message, { details: { ...details, socket }, cause });
  }
}

/**
 * Makes a request through the socket that ssh forwards to the coordinator, if there is one. Without any answer it
 * is made again, at the address, which also says what is wrong there.
 */
async function overForward(
  address: string,
  request: (place: string) => Promise<HttpAnswer>,
): Promise<HttpAnswer> {
  const { forgetForward, forwardedSocket } = await import('#transport/forward');
  const near = forwardedSocket(address, process);
  if (near === null || untrustedSocket(near) !== null) return request(address);
  try {
    return await request(near);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    const isClosed = ['ECONNREFUSED', 'ENOENT'].includes(code);
    const isBroken = ['DISCONNECTED', 'ECONNRESET', 'EPIPE'].includes(code);
    // A slow link looks silent from here.
    if (!isClosed && !isBroken && code !== silentReason) throw error;
    if (isClosed) {
      forgetForward(near, false);
      return request(address);
    }
    const answer = await request(address).catch((second) => {
      throw perhapsSent(second);
    });
    if (isBroken) forgetForward(near, true);
    return answer;
  }
}

/** The failure of a repeated request: the first one may have arrived. */
function perhapsSent(thrown: unknown): unknown {
  const { code, message, details } = asVtrError(thrown);
  if (details['sent'] !== 'no') return thrown;
  return new VtrError(code, message, { cause: thrown, details: { ...details, sent: 'unknown' } });
}

/**
 * Returns what a coordinator tells Prometheus about itself.
 *
 * @throws VtrError UNAVAILABLE
 */
export async function readMetrics(
  socket: string,
  options: Omit<HttpRequestOptions, 'headers'>,
): Promise<readonly MetricFamily[]> {
  const headers = ['accept: application/json'];
  const get = () => httpRequest(socket, '/metrics', null, { ...options, headers });
  const { status, body } = await answered(socket, get);
  if (status === 404) throw unknownCall(socket, 'for metrics');
  if (status !== 200)
    throw new VtrError('UNAVAILABLE', `${socket} has no metrics now: ${body.trim()}`);
  const { metrics } = parse(body, socket);
  if (!Array.isArray(metrics) || !metrics.every(isFamily)) throw notVtr(socket);
  return metrics as readonly MetricFamily[];
}

function isFamily(value: unknown): boolean {
  if (!isJson(value) || typeof value['name'] !== 'string') return false;
  const { points } = value;
  return Array.isArray(points) && points.every((each) => isJson(each) && isJson(each['labels']));
}

const tooLarge = (bytes: number): VtrError =>
  new VtrError(
    'INPUT_TOO_LARGE',
    `the request has ${bytes} bytes, over the limit of ${maxRequestBytes}; send it in parts`,
  );

async function answered(socket: string, send: () => Promise<HttpAnswer>): Promise<HttpAnswer> {
  try {
    return await send();
  } catch (error) {
    const failure = asVtrError(error);
    if (failure !== error) throw unavailable(error as NodeJS.ErrnoException, socket);
    if (isVtrError(failure)) throw failure;
    // The stream is of another bundle, which has its own class.
    const { code, message, details, cause } = failure as VtrError;
    throw new VtrError(code, message, { details, cause });
  }
}

function parse(text: string, socket: string): Json {
  try {
    const value: unknown = JSON.parse(text);
    if (isJson(value)) return value;
  } catch {
    // Thrown below.
  }
  throw notVtr(socket);
}

const unknownCall = (socket: string, rpc: string): VtrError =>
  new VtrError(
    'UNAVAILABLE',
    `the process that listens at ${socket} has no call ${rpc}; if it is a daemon of another version of vtr, 'vtr serve --restart' replaces it`,
  );

const notVtr = (socket: string, cause?: unknown): VtrError =>
  new VtrError('UNAVAILABLE', `${socket} is not a vtr coordinator`, { cause });

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'the socket does not exist',
  ECONNREFUSED: 'nothing is listening',
  ENOTSOCK: 'it is not a socket',
  ENOTDIR: 'part of its path is not a directory',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EAGAIN: 'too many connections wait to be accepted',
};

/** `details.reason` tells a caller that can start a coordinator that none is running. */
function unavailable(
  { code = '', message, how = null }: NodeJS.ErrnoException & { readonly how?: Stuck | null },
  socket: string,
): VtrError {
  if (code === 'EMFILE' || code === 'ENFILE') {
    const text =
      'this process cannot open another file; close some, or raise the limit (ulimit -n)';
    return new VtrError('SYSTEM_LIMIT', `${text}: ${code}`, { details: { socket, reason: code } });
  }
  // Linux says the same of a socket at which nothing listens, and of another file.
  const reason = code === 'ECONNREFUSED' && isOtherFile(socket) ? 'ENOTSOCK' : code;
  return new VtrError('UNAVAILABLE', unavailableText(reason, message, socket, how), {
    details: { socket, reason, ...how },
  });
}

const isOtherFile = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isSocket() === false;

function unavailableText(code: string, message: string, socket: string, how: Stuck | null): string {
  const place = `the coordinator at ${socket}`;
  if (code === silentReason) return silentText(place, how);
  const why = reasons[code];
  return why === undefined
    ? `${place} closed the connection or does not respond (${message})`
    : `no coordinator answers at ${socket}: ${why}`;
}

/** vtr's code for Connect's, for failures without an ErrorDetail. */
const fallbacks: ReadonlyMap<unknown, ErrorCode> = new Map([
  ['canceled', 'CANCELLED'],
  ['invalid_argument', 'INVALID_ARGUMENT'],
  ['unavailable', 'UNAVAILABLE'],
  ['deadline_exceeded', 'UNAVAILABLE'],
  ['unimplemented', 'INVALID_ARGUMENT'],
  // A message larger than the server accepts.
  ['resource_exhausted', 'INPUT_TOO_LARGE'],
]);

/** Converts a failure that the coordinator answered, and adds `details.socket`. */
function errorFromJson({ code, message, details }: Json, socket: string): VtrError {
  // Each has a `type`, its message in protobuf's binary format as a base64 `value`, and perhaps as JSON in `debug`.
  const all = Array.isArray(details) ? details.filter(isJson) : [];
  const ours: Json = all.find(({ type }) => type === 'vtr.ErrorDetail') ?? {};
  const { value, debug } = ours;
  const word = typeof value === 'string' ? codeOf(value) : undefined;
  const facts = isJson(debug) && isJson(debug['facts']) ? debug['facts'] : {};
  const text =
    typeof message === 'string' ? message : `${socket} answered an error without a message`;
  return new VtrError(word ?? fallbacks.get(code) ?? 'INTERNAL_ERROR', text, {
    details: { ...(facts as VtrError['details']), socket },
  });
}

/** Field 1 of the message: its tag, the length, the code in ASCII. */
function codeOf(value: string): ErrorCode | undefined {
  const bytes = Buffer.from(value, 'base64');
  if (bytes[0] !== 0x0a) return undefined;
  const word = bytes.toString('latin1', 2, 2 + (bytes[1] ?? 0));
  return Object.hasOwn(errorTable, word) ? (word as ErrorCode) : undefined;
}
