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

/** An event that a program reports at a position in its output. */
export type PositionedEvent = Unstamped<
  CwdEvent | MarkEvent | ProgressEvent | NotificationEvent | ClipboardEvent
>;

/**
 * The effects of output other than changes of the screen. Title and bell occur at most once per
 * feed.
 */
export type TerminalEvent = Unstamped<TitleEvent | BellEvent> | PositionedEvent;
