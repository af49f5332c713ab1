import type { Clock } from '#base';
import { encodeKey, encodeText, parseKey } from '#keys';
import {
  type KeyModes,
  type KeyPress,
  type SendOptions,
  type SendTextOptions,
  VtrError,
} from '#model';
import type { Pty } from '#pty';
import { inSession } from './in-session.ts';

/** As much may be sent in one call. */
const maxInputBytes = 1024 * 1024;
const defaultTimeoutMs = 5_000;

/** Brings input to the program, whole and in order, or says how much of it went in. */
export class Input {
  readonly #name: string;
  readonly #pty: Pty;
  readonly #clock: Clock;

  constructor(name: string, pty: Pty, clock: Clock) {
    this.#name = name;
    this.#pty = pty;
    this.#clock = clock;
  }

  async sendText(text: string, modes: KeyModes, options: SendTextOptions): Promise<void> {
    return this.sendBytes(encodeText(text, options.paste ?? 'never', modes), options);
  }

  /** All keys are looked up before the first is sent. */
  async sendKeys(
    keys: readonly (string | KeyPress)[],
    modes: KeyModes,
    options: SendOptions,
  ): Promise<void> {
    const presses = keys.map((key) => (typeof key === 'string' ? parseKey(key) : key));
    const encoded = presses.map((press) => encodeKey(press, modes));
    return this.sendBytes(Buffer.concat(encoded), options);
  }

  async sendBytes(bytes: Uint8Array, options: SendOptions): Promise<void> {
    this.#check(bytes);
    const timeoutMs = options.timeoutMs ?? defaultTimeoutMs;
    const controller = new AbortController();
    const deadline = this.#clock.schedule(timeoutMs, () => controller.abort());
    try {
      await inSession(this.#name, this.#pty.write(bytes, { signal: controller.signal }));
    } catch (error) {
      throw controller.signal.aborted ? timedOut(error as VtrError, timeoutMs) : error;
    } finally {
      deadline.dispose();
    }
  }

  #check(bytes: Uint8Array): void {
    const { length } = bytes;
    if (length === 0) throw new VtrError('NO_INPUT', `session ${this.#name}: nothing to send`);
    if (length <= maxInputBytes) return;
    throw new VtrError(
      'INPUT_TOO_LARGE',
      `session ${this.#name}: ${length} bytes at once; send at most ${maxInputBytes} at a time`,
      { details: { bytes: length, maxBytes: maxInputBytes } },
    );
  }
}

function timedOut(error: VtrError, timeoutMs: number): VtrError {
  if (error.code !== 'CANCELLED') return error;
  return new VtrError(
    'INPUT_TIMEOUT',
    `${error.message} after ${timeoutMs} ms in which the program did not read; ` +
      'interrupt it, or send again what is missing when it reads',
    { cause: error, details: error.details },
  );
}
