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

/** What is known of a call by its id. */
interface KnownCall {
  /** What it asked for, or a hash of that; null or undefined if that is not known. */
  readonly content: string | null | undefined;
}

/** The calls that are known by their ids, oldest first, so that a repeat has no second effect. */
export class InputIds<Call extends KnownCall> {
  readonly #calls = new Map<string, Call>();
  readonly #maxCalls: number;
  readonly #mayForget: (call: Call) => boolean;

  /** @param mayForget whether a call may be forgotten, if there are more than `maxCalls`. Default: every call */
  constructor(maxCalls: number, mayForget: (call: Call) => boolean = () => true) {
    this.#maxCalls = maxCalls;
    this.#mayForget = mayForget;
  }

  has(id: string): boolean {
    return this.#calls.has(id);
  }

  /**
   * Returns the first call with an id, if it is known.
   *
   * @param content what the repeat asks for; called if there is something to compare it with
   * @throws VtrError INPUT_ID_USED if the first call asked for something else
   */
  find(id: string, content: () => string | undefined): Call | undefined {
    const first = this.#calls.get(id);
    const known = first?.content ?? null;
    if (known !== null && known !== (content() ?? known)) throw inputIdUsed();
    return first;
  }

  add(id: string, call: Call): void {
    this.#calls.set(id, call);
    this.trim();
  }

  /** Forgets the oldest calls that are too many. Needed when one may be forgotten that could not be before. */
  trim(): void {
    if (this.#calls.size <= this.#maxCalls) return;
    for (const [id, call] of this.#calls) {
      if (this.#mayForget(call)) this.#calls.delete(id);
      if (this.#calls.size <= this.#maxCalls) return;
    }
  }

  /** Forgets a call that had no effect, unless the id is that of a later one. */
  delete(id: string, call: Call): void {
    if (this.#calls.get(id) === call) this.#calls.delete(id);
  }
}

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
