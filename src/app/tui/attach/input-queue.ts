import { setTimeout as delay } from 'node:timers/promises';
import {
  asVtrError,
  type Coordinator,
  type ErrorCode,
  type KeyModes,
  type KeyPress,
  type MouseInput,
  type Viewing,
  VtrError,
} from '#model';
import type { TtyKey } from '#tty';
import type { Effect } from '../view/view.ts';

/** Input that one call sends. */
export type Input =
  | { readonly type: 'keys'; readonly keys: readonly KeyPress[] }
  | { readonly type: 'bytes'; readonly bytes: Uint8Array }
  | {
      readonly type: 'paste';
      readonly text: string;
      /** The number of a part of a long paste, from 1 on; absent for the first. */
      readonly part?: number;
    }
  | { readonly type: 'mouse'; readonly events: readonly MouseInput[] }
  | { readonly type: 'focus'; readonly focused: boolean };

/** Calls that may wait for one that the program does not accept. */
const maxWaiting = 256;

/** For how long a person who leaves waits for what was typed before, in ms. */
const lastCallsMs = 500;

/** Keys, bytes and mouse events of one call; the coordinator accepts more. */
const maxTogether = 1000;

/**
 * Sends input in order, with one call at a time. What is read in one turn, and what is typed during a
 * call, is sent by the next call, as far as one call can. What was typed after input that fails is not
 * sent, up to an interrupt: an Enter after half of a paste would run it. Nor are later parts of a paste that
 * lacks one.
 */
export class InputQueue {
  readonly #send: (input: Input) => Promise<void>;
  readonly #failed: (error: unknown) => void;
  #waiting: Input[] = [];
  #isSending = false;
  /** The part with which the paste continues that was added last; null if it lacks a part. */
  #nextPart: number | null = null;
  /** Resolves when no call is made and nothing waits. */
  #sending: Promise<void> = Promise.resolve();

  /**
   * @param send sends input to the session
   * @param failed called with the error of a call, after which only an interrupt waits and what follows it, or
   *   with null when input is dropped because too much waits
   */
  constructor(send: (input: Input) => Promise<void>, failed: (error: unknown) => void) {
    this.#send = send;
    this.#failed = failed;
  }

