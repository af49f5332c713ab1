import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { defined } from '#base';
import * as wire from '#messages';
import {
  type SubscribeEvent,
  SubscribeEventSchema,
  type SubscribeRequest as SubscribeMessage,
} from '#messages';
import {
  type ClipboardEvent,
  type CwdEvent,
  checkScrollbackLines,
  checkWaitingBytes,
  type ExitStatus,
  type MarkEvent,
  type MarkKind,
  type NotificationEvent,
  notificationCodes,
  type ProgressEvent,
  type ScreenPlace,
  type SubscribeRequest,
  type SubscriptionEvent,
} from '#model';
import { fromAgent, toAgent } from './activity.ts';
import {
  fromAgentCommand,
  fromCommand,
  fromCommandList,
  toAgentCommand,
  toCommand,
  toCommandList,
} from './command.ts';
import { enumOf, field, fromTimestamp, toTimestamp, wordOf } from './field.ts';
import { fromPosition, toPosition } from './read.ts';
import { exitCodeOf, fromExitStatus, toExitStatus } from './session.ts';

type EventField = NonNullable<MessageInitShape<typeof SubscribeEventSchema>['event']>;

export function toEvent(event: SubscriptionEvent, field = fieldOf(event)): SubscribeEvent {
  return create(SubscribeEventSchema, {
    event: field,
    revision: BigInt(event.revision),
    at: toTimestamp(event.atMs),
  });
}

function fieldOf(event: SubscriptionEvent): EventField {
  switch (event.type) {
    case 'snapshot': {
      const { size, dump, firstLine, offset } = event;
      const value = { ...size, dump, firstLine: BigInt(firstLine), offset: BigInt(offset) };
      return { case: 'state', value };
    }
    case 'output':
      return { case: 'output', value: { data: event.bytes, offset: BigInt(event.offset) } };
    case 'resize':
      return { case: 'resize', value: { ...event.size, ...toErased(event.erasedFrom) } };
    case 'title':
      return { case: 'title', value: { title: event.title } };
    case 'bell':
      return { case: 'bell', value: { count: event.count } };
    case 'agent':
      return { case: 'agent', value: event.agent === null ? {} : { agent: toAgent(event.agent) } };
    case 'commands':
      return { case: 'commands', value: toCommandList(event.list) };
    case 'command':
      return {
        case: 'command',
        value: { by: { case: 'shell', value: toCommand(event.command) } },
      };
    case 'agentCommand':
      return {
        case: 'command',
        value: { by: { case: 'agent', value: toAgentCommand(event.command) } },
      };
    case 'exit':
      return { case: 'sessionExited', value: toExited(event.status) };
    default:
      return placedField(event);
  }
}

const toErased = (place: ScreenPlace | undefined) =>
  place === undefined ? {} : { erasedRow: place.row, erasedCol: place.col };

const toExited = (status: ExitStatus) => ({
  exitCode: exitCodeOf(status),
  exitStatus: toExitStatus(status),
});

/** Null for events that `Coordinator.subscribe` does not have, and for those of a later version. */
export function fromEvent({ event, revision, at }: SubscribeEvent): SubscriptionEvent | null {
  const stamp = { revision: Number(revision), atMs: fromTimestamp(at) };
  switch (event.case) {
    case 'state': {
      const { cols, rows, dump, firstLine, offset } = event.value;
      const numbers = { firstLine: Number(firstLine), offset: Number(offset) };
      return { type: 'snapshot', ...stamp, size: { cols, rows }, dump, ...numbers };
    }
    case 'output': {
      const { data, offset } = event.value;
      return { type: 'output', ...stamp, offset: Number(offset), bytes: data };
    }
    case 'resize': {
      const { cols, rows, erasedRow: row, erasedCol: col } = event.value;
      const erased = row === undefined || col === undefined ? {} : { erasedFrom: { row, col } };
      return { type: 'resize', ...stamp, size: { cols, rows }, ...erased };
    }
    case 'title':
      return { type: 'title', ...stamp, title: event.value.title };
    case 'bell':
      return { type: 'bell', ...stamp, count: event.value.count };
    case 'agent': {
      const { agent } = event.value;
      return { type: 'agent', ...stamp, agent: agent === undefined ? null : fromAgent(agent) };
    }
    case 'commands':
      return { type: 'commands', ...stamp, list: fromCommandList(event.value) };
    case 'command':
      return fromCommandBy(event.value.by, stamp);
    case 'sessionExited': {
      const status = fromExitStatus(event.value.exitStatus) ?? { code: null, signal: null };
      return { type: 'exit', ...stamp, status };
    }
    default:
      return fromPlaced(event, stamp);
  }
}

/** Null for a command of a later version. */
function fromCommandBy(by: wire.CommandEvent['by'], stamp: Stamp): SubscriptionEvent | null {
  switch (by.case) {
    case 'shell':
      return { type: 'command', ...stamp, command: fromCommand(by.value) };
    case 'agent':
      return { type: 'agentCommand', ...stamp, command: fromAgentCommand(by.value) };
    default:
      return null;
  }
}

/** Events that a program sends at a position in its output. */
type PlacedEvent = CwdEvent | MarkEvent | ProgressEvent | NotificationEvent | ClipboardEvent;

