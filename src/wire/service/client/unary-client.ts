import type { MessageInitShape, MessageShape } from '@bufbuild/protobuf';
import {
  type Activity,
  type CancelSignal,
  type CommandList,
  type CommandListRequest,
  type CommandOutput,
  type CommandOutputRequest,
  type Coordinator,
  checkRenderFormat,
  checkSessionName,
  checkSignalName,
  checkSize,
  clampWaitMs,
  defaultWaitMs,
  type EndOptions,
  type ExitStatus,
  type KeyPress,
  type LabelChanges,
  type LinesRead,
  type ListRequest,
  type ReadLinesRequest,
  type ReadRequest,
  type ReadResult,
  type RemoveOptions,
  type ReviveRequest,
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
  type SpawnedSession,
  type SpawnRequest,
  VtrError,
  type WaitOptions,
  type WaitRequest,
  type WaitResult,
} from '#model';
import { fromActivity } from '../convert/activity.ts';
import {
  fromCommandList,
  fromCommandOutput,
  toCommandOutputFields,
  toListFields,
} from '../convert/command.ts';
import { fromSent, toKey, toSendFields } from '../convert/input.ts';
import { toLabelFields } from '../convert/labels.ts';
import { fromReadResult, toReadFields } from '../convert/read.ts';
import { fromRunResult, toRunFields } from '../convert/run.ts';
import { fromLines, fromScreen, toRange } from '../convert/screen.ts';
import { fromSearchResult, toSearchFields } from '../convert/search.ts';
import { fromExitStatus, fromSession } from '../convert/session.ts';
import { aboutSession, checked, toNamed } from '../convert/session-ref.ts';
import { toReviveFields, toSpawnMessage } from '../convert/spawn.ts';
import { fromWaitResult, toConditions } from '../convert/wait.ts';
import { enumOf } from '../convert/words.ts';
import type { VTR } from '../gen/vtr.gen.ts';

type Methods = (typeof VTR)['method'];

/** The calls with one request and one answer. */
export type UnaryMethod = {
  [Name in keyof Methods]: Methods[Name]['methodKind'] extends 'unary' ? Name : never;
}[keyof Methods];

export type RequestOf<Name extends UnaryMethod> = MessageInitShape<Methods[Name]['input']>;
export type AnswerOf<Name extends UnaryMethod> = MessageShape<Methods[Name]['output']>;

export interface UnaryOptions {
  /** Ends the call. */
  readonly signal?: AbortSignal;
  /** Longest duration of a successful call, in ms; 0 when absent. */
  readonly expectedMs?: number;
}

const cancelled = {
  wait: 'the wait was cancelled; the program is not affected',
  search: 'the search was cancelled',
} as const;

/**
 * The calls of a {@link Coordinator} that have one request and one answer. Subclasses implement the
 * transport. Values that proto3 cannot represent, such as half a column, are refused here with the
 * coordinator's message.
 */
