import { request } from 'node:http';
import { VtrError } from '#model';
import { errorFromJson } from './errors.ts';

export type Json = { readonly [name: string]: unknown };

/** An answer may be a screen of 1000x1000 cells, or all lines of a scrollback. */
const maxAnswerBytes = 256 * 1024 * 1024;

export interface CallOptions {
  /** Of the whole call; the connection is given up after it. */
  readonly timeoutMs: number;
}

/**
 * One call by Connect's unary protocol: an HTTP POST of JSON. Source: connectrpc.com/docs/protocol.
 *
 * @throws VtrError what the coordinator answered, or UNAVAILABLE
 */
export async function unaryCall(
  socket: string,
  method: string,
  body: Json,
  { timeoutMs }: CallOptions,
): Promise<Json> {
  const { status, text } = await post(
    socket,
    `/vtr.VTR/${method}`,
    JSON.stringify(body),
    timeoutMs,
  );
  const answer = parse(text, socket);
  if (status === 200) return answer;
  throw errorFromJson(answer, socket);
}

function parse(text: string, socket: string): Json {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value as Json;
  } catch {
    // Told below.
  }
  throw new VtrError('UNAVAILABLE', `what answers at ${socket} is no coordinator of vtr`);
}

function post(
  socket: string,
  path: string,
  body: string,
  timeoutMs: number,
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const call = request({
      socketPath: socket,
      path,
      method: 'POST',
      agent: false,
      headers: {
        host: 'localhost',
        'content-type': 'application/json',
        'connect-protocol-version': '1',
        'content-length': Buffer.byteLength(body),
      },
    });
    const fail = (error: Error) => {
      clearTimeout(timer);
      reject(asUnavailable(error, socket));
      call.destroy();
    };
    const timer = setTimeout(() => {
      fail(new VtrError('UNAVAILABLE', `${socket} has not answered for ${timeoutMs / 1000} s`));
    }, timeoutMs);
    call.on('error', fail);
    call.on('response', (response) => {
      const chunks: Buffer[] = [];
      let size = 0;
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        size += chunk.length;
        if (size > maxAnswerBytes) fail(new Error(`it answers more than ${maxAnswerBytes} bytes`));
      });
      response.on('error', fail);
      response.on('end', () => {
        clearTimeout(timer);
        resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') });
      });
    });
    call.end(body);
  });
}

const nobodyThere: Readonly<Record<string, string>> = {
  ENOENT: 'there is no socket',
  ECONNREFUSED: 'nobody listens',
  ENOTSOCK: 'it is no socket',
  ENOTDIR: 'there is no such folder',
  EACCES: 'you may not use it',
  EPERM: 'you may not use it',
};

/** `details.reason` tells a caller that may start a coordinator whether one is missing. */
function asUnavailable(error: Error, socket: string): VtrError {
  if (error instanceof VtrError) return error;
  const code = (error as NodeJS.ErrnoException).code ?? '';
  const why = nobodyThere[code];
  if (why !== undefined) {
    return new VtrError('UNAVAILABLE', `no coordinator answers at ${socket}: ${why}`, {
      cause: error,
      details: { socket, reason: code },
    });
  }
  return new VtrError(
    'UNAVAILABLE',
    `the coordinator at ${socket} went away during the call (${error.message})`,
    { cause: error, details: { socket, reason: code } },
  );
}
