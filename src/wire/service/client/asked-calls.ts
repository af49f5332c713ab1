import type { MessageInitShape, MessageShape } from '@bufbuild/protobuf';
import { defined } from '#base';
import type * as wire from '#messages';
import {
  type CallName,
  type Coordinator,
  checkRecordingName,
  checkRenderFormat,
  checkSessionName,
  checkSignalName,
  checkSize,
  type FollowRequest,
  followTimes,
  type SessionCall,
} from '#model';
import { fromActivity, fromExplainedAgent, toReportFields } from '../convert/activity.ts';
import {
  fromCommandList,
  fromCommandOutput,
  toCommandOutputFields,
  toListFields,
} from '../convert/command.ts';
import { fromDriverState, toGiveFields, toSenderFields, toTakeFields } from '../convert/driver.ts';
import { enumOf, field, fieldsOf, present } from '../convert/field.ts';
import { fromFrame } from '../convert/frame.ts';
import { fromScreenMatches, fromSent, toKey, toMouse } from '../convert/input.ts';
import { toLabelFields } from '../convert/lifetime.ts';
import {
  fromFollowResult,
  fromReadResult,
  redactedAnswer,
  toFollowFields,
  toInfoFields,
  toReadFields,
} from '../convert/read.ts';
import { fromFileRecording, toStartFields } from '../convert/recording.ts';
import { fromRunResult, toRunFields } from '../convert/run.ts';
import { fromLines, fromScreen, toRange } from '../convert/screen.ts';
import { fromSearchResult, toSearchFields } from '../convert/search.ts';
import { fromExitStatus, fromSession } from '../convert/session.ts';
import { fromResumed, toReviveFields, toSpawnMessage } from '../convert/spawn.ts';
import { fromWaitResult, toConditions } from '../convert/wait.ts';

type Methods = (typeof wire.VTR)['method'];

/** The RPCs with one request and one answer. */
export type UnaryMethod = {
  [Name in keyof Methods]: Methods[Name]['methodKind'] extends 'unary' ? Name : never;
}[keyof Methods];

export type RequestOf<Name extends UnaryMethod> = MessageInitShape<Methods[Name]['input']>;
export type AnswerOf<Name extends UnaryMethod> = MessageShape<Methods[Name]['output']>;

/** The calls of a coordinator with one request and one answer. */
export type UnaryCall = Exclude<
  CallName,
  'record' | 'publish' | 'subscribe' | 'watchSessions' | 'openLease' | 'view' | 'close'
>;

/** The RPCs that have another name than their call. */
const renamed = {
  sendKeys: 'sendKey',
  screen: 'getScreen',
  frame: 'getFrame',
  mark: 'getMark',
  search: 'grep',
  activity: 'getActivity',
  commands: 'listCommands',
  commandOutput: 'getCommandOutput',
  recordings: 'listRecordings',
  run: 'runCommand',
  take: 'takeDriver',
  give: 'giveDriver',
} as const;

type Renamed = typeof renamed;

/** The RPC of a call. */
export type RpcOf<Name extends UnaryCall> = Name extends keyof Renamed
  ? Renamed[Name]
  : Name extends UnaryMethod
    ? Name
    : never;

export const rpcOf = <Name extends UnaryCall>(name: Name): RpcOf<Name> =>
  (Object.hasOwn(renamed, name) ? renamed[name as keyof Renamed] : name) as RpcOf<Name>;

type Others<Args extends readonly unknown[]> = Args extends readonly [unknown, ...infer Rest]
  ? Rest
  : never;

/** The arguments of a call, without its session. */
export type ArgumentsOf<Name extends UnaryCall> = Name extends SessionCall
  ? Others<Parameters<Coordinator[Name]>>
  : Parameters<Coordinator[Name]>;

export type ResultOf<Name extends UnaryCall> = Awaited<ReturnType<Coordinator[Name]>>;

/** How a client makes a call. */
interface AskedCall<Name extends UnaryCall> {
  /**
   * Returns the fields of the request besides the session's; of input, also besides the sender's and the wait.
   *
   * @throws VtrError for values that proto3 cannot represent
   */
  readonly ask: (...args: ArgumentsOf<Name>) => RequestOf<RpcOf<Name>>;
  readonly answer: (message: AnswerOf<RpcOf<Name>>, ...args: ArgumentsOf<Name>) => ResultOf<Name>;
}

const nothing = () => {};

