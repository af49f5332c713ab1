import { decodeUtf8 } from '#base';
import { type ErrorCode, errorTable, VtrError } from '#model';
import { FrameError } from './frame.ts';

type Details = VtrError['details'];

/** Returns the payload of a `failure`. */
export const encodeFailure = ({ code, message, details }: VtrError): Uint8Array =>
  Buffer.from(JSON.stringify({ code, message, details }));

/**
 * The error of a `failure`. One of a later version, with another code, is a defect.
 *
 * @throws FrameError if the payload is not a failure
 */
export function decodeFailure(payload: Uint8Array): VtrError {
  const { code, message, details } = parsed(payload);
  if (typeof code !== 'string' || typeof message !== 'string' || !isObject(details ?? {})) {
    throw new FrameError('a failure whose values have other types');
  }
  const known = Object.hasOwn(errorTable, code);
  return new VtrError(known ? (code as ErrorCode) : 'INTERNAL_ERROR', message, {
    details: (details ?? {}) as Details,
  });
}

function parsed(payload: Uint8Array): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(decodeUtf8(payload));
    if (isObject(value)) return value;
  } catch {
    // Thrown below.
  }
  throw new FrameError('a failure that cannot be read');
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