  add(input: Input): void {
    if (input.type === 'paste' && !this.#isNext(input.part)) return;
    const last = this.#waiting.at(-1);
    const joined = last === undefined ? null : together(last, input);
    if (joined !== null) this.#waiting[this.#waiting.length - 1] = joined;
    else if (this.#waiting.length < maxWaiting) this.#waiting.push(input);
    else this.#refuse(null);
    if (this.#isSending) return;
    this.#isSending = true;
    // In the same turn more may follow.
    this.#sending = Promise.resolve().then(() => this.#sendAll());
  }

  /** Waits until all has been sent or refused, for 500 ms. Returns whether it has. */
  async finish(): Promise<boolean> {
    const late = delay(lastCallsMs, false, { ref: false });
    return Promise.race([this.#sending.then(() => true), late]);
  }

  /** Drops what has not been sent. Returns whether there was anything. */
  clear(): boolean {
    const had = this.#waiting.length > 0;
    this.#waiting = [];
    this.#nextPart = null;
    return had;
  }

  #isNext(part = 0): boolean {
    if (part > 0 && part !== this.#nextPart) return false;
    this.#nextPart = part + 1;
    return true;
  }

  #refuse(error: unknown): void {
    this.#nextPart = null;
    this.#failed(error);
  }

  async #sendAll(): Promise<void> {
    for (let input = this.#waiting.shift(); input !== undefined; input = this.#waiting.shift()) {
      await this.#send(input).catch((error: unknown) => {
        this.#waiting = fromInterrupt(this.#waiting);
        this.#refuse(error);
      });
    }
    this.#isSending = false;
  }
}

/** Returns the last interrupt and what was typed after it, up to a paste. */
function fromInterrupt(waiting: readonly Input[]): Input[] {
  const at = waiting.findLastIndex((each) => each.type === 'keys' && each.keys.some(isInterrupt));
  const first = waiting[at];
  if (first?.type !== 'keys') return [];
  const keys = first.keys.slice(first.keys.findLastIndex(isInterrupt));
  const after = waiting.slice(at + 1);
  const paste = after.findIndex(({ type }) => type === 'paste');
  return [{ type: 'keys', keys }, ...(paste < 0 ? after : after.slice(0, paste))];
}

/** Ctrl+c or Ctrl+\, with which a person ends what a program does. */
const isInterrupt = ({ key, baseLayoutKey = key, ctrl = false }: KeyPress): boolean =>
  ctrl && (baseLayoutKey === 'c' || baseLayoutKey === '\\');

/** Returns two inputs as one; null if they need two calls. */
function together(first: Input, second: Input): Input | null {
  if (first.type === 'keys' && second.type === 'keys') {
    if (first.keys.length + second.keys.length > maxTogether) return null;
    return { type: 'keys', keys: [...first.keys, ...second.keys] };
  }
  if (first.type === 'bytes' && second.type === 'bytes') {
    if (first.bytes.length + second.bytes.length > maxTogether) return null;
    return { type: 'bytes', bytes: Buffer.concat([first.bytes, second.bytes]) };
  }
  if (first.type === 'mouse' && second.type === 'mouse') {
    if (first.events.length + second.events.length > maxTogether) return null;
    return { type: 'mouse', events: [...first.events, ...second.events] };
  }
  // Only the newest matters.
  return first.type === 'focus' && second.type === 'focus' ? second : null;
}

/** Returns the input that an effect sends to a program with these modes; null if it sends none. */
export function inputOf(effect: Effect, modes: KeyModes): Input | null {
  switch (effect.type) {
    case 'sendKey':
      return isPassedOn(effect.key, modes)
        ? { type: 'bytes', bytes: effect.key.bytes }
        : { type: 'keys', keys: [effect.key.press] };
    case 'sendBytes':
      return { type: 'bytes', bytes: effect.bytes };
    case 'sendText':
      return { ...effect, type: 'paste' };
    case 'sendMouse':
      return { type: 'mouse', events: [effect.mouse] };
    default:
      return null;
  }
}

/**
 * ESC and a character: alt with it, or the key escape and what was typed next, read at once. A
 * program with modifyOtherKeys 2 tells them apart only as long as it gets them unchanged.
 */
const isPassedOn = ({ bytes }: TtyKey, { kittyFlags, modifyOtherKeys }: KeyModes): boolean =>
  kittyFlags === 0 && modifyOtherKeys === 2 && bytes.length === 2 && bytes[0] === 0x1b;

/**
 * The time in which a program must accept a paste, in ms: 10 bytes per ms and the usual 5 s. A program that reads
 * gets all of it, also if it reads slowly.
 */
const pasteMs = (text: string): number => 5_000 + Math.ceil(Buffer.byteLength(text) / 10);

/** Sends input as that of the person. @throws VtrError */
export async function sendInput(
  {
    coordinator,
    viewing,
  }: { readonly coordinator: Coordinator | null; readonly viewing: Viewing | null },
  session: { readonly name: string; readonly id: string },
  input: Input,
): Promise<void> {
  if (coordinator === null || viewing === null) {
    throw new VtrError('UNAVAILABLE', 'not sent: the coordinator is not connected');
  }
  const options = { viewer: viewing.id };
  switch (input.type) {
    case 'keys':
      // A key may have no bytes in the modes of the program, such as a media key.
      await coordinator.sendKeys(session, input.keys, options).catch(unless('NO_INPUT'));
      break;
    case 'bytes':
      await coordinator.sendBytes(session, input.bytes, options);
      break;
    case 'paste':
      await coordinator.sendText(session, input.text, {
        ...options,
        paste: 'supported',
        timeoutMs: pasteMs(input.text),
      });
      break;
    case 'mouse':
      // The screen may have become smaller since the event.
      await coordinator.sendMouse(session, input.events, options).catch(unless('INVALID_ARGUMENT'));
      break;
    case 'focus':
      await coordinator.sendFocus(session, input.focused, options).catch(unless('NOT_DRIVER'));
      break;
  }
}

/** Ignores failures with a code. */
const unless =
  (code: ErrorCode) =>
  (error: unknown): void => {
    if (asVtrError(error).code !== code) throw error;
  };
