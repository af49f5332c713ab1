import {
  type Activity,
  type CommandList,
  type CommandListRequest,
  type CommandOutput,
  type CommandOutputRequest,
  type Coordinator,
  clampWaitMs,
  defaultWaitMs,
  type EndOptions,
  type ExitStatus,
  type KeyPress,
  type LinesRead,
  type ReadLinesRequest,
  type ReadRequest,
  type ReadResult,
  type RemoveOptions,
  type RunRequest,
  type RunResult,
  type ScreenRequest,
  type ScreenSnapshot,
  type SearchRequest,
  type SearchResult,
  type SendOptions,
  type SendResult,
  type SendTextOptions,
  type SessionInfo,
  type SessionRef,
  type SignalName,
  type Size,
  type SpawnRequest,
  type WaitOptions,
  type WaitRequest,
  type WaitResult,
} from '#model';
import {
  durationOf,
  enumName,
  exitStatusFrom,
  linesFrom,
  screenFrom,
  searchResultFrom,
  sessionFrom,
} from './convert.ts';
import {
  activityFrom,
  commandListFrom,
  commandOutputFrom,
  readFrom,
  runFrom,
  waitFrom,
} from './convert-answers.ts';
import { budgetOf, choiceOf, conditionsOf, endsOf } from './convert-requests.ts';
import type {
  DaemonMessage,
  ExitStatusMessage,
  GrepMessage,
  LinesMessage,
  ScreenMessage,
  SentMessage,
  SessionMessage,
  WaitMessage,
} from './messages.ts';
import { type Json, unaryCall } from './unary-call.ts';

/** How long a coordinator may take that answers as soon as it can, in ms. */
const answerMs = 30_000;

/** As `SpawnRequest`, or with a command line instead of a program. */
export interface CommandRequest extends SpawnRequest {
  /** A program, or a line for the shell when it has more than one word. */
  readonly command?: string;
}

export interface DaemonFacts {
  readonly version: string;
  readonly pid: number;
  readonly startedAtMs: number;
  readonly socket: string;
}

/**
 * A coordinator behind a socket, for who makes a call or two and is gone: a connection a call, plain
 * JSON, and nothing to load but Node's HTTP client. Calls are accepted in the order in which they
 * arrive, which is not that in which they were made.
 */
