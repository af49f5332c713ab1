import type { MessageInitShape, MessageShape } from '@bufbuild/protobuf';
import {
  type Activity,
  asVtrError,
  type CallerEnvironment,
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
  type DriverState,
  type EndOptions,
  type ExitStatus,
  type FileRecording,
  type FollowRequest,
  type FollowResult,
  followTimes,
  type GiveRequest,
  type KeyPress,
  type LabelChanges,
  type LinesRead,
  type ListRequest,
  type MouseInput,
  type ReadLinesRequest,
  type ReadMark,
  type ReadRequest,
  type ReadResult,
  type RemoveOptions,
  type ResizeOptions,
  type RevivedSession,
  type ReviveRequest,
  type RunRequest,
  type RunResult,
  type ScreenMatch,
  type ScreenRequest,
  type ScreenSnapshot,
  type SearchRequest,
  type SearchResult,
  type SendMouseOptions,
  type SendMouseResult,
  type SendOptions,
  type SendResult,
  type SendTextOptions,
  type SessionFrame,
  type SessionInfo,
  type SessionRef,
  type SignalName,
  type Size,
  type SpawnedSession,
  type SpawnRequest,
  type StartRecordingRequest,
  silentReason,
  type TakeRequest,
  VtrError,
  type WaitRequest,
  type WaitResult,
} from '#model';
import { field, present } from '../convert/field.ts';
import { fromSent, toKey, toSendFields } from '../convert/input.ts';
import { fromScreenMatches, toMouse } from '../convert/mouse.ts';
import {
  fromCommandList,
  fromCommandOutput,
  toCommandOutputFields,
  toListFields,
} from '../convert/output/command.ts';
import { fromFollowResult, toFollowFields } from '../convert/output/follow.ts';
import { fromFrame } from '../convert/output/frame.ts';
import { fromReadResult, toReadFields } from '../convert/output/read.ts';
import { fromFileRecording, toStartFields } from '../convert/output/recording.ts';
import { redactedAnswer, toInfoFields } from '../convert/output/redaction.ts';
import { fromRunResult, toRunFields } from '../convert/output/run.ts';
import { fromLines, fromScreen, toRange } from '../convert/output/screen.ts';
import { fromSearchResult, toSearchFields } from '../convert/output/search.ts';
import { fromWaitResult, toConditions } from '../convert/output/wait.ts';
import { fromActivity } from '../convert/sessions/activity.ts';
import { fromDriverState, toSenderFields, toTakeFields } from '../convert/sessions/driver.ts';
import { toLabelFields } from '../convert/sessions/labels.ts';
import { fromExitStatus, fromSession } from '../convert/sessions/session.ts';
import { aboutSession, checked, toNamed } from '../convert/sessions/session-ref.ts';
import { toReviveFields, toSpawnMessage } from '../convert/sessions/spawn.ts';
import { enumOf } from '../convert/words.ts';
import type { FileRecording as FileRecordingMessage, VTR } from '../gen/vtr.gen.ts';
import {
  Continuity,
  farPatience,
  hadNoEffect,
  isInterruption,
  nearPatience,
  type Recover,
} from './continuity.ts';
import { CallTime, newInputId, type Wait, waitAgain, waitMs } from './repeats.ts';

type Methods = (typeof VTR)['method'];

/** The calls with one request and one answer. */
export type UnaryMethod = {
  [Name in keyof Methods]: Methods[Name]['methodKind'] extends 'unary' ? Name : never;
}[keyof Methods];

export type RequestOf<Name extends UnaryMethod> = MessageInitShape<Methods[Name]['input']>;
export type AnswerOf<Name extends UnaryMethod> = MessageShape<Methods[Name]['output']>;

/** Returns the environment of a caller at the time of a call. */
export type CallerSource = () => CallerEnvironment;

/** How long a program may take to take a text that is submitted, in ms. */
const submitMs = 8_000;

