import type { MetricFamily } from '#metrics';
import {
  isAddress,
  type JsonConnection,
  type ListRequest,
  maxWaitMs,
  type ReportRequest,
  type ReportResult,
  type SessionInfo,
  type SessionRef,
  type SharedLink,
  type ShareRequest,
  type TmuxAnswer,
  type TmuxControlAnswer,
  type TmuxRequest,
  type WebLink,
  type WebLogin,
  type WebRequest,
  type WebShare,
  type WebStatus,
} from '#model';
import type { AnswerOf, RequestOf, UnaryMethod } from '../client/asked-calls.ts';
import { foundNobody, type Recover } from '../client/continuity.ts';
import { listLimits } from '../client/pace.ts';
import { answeredMs, type IsStuck } from '../client/silence-limits.ts';
import { UnaryClient, type UnaryOptions } from '../client/unary-client.ts';
import { toReportFields } from '../convert/activity.ts';
import {
  type DaemonDescription,
  fromDaemon,
  fromSharedLink,
  fromTmuxAnswer,
  fromWebLink,
  fromWebLogin,
  fromWebShare,
  fromWebStatus,
  toShareFields,
  toTmuxFields,
  toWebFields,
} from '../convert/daemon.ts';
import { toNamed } from '../convert/driver.ts';
import { redactedAnswer, toInfoFields } from '../convert/read.ts';
import { fromSession } from '../convert/session.ts';
import type { HttpRequestOptions } from './http-request.ts';
import { readMetrics, unaryCall } from './unary-call.ts';

/** A hook must not delay its agent for longer, in ms. */
const reportMs = 2_000;

/** The limits of a call about the daemon itself, which waits for no session. */
const daemonLimits = { timeoutMs: 4_000, answerMs: 4_000 };

export interface ListWithSilentHosts {
  readonly sessions: readonly SessionInfo[];
  readonly silentHosts: number;
}

export interface JsonCoordinatorOptions {
  /** See {@link Continuity}; without it, no call is repeated. */
  readonly recover?: Recover;
  /** Called once, when a call finds nothing that listens; its failure is that of the call. */
  readonly start?: () => Promise<boolean>;
  /** See {@link IsStuck}. */
  readonly isStuck?: IsStuck;
  /** Whether ssh may ask a person. Default: whether one can answer here. */
  readonly mayPrompt?: boolean;
  /** The version of this client. */
  readonly version?: string;
  /** The coordinator itself, if it is in this process: then nothing is sent to the socket. */
  readonly service?: JsonConnection;
}

/**
 * A coordinator behind a socket or an address, for processes that make a call or two and exit. Where it can, it
 * loads no streams of Node. Each call is one HTTP request of JSON on its own connection, so calls are accepted in
 * the order in which they are received, not in the order in which they were made.
 */
export class JsonCoordinator extends UnaryClient {
  readonly socket: string;
  readonly #options: JsonCoordinatorOptions;
  #started: Promise<boolean> | null = null;

  constructor(socket: string, options: JsonCoordinatorOptions = {}) {
    super(options.recover ?? null, isAddress(socket));
    this.socket = socket;
    this.#options = options;
  }

  /** As `list`, with the number of PTY hosts that cannot be used: their sessions are not listed. */
  async listWithSilentHosts(request: ListRequest): Promise<ListWithSilentHosts> {
    const { sessions, silentHosts } = await this.call('list', toInfoFields(request), {
      effect: 'none',
    });
    return {
      sessions: sessions.map((each) => redactedAnswer(request, fromSession(each))),
      silentHosts: silentHosts ?? (await this.#silentHosts()),
    };
  }

  /** Those of a daemon whose version does not list them; 0 if that is unknown. */
  #silentHosts(): Promise<number> {
    return this.daemon().then(
      (daemon) => daemon.silentHosts,
      () => 0,
    );
  }

