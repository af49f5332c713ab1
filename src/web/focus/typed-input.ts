import { signal } from '@preact/signals';
import { cutText, type Disposable, defined, ownTimers, type Timers } from '#base';
import type { RequestJson } from '#messages';
import type { KeyPress } from '#model';
import { keyMessage } from '../input/key-events.ts';
import { type Calls, errorText, isSilent, LinkError } from '../link/link.ts';

/**
 * An input that is older than this is not sent, nor sent again after a lost connection, in ms: the time after
 * which a connection that answers nothing withdraws it.
 */
const inputLimitMs = 5_000;
/** Inputs that are not answered: fewer than the calls after which the server stops to read. */
const maxInputs = 32;
/** An answer that takes longer than this is told, in ms. */
const slowMs = 300;
/** Keys that wait go together, so that no typing is faster than the connection. */
const maxKeys = 64;
/** A longer paste goes in parts of this length, in UTF-16 code units: the server limits messages. */
const pastePart = 65_536;

/** From so many lines on, the page asks before each paste. */
const manyLines = 1_000;

/** Returns the lines of a text, without blank ones at its end. */
export const linesOf = (text: string): string[] => text.trimEnd().split(/\r\n|[\r\n]/);

/**
 * Whether the page asks before a paste: a program that has not asked for bracketed paste takes each line as one that was
 * typed, and a shell runs it.
 */
export function asksBeforePaste(text: string, isBracketed: boolean): boolean {
  const { length } = linesOf(text);
  return length >= manyLines || (length > 1 && !isBracketed);
}

/** What is typed, without the session and the viewing. */
export type Typed =
  | { readonly method: 'SendKey'; readonly body: { readonly keys: readonly KeyPress[] } }
  | { readonly method: 'SendText'; readonly body: RequestJson<'SendText'> }
  | { readonly method: 'SendMouse'; readonly body: RequestJson<'SendMouse'> };

type Input = Typed & { readonly atMs: number; readonly done?: (isSent: boolean) => void };

/** The difference is absolute because the clock may have been set back. */
const isLate = ({ atMs }: Input): boolean => Math.abs(Date.now() - atMs) > inputLimitMs;

/** The viewing in which is typed. */
export interface TypingView {
  readonly id: string;
  /** Whether what is typed reaches the program. */
  readonly drives: boolean;
  /** The name of the one who types or holds the session; null for nobody. */
  readonly driver: string | null;
}

/** Follows what is typed to the program. */
export interface TypingListener {
  /** It goes to the program. */
  typed(typed: Typed): void;
  /** It was written to the program. */
  written(typed: Typed): void;
  /** Some of what is under way is lost, or may be. */
  lost(): void;
}

export interface TypedInputOptions {
  readonly link: Calls;
  readonly sessionId: string;
  /** Null until it is known. */
  readonly view: () => TypingView | null;
  readonly notice: (text: string) => void;
  readonly listener?: TypingListener | undefined;
  /** Default: those of the page. */
  readonly timers?: Timers;
}

/** A long paste that is under way, in UTF-16 code units. */
export interface Pasting {
  readonly done: number;
  readonly total: number;
}

/** Sends what a person types, in its order and once. What is not sent is told. */
export class TypedInput {
  readonly pasting = signal<Pasting | null>(null);
  /** Whether the last input had no answer for {@link slowMs}, or has none yet. */
  readonly isSlow = signal(false);
  /** When inputs that are not answered were sent, by id. */
  readonly #sentMs = new Map<string, number>();
  #slowness: Disposable | null = null;
  readonly #timers: Timers;
  readonly #options: TypedInputOptions;
  /** Inputs that are not answered yet, by id, in the order of typing. */
  readonly #inputs = new Map<string, Input>();
  /** What was typed and is not sent yet: the viewing is not known, or too much is under way. */
  #queue: Input[] = [];
  #isCancelled = false;

  constructor(options: TypedInputOptions) {
    this.#options = options;
    this.#timers = options.timers ?? ownTimers;
  }

  /** What is typed and not answered yet, in the order of typing. */
  get underWay(): readonly Typed[] {
    return [...this.#inputs.values(), ...this.#queue];
  }

  /** @returns false if it is not sent, and this was told */
  send(typed: Typed): boolean {
    if (this.pasting.value !== null) {
      this.#options.notice('Not sent: a paste is under way');
      return false;
    }
    return this.#hold(typed);
  }

  /** Pastes a text, a long one in parts. */
  paste(text: string): boolean {
    if (text.length <= pastePart || this.pasting.value !== null) return this.send(pasteOf(text));
    void this.#pasteParts(text);
    return true;
  }

  /** Sends no further part of a paste. */
  cancelPaste(): void {
    this.#isCancelled = true;
  }

  async #pasteParts(text: string): Promise<void> {
    const total = text.length;
    this.#isCancelled = false;
    let length = 0;
    while (length < total && !this.#isCancelled) {
      this.pasting.value = { done: length, total };
      const part = cutText(text.slice(length), pastePart);
      const isSent = await new Promise<boolean>((done) => {
        if (!this.#hold(pasteOf(part), done)) done(false);
        // With the first part, the person comes to the terminal.
        else if (length > 0) this.flush();
      });
      if (!isSent) break;
      length += part.length;
    }
    this.pasting.value = null;
    if (length < total) {
      const [done, all] = [length, total].map((count) => count.toLocaleString('en'));
      this.#options.notice(`Pasted ${done} of ${all} characters`);
    }
  }

  #hold(typed: Typed, done?: (isSent: boolean) => void): boolean {
    const { link, notice } = this.#options;
    if (link.state.value !== 'up') {
      notice('Not sent: the connection is lost');
      return false;
    }
    this.#queue.push({ ...typed, atMs: Date.now(), ...defined({ done }) });
    this.#options.listener?.typed(typed);
    return true;
  }

