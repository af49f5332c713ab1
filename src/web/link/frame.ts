import { decodeUtf8 } from '#base';
import { decodeWithBytes, type Frame, FrameError, frameKinds } from '#messages/page';

/** The message of a stream, and the bytes that it has. */
export interface StreamMessage<Body> {
  readonly body: Body;
  readonly bytes: Uint8Array | null;
}

/** @throws FrameError */
export function decodeMessage<Body>({
  kind,
  payload,
}: Omit<Frame, 'channel'>): StreamMessage<Body> {
  if (kind === frameKinds.message) return { body: parse(payload) as Body, bytes: null };
  const { json, bytes } = decodeWithBytes(payload);
  return { body: parse(json) as Body, bytes };
}

/** @throws FrameError */
export function parse(payload: Uint8Array): unknown {
  try {
    return JSON.parse(decodeUtf8(payload));
  } catch {
    throw new FrameError('the frame has no JSON');
  }
}
