import type { Clock } from '#base';
import { encodeKey, encodeText, parseKey } from '#keys';
import {
  clampWaitMs,
  type InputReceipt,
  type KeyModes,
  type KeyPress,
  type SendOptions,
  type SendTextOptions,
  VtrError,
} from '#model';
import type { Pty } from '#pty';

/** As much may be sent in one call. */
const maxInputBytes = 1024 * 1024;
const defaultTimeoutMs = 5_000;

/** Brings input to the program, whole and in order, or says how much of it went in. */
export class Input {
  readonly #pty: Pty;
  readonly #clock: Clock;
  readonly #onInput: () => void;

  /** @param onInput told of each input before its first byte is written */
  constructor(pty: Pty, clock: Clock, onInput: () => void = () => {}) {
    this.#pty = pty;
    this.#clock = clock;
    this.#onInput = onInput;
  }

  async sendText(text: string, modes: KeyModes, options: SendTextOptions): Promise<InputReceipt> {
    return this.#send(encodeText(text, options.paste ?? 'never', modes), options);
  }

  /** All keys are looked up before the first is sent. */
  async sendKeys(
    keys: readonly (string | KeyPress)[],
    modes: KeyModes,
    options: SendOptions,
  ): Promise<InputReceipt> {
    const presses = keys.map((key) => (typeof key === 'string' ? parseKey(key) : key));
    const encoded = presses.map((press) => encodeKey(press, modes));
    return this.#send(Buffer.concat(encoded), options);
  }

  async sendBytes(bytes: Uint8Array, options: SendOptions): Promise<InputReceipt> {
    checkLength(bytes);
    // A copy, because the caller's array is the caller's again when this returns.
    return this.#send(new Uint8Array(bytes), options);
  }

  async #send(bytes: Uint8Array, options: SendOptions): Promise<InputReceipt> {
    checkLength(bytes);
    const timeoutMs = clampWaitMs(options.timeoutMs, defaultTimeoutMs);
    const controller = new AbortController();
    const deadline = this.#clock.schedule(timeoutMs, () => controller.abort());
    try {
      this.#onInput();
      return await this.#pty.write(bytes, { signal: controller.signal });
    } catch (error) {
      throw controller.signal.aborted ? timedOut(error as VtrError, timeoutMs) : error;
    } finally {
      deadline.dispose();
    }
  }
}

function checkLength({ length }: Uint8Array): void {
  if (length === 0) throw new VtrError('NO_INPUT', 'nothing to send; give text, keys or bytes');
  if (length <= maxInputBytes) return;
  throw new VtrError(
    'INPUT_TOO_LARGE',
    `${length} bytes of input at once; send at most ${maxInputBytes} at a time`,
    { details: { bytes: length, maxBytes: maxInputBytes } },
  );
}

function timedOut(error: VtrError, timeoutMs: number): VtrError {
  if (error.code !== 'CANCELLED') return error;
  return new VtrError(
    'INPUT_TIMEOUT',
    `${error.message}, because the program did not read them within ${timeoutMs} ms; ` +
      'interrupt it, or send the rest when it reads',
    { cause: error, details: error.details },
  );
}