  /** Sends what was typed, as far as it may be under way. */
  flush(): void {
    const view = this.#options.view();
    // Until the viewing is known, it is not known who holds the session.
    if (this.#queue.length === 0 || view === null) return;
    if (!view.drives) {
      const { driver } = view;
      const who = `${driver || 'somebody else'} holds the session. Ask for it.`;
      this.#dropHeld(driver === null ? 'the session takes no input' : who);
      return;
    }
    if (this.#queue.some(isLate)) {
      // All of it: a line without its beginning would be another one.
      this.#dropHeld('it was typed too long ago');
      return;
    }
    while (this.#queue.length > 0 && this.#inputs.size < maxInputs) this.#sendNext();
  }

  /** Sends the first input that waits; keys with those that follow them. */
  #sendNext(): void {
    const [first, ...rest] = this.#queue;
    if (first === undefined) return;
    let input = first;
    if (first.method === 'SendKey') {
      const other = rest.findIndex(({ method }) => method !== 'SendKey');
      const count = Math.min(other < 0 ? rest.length : other, maxKeys - 1);
      const keys = [first, ...rest.slice(0, count)].flatMap((each) =>
        each.method === 'SendKey' ? each.body.keys : [],
      );
      input = { ...first, body: { keys } };
      rest.splice(0, count);
    }
    this.#queue = rest;
    const id = `web-${crypto.randomUUID()}`;
    this.#inputs.set(id, input);
    this.#call(id, input);
  }

  #call(id: string, input: Input): void {
    const { link, sessionId, notice } = this.#options;
    this.#sentMs.set(id, this.#timers.nowMs());
    this.#slowness ??= this.#timers.schedule(slowMs, () => this.#lookForSlowness());
    const viewer = this.#options.view()?.id ?? '';
    const how = { sessionId, viewer, inputId: id };
    const keys = ({ keys }: { readonly keys: readonly KeyPress[] }) =>
      keys.map((press) => ({ press: keyMessage(press) }));
    const called: Promise<unknown> =
      input.method === 'SendKey'
        ? link.call('SendKey', { keys: keys(input.body), ...how })
        : link.call(input.method, { ...input.body, ...how });
    called.then(
      () => this.#answered(id, true),
      (error) => {
        if (isSilent(error)) {
          this.#withdrawAll(errorText(error));
          return;
        }
        // The connection was lost: it is sent again, and has its effect once.
        if (error instanceof LinkError && error.code === 'UNAVAILABLE') return;
        const isNothing = error instanceof LinkError && error.code === 'NO_INPUT';
        if (!isNothing) notice(`Not sent: ${errorText(error)}`);
        this.#answered(id, isNothing);
        if (!isNothing) this.#lost();
      },
    );
  }

  #answered(id: string, isSent: boolean): void {
    const input = this.#inputs.get(id);
    this.#inputs.delete(id);
    if (input !== undefined && isSent) this.#options.listener?.written(input);
    this.#lookForSlowness(id);
    input?.done?.(isSent);
    this.flush();
  }

  /** @param answered the id of an input that is answered now */
  #lookForSlowness(answered?: string): void {
    const nowMs = this.#timers.nowMs();
    const isSlow = (sentMs: number) => nowMs - sentMs >= slowMs;
    const sentMs = answered === undefined ? undefined : this.#sentMs.get(answered);
    if (answered !== undefined) this.#sentMs.delete(answered);
    const waiting = [...this.#sentMs.values()];
    this.isSlow.value = waiting.some(isSlow) || (sentMs !== undefined && isSlow(sentMs));
    this.#slowness?.dispose();
    this.#slowness = null;
    if (waiting.length > 0 && !this.isSlow.value)
      this.#slowness = this.#timers.schedule(slowMs, () => this.#lookForSlowness());
  }

  /** Sends again what had no answer when the connection was lost. */
  repeat(): void {
    const inputs = [...this.#inputs];
    if (!inputs.some(([, input]) => isLate(input))) {
      for (const [id, input] of inputs) this.#call(id, input);
      return;
    }
    // As above, with what was typed after it.
    this.#drop();
    this.#options.notice('Perhaps not sent: the connection was lost for too long');
  }

  /** The connection has withdrawn all that is not answered, also what is not sent yet. */
  #withdrawAll(why: string): void {
    if (this.#inputs.size === 0) return;
    this.#drop();
    this.#options.notice(`Not sent: ${why}`);
  }

  #lost(): void {
    this.#options.listener?.lost();
  }

  #dropHeld(why: string): void {
    for (const { done } of this.#queue.splice(0)) done?.(false);
    this.#lost();
    this.#options.notice(`Not sent: ${why}`);
  }

  #drop(): void {
    const all = [...this.#inputs.values(), ...this.#queue];
    this.#inputs.clear();
    this.#sentMs.clear();
    this.#queue = [];
    this.#lost();
    for (const { done } of all) done?.(false);
  }
}

const pasteOf = (text: string): Typed => ({
  method: 'SendText',
  body: { text, paste: 'PASTE_MODE_SUPPORTED' },
});