export class JsonCoordinator
  implements Omit<Coordinator, 'publish' | 'subscribe' | 'openLease' | 'close'>
{
  readonly socket: string;

  constructor(socket: string) {
    this.socket = socket;
  }

  async spawn(request: CommandRequest): Promise<SessionInfo> {
    const { name, command, program, args, cwd, env, environment, size, shellIntegration } = request;
    const { lease, scrollbackLines, rawBytes } = request;
    const answer = await this.#call('Spawn', {
      name,
      command,
      workingDir: cwd,
      inDaemonDir: cwd === undefined,
      env,
      cols: size?.cols,
      rows: size?.rows,
      program,
      args,
      environment: enumName('ENVIRONMENT_MODE', environment),
      shellIntegration,
      ...endsOf(request),
      leaseId: lease,
      scrollbackLines,
      rawBytes,
    });
    return sessionFrom(answer['session'] as SessionMessage);
  }

  async list(): Promise<readonly SessionInfo[]> {
    const { sessions = [] } = await this.#call('List', {});
    return (sessions as readonly SessionMessage[]).map(sessionFrom);
  }

  async info(session: SessionRef): Promise<SessionInfo> {
    const answer = await this.#call('Info', refOf(session));
    return sessionFrom(answer['session'] as SessionMessage);
  }

  async sendText(
    session: SessionRef,
    text: string,
    options: SendTextOptions = {},
  ): Promise<SendResult> {
    const paste = enumName('PASTE_MODE', options.paste);
    return this.#send('SendText', { ...refOf(session), text, paste }, options);
  }

  async sendKeys(
    session: SessionRef,
    keys: readonly (string | KeyPress)[],
    options: SendOptions = {},
  ): Promise<SendResult> {
    const given = keys.map((key) =>
      typeof key === 'string' ? { shortForm: key } : { press: key },
    );
    return this.#send('SendKey', { ...refOf(session), keys: given }, options);
  }

  async sendBytes(
    session: SessionRef,
    bytes: Uint8Array,
    options: SendOptions = {},
  ): Promise<SendResult> {
    const data = Buffer.from(bytes).toString('base64');
    return this.#send('SendBytes', { ...refOf(session), data }, options);
  }

  async resize(session: SessionRef, { cols, rows }: Size): Promise<void> {
    await this.#call('Resize', { ...refOf(session), cols, rows });
  }

  async kill(session: SessionRef, signal?: SignalName): Promise<void> {
    await this.#call('Kill', { ...refOf(session), signal });
  }

  async end(session: SessionRef, { force }: EndOptions = {}): Promise<ExitStatus> {
    const { exitStatus } = await this.#call('End', { ...refOf(session), force });
    return exitStatusFrom(exitStatus as ExitStatusMessage) ?? { code: 0, signal: null };
  }

  async remove(session: SessionRef, { force }: RemoveOptions = {}): Promise<ExitStatus> {
    const { exitStatus } = await this.#call('Remove', { ...refOf(session), force });
    return exitStatusFrom(exitStatus as ExitStatusMessage) ?? { code: 0, signal: null };
  }

  async screen(
    session: SessionRef,
    { format = 'text' }: ScreenRequest = {},
  ): Promise<ScreenSnapshot> {
    const request = { ...refOf(session), format: enumName('RENDER_FORMAT', format) };
    return screenFrom((await this.#call('GetScreen', request)) as ScreenMessage);
  }

  async readLines(session: SessionRef, request: ReadLinesRequest = {}): Promise<LinesRead> {
    const { from, to, format = 'text' } = request;
    const asked = { ...refOf(session), from, to, format: enumName('RENDER_FORMAT', format) };
    return linesFrom((await this.#call('ReadLines', asked)) as LinesMessage);
  }

  async search(session: SessionRef, request: SearchRequest): Promise<SearchResult> {
    const { pattern, before, after, maxMatches, from, to, command } = request;
    const answer = await this.#call('Grep', {
      ...refOf(session),
      pattern,
      contextBefore: before,
      contextAfter: after,
      maxMatches,
      from,
      to,
      command: command && choiceOf(command),
    });
    return searchResultFrom(answer as GrepMessage);
  }

  async read(session: SessionRef, request: ReadRequest = {}): Promise<ReadResult> {
    const { since, format } = request;
    const answer = await this.#call('Read', {
      ...refOf(session),
      since,
      format: enumName('OUTPUT_FORMAT', format),
      budget: budgetOf(request),
    });
    return readFrom(answer);
  }

  async wait(session: SessionRef, request: WaitRequest = {}): Promise<WaitResult> {
    const asked = { ...refOf(session), wait: conditionsOf(request) };
    const { result = {} } = await this.#call('Wait', asked, waitMs(request) + answerMs);
    return waitFrom(result as WaitMessage);
  }

  async activity(session: SessionRef): Promise<Activity> {
    return activityFrom(await this.#call('GetActivity', refOf(session)));
  }

  async commands(session: SessionRef, { last }: CommandListRequest = {}): Promise<CommandList> {
    return commandListFrom(await this.#call('ListCommands', { ...refOf(session), last }));
  }

  async commandOutput(
    session: SessionRef,
    request: CommandOutputRequest = {},
  ): Promise<CommandOutput> {
    const answer = await this.#call('GetCommandOutput', {
      ...refOf(session),
      command: choiceOf(request.command ?? 'last'),
      format: enumName('OUTPUT_FORMAT', request.format),
      budget: budgetOf(request),
    });
    return commandOutputFrom(answer);
  }

  async run(session: SessionRef, request: RunRequest): Promise<RunResult> {
    const { line, promptPattern } = request;
    const limitMs = waitMs(request);
    const asked = {
      ...refOf(session),
      line,
      promptPattern,
      timeout: durationOf(limitMs),
      budget: budgetOf(request),
    };
    return runFrom(await this.#call('RunCommand', asked, limitMs + answerMs));
  }

  /** The process behind the socket. */
  async daemon(): Promise<DaemonFacts> {
    const message: DaemonMessage = await this.#call('DescribeDaemon', {});
    return {
      version: message.version ?? '',
      pid: message.pid ?? 0,
      startedAtMs: Date.parse(message.startedAt ?? ''),
      socket: message.socketPath ?? this.socket,
    };
  }

  /** Resolves when the daemon has begun to end. */
  async stopDaemon(): Promise<void> {
    await this.#call('StopDaemon', {});
  }

  async #send(method: string, request: Json, options: SendOptions): Promise<SendResult> {
    const { timeoutMs, wait } = options;
    const asked = {
      ...request,
      timeout: timeoutMs === undefined ? undefined : durationOf(clampWaitMs(timeoutMs, 0)),
      wait: wait && conditionsOf(wait),
    };
    const limitMs = clampWaitMs(timeoutMs, 0) + (wait === undefined ? 0 : waitMs(wait));
    const sent: SentMessage = await this.#call(method, asked, limitMs + answerMs);
    const { mark = '', wait: end, ...receipt } = sent;
    return { mark, ...receipt, ...(end === undefined ? {} : { wait: waitFrom(end) }) };
  }

  #call(method: string, request: Json, timeoutMs = answerMs): Promise<Json> {
    return unaryCall(this.socket, method, request, timeoutMs);
  }
}

const waitMs = ({ timeoutMs }: WaitOptions): number => clampWaitMs(timeoutMs, defaultWaitMs);

function refOf(session: SessionRef): Json {
  return typeof session === 'string'
    ? { name: session }
    : { name: session.name, sessionId: session.id };
}
