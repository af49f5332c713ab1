import { Code, ConnectError, type ServiceImpl } from '@connectrpc/connect';
import type { Coordinator, Lease, SignalName, TmuxCalls, WebControls } from '#model';
import { field } from '../../convert/field.ts';
import { toWaitResult } from '../../convert/output/wait.ts';
import { type DaemonControls, toDaemon } from '../../convert/sessions/daemon.ts';
import { fromLabelFields } from '../../convert/sessions/labels.ts';
import { toExitStatus, toSession } from '../../convert/sessions/session.ts';
import { fromNamed } from '../../convert/sessions/session-ref.ts';
import { fromReviveMessage, fromSpawnMessage, toRevived } from '../../convert/sessions/spawn.ts';
import { fromTmuxFields, toTmuxAnswer } from '../../convert/sessions/tmux.ts';
import { toStatus } from '../../errors.ts';
import type { VTR } from '../../gen/vtr.gen.ts';
import { accepted, type Handlers } from '../accepted.ts';
import { knowingValues } from '../known-values.ts';
import { isRestarting, untilClosing } from '../until-closing.ts';
import { driverHandlers } from './driver-handlers.ts';
import { inputHandlers } from './input-handlers.ts';
import { ListedSessions } from './listed-sessions.ts';
import { publish } from './publish.ts';
import { readHandlers } from './read-handlers.ts';
import { recordHandlers } from './record-handlers.ts';
import { subscribe } from './subscribe.ts';
import { waitHandlers } from './wait-handlers.ts';
import { watchHandlers } from './watch-handlers.ts';
import { webHandlers } from './web-handlers.ts';

export interface HandlerOptions {
  /** Screens that wait for a slow subscriber. */
  readonly maxSnapshots: number;
  readonly daemon: DaemonControls | null;
  readonly web: WebControls | null;
  readonly tmux: TmuxCalls | null;
  /** Aborted when the server begins to stop; see {@link isRestarting}. */
  readonly closing: AbortSignal;
}

/** Handles every RPC: converts the request, calls the coordinator, converts the answer. */
export function vtrHandlers(
  coordinator: Coordinator,
  options: HandlerOptions,
): ServiceImpl<typeof VTR> {
  return knowingValues({
    ...sessionHandlers(coordinator, options.daemon),
    ...readHandlers(coordinator),
    ...inputHandlers(coordinator),
    ...waitHandlers(coordinator),
    ...leaseHandlers(coordinator, options.closing),
    ...recordHandlers(coordinator),
    ...driverHandlers(coordinator, options.closing),
    ...watchHandlers(coordinator, options.closing),
    ...daemonHandlers(options.daemon),
    ...webHandlers(options.web),
    ...tmuxHandlers(options.tmux),
    publish: (requests, context) => publish(coordinator, requests, context),
    subscribe: (request, context) => subscribe(coordinator, request, context, options.maxSnapshots),
  });
}

function sessionHandlers(
  coordinator: Coordinator,
  daemon: DaemonControls | null,
): Handlers<
  'spawn' | 'list' | 'info' | 'rename' | 'setLabels' | 'revive' | 'kill' | 'end' | 'remove'
> {
  const listed = new ListedSessions();
  return {
    async spawn(request, context) {
      const { wait, ...asked } = fromSpawnMessage(request);
      const waiting = wait === undefined ? {} : { wait: { ...wait, signal: context.signal } };
      const spawn = () => coordinator.spawn({ ...asked, ...waiting });
      const spawned = await accepted(context, spawn);
      return {
        session: toSession(spawned),
        reused: spawned.reused ?? false,
        ...field('wait', spawned.wait && toWaitResult(spawned.wait)),
      };
    },
    async list({ activity, redact }, context) {
      // A daemon that ends may fail to describe itself; that is answered as any other failure.
      const { sessions, hosts } = await accepted(context, async () => ({
        sessions: await coordinator.list({ activity, ...field('redact', redact) }),
        hosts: daemon && { silentHosts: daemon.describe().silentHosts },
      }));
      return { sessions: listed.messagesOf(sessions), ...hosts };
    },
    async info(request, context) {
      const { activity, redact } = request;
      const asked = { activity, ...field('redact', redact) };
      const info = () => coordinator.info(fromNamed(request), asked);
      const session = await accepted(context, info);
      return { session: toSession(session) };
    },
    async rename(request, context) {
      const { newName } = request;
      const rename = () => coordinator.rename(fromNamed(request), newName);
      return { session: toSession(await accepted(context, rename)) };
    },
    async setLabels(request, context) {
      const changes = fromLabelFields(request);
      const set = () => coordinator.setLabels(fromNamed(request), changes);
      return { session: toSession(await accepted(context, set)) };
    },
    async revive(request, context) {
      const { wait, ...asked } = fromReviveMessage(request);
      const waiting = wait === undefined ? {} : { wait: { ...wait, signal: context.signal } };
      const revive = () => coordinator.revive(fromNamed(request), { ...asked, ...waiting });
      return toRevived(await accepted(context, revive));
    },
    async kill(request, context) {
      // The coordinator refuses unknown names.
      const signal = (request.signal || undefined) as SignalName | undefined;
      await accepted(context, () => coordinator.kill(fromNamed(request), signal));
      return {};
    },
    async end(request, context) {
      const { force } = request;
      const end = () => coordinator.end(fromNamed(request), { force });
      return { exitStatus: toExitStatus(await accepted(context, end)) };
    },
    async remove(request, context) {
      const { force } = request;
      const remove = () => coordinator.remove(fromNamed(request), { force });
      return { exitStatus: toExitStatus(await accepted(context, remove)) };
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

function daemonHandlers(
  daemon: DaemonControls | null,
): Handlers<'describeDaemon' | 'stopDaemon' | 'restartDaemon'> {
  const none = 'no daemon serves this coordinator';
  return {
    describeDaemon(_request, context) {
      if (daemon === null) return unimplemented(none);
      return accepted(context, async () => toDaemon(daemon.describe()));
    },
    async stopDaemon(_request, context) {
      if (daemon === null) return unimplemented(none);
      await accepted(context, async () => daemon.stop());
      return {};
    },
    restartDaemon({ program }, context) {
      if (daemon === null) return unimplemented(none);
      return accepted(context, () => daemon.restart(program === '' ? undefined : program));
    },
  };
}

function unimplemented(message: string): never {
  throw new ConnectError(message, Code.Unimplemented);
}

/** The calls of `vtr tmux`. @param tmux null where no daemon serves the coordinator */
function tmuxHandlers(tmux: TmuxCalls | null): Handlers<'runTmux' | 'controlTmux'> {
  const calls = (): TmuxCalls => {
    if (tmux !== null) return tmux;
    return unimplemented('no daemon serves this coordinator');
  };
  return {
    async runTmux(request, context) {
      const run = () => calls().run(fromTmuxFields(request), context.signal);
      return toTmuxAnswer(await accepted(context, run));
    },
    controlTmux: ({ controlId, lines, run }, context) =>
      accepted(context, () => calls().control(controlId, run ? lines : null, context.signal)),
  };
}
