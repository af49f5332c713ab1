import { maxRequestBytes, VtrError } from '#model';
import { errorFromJson } from './errors.ts';
import { type HttpAnswer, httpPost } from './http-post.ts';

export type Json = { readonly [name: string]: unknown };

/**
 * One call by Connect's unary protocol: an HTTP POST of JSON. Source: connectrpc.com/docs/protocol.
 *
 * @param timeoutMs after which a coordinator that says nothing is given up
 * @throws VtrError what the coordinator answered, UNAVAILABLE, or INPUT_TOO_LARGE
 */
export async function unaryCall(
  socket: string,
  method: string,
  request: Json,
  timeoutMs: number,
): Promise<Json> {
  const asked = JSON.stringify(request);
  // The peer would hang up in the middle of it.
  if (asked.length > maxRequestBytes) throw tooLarge(asked.length);
  const { status, body } = await post(socket, method, asked, timeoutMs);
  const answer = parse(body, socket);
  if (status === 200) return answer;
  throw errorFromJson(answer, socket);
}

const tooLarge = (bytes: number): VtrError =>
  new VtrError(
    'INPUT_TOO_LARGE',
    `the call takes ${bytes} bytes, and ${maxRequestBytes} are the limit; send it in parts`,
  );

async function post(
  socket: string,
  method: string,
  body: string,
  timeoutMs: number,
): Promise<HttpAnswer> {
  try {
    return await httpPost(socket, `/vtr.VTR/${method}`, body, timeoutMs);
  } catch (error) {
    throw unavailable(error as NodeJS.ErrnoException, socket);
  }
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

const nobodyThere: Readonly<Record<string, string>> = {
  ENOENT: 'there is no socket',
  ECONNREFUSED: 'nobody listens',
  ENOTSOCK: 'it is no socket',
  ENOTDIR: 'there is no such folder',
  EACCES: 'you may not use it',
  EPERM: 'you may not use it',
};

/** `details.reason` tells a caller that may start a coordinator whether one is missing. */
function unavailable({ code = '', message }: NodeJS.ErrnoException, socket: string): VtrError {
  const why = nobodyThere[code];
  const text =
    why === undefined
      ? `the coordinator at ${socket} went away during the call, or is stuck (${message})`
      : `no coordinator answers at ${socket}: ${why}`;
  return new VtrError('UNAVAILABLE', text, { details: { socket, reason: code } });
}