export interface UnaryOptions {
  /** Ends the call. */
  readonly signal?: CancelSignal;
  /** Longest duration of a successful call, in ms; 0 when absent. */
  readonly expectedMs?: number;
  /** The call is made when this is fulfilled, before calls that are made later; it fails as this does. */
  readonly after?: Promise<unknown>;
}

const cancelled = {
  wait: 'the wait was cancelled; the program is not affected',
  search: 'the search was cancelled',
} as const;

/**
 * The calls that change something and have no id: they are repeated only if they did not reach the
 * coordinator.
 */
const unsafe: ReadonlySet<UnaryMethod> = new Set<UnaryMethod>([
  'rename',
  'setMarker',
  'startRecording',
  'stopRecording',
  'removeRecording',
  'setLabels',
  'resize',
  'kill',
  'end',
  'remove',
  'closeLease',
  'takeDriver',
  'giveDriver',
  'closeView',
]);

/**
 * The calls of a {@link Coordinator} that have one request and one answer. Subclasses implement the
 * transport. Values that proto3 cannot represent, such as half a column, are refused here with the
 * coordinator's message.
 *
 * If the coordinator is replaced while its sessions continue, calls are repeated: reads always; input,
 * spawns and runs by an id, so that they happen at most once; waits from the mark of the first try.
 */