  /** Returns a description of the daemon. */
  async daemon(): Promise<DaemonDescription> {
    return fromDaemon(await this.#unary('describeDaemon', {}, daemonLimits, 'none'));
  }

  /** Returns what it tells Prometheus. No call is repeated. */
  metrics(): Promise<readonly MetricFamily[]> {
    const { isStuck = null } = this.#options;
    return readMetrics(this.socket, { ...daemonLimits, isStuck });
  }

  /** Resolves when the daemon has begun to stop. */
  async stopDaemon(): Promise<void> {
    await this.#unary('stopDaemon', {}, daemonLimits);
  }

  /**
   * Resolves when the daemon has begun to end, to whether a supervisor starts the next one. Its
   * sessions continue.
   *
   * @param program path of the command `vtr` that runs as the next daemon
   */
  async restartDaemon(program: string): Promise<{ readonly inForeground: boolean }> {
    const { inForeground } = await this.once('restartDaemon', { program });
    return { inForeground };
  }

  /** As `WebControls.start`. */
  async startWeb(request: WebRequest): Promise<WebLink> {
    return fromWebLink(await this.once('startWeb', toWebFields(request)));
  }

  /** As `report`, at a socket that is only for reports, with the key of a session. */
  async reportWithKey(key: string, request: ReportRequest): Promise<ReportResult> {
    const limits = { timeoutMs: reportMs, answerMs: reportMs };
    const { late } = await this.#unary('report', { key, ...toReportFields(request) }, limits);
    return { late };
  }

  async stopWeb(): Promise<void> {
    await this.once('stopWeb', {});
  }

  async webStatus(): Promise<WebStatus> {
    return fromWebStatus(await this.once('describeWeb', {}, { effect: 'none' }));
  }

  /** As `WebControls.share`. */
  async shareWeb(session: SessionRef, request: ShareRequest): Promise<SharedLink> {
    const message = { ...toNamed(session), ...toShareFields(request) };
    return fromSharedLink(await this.once('shareWeb', message));
  }

  async webShares(): Promise<readonly WebShare[]> {
    const { shares } = await this.once('listShares', {}, { effect: 'none' });
    return shares.map(fromWebShare);
  }

  async unshare(id: string): Promise<void> {
    await this.once('unshare', { id });
  }

  async webLogins(): Promise<readonly WebLogin[]> {
    const { logins } = await this.once('listLogins', {}, { effect: 'none' });
    return logins.map(fromWebLogin);
  }

  async endLogin(id: string): Promise<void> {
    await this.once('endLogin', { id });
  }

  /** As `TmuxCalls.run`. */
  async runTmux(request: TmuxRequest): Promise<TmuxAnswer> {
    // Some commands wait until they are told to go on.
    const waiting = { expectedMs: maxWaitMs };
    return fromTmuxAnswer(await this.once('runTmux', toTmuxFields(request), waiting));
  }

  /** As `TmuxCalls.control`. */
  async controlTmux(
    controlId: string,
    lines: readonly string[] | null,
  ): Promise<TmuxControlAnswer> {
    const message = { controlId, lines: [...(lines ?? [])], run: lines !== null };
    const { output, ended } = await this.once('controlTmux', message, { expectedMs: maxWaitMs });
    return { output, ended };
  }

  #unary<Name extends UnaryMethod>(
    method: Name,
    request: RequestOf<Name>,
    limits: Pick<HttpRequestOptions, 'timeoutMs' | 'answerMs' | 'maxBytes' | 'signal'>,
    effect: UnaryOptions['effect'] = 'each',
  ): Promise<AnswerOf<Name>> {
    const { isStuck = null, mayPrompt = true, version = '', service = null } = this.#options;
    const hasId = 'inputId' in request && request.inputId !== undefined;
    const mayRepeat = limits.timeoutMs <= answeredMs && (effect === 'none' || hasId);
    const options = { ...limits, isStuck, mayPrompt, mayRepeat, version, service };
    return unaryCall(this.socket, method, request, options);
  }

  protected async once<Name extends UnaryMethod>(
    method: Name,
    request: RequestOf<Name>,
    { expectedMs = 0, after, signal, effect }: UnaryOptions = {},
  ): Promise<AnswerOf<Name>> {
    if (after !== undefined) await after;
    const limits = {
      timeoutMs: expectedMs + answeredMs,
      signal,
      ...(method === 'list' && listLimits),
    };
    const call = () => this.#unary(method, request, limits, effect);
    const { start } = this.#options;
    if (start === undefined) return call();
    return call().catch(async (error) => {
      if (!foundNobody(error)) throw error;
      this.#started ??= start();
      if (!(await this.#started)) throw error;
      return call();
    });
  }
}
