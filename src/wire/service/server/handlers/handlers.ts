import { Code, ConnectError, type ServiceImpl } from '@connectrpc/connect';
import type { VTR } from '#messages';
import { type Coordinator, type Lease, maxRequestBytes } from '#model';
import { field } from '../../convert/field.ts';
import { fromRecordFields, toRecordBegin, toRecordParts } from '../../convert/output/recording.ts';
import type { DaemonControls } from '../../convert/sessions/daemon.ts';
import { fromNamed } from '../../convert/sessions/session-ref.ts';
import { toStatus } from '../../errors.ts';
import { accepted, type Handlers } from '../accepted.ts';
import { knowingValues } from '../known-values.ts';
import { isRestarting, untilClosing } from '../until-closing.ts';
import { type DaemonPorts, daemonHandlers } from './daemon-handlers.ts';
import { driverHandlers } from './driver-handlers.ts';
import { ListedSessions } from './listed-sessions.ts';
import { publish } from './publish.ts';
import { unaryHandlers } from './served-calls.ts';
import { subscribe } from './subscribe.ts';
import { waitHandlers } from './wait-handlers.ts';
import { watchHandlers } from './watch-handlers.ts';

export interface HandlerOptions extends DaemonPorts {
  /** Screens that wait for a slow subscriber. */
  readonly maxSnapshots: number;
  /** Aborted when the server begins to stop; see {@link isRestarting}. */
  readonly closing: AbortSignal;
}

/** Handles every RPC: converts the request, calls the coordinator, converts the answer. */
export function vtrHandlers(
  coordinator: Coordinator,
  options: HandlerOptions,
): ServiceImpl<typeof VTR> {
  return knowingValues({
    ...unaryHandlers(coordinator),
    ...listHandler(coordinator, options.daemon),
    ...waitHandlers(coordinator),
    ...leaseHandlers(coordinator, options.closing),
    ...recordHandlers(coordinator),
    ...driverHandlers(coordinator, options.closing),
    ...watchHandlers(coordinator, options.closing),
    ...daemonHandlers(options),
    publish: (requests, context) => publish(coordinator, requests, context),
    subscribe: (request, context) => subscribe(coordinator, request, context, options.maxSnapshots),
  });
}

/** A daemon tells how many of its PTY hosts are silent. */
function listHandler(coordinator: Coordinator, daemon: DaemonControls | null): Handlers<'list'> {
  const listed = new ListedSessions();
  return {
    async list({ activity, redact }, context) {
      // A daemon that ends may fail to describe itself; that is answered as any other failure.
      const { sessions, hosts } = await accepted(context, async () => ({
        sessions: await coordinator.list({ activity, ...field('redact', redact) }),
        hosts: daemon && { silentHosts: daemon.describe().silentHosts },
      }));
      return { sessions: listed.messagesOf(sessions), ...hosts };
    },
  };
}

/**
 * A lease lasts as long as the stream that opened it, unless a client that has its id closes it
 * earlier.
 *
 * @param closing aborted when the server begins to stop
 */
function leaseHandlers(
  coordinator: Coordinator,
  closing: AbortSignal,
): Handlers<'openLease' | 'closeLease'> {
  const leases = new Map<string, Lease>();
  return {
    async *openLease({ leaseId }, context) {
      const lease = await accepted(context, () => coordinator.openLease(field('id', leaseId)));
      leases.set(lease.id, lease);
      try {
        yield { leaseId: lease.id };
        await untilClosing(closing, context);
      } catch (error) {
        throw toStatus(error);
      } finally {
        leases.delete(lease.id);
        // The next coordinator keeps it for its owner. A program that could not be ended is reported when
        // its session is removed.
        if (!isRestarting(closing)) await lease.close().catch(() => {});
      }
    },
    async closeLease({ leaseId }, context) {
      await accepted(context, async () => leases.get(leaseId)?.close());
      return {};
    },
  };
}

/** A message has fewer bytes than this besides its data. */
const overheadBytes = 1024;

/** The calls that return a recording. */
function recordHandlers(coordinator: Coordinator): Handlers<'dumpAsciinema' | 'dumpRecording'> {
  return {
    async dumpAsciinema(request, context) {
      const record = () => coordinator.record(fromNamed(request), fromRecordFields(request));
      const recorded = await accepted(context, record);
      const { data } = recorded;
      if (data.length > maxRequestBytes - overheadBytes) throw tooLarge(data.length);
      return { data, ...toRecordBegin(recorded) };
    },
    async *dumpRecording(request, context) {
      const record = () => coordinator.record(fromNamed(request), fromRecordFields(request));
      const recorded = await accepted(context, record);
      try {
        yield* toRecordParts(recorded);
      } catch (error) {
        throw toStatus(error);
      }
    },
  };
}

const tooLarge = (bytes: number): ConnectError =>
  new ConnectError(
    `the recording has ${bytes} bytes, over the limit of a message; use DumpRecording`,
    Code.ResourceExhausted,
  );