export abstract class UnaryClient
  implements
    Omit<
      Coordinator,
      'record' | 'publish' | 'subscribe' | 'watchSessions' | 'openLease' | 'view' | 'close'
    >
{
  protected readonly continuity: Continuity;
  readonly #isFar: boolean;
  readonly #caller: CallerSource | null;

  /**
   * @param recover null: no call is repeated
   * @param isFar whether the coordinator is reached through another program
   * @param caller the environment of programs, for requests without one
   */
  constructor(recover: Recover | null, isFar: boolean, caller: CallerSource | null = null) {
    this.#isFar = isFar;
    this.#caller = caller;
    this.continuity = new Continuity(recover, isFar ? farPatience : nearPatience);
  }

  /** Makes a call once. @throws VtrError of the coordinator, or UNAVAILABLE */
  protected abstract once<Name extends UnaryMethod>(
    method: Name,
    request: RequestOf<Name>,
    options?: UnaryOptions,
  ): Promise<AnswerOf<Name>>;

  protected toSpawnMessage(request: SpawnRequest): RequestOf<'spawn'> {
    return toSpawnMessage(request);
  }

  async spawn(request: SpawnRequest): Promise<SpawnedSession> {
    const asked = { ...this.#withCaller(request), ...this.#idOf(request) };
    return this.#start(request.name ?? '(no name)', request.wait, async (left, how) => {
      const message = this.toSpawnMessage({ ...asked, ...left });
      return fromSpawned(await this.once('spawn', message, how));
    });
  }

  /**
   * Starts a program, and waits. The wait is for all output, so that it needs no mark.
   *
   * @param once makes the call with what is left of the wait
   */
  #start<T extends { readonly wait?: WaitResult }>(
    ref: SessionRef,
    wait: WaitRequest | undefined,
    once: (left: { readonly wait?: WaitRequest }, how: UnaryOptions) => Promise<T>,
  ): Promise<T> {
    const time = new CallTime();
    const call = (how: UnaryOptions) =>
      this.continuity.call(
        true,
        async (tries) => {
          const left = tries === 0 || wait === undefined ? wait : time.waitLeft(wait);
          const expectedMs = left === undefined ? 0 : waitMs(left);
          const started = await once(left ? { wait: left } : {}, { ...how, expectedMs });
          if (wait === undefined || started.wait === undefined) return started;
          redactedAnswer(wait, started.wait);
          if (tries === 0) return started;
          return { ...started, wait: time.whole(wait, started.wait) };
        },
        wait?.signal,
      );
    return cancellable(ref, wait?.signal, 'wait', call);
  }

  /** Adds the caller's environment, which is wrong on another machine. */
  #withCaller<T extends Pick<SpawnRequest, 'caller'>>(request: T): T {
    const { caller = this.#caller?.(), ...others } = request;
    return (caller === undefined || this.#isFar ? others : { caller, ...others }) as T;
  }

  async list(request: ListRequest = {}): Promise<readonly SessionInfo[]> {
    const fields = toInfoFields(request);
    const sessions = await this.continuity.call(true, () => this.listOnce(fields));
    for (const each of sessions) redactedAnswer(request, each);
    return sessions;
  }

  /** Makes the call of {@link list} once. @throws VtrError as {@link once} */
  protected async listOnce(request: RequestOf<'list'>): Promise<readonly SessionInfo[]> {
    const { sessions } = await this.once('list', request);
    return sessions.map(fromSession);
  }

  async info(ref: SessionRef, request: ListRequest = {}): Promise<SessionInfo> {
    const fields = { ...toNamed(ref), ...toInfoFields(request) };
    const { session } = await this.call('info', fields);
    return redactedAnswer(request, fromSession(present(session)));
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
  async revive(ref: SessionRef, request: ReviveRequest = {}): Promise<RevivedSession> {
    const asked = { ...this.#withCaller(request), ...this.#idOf(request) };
    return this.#start(ref, request.wait, async (left, how) => {
      const fields = checked(ref, () => toReviveFields({ ...asked, ...left }));
      return fromRevived(await this.once('revive', { ...toNamed(ref), ...fields }, how));
    });
  }

  async sendText(
    ref: SessionRef,
    text: string,
    options: SendTextOptions = {},
  ): Promise<SendResult> {
    const { submit } = options;
    const paste = enumOf('PasteMode', options.paste);
    return this.#send(ref, options, (fields, how) =>
      this.once('sendText', { ...fields, text, paste, ...(submit && { submit }) }, how),
    );
  }

  async sendKeys(
    ref: SessionRef,
    keys: readonly (string | KeyPress)[],
    options: SendOptions = {},
  ): Promise<SendResult> {
    const sent = keys.map(toKey);
    return this.#send(ref, options, (fields, how) =>
      this.once('sendKey', { ...fields, keys: sent }, how),
    );
  }

  async sendBytes(
    ref: SessionRef,
    bytes: Uint8Array,
    options: SendOptions = {},
  ): Promise<SendResult> {
    // A copy: the caller may change its array as soon as this returns.
    const data = new Uint8Array(bytes);
    return this.#send(ref, options, (fields, how) =>
      this.once('sendBytes', { ...fields, data }, how),
    );
  }

  async sendMouse(
    ref: SessionRef,
    given: readonly MouseInput[],
    { on, redact, ...options }: SendMouseOptions = {},
  ): Promise<SendMouseResult> {
    const events = given.map((event) => checked(ref, () => toMouse(event)));
    const asked = { ...field('on', on), ...field('redact', redact) };
    let found: readonly ScreenMatch[] | undefined;
    let redacted: number | undefined;
    const sent = await this.#send(ref, options, async (fields, how) => {
      const answer = await this.once('sendMouse', { ...fields, events, ...asked }, how);
      found = fromScreenMatches(answer.found);
      redacted = answer.redacted;
      return answer;
    });
    if (on === undefined) return sent;
    const answer = { ...sent, ...field('found', found), ...field('redacted', redacted) };
    return redactedAnswer(redact === undefined ? {} : { redact }, answer);
  }

  async sendFocus(
    ref: SessionRef,
    focused: boolean,
    options: SendOptions = {},
  ): Promise<SendResult> {
    return this.#send(ref, options, (fields, how) =>
      this.once('sendFocus', { ...fields, focused }, how),
    );
  }

  async resize(ref: SessionRef, size: Size, options: ResizeOptions = {}): Promise<void> {
    const { cols, rows } = checked(ref, () => checkSize(size));
    await this.call('resize', { ...toNamed(ref), cols, rows, ...toSenderFields(options) });
  }

  async take(ref: SessionRef, request: TakeRequest = {}): Promise<DriverState> {
    const { state } = await this.call('takeDriver', { ...toNamed(ref), ...toTakeFields(request) });
    return fromDriverState(present(state));
  }

  async give(ref: SessionRef, { note, epoch }: GiveRequest = {}): Promise<DriverState> {
    const fields = { ...field('note', note), ...field('epoch', epoch) };
    const { state } = await this.call('giveDriver', { ...toNamed(ref), ...fields });
    return fromDriverState(present(state));
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

  async setMarker(ref: SessionRef, label: string): Promise<void> {
    await this.call('setMarker', { ...toNamed(ref), label });
  }

  async startRecording(
    ref: SessionRef,
    request: StartRecordingRequest = {},
  ): Promise<FileRecording> {
    const fields = checked(ref, () => toStartFields(request));
    return recordingIn(await this.call('startRecording', { ...toNamed(ref), ...fields }));
  }

  async stopRecording(ref: SessionRef): Promise<FileRecording> {
    return recordingIn(await this.call('stopRecording', toNamed(ref)));
  }

  async recordings(): Promise<readonly FileRecording[]> {
    const { recordings } = await this.call('listRecordings', {});
    return recordings.map(fromFileRecording);
  }

  async removeRecording(id: string): Promise<void> {
    await this.call('removeRecording', { id });
  }

  async screen(ref: SessionRef, request: ScreenRequest = {}): Promise<ScreenSnapshot> {
    const { format = 'text', at, redact } = request;
    const asked = enumOf(
      'RenderFormat',
      checked(ref, () => checkRenderFormat(format)),
    );
    const fields = { format: asked, ...field('at', at), ...field('redact', redact) };
    const answer = await this.call('getScreen', { ...toNamed(ref), ...fields });
    return redactedAnswer(request, fromScreen(answer));
  }

  async frame(ref: SessionRef): Promise<SessionFrame> {
    const { session, frame } = await this.call('getFrame', toNamed(ref));
    return { info: fromSession(present(session)), frame: fromFrame(present(frame)) };
  }

  async readLines(ref: SessionRef, request: ReadLinesRequest = {}): Promise<LinesRead> {
    const { format = 'text' } = request;
    const fields = checked(ref, () => ({
      ...toRange(request),
      format: enumOf('RenderFormat', checkRenderFormat(format)),
      ...field('aboveScreen', request.aboveScreen),
      ...field('at', request.at),
      ...field('redact', request.redact),
    }));
    const answer = await this.call('readLines', { ...toNamed(ref), ...fields });
    return redactedAnswer(request, fromLines(answer, format === 'cells'));
  }

  async follow(ref: SessionRef, request: FollowRequest = {}): Promise<FollowResult> {
    const fields = checked(ref, () => toFollowFields(request));
    const { timeoutMs: expectedMs } = followTimes(request);
    const answer = await cancellable(ref, request.signal, 'wait', (how) =>
      this.call('follow', { ...toNamed(ref), ...fields }, { ...how, expectedMs }),
    );
    return redactedAnswer(request, fromFollowResult(answer));
  }

  async search(ref: SessionRef, request: SearchRequest): Promise<SearchResult> {
    const fields = checked(ref, () => toSearchFields(request));
    const answer = await cancellable(ref, request.signal, 'search', (how) =>
      this.call('grep', { ...toNamed(ref), ...fields }, how),
    );
    return redactedAnswer(request, fromSearchResult(answer));
  }

  async read(ref: SessionRef, request: ReadRequest = {}): Promise<ReadResult> {
    const fields = checked(ref, () => toReadFields(request));
    const answer = await this.call('read', { ...toNamed(ref), ...fields });
    return redactedAnswer(request, fromReadResult(answer));
  }

  async mark(ref: SessionRef): Promise<ReadMark> {
    return (await this.call('getMark', toNamed(ref))).mark;
  }

  async wait(ref: SessionRef, request: WaitRequest = {}): Promise<WaitResult> {
    const { signal, since: given } = request;
    const time = new CallTime();
    return cancellable(ref, signal, 'wait', (how) => {
      const before = given === undefined ? 'unknown' : null;
      return this.#fromMark(ref, before, signal, async (tries, since, marking) => {
        const wait: Wait = async (asked) => {
          const conditions = checked(ref, () => toConditions(asked));
          const fields = { ...toNamed(ref), wait: conditions };
          const options = { ...how, ...marking, expectedMs: waitMs(asked) };
          const { result } = await this.once('wait', fields, options);
          this.continuity.answered();
          return redactedAnswer(request, fromWaitResult(present(result)));
        };
        if (tries === 0) return wait(request);
        const left = time.waitLeft(request);
        const result =
          since === null ? await wait(left) : await waitAgain(wait, left, since, time.elapsedMs);
        return time.whole(request, result);
      });
    });
  }

  async activity(ref: SessionRef): Promise<Activity> {
    return fromActivity(await this.call('getActivity', toNamed(ref)));
  }

  async commands(ref: SessionRef, request: CommandListRequest = {}): Promise<CommandList> {
    const fields = checked(ref, () => toListFields(request));
    const answer = await this.call('listCommands', { ...toNamed(ref), ...fields });
    return redactedAnswer(request, fromCommandList(answer));
  }

  async commandOutput(ref: SessionRef, request: CommandOutputRequest = {}): Promise<CommandOutput> {
    const fields = checked(ref, () => toCommandOutputFields(request));
    const answer = await this.call('getCommandOutput', { ...toNamed(ref), ...fields });
    return redactedAnswer(request, fromCommandOutput(answer, present(answer.command)));
  }

  async run(ref: SessionRef, request: RunRequest): Promise<RunResult> {
    const { signal } = request;
    const asked = { ...request, ...this.#idOf(request) };
    const time = new CallTime();
    const run = (how: UnaryOptions) =>
      this.continuity.call(
        true,
        async (tries) => {
          const left = tries === 0 ? asked : time.waitLeft(asked);
          const fields = { ...toNamed(ref), ...checked(ref, () => toRunFields(left)) };
          const options = { ...how, expectedMs: waitMs(left) };
          const answer = await this.once('runCommand', fields, options);
          const result = redactedAnswer(request, fromRunResult(answer));
          return tries === 0 ? result : time.whole(request, result);
        },
        signal,
      );
    return cancellable(ref, signal, 'wait', run);
  }

  /** Makes a call without an id, and repeats it if that is safe. */
  protected call<Name extends UnaryMethod>(
    method: Name,
    request: RequestOf<Name>,
    options: UnaryOptions = {},
  ): Promise<AnswerOf<Name>> {
    const call = () => this.once(method, request, options);
    return this.continuity.call(!unsafe.has(method), call, options.signal);
  }

  /** @param call makes the call once */
  async #send(
    ref: SessionRef,
    options: SendTextOptions,
    call: (
      fields: ReturnType<typeof toSendFields>,
      how: UnaryOptions,
    ) => Promise<Parameters<typeof fromSent>[0]>,
  ): Promise<SendResult> {
    const { wait } = options;
    const first = { ...options, ...this.#idOf(options) };
    const time = new CallTime();
    const isMarked = wait === undefined || wait.since !== undefined;
    const before = isMarked ? null : (options.markBefore ?? 'unknown');
    const send = (how: UnaryOptions) =>
      this.#fromMark(ref, before, wait?.signal, async (tries, since, marking) => {
        const asked = tries === 0 ? first : time.sendLeft(first, since);
        const expectedMs =
          clampWaitMs(asked.timeoutMs, 0) +
          (asked.wait === undefined ? 0 : waitMs(asked.wait)) +
          (options.submit ? submitMs : 0);
        const sent = fromSent(
          await call(toSendFields(ref, asked), { ...how, ...marking, expectedMs }),
        );
        if (wait === undefined || sent.wait === undefined) return sent;
        redactedAnswer(wait, sent.wait);
        if (tries === 0) return sent;
        return { ...sent, mark: since ?? sent.mark, wait: time.whole(wait, sent.wait) };
      });
    const sent = cancellable(ref, wait?.signal, 'wait', send);
    return this.#isFar ? sent.catch(tellSent) : sent;
  }

  /**
   * Makes a call that can be repeated from the end of the output before its first try.
   *
   * @param before that mark, which is asked for if it is unknown; null for a call that needs none
   * @param attempt its second argument is that mark, when it is repeated; null when it is not. The call
   * has the options of the third
   */
  #fromMark<T>(
    ref: SessionRef,
    before: ReadMark | 'unknown' | null,
    signal: CancelSignal | undefined,
    attempt: (tries: number, since: ReadMark | null, marking: UnaryOptions) => Promise<T>,
  ): Promise<T> {
    let marking: Promise<ReadMark | null> | null = null;
    const call = async (tries: number) => {
      if (before !== 'unknown') return attempt(tries, tries === 0 ? null : before, {});
      const since = marking === null ? null : await marking.catch(() => null);
      if (since !== null || !this.continuity.repeats) return attempt(tries, since, {});
      // Without its mark, the call is not made. Of other failures, the call reports its own.
      marking = this.once('getMark', toNamed(ref)).then(
        ({ mark }) => {
          this.continuity.answered();
          return mark;
        },
        (error) => {
          // The call after it would wait as long for a coordinator that does not respond.
          if (isInterruption(error) || asVtrError(error).details['reason'] === silentReason)
            throw error;
          return null;
        },
      );
      // The attempt may fail before it waits for the mark.
      marking.catch(() => {});
      return attempt(tries, null, { after: marking });
    };
    return this.continuity.call(true, call, signal);
  }

  /** An id for a call that has none, if calls are repeated. */
  #idOf({ inputId }: { readonly inputId?: string }): { readonly inputId?: string } {
    return inputId === undefined && this.continuity.repeats ? { inputId: newInputId() } : {};
  }
}

