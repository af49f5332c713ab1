import { quoted } from '#base';
import { maxSide, type Size } from './cell.ts';
import { VtrError } from './errors.ts';
import type { OutputPosition } from './events.ts';
import type { ReadMark } from './read.ts';

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
    `input id ${quoted(id)} is not allowed; use 1 to 64 characters of A-Z a-z 0-9 . _ -`,
  );
}

/** Returns the error of a call that has the id of another one, which asked for something else. */
const inputIdUsed = (): VtrError =>
  new VtrError(
    'INPUT_ID_USED',
    'the input id belongs to another call, which asked for something else; nothing was done; use a new id, and the same one only to repeat a call',
  );

/** What is known of a call by its id. */
interface KnownCall {
  /** What it asked for, or a hash of that; null or undefined if that is not known. */
  readonly content: string | null | undefined;
}

export interface ForgottenCalls<Call> {
  /** Whether a call may be forgotten. Default: every call. */
  readonly mayForget?: (call: Call) => boolean;
  /** Whether a call that may be forgotten goes before older ones. Default: none. */
  readonly goesFirst?: (call: Call) => boolean;
}

/** The calls that are known by their ids, oldest first, so that a repeat has no second effect. */
export class InputIds<Call extends KnownCall> {
  readonly #calls = new Map<string, Call>();
  readonly #maxCalls: number;
  readonly #forgotten: ForgottenCalls<Call>;

  /** @param maxCalls the most calls that are kept of those that may be forgotten; the others are kept besides */
  constructor(maxCalls: number, forgotten: ForgottenCalls<Call> = {}) {
    this.#maxCalls = maxCalls;
    this.#forgotten = forgotten;
  }

  has(id: string): boolean {
    return this.#calls.has(id);
  }

