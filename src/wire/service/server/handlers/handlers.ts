import type { DescEnum, DescField, DescMessage } from '@bufbuild/protobuf';
import { Code, ConnectError, type HandlerContext, type ServiceImpl } from '@connectrpc/connect';
import { ignored } from '#base';
import { VTR } from '#messages';
import {
  type Coordinator,
  type Lease,
  maxRequestBytes,
  type TmuxCalls,
  VtrError,
  type WebControls,
  worktreeLabels,
} from '#model';
import {
  type DaemonControls,
  fromShareFields,
  fromTmuxFields,
  fromWebFields,
  toDaemon,
  toSharedLink,
  toTmuxAnswer,
  toWebLogin,
  toWebShare,
  toWebStatus,
} from '../../convert/daemon.ts';
import { fromNamed } from '../../convert/driver.ts';
import { field } from '../../convert/field.ts';
import { fromRecordFields, toRecordBegin, toRecordParts } from '../../convert/recording.ts';
import { toStatus } from '../../errors.ts';
import { accepted, type Handlers, isRestarting, untilClosing } from '../limits/accepted.ts';
import { driverHandlers, publish, waitHandlers, watchHandlers } from './lasting-calls.ts';
import { ListedSessions } from './listed-sessions.ts';
import { unaryHandlers } from './served-calls.ts';
import { subscribe } from './subscribe.ts';

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
        // The next coordinator keeps it for its owner.
        if (!isRestarting(closing))
          await ignored(
            lease.close(),
            'the removal of its session reports a program that could not be ended',
          );
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

type Fields = Readonly<Record<string, unknown>>;
type Handler = (request: unknown, context: HandlerContext) => unknown;

/**
 * Returns the handlers, which refuse requests that have values of enums that this version does not know.
 * Such a value would be taken for the default: text is pasted in another way than asked, with success.
 */
function knowingValues(handlers: ServiceImpl<typeof VTR>): ServiceImpl<typeof VTR> {
  const checked: Record<string, unknown> = { ...handlers };
  for (const { localName, input, methodKind } of VTR.methods) {
    const handler = checked[localName] as Handler;
    if (fieldsWithValues(input).length === 0) continue;
    checked[localName] =
      methodKind === 'unary' || methodKind === 'server_streaming'
        ? (request: Fields, context: HandlerContext) => {
            checkValues(input, request);
            return handler(request, context);
          }
        : (requests: AsyncIterable<Fields>, context: HandlerContext) =>
            handler(checkedAll(input, requests), context);
  }
  return checked as unknown as ServiceImpl<typeof VTR>;
}

async function* checkedAll(input: DescMessage, requests: AsyncIterable<Fields>) {
  for await (const request of requests) {
    checkValues(input, request);
    yield request;
  }
}

/** @throws ConnectError INVALID_ARGUMENT */
function checkValues(type: DescMessage, message: Fields): void {
  try {
    checkMessage(type, message, '');
  } catch (error) {
    throw toStatus(error);
  }
}

function checkMessage(type: DescMessage, message: Fields, path: string): void {
  for (const field of fieldsWithValues(type)) {
    const value = givenValue(message, field);
    if (value === undefined) continue;
    const at = path === '' ? field.name : `${path}.${field.name}`;
    if (!Array.isArray(value)) checkValue(field, value, at);
    else for (const [index, each] of value.entries()) checkValue(field, each, `${at}[${index}]`);
  }
}

function givenValue(message: Fields, { oneof, localName }: DescField): unknown {
  if (oneof === undefined) return message[localName];
  const chosen = message[oneof.localName] as { readonly case?: string; readonly value?: unknown };
  return chosen.case === localName ? chosen.value : undefined;
}

function checkValue({ message, enum: values }: DescField, value: unknown, at: string): void {
  if (message !== undefined) checkMessage(message, value as Fields, at);
  else if (values?.value[value as number] === undefined) throw unknownValue(values, value, at);
}

