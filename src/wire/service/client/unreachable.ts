import { VtrError } from '#model';

/**
 * Converts the error of a connection to UNAVAILABLE: the coordinator could not be reached, or disconnected.
 * Errors of the coordinator remain as they are.
 *
 * @param place the coordinator, for the message
 */
export function unreachable(thrown: unknown, place: string): VtrError {
  if (thrown instanceof VtrError) return thrown;
  const why = thrown instanceof Error ? thrown.message : String(thrown);
  return new VtrError('UNAVAILABLE', `${place} cannot be reached: ${why}; is it running?`, {
    cause: thrown,
    details: { reason: systemCode(thrown) ?? 'DISCONNECTED' },
  });
}

/** Returns the system's code of a failed connection, such as ECONNREFUSED. */
function systemCode(error: unknown): string | null {
  if (!(error instanceof Error) || !('errno' in error) || !('code' in error)) return null;
  return typeof error.code === 'string' ? error.code : null;
}