  /** Returns the calls with their ids, oldest first. */
  entries(): [id: string, call: Call][] {
    return [...this.#calls];
  }

  /**
   * Returns the first call with an id, if it is known.
   *
   * @param content what the repeat asks for; called if there is something to compare it with
   * @throws VtrError INPUT_ID_USED if the first call asked for something else
   */
  find(id: string, content: () => string | undefined): Call | undefined {
    const first = this.#calls.get(id);
    const firstContent = first?.content ?? null;
    if (firstContent !== null && firstContent !== (content() ?? firstContent)) throw inputIdUsed();
    return first;
  }

  add(id: string, call: Call): void {
    this.#calls.set(id, call);
    this.trim();
  }

  /** Forgets the oldest calls that are too many. Needed when one may be forgotten that could not be before. */
  trim(): void {
    if (this.#calls.size <= this.#maxCalls) return;
    const { mayForget = () => true, goesFirst = () => false } = this.#forgotten;
    const some = this.entries().filter(([, call]) => mayForget(call));
    const ordered = some.toSorted(([, a], [, b]) => Number(goesFirst(b)) - Number(goesFirst(a)));
    for (const [id] of ordered.slice(0, -this.#maxCalls)) this.#calls.delete(id);
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
  /** Called with the mark of the result before anything is written; for a repeat, too. */
  readonly onMark?: (mark: ReadMark) => void;
  /** Called after each write. A repeat of earlier input writes nothing. */
  readonly onWritten?: (input: WrittenInput) => void;
  /** Called when the terminal has accepted the input, before output that follows it; not called for a repeat. */
  readonly onAccepted?: () => void;
  /** Whether Enter must be apart from the text before it, whatever the program has asked for. */
  readonly entersApart?: boolean;
  /**
   * The most bytes of a text without the marks of a paste that the program gets at once: before each further piece, the
   * write waits as before an Enter that must be apart.
   */
  readonly pieceBytes?: number;
}

/**
 * A key with its modifiers. The key is a name (`enter`, `f5`, `pageup`, `kp_7`) or the character it
 * types. Names are case-insensitive, characters are not. The keyboard is a US one, unless
 * `shiftedKey` and `baseLayoutKey` say otherwise.
 */
export interface KeyPress {
  readonly key: string;
  /**
   * Default: `press`. A program that has not requested repeats and releases gets repeats as presses,
   * and no releases.
   */
  readonly action?: KeyAction;
  /** The character that the key types with shift. `key` is then the one without shift. */
  readonly shiftedKey?: string;
  /**
   * The character of the key on a US keyboard, for combinations on keyboards without Latin letters:
   * `c` for the Cyrillic `с`.
   */
  readonly baseLayoutKey?: string;
  readonly shift?: boolean;
  readonly alt?: boolean;
  readonly ctrl?: boolean;
  readonly super?: boolean;
  readonly hyper?: boolean;
  readonly meta?: boolean;
}

export type KeyAction = 'press' | 'repeat' | 'release';

/**
 * Whether text is sent as a bracketed paste (mode 2004).
 *
 * - `auto`: if the text has several lines, the program enabled bracketed paste, and the primary screen
 *   is shown. On the alternate screen, lines are commands more often than text: `:wq` in vim.
 * - `supported`: if the program enabled bracketed paste, whatever the text and the screen. If not, it is typed with CR
 *   as line endings, as terminals paste it.
 * - `always`, `never`: regardless of the text and the modes.
 */
export type PasteMode = 'auto' | 'supported' | 'always' | 'never';

/** The terminal modes that determine the bytes of a key. */
export interface KeyModes {
  /** DECCKM: cursor keys send SS3 instead of CSI. */
  readonly applicationCursorKeys: boolean;
  /** DECNKM, DECKPAM: the keypad sends SS3 sequences. */
  readonly applicationKeypad: boolean;
  /** DECBKM: the backarrow key sends BS instead of DEL. */
  readonly backarrowSendsBackspace: boolean;
  /** LNM: enter sends CR LF. */
  readonly newLine: boolean;
  /** Mode 2004. */
  readonly bracketedPaste: boolean;
  /** Whether the alternate screen is shown. */
  readonly alternateScreen: boolean;
  /** xterm's modifyOtherKeys resource, set by `CSI > 4 ; n m`. */
  readonly modifyOtherKeys: 0 | 1 | 2;
  /**
   * The encoding of those keys: 0 as `CSI 27 ; modifiers ; code ~`, 1 as `CSI code ; modifiers u`.
   */
  readonly formatOtherKeys: 0 | 1;
  /** Progressive enhancement flags of the kitty keyboard protocol, 0..31. */
  readonly kittyFlags: number;
}

/** The mouse events that the program requested: modes 9, 1000, 1002, 1003. */
export type MouseTracking = 'none' | 'x10' | 'normal' | 'button' | 'any';

/** The encoding of mouse reports: modes 1005, 1006, 1015, 1016. */
export type MouseEncoding = 'default' | 'utf8' | 'sgr' | 'urxvt' | 'sgrPixels';

export const mouseButtons = ['left', 'middle', 'right', 'back', 'forward', 'none'] as const;

export type MouseButton = (typeof mouseButtons)[number];

export const mouseActions = [
  'press',
  'release',
  'move',
  'scrollUp',
  'scrollDown',
  'scrollLeft',
  'scrollRight',
] as const;

export type MouseAction = (typeof mouseActions)[number];

/** An event of the mouse over the screen. */
export interface MouseInput {
  readonly action: MouseAction;
  /**
   * For `press`, `release` and `move`: the button that changed or is held. Default: `left`; for
   * `move` `none`. A release of `none` is one of an unknown button.
   */
  readonly button?: MouseButton;
  /** 0-based, below the number of rows. */
  readonly row: number;
  /** 0-based, below the number of columns. */
  readonly col: number;
  readonly shift?: boolean;
  readonly alt?: boolean;
  readonly ctrl?: boolean;
}

/** A match in a row of the screen. */
export interface ScreenMatch {
  /** 0-based. */
  readonly row: number;
  /** 0-based. */
  readonly col: number;
  /** The columns it takes. */
  readonly cols: number;
  readonly text: string;
}

const largest: Size = { cols: maxSide, rows: maxSide };

/**
 * Returns the event if it is on a screen of this size; default: of any size.
 *
 * @throws VtrError INVALID_ARGUMENT
 */
export function checkMouseInput(event: MouseInput, size: Size = largest): MouseInput {
  const { action, button = 'left' } = event;
  if (!mouseActions.includes(action)) throw unknown('action', action, mouseActions);
  if (!mouseButtons.includes(button)) throw unknown('button', button, mouseButtons);
  if (action === 'press' && button === 'none') {
    throw new VtrError('INVALID_ARGUMENT', 'a press of the mouse needs a button');
  }
  checkPlace('row', event.row, size.rows);
  checkPlace('col', event.col, size.cols);
  return event;
}

function unknown(what: string, value: unknown, names: readonly string[]): VtrError {
  return new VtrError(
    'INVALID_ARGUMENT',
    `the mouse has no ${what} ${quoted(value)}; use ${names.join(', ')}`,
  );
}

function checkPlace(what: 'row' | 'col', value: number, count: number): void {
  if (Number.isInteger(value) && value >= 0 && value < count) return;
  throw new VtrError(
    'INVALID_ARGUMENT',
    `${what} ${value} is not on the screen, whose ${what}s are 0 to ${count - 1}`,
    { details: { [what]: value, count } },
  );
}
