import { type CancelSignal, isAddress, type Stuck, silentReason } from '#model';
import { untrustedSocket } from '#trust';
import { encodeStartLimit, startLimitHeader, startWithin } from '../call-headers.ts';
import { graceMsOf, Pace, slowText } from '../client/pace.ts';
import {
  farStartMs,
  givenUpAfterMs,
  type IsStuck,
  startWithinMs,
  suspicionMs,
} from '../client/silence-limits.ts';
import { type Connection, type Exchange, exchangeOverPipe } from './pipe-exchange.ts';

export interface HttpAnswer {
  readonly status: number;
  readonly body: string;
}

export interface HttpRequestOptions {
  /** Without a byte of the answer, after which the call fails, in ms. */
  readonly timeoutMs: number;
  /** From the first byte of the answer to its last, in ms. Default: see {@link Pace}. */
  readonly answerMs?: number;
  /** See {@link Pace}. Default: 3 s; 30 s to another machine. */
  readonly graceMs?: number;
  /** The longest answer. Default: {@link maxAnswerBytes}. */
  readonly maxBytes?: number;
  /** See {@link IsStuck}. */
  readonly isStuck?: IsStuck | null;
  /** Whether ssh may ask a person. Default: whether one can answer here. */
  readonly mayPrompt?: boolean;
  /** Ends the request, and its call at the coordinator. */
  readonly signal?: CancelSignal | undefined;
  /** More lines of the head, such as `name: value`. */
  readonly headers?: readonly string[];
}

/** Large enough for a screen of 1000x1000 cells, or for all lines of a scrollback. */
const maxAnswerBytes = 256 * 1024 * 1024;

/**
 * Sends one request to a socket or an address, on a connection of its own. Written by hand, because loading
 * Node's HTTP client takes as long as the rest of a short command.
 *
 * @param body JSON that is posted; null for a GET
 * @throws Error of the socket, for an answer that is not HTTP, or with the code SILENT if the process
 * that listens does not respond
 */
export function httpRequest(
  place: string,
  path: string,
  body: string | null,
  options: HttpRequestOptions,
): Promise<HttpAnswer> {
  const { timeoutMs, answerMs, maxBytes = maxAnswerBytes } = options;
  const { isStuck = null, mayPrompt = true, headers = [], signal, graceMs } = options;
  return new Promise((resolve, reject) => {
    const isFar = isAddress(place);
    let isChecked = isFar;
    let connection: Connection | null = null;
    let isOver = false;
    const withinMs = isFar ? farStartMs : Math.min(startWithinMs(), timeoutMs);
    const check = async () => {
      const { responds } = await import('./stream-exchange.ts');
      let how: Stuck | null = null;
      const limitMs = givenUpAfterMs(withinMs) - suspicionMs;
      isChecked = await responds(place, limitMs, isStuck, (each) => {
        how = each;
      });
      if (!isChecked) throw Object.assign(new Error('no answer'), { code: silentReason, how });
    };
    const suspicion = setTimeout(() => isFar || check().catch(fail), suspicionMs);
    let deadline: NodeJS.Timeout | undefined;
    let pace: Pace | null = null;
    const settle = () => {
      isOver = true;
      clearTimeout(suspicion);
      clearTimeout(deadline);
      pace?.end();
      signal?.removeEventListener('abort', abort);
    };
    const fail = (error: unknown) => {
      if (isOver) return;
      settle();
      connection?.destroy();
      reject(error);
    };
    const abort = () => fail(new Error('it was cancelled'));
    const end = (bytes: Buffer) => {
      if (isOver) return;
      const answer = parseAnswer(bytes);
      if (answer === null) return fail(disconnected());
      settle();
      connection?.release();
      resolve(answer);
    };
    const chunks: Buffer[] = [];
    let size = 0;
    let wholeSize: number | null = null;
    const limit = `${startLimitHeader}: ${encodeStartLimit(startWithin(withinMs))}`;
    const exchange: Exchange = {
      request: `${requestHead(path, body, [limit, ...headers])}${body ?? ''}`,
      timeoutMs,
      received: (bytes) => {
        if (isOver) return;
        isChecked = true;
        clearTimeout(suspicion);
        chunks.push(bytes);
        size += bytes.length;
        if (size > maxBytes) return fail(new Error(`more than ${maxBytes} bytes`));
        if (chunks.length === 1) wholeSize = answerBytes(bytes);
        // The end of the connection, which follows, is not awaited.
        if (size === wholeSize) return end(chunks.length === 1 ? bytes : Buffer.concat(chunks));
        if (answerMs !== undefined)
          deadline ??= setTimeout(() => fail(unfinished(answerMs)), answerMs);
        pace ??= new Pace(graceMs ?? graceMsOf(isFar), () => fail(tooSlow(size)));
        pace.received(bytes.length);
      },
      ended: () => end(Buffer.concat(chunks)),
      failed: fail,
      timedOut: () => {
        const error = new Error(`no answer for ${timeoutMs / 1000} s`);
        fail(isChecked ? error : Object.assign(error, { code: silentReason }));
      },
    };
    const overStream = () =>
      import('./stream-exchange.ts').then(({ exchangeOverStream }) => {
        if (!isOver)
          connection = exchangeOverStream(place, exchange, { mayPrompt, forwards: true });
      }, fail);
    const mayUsePipe = !isFar && untrustedSocket(place) === null;
    connection = mayUsePipe ? exchangeOverPipe(place, exchange, overStream) : null;
    if (connection === null) void overStream();
    signal?.addEventListener('abort', abort);
    if (signal?.aborted) abort();
  });
}

