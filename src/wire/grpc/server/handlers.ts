import { Code, ConnectError, type HandlerContext, type ServiceImpl } from '@connectrpc/connect';
import type { Coordinator, InputReceipt, SignalName, WaitForTextRequest, WaitResult } from '#model';
import { fromKeys } from '../convert/key.ts';
import { toLines, toScreen, toSearchResult } from '../convert/screen.ts';
import { toExitStatus, toRef, toSession } from '../convert/session.ts';
import { msField, toTimestamp } from '../convert/time.ts';
import { toMatch, toWaitEnd } from '../convert/wait.ts';
import { pasteModes, renderFormats } from '../convert/words.ts';
import type { VTR } from '../gen/vtr.gen.ts';
import { accepted } from './accepted.ts';
import type { DaemonControls } from './daemon-controls.ts';
import { fromSpawnMessage } from './spawn-request.ts';
import { subscribe } from './subscribe.ts';

export interface HandlerOptions {
  /** Screens that wait for a slow subscriber. */
  readonly maxSnapshots: number;
  readonly daemon: DaemonControls | null;
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
    ...daemonHandlers(options.daemon),
    subscribe: (request, context) => subscribe(coordinator, request, context, options.maxSnapshots),
    dumpAsciinema: () => unimplemented('vtr does not record yet'),
  };
}

type Handlers<Name extends keyof ServiceImpl<typeof VTR>> = Pick<ServiceImpl<typeof VTR>, Name>;

function sessionHandlers(
  coordinator: Coordinator,
): Handlers<'spawn' | 'list' | 'info' | 'kill' | 'remove'> {
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
      return accepted(context, () => coordinator.kill(toRef(request), signal).then(empty));
    },
    async remove(request, context) {
      const { force } = request;
      const status = await accepted(context, () => coordinator.remove(toRef(request), { force }));
      return { exitStatus: toExitStatus(status) };
    },
  };
}

function readHandlers(coordinator: Coordinator): Handlers<'getScreen' | 'readLines' | 'grep'> {
  return {
    async getScreen(request, context) {
      const format = renderFormats.fromWire(request.format) ?? 'cells';
      const read = () => coordinator.screen(toRef(request), { format });
      return toScreen(request.name, await accepted(context, read));
    },
    async readLines(request, context) {
      const { from, to } = request;
      const lines = {
        format: renderFormats.fromWire(request.format) ?? 'text',
        ...(from === undefined ? {} : { from: Number(from) }),
        ...(to === undefined ? {} : { to: Number(to) }),
      };
      return toLines(await accepted(context, () => coordinator.readLines(toRef(request), lines)));
    },
    async grep(request, context) {
      const search = {
        pattern: request.pattern,
        before: request.contextBefore,
        after: request.contextAfter,
        ...(request.maxMatches === 0 ? {} : { maxMatches: request.maxMatches }),
        signal: context.signal,
      };
      const found = await accepted(context, () => coordinator.search(toRef(request), search));
      return toSearchResult(found);
    },
  };
}

function inputHandlers(
  coordinator: Coordinator,
): Handlers<'sendText' | 'sendKey' | 'sendBytes' | 'resize'> {
  return {
    async sendText(request, context) {
      const options = {
        ...msField('timeoutMs', request.timeout),
        paste: pasteModes.fromWire(request.paste) ?? 'never',
      };
      const send = () => coordinator.sendText(toRef(request), request.text, options);
      return accepted(context, () => send().then(receipt));
    },
    async sendKey(request, context) {
      const options = msField('timeoutMs', request.timeout);
      const send = () => coordinator.sendKeys(toRef(request), fromKeys(request), options);
      return accepted(context, () => send().then(receipt));
    },
    async sendBytes(request, context) {
      const options = msField('timeoutMs', request.timeout);
      const send = () => coordinator.sendBytes(toRef(request), request.data, options);
      return accepted(context, () => send().then(receipt));
    },
    async resize(request, context) {
      const { cols, rows } = request;
      const resize = () => coordinator.resize(toRef(request), { cols, rows });
      return accepted(context, () => resize().then(empty));
    },
  };
}

function waitHandlers(
  coordinator: Coordinator,
): Handlers<'waitFor' | 'waitForIdle' | 'waitForExit'> {
  return {
    async waitFor(request, context) {
      const { pattern } = request;
      const wait: WaitForTextRequest = { pattern, ...waitOptions(request, context) };
      const result = await accepted(context, () => coordinator.waitForText(toRef(request), wait));
      const match = result.match === undefined ? {} : toMatch(result.match);
      return { matched: result.outcome === 'matched', ...match, ...waitEnd(result) };
    },
    async waitForIdle(request, context) {
      const options = {
        ...waitOptions(request, context),
        ...msField('quietMs', request.idleDuration),
      };
      const result = await accepted(context, () =>
        coordinator.waitForIdle(toRef(request), options),
      );
      return { idle: result.outcome === 'idle', ...waitEnd(result) };
    },
    async waitForExit(request, context) {
      const options = waitOptions(request, context);
      const result = await accepted(context, () =>
        coordinator.waitForExit(toRef(request), options),
      );
      return { end: toWaitEnd(result) };
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

const empty = () => ({});

const receipt = ({ lineCutAtBytes }: InputReceipt) =>
  lineCutAtBytes === null ? {} : { lineCutAtBytes };

const waitEnd = (result: WaitResult) => ({
  timedOut: result.outcome === 'timed_out',
  end: toWaitEnd(result),
});

const waitOptions = (
  request: { readonly timeout?: Parameters<typeof msField>[1] },
  { signal }: HandlerContext,
) => ({
  ...msField('timeoutMs', request.timeout),
  signal,
});

function unimplemented(message: string): never {
  throw new ConnectError(message, Code.Unimplemented);
}