export abstract class UnaryClient
  implements Omit<Coordinator, 'publish' | 'subscribe' | 'openLease' | 'close'>
{
  /** @throws VtrError of the coordinator, or UNAVAILABLE */
  protected abstract call<Name extends UnaryMethod>(
    method: Name,
    request: RequestOf<Name>,
    options?: UnaryOptions,
  ): Promise<AnswerOf<Name>>;

  async spawn(request: SpawnRequest): Promise<SpawnedSession> {
    const message = toSpawnMessage(request);
    const { wait } = request;
    const expectedMs = wait === undefined ? 0 : waitMs(wait);
    const call = (how: UnaryOptions) => this.call('spawn', message, { ...how, expectedMs });
    return fromSpawned(await cancellable(request.name ?? '(no name)', wait?.signal, 'wait', call));
  }

  async list({ activity = false }: ListRequest = {}): Promise<readonly SessionInfo[]> {
    return (await this.call('list', { activity })).sessions.map(fromSession);
  }

  async info(ref: SessionRef): Promise<SessionInfo> {
    return fromSession(present((await this.call('info', toNamed(ref))).session));
  }

  async rename(ref: SessionRef, name: string): Promise<SessionInfo> {
    const newName = checked(ref, () => checkSessionName(name));
    const { session } = await this.call('rename', { ...toNamed(ref), newName });
    return fromSession(present(session));
  }

  async setLabels(ref: SessionRef, changes: LabelChanges): Promise<SessionInfo> {
    const fields = checked(ref, () => toLabelFields(changes));
    const { session } = await this.call('setLabels', { ...toNamed(ref), ...fields });
    return fromSession(present(session));
  }

  /** Starts the program of an ended session again, in a new session of the same name. */
  async revive(ref: SessionRef, request: ReviveRequest = {}): Promise<SessionInfo> {
    const { session } = await this.call('revive', { ...toNamed(ref), ...toReviveFields(request) });
    return fromSession(present(session));
  }

  async sendText(
    ref: SessionRef,
    text: string,
    options: SendTextOptions = {},
  ): Promise<SendResult> {
    const paste = enumOf('PasteMode', options.paste);
    const request = { ...toSendFields(ref, options), text, paste };
    return this.#send(ref, options, (how) => this.call('sendText', request, how));
  }

  async sendKeys(
    ref: SessionRef,
    keys: readonly (string | KeyPress)[],
    options: SendOptions = {},
  ): Promise<SendResult> {
    const request = { ...toSendFields(ref, options), keys: keys.map(toKey) };
    return this.#send(ref, options, (how) => this.call('sendKey', request, how));
  }

  async sendBytes(
    ref: SessionRef,
    bytes: Uint8Array,
    options: SendOptions = {},
  ): Promise<SendResult> {
    // A copy: the caller may change its array as soon as this returns.
    const request = { ...toSendFields(ref, options), data: new Uint8Array(bytes) };
    return this.#send(ref, options, (how) => this.call('sendBytes', request, how));
  }

  async resize(ref: SessionRef, size: Size): Promise<void> {
    const { cols, rows } = checked(ref, () => checkSize(size));
    await this.call('resize', { ...toNamed(ref), cols, rows });
  }

  async kill(ref: SessionRef, signal: SignalName = 'TERM'): Promise<void> {
    const name = checked(ref, () => checkSignalName(signal));
    await this.call('kill', { ...toNamed(ref), signal: name });
  }

  async end(ref: SessionRef, { force = false }: EndOptions = {}): Promise<ExitStatus> {
    const { exitStatus } = await this.call('end', { ...toNamed(ref), force });
    return present(fromExitStatus(exitStatus));
  }

  async remove(ref: SessionRef, { force = false }: RemoveOptions = {}): Promise<ExitStatus> {
    const { exitStatus } = await this.call('remove', { ...toNamed(ref), force });
    return present(fromExitStatus(exitStatus));
  }

  async screen(ref: SessionRef, { format = 'text' }: ScreenRequest = {}): Promise<ScreenSnapshot> {
    const asked = enumOf(
      'RenderFormat',
      checked(ref, () => checkRenderFormat(format)),
    );
    return fromScreen(await this.call('getScreen', { ...toNamed(ref), format: asked }));
  }

  async readLines(ref: SessionRef, request: ReadLinesRequest = {}): Promise<LinesRead> {
    const { format = 'text' } = request;
    const fields = checked(ref, () => ({
      ...toRange(request),
      format: enumOf('RenderFormat', checkRenderFormat(format)),
    }));
    const answer = await this.call('readLines', { ...toNamed(ref), ...fields });
    return fromLines(answer, format === 'cells');
  }

  async search(ref: SessionRef, request: SearchRequest): Promise<SearchResult> {
    const fields = checked(ref, () => toSearchFields(request));
    const answer = await cancellable(ref, request.signal, 'search', (how) =>
      this.call('grep', { ...toNamed(ref), ...fields }, how),
    );
    return fromSearchResult(answer);
  }

  async read(ref: SessionRef, request: ReadRequest = {}): Promise<ReadResult> {
    const fields = checked(ref, () => toReadFields(request));
    return fromReadResult(await this.call('read', { ...toNamed(ref), ...fields }));
  }

  async wait(ref: SessionRef, request: WaitRequest = {}): Promise<WaitResult> {
    const wait = checked(ref, () => toConditions(request));
    const expectedMs = waitMs(request);
    const { result } = await cancellable(ref, request.signal, 'wait', (how) =>
      this.call('wait', { ...toNamed(ref), wait }, { ...how, expectedMs }),
    );
    return fromWaitResult(present(result));
  }

  async activity(ref: SessionRef): Promise<Activity> {
    return fromActivity(await this.call('getActivity', toNamed(ref)));
  }

  async commands(ref: SessionRef, request: CommandListRequest = {}): Promise<CommandList> {
    const fields = checked(ref, () => toListFields(request));
    return fromCommandList(await this.call('listCommands', { ...toNamed(ref), ...fields }));
  }

  async commandOutput(ref: SessionRef, request: CommandOutputRequest = {}): Promise<CommandOutput> {
    const fields = checked(ref, () => toCommandOutputFields(request));
    const answer = await this.call('getCommandOutput', { ...toNamed(ref), ...fields });
    return fromCommandOutput(answer, present(answer.command));
  }

  async run(ref: SessionRef, request: RunRequest): Promise<RunResult> {
    const fields = checked(ref, () => toRunFields(request));
    const expectedMs = waitMs(request);
    const answer = await cancellable(ref, request.signal, 'wait', (how) =>
      this.call('runCommand', { ...toNamed(ref), ...fields }, { ...how, expectedMs }),
    );
    return fromRunResult(answer);
  }

  async #send(
    ref: SessionRef,
    { timeoutMs, wait }: SendOptions,
    call: (how: UnaryOptions) => Promise<Parameters<typeof fromSent>[0]>,
  ): Promise<SendResult> {
    const expectedMs = clampWaitMs(timeoutMs, 0) + (wait === undefined ? 0 : waitMs(wait));
    const sent = await cancellable(ref, wait?.signal, 'wait', (how) =>
      call({ ...how, expectedMs }),
    );
    return fromSent(sent);
  }
}