const tooSlow = (bytes: number): Error =>
  new Error(`${slowText}: it was not complete after ${bytes} bytes`);

const unfinished = (answerMs: number): Error =>
  new Error(`its answer was not complete after ${answerMs / 1000} s`);

const disconnected = (): Error =>
  Object.assign(new Error('no answer in HTTP'), { code: 'DISCONNECTED' });

/** The peer closes the connection after its answer; this marks the end of the answer. */
const requestHead = (path: string, body: string | null, headers: readonly string[]): string =>
  [
    `${body === null ? 'GET' : 'POST'} ${path} HTTP/1.1`,
    'host: localhost',
    'connection: close',
    ...(body === null ? [] : postHeaders(body)),
    ...headers,
    '\r\n',
  ].join('\r\n');

/** The headers of Connect's unary protocol. */
const postHeaders = (body: string): string[] => [
  'content-type: application/json',
  'connect-protocol-version: 1',
  `content-length: ${Buffer.byteLength(body)}`,
];

/**
 * Returns how many bytes an answer has, by the head with which it begins; null if the head does not
 * tell.
 */
function answerBytes(begin: Buffer): number | null {
  const end = begin.indexOf(headEnd);
  if (end === -1) return null;
  const length = lengthIn(begin.toString('latin1', 0, end));
  return length === undefined ? null : end + headEnd.length + length;
}

const headEnd = '\r\n\r\n';

/** The value of the field content-length. */
function lengthIn(head: string): number | undefined {
  const [, length] = /^content-length: *(\d+) *$/im.exec(head) ?? [];
  return length === undefined ? undefined : Number(length);
}

/** Parses a response of HTTP/1.1 (RFC 9112); null when it is invalid or incomplete. */
export function parseAnswer(bytes: Buffer): HttpAnswer | null {
  const end = bytes.indexOf(headEnd);
  if (end === -1) return null;
  const head = bytes.toString('latin1', 0, end);
  const [, status] = /^HTTP\/1\.[01] (\d{3})/.exec(head) ?? [];
  if (status === undefined) return null;
  const rest = bytes.subarray(end + headEnd.length);
  const body = /^transfer-encoding: *chunked *$/im.test(head)
    ? joinChunks(rest)
    : wholeBody(rest, lengthIn(head));
  return body === null ? null : { status: Number(status), body: body.toString('utf8') };
}

function wholeBody(rest: Buffer, length: number | undefined): Buffer | null {
  return length === undefined || rest.length === length ? rest : null;
}

/** RFC 9112, 7.1: each chunk is its length in hexadecimal, a line end, bytes, a line end. */
function joinChunks(bytes: Buffer): Buffer | null {
  const chunks: Buffer[] = [];
  for (let at = 0; ; ) {
    const lineEnd = bytes.indexOf('\r\n', at);
    const length = Number.parseInt(bytes.toString('latin1', at, lineEnd), 16);
    if (lineEnd === -1 || Number.isNaN(length)) return null;
    if (length === 0) return Buffer.concat(chunks);
    const start = lineEnd + 2;
    if (bytes.length < start + length) return null;
    chunks.push(bytes.subarray(start, start + length));
    at = start + length + 2;
  }
}