/** A new call does not compile without its row here. */
export const askedCalls: { readonly [Name in UnaryCall]: AskedCall<Name> } = {
  spawn: {
    ask: toSpawnMessage,
    answer: ({ session, reused, wait }) => ({
      ...fromSession(present(session)),
      ...defined({ reused: reused || undefined }),
      ...field('wait', wait && fromWaitResult(wait)),
    }),
  },
  revive: {
    ask: (request = {}) => toReviveFields(request),
    answer: ({ session, missingEnv, resumed, wait }) => ({
      ...fromSession(present(session)),
      ...(missingEnv.length > 0 && { missingEnv }),
      ...field('resumed', resumed && fromResumed(resumed)),
      ...field('wait', wait && fromWaitResult(wait)),
    }),
  },
  list: {
    ask: (request = {}) => toInfoFields(request),
    answer: ({ sessions }) => sessions.map(fromSession),
  },
  info: { ask: (request = {}) => toInfoFields(request), answer: sessionIn },
  rename: { ask: (name) => ({ newName: checkSessionName(name) }), answer: sessionIn },
  setLabels: { ask: toLabelFields, answer: sessionIn },
  report: { ask: toReportFields, answer: ({ late }) => ({ late }) },

  sendText: {
    ask: (text, { paste, submit, draft, queue, answer, question } = {}) => ({
      text,
      paste: enumOf('PasteMode', paste),
      ...defined({
        submit: submit || undefined,
        replaceDraft: draft === 'replace' || undefined,
        queue: queue || undefined,
        answer: answer || undefined,
        question,
      }),
    }),
    answer: fromSent,
  },
  sendKeys: { ask: (keys) => ({ keys: keys.map(toKey) }), answer: fromSent },
  // A copy: the caller may change its array as soon as the call returns.
  sendBytes: { ask: (bytes) => ({ data: new Uint8Array(bytes) }), answer: fromSent },
  sendMouse: {
    ask: (events, { on, redact } = {}) => ({
      events: events.map(toMouse),
      ...defined({ on, redact }),
    }),
    answer: (message, _events, { on, redact } = {}) => {
      const result = fromSent(message);
      if (on === undefined) return result;
      const matches = fromScreenMatches(message.found);
      const answer = { ...result, matches, ...field('redacted', message.redacted) };
      return redactedAnswer(field('redact', redact), answer);
    },
  },
  sendFocus: { ask: (focused) => ({ focused }), answer: fromSent },
  resize: {
    ask: (size, options = {}) => {
      const { cols, rows } = checkSize(size);
      return { cols, rows, ...toSenderFields(options) };
    },
    answer: nothing,
  },
  kill: { ask: (signal = 'TERM') => ({ signal: checkSignalName(signal) }), answer: nothing },
  end: { ask: ({ force = false } = {}) => ({ force }), answer: statusIn },
  remove: {
    ask: ({ force = false, keepsWork = false } = {}) => ({ force, keepsWork }),
    answer: statusIn,
  },

  screen: {
    ask: ({ format = 'text', at, redact } = {}) => ({
      format: enumOf('RenderFormat', checkRenderFormat(format)),
      ...defined({ at, redact }),
    }),
    answer: fromScreen,
  },
  frame: {
    ask: () => ({}),
    answer: ({ session, frame }) => ({
      info: fromSession(present(session)),
      frame: fromFrame(present(frame)),
    }),
  },
  readLines: {
    ask: ({ format = 'text', aboveScreen, at, redact, ...range } = {}) => ({
      ...toRange(range),
      format: enumOf('RenderFormat', checkRenderFormat(format)),
      ...defined({ aboveScreen, at, redact }),
    }),
    answer: (message, { format } = {}) => fromLines(message, format === 'cells'),
  },
  follow: { ask: (request = {}) => toFollowFields(request), answer: fromFollowResult },
  search: { ask: toSearchFields, answer: fromSearchResult },
  read: { ask: (request = {}) => toReadFields(request), answer: fromReadResult },
  mark: { ask: () => ({}), answer: ({ mark }) => mark },
  wait: {
    ask: (request = {}) => ({ wait: toConditions(request) }),
    answer: ({ result }) => fromWaitResult(present(result)),
  },
  activity: { ask: () => ({}), answer: fromActivity },
  explainAgent: {
    ask: (request = {}) => fieldsOf(request, 'kind', 'redact'),
    answer: (message, request = {}) => redactedAnswer(request, fromExplainedAgent(message)),
  },
  commands: { ask: (request = {}) => toListFields(request), answer: fromCommandList },
  commandOutput: {
    ask: (request = {}) => toCommandOutputFields(request),
    answer: (message) => fromCommandOutput(message, present(message.command)),
  },
  run: { ask: toRunFields, answer: fromRunResult },

  setMarker: { ask: (label) => ({ label }), answer: nothing },
  startRecording: { ask: (request = {}) => toStartFields(request), answer: recordingIn },
  stopRecording: { ask: () => ({}), answer: recordingIn },
  recordings: {
    ask: () => ({}),
    answer: ({ recordings }) => recordings.map(fromFileRecording),
  },
  renameRecording: {
    ask: (id, name) => ({ id, newName: checkRecordingName(name) }),
    answer: recordingIn,
  },
  removeRecording: { ask: (id) => ({ id }), answer: nothing },

  take: { ask: (request = {}) => toTakeFields(request), answer: stateIn },
  give: {
    ask: (request = {}) => toGiveFields(request),
    answer: stateIn,
  },
};

function sessionIn({ session }: { readonly session?: wire.Session | undefined }) {
  return fromSession(present(session));
}

function statusIn({ exitStatus }: { readonly exitStatus?: wire.ExitStatus | undefined }) {
  return present(fromExitStatus(exitStatus));
}

function stateIn({ state }: { readonly state?: wire.DriverState | undefined }) {
  return fromDriverState(present(state));
}

function recordingIn({ recording }: { readonly recording?: wire.FileRecording | undefined }) {
  return fromFileRecording(present(recording));
}

/** Longest duration of a call besides that of its transport, in ms. */
export const expectedMsOf = (name: UnaryCall, request: object): number =>
  name === 'follow' ? followTimes(request as FollowRequest).timeoutMs : 0;