const waitMs = ({ timeoutMs }: WaitOptions): number => clampWaitMs(timeoutMs, defaultWaitMs);

/**
 * Makes a call that `signal` ends.
 *
 * @throws VtrError CANCELLED
 */
async function cancellable<T>(
  ref: SessionRef,
  signal: CancelSignal | undefined,
  what: keyof typeof cancelled,
  call: (how: UnaryOptions) => Promise<T>,
): Promise<T> {
  // Short commands have no signal, and need not load AbortController.
  if (signal === undefined) return call({});
  const controller = new AbortController();
  const abort = () => controller.abort();
  const error = () => new VtrError('CANCELLED', aboutSession(ref, cancelled[what]));
  if (signal.aborted) throw error();
  signal.addEventListener('abort', abort);
  try {
    return await call({ signal: controller.signal });
  } catch (thrown) {
    throw controller.signal.aborted ? error() : thrown;
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** Converts the answer of a spawn. */
export function fromSpawned({ session, reused, wait }: AnswerOf<'spawn'>): SpawnedSession {
  const end = wait && { wait: fromWaitResult(wait) };
  return { ...fromSession(present(session)), ...(reused && { reused }), ...end };
}

/** A part of an answer that every server of this version sends. */
export function present<T>(part: T | null | undefined): T {
  if (part !== null && part !== undefined) return part;
  throw new VtrError('INTERNAL_ERROR', 'the answer of the coordinator lacks a part');
}