type PlacedField = NonNullable<MessageInitShape<typeof wire.SubscribeEventSchema>['event']>;

interface Stamp {
  readonly revision: number;
  readonly atMs: number;
}

function placedField(event: PlacedEvent): PlacedField {
  const position = toPosition(event.position);
  switch (event.type) {
    case 'cwd':
      return { case: 'cwd', value: { ...toCwd(event), position } };
    case 'mark':
      return { case: 'mark', value: { ...toMark(event), position } };
    case 'progress':
      return { case: 'progress', value: { ...toProgress(event), position } };
    case 'notification': {
      const { title, body, code = 0 } = event;
      return { case: 'notification', value: { title, body, code, position } };
    }
    case 'clipboard': {
      const { selection, text } = event;
      return { case: 'clipboard', value: { selection, text, position } };
    }
  }
}

/** Null for other events, and for a mark of a later version. */
function fromPlaced(event: wire.SubscribeEvent['event'], stamp: Stamp): PlacedEvent | null {
  switch (event.case) {
    case 'cwd': {
      const { cwd, host, unverified, position } = event.value;
      const proof = unverified ? { unverified: true as const } : {};
      return { type: 'cwd', ...stamp, cwd, host, ...proof, position: fromPosition(position) };
    }
    case 'mark':
      return fromMark(event.value, stamp);
    case 'progress': {
      const { state, percent = null, position } = event.value;
      const word = wordOf('ProgressState', state) ?? 'none';
      return { type: 'progress', ...stamp, state: word, percent, position: fromPosition(position) };
    }
    case 'notification': {
      const { title, body, position } = event.value;
      const code = notificationCodes.find((each) => each === event.value.code);
      const said = { title, body, ...defined({ code }) };
      return { type: 'notification', ...stamp, ...said, position: fromPosition(position) };
    }
    case 'clipboard': {
      const { selection, text, position } = event.value;
      return { type: 'clipboard', ...stamp, selection, text, position: fromPosition(position) };
    }
    default:
      return null;
  }
}

const markKinds = {
  promptStart: wire.MarkKind.PROMPT_START,
  promptEnd: wire.MarkKind.PROMPT_END,
  commandLine: wire.MarkKind.COMMAND_LINE,
  commandStart: wire.MarkKind.COMMAND_START,
  commandEnd: wire.MarkKind.COMMAND_END,
  user: wire.MarkKind.USER,
} as const satisfies Readonly<Record<MarkKind, wire.MarkKind>>;

const marks = Object.keys(markKinds) as MarkKind[];

function toCwd({ cwd, host, unverified }: CwdEvent) {
  return { cwd, host, ...defined({ unverified: unverified || undefined }) };
}

function toMark({ mark, prompt, commandLine, nonce, unverified, exitCode }: MarkEvent) {
  return {
    mark: markKinds[mark],
    prompt: enumOf('PromptKind', prompt),
    ...defined({ commandLine, nonce, unverified: unverified || undefined, exitCode }),
  };
}

function fromMark(message: wire.MarkEvent, stamp: Stamp): MarkEvent | null {
  const { commandLine, nonce, exitCode = null } = message;
  const mark = marks.find((each) => markKinds[each] === message.mark);
  const prompt = wordOf('PromptKind', message.prompt);
  if (mark === undefined) return null;
  return {
    type: 'mark',
    ...stamp,
    mark,
    position: fromPosition(message.position),
    ...defined({ prompt, commandLine, nonce, unverified: message.unverified || undefined }),
    ...(mark === 'commandEnd' ? { exitCode } : {}),
  };
}

function toProgress({ state, percent }: ProgressEvent) {
  return { state: enumOf('ProgressState', state), ...defined({ percent }) };
}

/** @throws VtrError INVALID_ARGUMENT for values that proto3 cannot represent */
export const toSubscribeFields = ({
  since,
  scrollbackLines,
  maxWaitingBytes,
  redact,
  commands,
}: SubscribeRequest) => ({
  ...defined({ since, redact }),
  includeEvents: commands === undefined,
  includeCommands: commands !== undefined,
  ...field('lastCommands', commands?.last),
  ...field(
    'maxWaitingBytes',
    maxWaitingBytes === undefined ? null : checkWaitingBytes(maxWaitingBytes),
  ),
  ...field(
    'scrollbackLines',
    scrollbackLines === undefined ? null : checkScrollbackLines(scrollbackLines),
  ),
});

/**
 * The request for the events that the subscriber gets: without events or raw output that is the exit,
 * which needs no lines. Only events continue at a mark.
 */
export function fromSubscribeFields(message: SubscribeMessage): SubscribeRequest {
  const { includeEvents, includeRawOutput, since, scrollbackLines, maxWaitingBytes, redact } =
    message;
  if (!includeEvents && !includeRawOutput) {
    return message.includeCommands ? fromCommandFields(message) : { scrollbackLines: 0 };
  }
  return {
    ...field('since', includeEvents ? since : null),
    ...defined({ redact, scrollbackLines }),
    ...field('maxWaitingBytes', includeEvents ? maxWaitingBytes : null),
  };
}

/** The request for the commands. */
export const fromCommandFields = ({
  lastCommands,
  redact,
}: SubscribeMessage): SubscribeRequest => ({
  commands: field('last', lastCommands),
  ...defined({ redact }),
});
