import { Code, ConnectError, type ServiceImpl } from '@connectrpc/connect';
import type { Coordinator, SignalName } from '#model';
import { toExitStatus, toRef, toSession } from '../convert/session.ts';
import { toTimestamp } from '../convert/time.ts';
import type { VTR } from '../gen/vtr.gen.ts';
import { accepted, type Handlers } from './accepted.ts';
import { commandHandlers } from './command-handlers.ts';
import type { DaemonControls } from './daemon-controls.ts';
import { inputHandlers } from './input-handlers.ts';
import { leaseHandlers } from './lease-handlers.ts';
import { publish } from './publish.ts';
import { readHandlers } from './read-handlers.ts';
import { fromSpawnMessage } from './spawn-request.ts';
import { subscribe } from './subscribe.ts';
import { waitHandlers } from './wait-handlers.ts';

export interface HandlerOptions {
  /** Screens that wait for a slow subscriber. */
  readonly maxSnapshots: number;
  readonly daemon: DaemonControls | null;
  /** Aborted when the server begins to stop. */
  readonly closing: AbortSignal;
}

/** Every RPC: its request in the words of the port, the call, its answer in those of the wire. */
export function vtrHandlers(
  coordinator: Coordinator,
  options: HandlerOptions,
): ServiceImpl<typeof VTR> {
  return {
    ...sessionHandlers(coordinator),
    ...readHandlers(coordinator),
    ...inputHandlers(coordinator),
    ...waitHandlers(coordinator),
    ...commandHandlers(coordinator),
    ...leaseHandlers(coordinator, options.closing),
    ...daemonHandlers(options.daemon),
    publish: (requests, context) => publish(coordinator, requests, context),
    subscribe: (request, context) => subscribe(coordinator, request, context, options.maxSnapshots),
    dumpAsciinema: () => unimplemented('vtr does not record yet'),
  };
}

function sessionHandlers(
  coordinator: Coordinator,
): Handlers<'spawn' | 'list' | 'info' | 'kill' | 'end' | 'remove'> {
  return {
    async spawn(request, context) {
      const spawned = await accepted(context, () => coordinator.spawn(fromSpawnMessage(request)));
      return { session: toSession(spawned) };
    },
    async list(_request, context) {
      const sessions = await accepted(context, () => coordinator.list());
      return { sessions: sessions.map(toSession) };
    },
    async info(request, context) {
      const session = await accepted(context, () => coordinator.info(toRef(request)));
      return { session: toSession(session) };
    },
    async kill(request, context) {
      // What is no signal's name is refused by the coordinator.
      const signal = (request.signal || undefined) as SignalName | undefined;
      return accepted(context, () => coordinator.kill(toRef(request), signal).then(() => ({})));
    },
    async end(request, context) {
      const { force } = request;
      const status = await accepted(context, () => coordinator.end(toRef(request), { force }));
      return { exitStatus: toExitStatus(status) };
    },
    async remove(request, context) {
      const { force } = request;
      const status = await accepted(context, () => coordinator.remove(toRef(request), { force }));
      return { exitStatus: toExitStatus(status) };
    },
  };
}

function daemonHandlers(daemon: DaemonControls | null): Handlers<'describeDaemon' | 'stopDaemon'> {
  const none = 'no daemon serves this coordinator';
  return {
    describeDaemon() {
      if (daemon === null) return unimplemented(none);
      const { startedAtMs, ...same } = daemon.describe();
      return { ...same, startedAt: toTimestamp(startedAtMs) };
    },
    stopDaemon() {
      if (daemon === null) return unimplemented(none);
      daemon.stop();
      return {};
    },
  };
}

function unimplemented(message: string): never {
  throw new ConnectError(message, Code.Unimplemented);
}
