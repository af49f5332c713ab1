import { beginWork, endWork } from '#base';
import { asVtrError, VtrError } from '#model';

/**
 * Calls an operation at once. The message of a failure begins with the name of the session, which
 * may change during the operation.
 */
export async function inSession<T>(
  session: { readonly name: string },
  operation: () => Promise<T> | T,
): Promise<T> {
  try {
    return await begun(session.name, operation);
  } catch (thrown) {
    const { code, message, details, cause } = asVtrError(thrown);
    throw new VtrError(code, `session ${session.name}: ${message}`, { cause, details });
  } finally {
    // Its last part may have been one of several.
    endWork();
  }
}

/** Calls an operation up to where it waits. */
function begun<T>(session: string, operation: () => Promise<T> | T): Promise<T> | T {
  beginWork('call', session);
  try {
    return operation();
  } finally {
    endWork();
  }
}
