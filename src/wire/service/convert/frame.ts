import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { defined } from '#base';
import * as wire from '#messages';
import {
  checkPerSecond,
  type FramesRequest,
  initialViewModes,
  isSameStyle,
  plainStyle,
  type RowFrame,
  type Run,
  type SessionsEvent,
  type Style,
  type ViewModes,
} from '#model';
import { fromNamed, toNamed } from './driver.ts';
import { enumOf, wordOf } from './field.ts';
import { fromCursor, fromLook, toCursorLook, toStyle } from './screen.ts';
import { checkName, fromSession, toSession } from './session.ts';

export function toFrame(sessionId: string, frame: RowFrame): wire.RowFrame {
  const { revision, size, full, rows, cursor, alternate, title, modes } = frame;
  const styles = new Styles();
  const changed = rows.map(({ row, runs }) => ({
    row,
    runs: runs.map((run) => toRun(run, styles)),
  }));
  return create(wire.RowFrameSchema, {
    sessionId,
    ...size,
    full,
    changed,
    styles: styles.messages,
    alternate,
    title,
    revision: BigInt(revision),
    cursorRow: cursor.row,
    cursorCol: cursor.col,
    cursor: toCursorLook(cursor),
    modes: toViewModes(modes),
  });
}

export function fromFrame(message: wire.RowFrame): RowFrame {
  const { cols, rows, full, cursorRow, cursorCol, cursor, alternate, title } = message;
  const styles = [plainStyle, ...message.styles.map(fromLook)];
  return {
    revision: Number(message.revision),
    size: { cols, rows },
    full,
    rows: message.changed.map(({ row, runs }) => ({
      row,
      runs: runs.map((run) => fromRun(run, styles)),
    })),
    cursor: fromCursor(cursorRow, cursorCol, cursor),
    alternate,
    title,
    modes: fromViewModes(message.modes),
  };
}

/** The styles of a message, each once. */
class Styles {
  readonly messages: MessageInitShape<typeof wire.FrameStyleSchema>[] = [];
  readonly #styles: Style[] = [];
  readonly #indexes = new Map<Style, number>();

  /** Returns the number of a style in the message. */
  numberOf(style: Style): number {
    const index = this.#indexes.get(style);
    if (index !== undefined) return index;
    // Equal styles are mostly the same objects, but not always.
    const styleIndex = this.#styles.findIndex((each) => isSameStyle(each, style));
    const number = isSameStyle(style, plainStyle)
      ? 0
      : styleIndex < 0
        ? this.#add(style)
        : styleIndex + 1;
    this.#indexes.set(style, number);
    return number;
  }

  #add(style: Style): number {
    this.#styles.push(style);
    return this.messages.push(toStyle(style));
  }
}

function toRun(
  { text, cols, cluster, style }: Run,
  styles: Styles,
): MessageInitShape<typeof wire.FrameRunSchema> {
  const wide = cols > (cluster ? 1 : [...text].length);
  return { text, style: styles.numberOf(style), wide, cluster: cluster ?? false };
}

function fromRun({ text, style, wide, cluster }: wire.FrameRun, styles: readonly Style[]): Run {
  const graphemes = cluster ? 1 : [...text].length;
  return {
    text,
    cols: wide ? 2 * graphemes : graphemes,
    ...defined({ cluster: cluster || undefined }),
    style: styles[style] ?? plainStyle,
  };
}

function toViewModes(modes: ViewModes): MessageInitShape<typeof wire.ViewModesSchema> {
  const { mouseTracking, mouseEncoding, foreground, background, cursorColor, ...same } = modes;
  return {
    ...same,
    palette: { ...modes.palette },
    mouseTracking: enumOf('MouseTracking', mouseTracking),
    mouseEncoding: enumOf(
      'MouseEncoding',
      mouseEncoding === 'sgrPixels' ? 'sgr_pixels' : mouseEncoding,
    ),
    ...defined({ foreground, background, cursorColor }),
  };
}

function fromViewModes(message: wire.ViewModes | undefined): ViewModes {
  if (message === undefined) return initialViewModes;
  const { $typeName: _name, $unknown: _unknown, ...same } = message;
  const encoding = wordOf('MouseEncoding', message.mouseEncoding) ?? 'default';
  return {
    ...same,
    modifyOtherKeys: clamped(message.modifyOtherKeys, 2),
    formatOtherKeys: clamped(message.formatOtherKeys, 1),
    mouseTracking: wordOf('MouseTracking', message.mouseTracking) ?? 'none',
    mouseEncoding: encoding === 'sgr_pixels' ? 'sgrPixels' : encoding,
    foreground: message.foreground ?? null,
    background: message.background ?? null,
    cursorColor: message.cursorColor ?? null,
  };
}

const clamped = <Max extends 1 | 2>(value: number, max: Max) =>
  Math.min(value, max) as Max extends 2 ? 0 | 1 | 2 : 0 | 1;

/** @throws VtrError INVALID_ARGUMENT */
export const toFramesRequest = (
  request: FramesRequest,
): MessageInitShape<typeof wire.WatchedFramesSchema> => ({
  sessions: request.sessions.map(toNamed),
  perSecond: checkPerSecond(request),
  looking: request.looking ?? false,
});

export const fromFramesRequest = (message: wire.WatchedFrames): FramesRequest => ({
  sessions: message.sessions.map(fromNamed),
  ...defined({ perSecond: message.perSecond || undefined, looking: message.looking || undefined }),
});

export const toSessionsEvent = (
  event: SessionsEvent,
  watchId: string,
): wire.WatchSessionsResponse =>
  create(wire.WatchSessionsResponseSchema, { event: fieldOf(event), watchId });

type EventField = NonNullable<MessageInitShape<typeof wire.WatchSessionsResponseSchema>['event']>;

function fieldOf(event: SessionsEvent): EventField {
  switch (event.type) {
    case 'sessions':
      return { case: 'sessions', value: { sessions: event.sessions.map(toSession) } };
    case 'session':
      return { case: 'session', value: toSession(event.session) };
    case 'removed':
      return { case: 'removed', value: { sessionId: event.id, name: event.name } };
    case 'frame':
      return { case: 'frame', value: toFrame(event.id, event.frame) };
  }
}

/** Null for an event of a later version. */
export function fromSessionsEvent({ event }: wire.WatchSessionsResponse): SessionsEvent | null {
  switch (event.case) {
    case 'sessions':
      return { type: 'sessions', sessions: event.value.sessions.map(fromSession) };
    case 'session':
      return { type: 'session', session: fromSession(event.value) };
    case 'removed':
      checkName(event.value.name);
      return { type: 'removed', id: event.value.sessionId, name: event.value.name };
    case 'frame':
      return { type: 'frame', id: event.value.sessionId, frame: fromFrame(event.value) };
    default:
      return null;
  }
}
