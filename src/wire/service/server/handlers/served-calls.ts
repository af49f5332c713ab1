import type { MessageInitShape, MessageShape } from '@bufbuild/protobuf';
import type { HandlerContext } from '@connectrpc/connect';
import { defined } from '#base';
import type { VTR } from '#messages';
import {
  type Coordinator,
  callByName,
  isSessionCall,
  type SessionInfo,
  type SignalName,
} from '#model';
import {
  type ArgumentsOf,
  type ResultOf,
  type RpcOf,
  rpcOf,
  type UnaryCall,
} from '../../client/asked-calls.ts';
import { fromReportRequest, toActivity, toExplainedAgent } from '../../convert/activity.ts';
import { fromCommandOutputRequest, toCommandList, toCommandOutput } from '../../convert/command.ts';
import {
  fromGiveFields,
  fromNamed,
  fromSenderFields,
  fromTakeFields,
  type Named,
  toDriverState,
} from '../../convert/driver.ts';
import { field, fieldsOf, wordOf } from '../../convert/field.ts';
import { toFrame } from '../../convert/frame.ts';
import { fromKeys, fromMouse, fromSendFields, toSent } from '../../convert/input.ts';
import { fromLabelFields } from '../../convert/lifetime.ts';
import {
  fromFollowRequest,
  fromReadRequest,
  toFollowResult,
  toReadResult,
} from '../../convert/read.ts';
import { fromStartFields, toFileRecording } from '../../convert/recording.ts';
import { fromRunRequest, toRunResult } from '../../convert/run.ts';
import { fromRange, toLines, toScreen } from '../../convert/screen.ts';
import { fromSearchRequest, toSearchResult } from '../../convert/search.ts';
import { toExitStatus, toSession } from '../../convert/session.ts';
import { fromReviveMessage, fromSpawnMessage, toRevived, toSpawned } from '../../convert/spawn.ts';
import { fromConditions, toWaitResult } from '../../convert/wait.ts';
import { accepted, type Handlers } from '../limits/accepted.ts';
import { checkClient } from '../limits/late-calls.ts';
import { markKey } from '../limits/served-connection.ts';

type Methods = (typeof VTR)['method'];

/** How the service makes a call of the coordinator. */
interface ServedCall<Name extends UnaryCall> {
  /** Returns the arguments of the call without its session. */
  readonly from: (
    message: MessageShape<Methods[RpcOf<Name>]['input']>,
    context: HandlerContext,
  ) => ArgumentsOf<Name>;
  readonly to: (
    result: ResultOf<Name>,
    message: MessageShape<Methods[RpcOf<Name>]['input']>,
  ) => MessageInitShape<Methods[RpcOf<Name>]['output']>;
}

/** The options of input. A client that waits learns the mark before it, if its connection can tell it. */
function inputFields(message: Parameters<typeof fromSendFields>[0], context: HandlerContext) {
  const onMark = message.wait === undefined ? null : context.values.get(markKey);
  return {
    ...fromSendFields(message, context.signal),
    ...defined({ onMark: onMark ?? undefined }),
  };
}

const nothing = () => ({});
const inSession = (session: SessionInfo) => ({ session: toSession(session) });

