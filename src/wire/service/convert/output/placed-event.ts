import type { MessageInitShape } from '@bufbuild/protobuf';
import * as wire from '#messages';
import type {
  ClipboardEvent,
  CwdEvent,
  MarkEvent,
  MarkKind,
  NotificationEvent,
  ProgressEvent,
} from '#model';
import { enumOf, wordOf } from '../words.ts';
import { fromPosition, toPosition } from './position.ts';

/** Events that a program sends at a position in its output. */
type PlacedEvent = CwdEvent | MarkEvent | ProgressEvent | NotificationEvent | ClipboardEvent;

type EventField = NonNullable<MessageInitShape<typeof wire.SubscribeEventSchema>['event']>;

interface Stamp {
  readonly revision: number;
  readonly atMs: number;
}

export function placedField(event: PlacedEvent): EventField {
  const position = toPosition(event.position);
  switch (event.type) {
    case 'cwd':
      return { case: 'cwd', value: { ...toCwd(event), position } };
    case 'mark':
      return { case: 'mark', value: { ...toMark(event), position } };
    case 'progress':
      return { case: 'progress', value: { ...toProgress(event), position } };
    case 'notification': {
      const { title, body } = event;
      return { case: 'notification', value: { title, body, position } };
    }
    case 'clipboard': {
      const { selection, text } = event;
      return { case: 'clipboard', value: { selection, text, position } };
    }
  }
}

/** Null for other events, and for a mark of a later version. */
export function fromPlaced(event: wire.SubscribeEvent['event'], stamp: Stamp): PlacedEvent | null {
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
      return { type: 'notification', ...stamp, title, body, position: fromPosition(position) };
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
  return { cwd, host, ...(unverified && { unverified }) };
}

function toMark({ mark, prompt, commandLine, nonce, unverified, exitCode }: MarkEvent) {
  return {
    mark: markKinds[mark],
    prompt: enumOf('PromptKind', prompt),
    ...(commandLine === undefined ? {} : { commandLine }),
    ...(nonce === undefined ? {} : { nonce }),
    ...(unverified ? { unverified } : {}),
    ...(exitCode == null ? {} : { exitCode }),
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
    ...(prompt === undefined ? {} : { prompt }),
    ...(commandLine === undefined ? {} : { commandLine }),
    ...(nonce === undefined ? {} : { nonce }),
    ...(message.unverified ? { unverified: true } : {}),
    ...(mark === 'commandEnd' ? { exitCode } : {}),
  };
}

function toProgress({ state, percent }: ProgressEvent) {
  return { state: enumOf('ProgressState', state), ...(percent === null ? {} : { percent }) };
}
