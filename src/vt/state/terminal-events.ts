import type {
  BellEvent,
  ClipboardEvent,
  CwdEvent,
  MarkEvent,
  NotificationEvent,
  ProgressEvent,
  TitleEvent,
} from '#model';

type Unstamped<E> = E extends unknown ? Omit<E, 'revision' | 'atMs'> : never;

/** What a program says at a place in its output, besides drawing. */
export type PositionedEvent = Unstamped<
  CwdEvent | MarkEvent | ProgressEvent | NotificationEvent | ClipboardEvent
>;

/** What output did besides changing the screen. Title and bell come at most once a feed. */
export type TerminalEvent = Unstamped<TitleEvent | BellEvent> | PositionedEvent;