/** The counterpart of `askedCalls`. A new call does not compile without its row here. */
const servedCalls: { readonly [Name in Exclude<UnaryCall, 'list'>]: ServedCall<Name> } = {
  spawn: { from: (message, { signal }) => [fromSpawnMessage(message, signal)], to: toSpawned },
  revive: { from: (message, { signal }) => [fromReviveMessage(message, signal)], to: toRevived },
  info: {
    from: ({ activity, redact }) => [{ activity, ...field('redact', redact) }],
    to: inSession,
  },
  rename: { from: ({ newName }) => [newName], to: inSession },
  setLabels: { from: (message) => [fromLabelFields(message)], to: inSession },
  report: { from: (message) => [fromReportRequest(message)], to: ({ late }) => ({ late }) },

  sendText: {
    from: (message, context) => [
      message.text,
      {
        ...inputFields(message, context),
        ...fieldsOf(message, 'submit', 'queue', 'answer', 'question'),
        ...(message.replaceDraft ? { draft: 'replace' as const } : {}),
        paste: wordOf('PasteMode', message.paste) ?? 'never',
      },
    ],
    to: toSent,
  },
  sendKeys: {
    from: (message, context) => [fromKeys(message), inputFields(message, context)],
    to: toSent,
  },
  sendBytes: {
    from: (message, context) => [message.data, inputFields(message, context)],
    to: toSent,
  },
  sendMouse: {
    from: (message, context) => [
      message.events.map(fromMouse),
      {
        ...inputFields(message, context),
        ...fieldsOf(message, 'on', 'redact'),
      },
    ],
    to: (result) => ({
      ...toSent(result),
      found: [...(result.matches ?? [])],
      ...field('redacted', result.redacted),
    }),
  },
  sendFocus: {
    from: (message, context) => [message.focused, inputFields(message, context)],
    to: toSent,
  },
  resize: {
    from: ({ cols, rows, ...sender }) => [{ cols, rows }, fromSenderFields(sender)],
    to: nothing,
  },
  // The coordinator refuses unknown names.
  kill: { from: ({ signal }) => (signal === '' ? [] : [signal as SignalName]), to: nothing },
  end: {
    from: ({ force }) => [{ force }],
    to: (status) => ({ exitStatus: toExitStatus(status) }),
  },
  remove: {
    from: ({ force, keepsWork }) => [{ force, keepsWork }],
    to: (status) => ({ exitStatus: toExitStatus(status) }),
  },

  screen: {
    from: ({ format, at, redact }) => [
      {
        format: wordOf('RenderFormat', format) ?? 'cells',
        ...defined({ at, redact }),
      },
    ],
    to: (screen, { name }) => toScreen(name, screen),
  },
  frame: {
    from: () => [],
    to: ({ info, frame }) => ({ session: toSession(info), frame: toFrame(info.id, frame) }),
  },
  readLines: {
    from: ({ format, at, redact, aboveScreen, ...range }) => [
      {
        format: wordOf('RenderFormat', format) ?? 'text',
        ...fromRange(range),
        ...defined({ aboveScreen, at, redact }),
      },
    ],
    to: toLines,
  },
  follow: {
    from: (message, { signal }) => [{ ...fromFollowRequest(message), signal }],
    to: toFollowResult,
  },
  search: {
    from: (message, { signal }) => [{ ...fromSearchRequest(message), signal }],
    to: toSearchResult,
  },
  read: { from: (message) => [fromReadRequest(message)], to: toReadResult },
  mark: { from: () => [], to: (mark) => ({ mark }) },
  wait: {
    from: ({ wait }, { signal }) => [{ ...fromConditions(wait), signal }],
    to: (result) => ({ result: toWaitResult(result) }),
  },
  activity: { from: () => [], to: toActivity },
  explainAgent: {
    from: (message) => [fieldsOf(message, 'kind', 'redact')],
    to: toExplainedAgent,
  },
  commands: {
    from: ({ last, redact }) => [{ ...field('last', last), ...field('redact', redact) }],
    to: toCommandList,
  },
  commandOutput: { from: (message) => [fromCommandOutputRequest(message)], to: toCommandOutput },
  run: {
    from: (message, context) => [
      {
        ...fromRunRequest(message),
        signal: context.signal,
        beforeTyping: () => checkClient(context),
      },
    ],
    to: toRunResult,
  },

  setMarker: { from: ({ label }) => [label], to: nothing },
  startRecording: {
    from: (message) => [fromStartFields(message)],
    to: (recording) => ({ recording: toFileRecording(recording) }),
  },
  stopRecording: {
    from: () => [],
    to: (recording) => ({ recording: toFileRecording(recording) }),
  },
  recordings: {
    from: () => [],
    to: (recordings) => ({ recordings: recordings.map(toFileRecording) }),
  },
  renameRecording: {
    from: ({ id, newName }) => [id, newName],
    to: (recording) => ({ recording: toFileRecording(recording) }),
  },
  removeRecording: { from: ({ id }) => [id], to: nothing },

  take: {
    from: (message) => [fromTakeFields(message)],
    to: (state) => ({ state: toDriverState(state) }),
  },
  give: {
    from: (message) => [fromGiveFields(message)],
    to: (state) => ({ state: toDriverState(state) }),
  },
};

interface AnyCall {
  from(message: unknown, context: HandlerContext): readonly unknown[];
  to(result: unknown, message: unknown): object;
}

/** Handles the calls with one request and one answer: converts the request, calls, converts the answer. */
export function unaryHandlers(coordinator: Coordinator): Handlers<RpcOf<keyof typeof servedCalls>> {
  const rows = Object.entries(servedCalls) as unknown as readonly [
    keyof typeof servedCalls,
    AnyCall,
  ][];
  const handlers = rows.map(([name, { from, to }]) => {
    const handle = async (message: Named, context: HandlerContext) => {
      const call = async () => {
        const args = from(message, context);
        const all = isSessionCall(name) ? [fromNamed(message), ...args] : args;
        return callByName(coordinator, name, all);
      };
      return to(await accepted(context, call), message);
    };
    return [rpcOf(name), handle];
  });
  return Object.fromEntries(handlers);
}
