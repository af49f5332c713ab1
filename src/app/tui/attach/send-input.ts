import {
  asVtrError,
  type Coordinator,
  type ErrorCode,
  type KeyModes,
  type Viewing,
  VtrError,
} from '#model';
import type { TtyKey } from '#tty';
import type { Effect } from '../view/view.ts';
import type { Input } from './input-queue.ts';

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
