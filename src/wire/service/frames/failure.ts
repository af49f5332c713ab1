import { decodeUtf8 } from '#base';
import { type ErrorCode, errorTable, VtrError } from '#model';

type Details = VtrError['details'];

/** Returns the payload of a `failure`. */
export const encodeFailure = ({ code, message, details }: VtrError): Uint8Array =>
  Buffer.from(JSON.stringify({ code, message, details }));

/** The error of a `failure`. One of a later version, with another code, is a defect. */
export function decodeFailure(payload: Uint8Array): VtrError {
  const { code, message, details } = JSON.parse(decodeUtf8(payload)) as Record<string, unknown>;
  const known = typeof code === 'string' && Object.hasOwn(errorTable, code);
  return new VtrError(known ? (code as ErrorCode) : 'INTERNAL_ERROR', String(message), {
    details: (details ?? {}) as Details,
  });
}
