import type { Coordinator, Lease } from '#model';
import { toStatus } from '../errors.ts';
import { accepted, type Handlers } from './accepted.ts';
import { untilClosing } from './until-closing.ts';

/**
 * A lease lasts as long as the stream that gave it; it may be closed before, by who knows its id.
 *
 * @param closing aborted when the server begins to stop
 */
export function leaseHandlers(
  coordinator: Coordinator,
  closing: AbortSignal,
): Handlers<'openLease' | 'closeLease'> {
  const leases = new Map<string, Lease>();
  return {
    async *openLease(_request, context) {
      const lease = await accepted(context, () => coordinator.openLease());
      leases.set(lease.id, lease);
      try {
        yield { leaseId: lease.id };
        await untilClosing(closing, context);
      } catch (error) {
        throw toStatus(error);
      } finally {
        leases.delete(lease.id);
        // What could not be ended is told whoever tries to remove it.
        await lease.close().catch(() => {});
      }
    },
    async closeLease({ leaseId }, context) {
      await accepted(context, async () => leases.get(leaseId)?.close());
      return {};
    },
  };
}
