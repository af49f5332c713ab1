import { VtrError } from '../errors.ts';
import type { OutputPosition } from '../output/events.ts';

/** Input that was sent to the program. */
export interface SentInput {
  /** 1 for the first input of the session. */
  readonly number: number;
  /** The absolute offset of the next byte of output before the input was written. */
  readonly offset: number;
  /** The beginning of the bytes as text, escape sequences included. */
  readonly text: string;
  /** The line of the cursor before the input was written; null on the alternate screen. */
  readonly line: number | null;
  /** Where in the text of that line the cursor was, in UTF-16 code units. */
  readonly index: number;
}

/** A line that was typed at a marked prompt, and the part of the output in which that was shown. */
export interface TypedLine {
  /** The command as in its record; null if it is unknown. */
  readonly line: string | null;
  /** The end of its first prompt; null if it is unknown. */
  readonly from: OutputPosition | null;
  /** The beginning of the command's output. */
  readonly to: OutputPosition;
  /** The text between them when the output began, in lines; null if it is long or unknown. */
  readonly shown: string | null;
}

const inputIdPattern = /^[A-Za-z0-9._-]{1,64}$/;

/**
 * Returns `id` if it is a valid id of input: 1 to 64 characters of A-Z a-z 0-9 . _ -, for example a
 * UUID. A call with an id that another call has fails with INPUT_ID_USED.
 *
 * @throws VtrError INVALID_ARGUMENT
 */
export function checkInputId(id: string): string {
  if (inputIdPattern.test(id)) return id;
  throw new VtrError(
    'INVALID_ARGUMENT',
    `input id ${JSON.stringify(id)} is not allowed; use 1 to 64 characters of A-Z a-z 0-9 . _ -`,
  );
}

/** Returns the error of a call that has the id of another one, which asked for something else. */
export const inputIdUsed = (): VtrError =>
  new VtrError(
    'INPUT_ID_USED',
    'the input id belongs to another call, which asked for something else; nothing was done; use a new id, and the same one only to repeat a call',
  );

/** Input that was written to a program. */
export interface WrittenInput {
  /** What the program gets. */
  readonly bytes: number;
  /**
   * Whether the terminal, or the line editor of a shell that marks its prompts, shows all of it: so it is no
   * password. False if that is not known.
   */
  readonly isShown: boolean;
}

/** What a caller in the coordinator's process wants to know of its input. It is not sent to another process. */
export interface ObservedInput {
  /** Called after each write. A repeat of earlier input writes nothing. */
  readonly onWritten?: (input: WrittenInput) => void;
  /** Called when the terminal has accepted the input, before output that follows it; not called for a repeat. */
  readonly onAccepted?: () => void;
  /** Whether Enter must be apart from the text before it, whatever the program has asked for. */
  readonly entersApart?: boolean;
}