function unknownValue(type: DescEnum | undefined, value: unknown, at: string): VtrError {
  const names = (type?.values ?? []).map(({ name, number }) => `${name} (${number})`);
  return new VtrError(
    'INVALID_ARGUMENT',
    `unknown value ${value} of ${at}; ${type?.typeName} has ${names.join(', ')}`,
    { details: { field: at, known: names } },
  );
}

const withValues = new WeakMap<DescMessage, readonly DescField[]>();

/** The fields of a message that are enums, or messages that have some. */
function fieldsWithValues(type: DescMessage): readonly DescField[] {
  const withValue = withValues.get(type);
  if (withValue !== undefined) return withValue;
  // A message that contains itself has them if it has them without itself.
  withValues.set(type, []);
  const fields = type.fields.filter(
    ({ enum: values, message, fieldKind }) =>
      fieldKind !== 'map' &&
      (values !== undefined || (message !== undefined && fieldsWithValues(message).length > 0)),
  );
  withValues.set(type, fields);
  return fields;
}

interface DaemonPorts {
  readonly daemon: DaemonControls | null;
  readonly web: WebControls | null;
  readonly tmux: TmuxCalls | null;
}

type DaemonCall =
  | ('describeDaemon' | 'stopDaemon' | 'restartDaemon')
  | ('listDirectories' | 'listAgentKinds' | 'makeWorktree');
type WebCall =
  | ('startWeb' | 'stopWeb' | 'describeWeb')
  | ('shareWeb' | 'listShares' | 'unshare' | 'listLogins' | 'endLogin');

/** The calls to the daemon itself, its web page and its tmux servers. A port is null where no daemon serves. */
function daemonHandlers({
  daemon,
  web,
  tmux,
}: DaemonPorts): Handlers<DaemonCall | WebCall | 'runTmux' | 'controlTmux'> {
  return {
    describeDaemon: calling(daemon, (to) => toDaemon(to.describe())),
    stopDaemon: calling(daemon, (to) => done(to.stop())),
    restartDaemon: calling(daemon, (to, { program }) => to.restart(program || undefined)),
    listDirectories: calling(daemon, async (to, { prefix }) => {
      const { directories, home } = await to.directories(prefix);
      return { directories: [...directories], home };
    }),
    listAgentKinds: calling(daemon, async (to) => ({ kinds: [...(await to.agentKinds())] })),
    makeWorktree: calling(daemon, async (to, { directory, branch, from }) => {
      const worktree = await to.makeWorktree(directory, branch, from);
      return { path: worktree.path, labels: worktreeLabels(worktree) };
    }),
    startWeb: calling(web, (to, request) => to.start(fromWebFields(request))),
    stopWeb: calling(web, async (to) => done(await to.stop())),
    describeWeb: calling(web, (to) => toWebStatus(to.describe())),
    shareWeb: calling(web, async (to, request) =>
      toSharedLink(await to.share(fromNamed(request), fromShareFields(request))),
    ),
    listShares: calling(web, async (to) => ({ shares: (await to.shares()).map(toWebShare) })),
    unshare: calling(web, (to, { id }) => done(to.unshare(id))),
    listLogins: calling(web, (to) => ({ logins: to.logins().map(toWebLogin) })),
    endLogin: calling(web, (to, { id }) => done(to.endLogin(id))),
    runTmux: calling(tmux, async (to, request, { signal }) =>
      toTmuxAnswer(await to.run(fromTmuxFields(request), signal)),
    ),
    controlTmux: calling(tmux, (to, { controlId, lines, run }, { signal }) =>
      to.control(controlId, run ? lines : null, signal),
    ),
  };
}

/** @param call must reach the port before it awaits anything */
function calling<Port, Request, Answer>(
  port: Port | null,
  call: (to: Port, request: Request, context: HandlerContext) => Promise<Answer> | Answer,
): (request: Request, context: HandlerContext) => Promise<Answer> {
  return (request, context) =>
    accepted(context, async () => {
      if (port !== null) return call(port, request, context);
      throw new ConnectError('no daemon serves this coordinator', Code.Unimplemented);
    });
}

/** The message of an answer that says nothing. */
const done = (_answer: unknown) => ({});