/** Tells whether input was sent, if the connection broke. @throws VtrError */
function tellSent(thrown: unknown): never {
  const { code, message, details } = asVtrError(thrown);
  if (code !== 'UNAVAILABLE') throw thrown;
  const isUnsent = details['sent'] === 'no' || hadNoEffect(thrown);
  const sent = isUnsent && details['sent'] !== 'unknown' ? 'no' : 'unknown';
  const text = sent === 'no' ? 'nothing was sent' : 'whether the input was sent is unknown';
  throw new VtrError(code, `${message}; ${text}`, { cause: thrown, details: { ...details, sent } });
}

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
  if (signal === undefined) return call({});
  const error = () => new VtrError('CANCELLED', aboutSession(ref, cancelled[what]));
  if (signal.aborted) throw error();
  try {
    return await call({ signal });
  } catch (thrown) {
    throw signal.aborted ? error() : thrown;
  }
}

/** Converts the answer of a spawn. */
function fromSpawned({ session, reused, wait }: AnswerOf<'spawn'>): SpawnedSession {
  const end = wait && { wait: fromWaitResult(wait) };
  return { ...fromSession(present(session)), ...(reused && { reused }), ...end };
}

function fromRevived({ session, missingEnv, wait }: AnswerOf<'revive'>): RevivedSession {
  const end = wait && { wait: fromWaitResult(wait) };
  return { ...fromSession(present(session)), ...(missingEnv.length > 0 && { missingEnv }), ...end };
}

/** The recording of an answer. @throws VtrError UNAVAILABLE if it has none */
function recordingIn({
  recording,
}: {
  readonly recording?: FileRecordingMessage | undefined;
}): FileRecording {
  if (recording !== undefined) return fromFileRecording(recording);
  throw new VtrError('INTERNAL_ERROR', 'the answer of the coordinator has no recording');
}
