import { defined } from '#base';
import type { RecordedEvent, RecordedNote, RecordingHeader } from '../recording.ts';
import { Redactor } from './redactor.ts';
import type { SecretRule } from './secrets.ts';

/**
 * Replaces secrets in the events of a recording: in output and input as streams, in markers and notes
 * one by one. Events keep their order: those after output that is held back wait for it.
 */
export class EventRedactor {
  readonly #rules: readonly SecretRule[];
  readonly #output: Stream;
  readonly #input: Stream;
  /** Events that are not released, in order. Text of output and input is in the streams. */
  #waiting: Waiting[] = [];

  constructor(rules: readonly SecretRule[]) {
    this.#rules = rules;
    this.#output = new Stream(rules);
    this.#input = new Stream(rules);
  }

  /** Whether the output ends where a secret may have begun. */
  get isHolding(): boolean {
    return this.#waiting.length > 0 || this.#output.isInKey;
  }

  /** Whether a line of output begins, and nothing before it matters: clean lines need not be added. */
  get isAtLine(): boolean {
    return this.#waiting.length === 0 && this.#output.isAtLine;
  }

  /** Returns the events that can be released. */
  push(event: RecordedEvent): RecordedEvent[] {
    if (event.type === 'output' || event.type === 'input') {
      const stream = event.type === 'output' ? this.#output : this.#input;
      const from = stream.pushed;
      if (event.before === undefined) stream.push(event.text);
      else stream.draw(event.text, event.before);
      this.#waiting.push({ event, stream, from, to: stream.pushed });
    } else this.#waiting.push({ event: redactEvent(event, this.#rules) });
    return this.#release();
  }

  /** Returns the events that are held back. */
  end(): RecordedEvent[] {
    this.#output.end();
    this.#input.end();
    return this.#release();
  }

  #release(): RecordedEvent[] {
    const released: RecordedEvent[] = [];
    let at = 0;
    for (; at < this.#waiting.length; at++) {
      const each = this.#waiting[at] as Waiting;
      if (!('stream' in each)) {
        released.push(each.event);
        continue;
      }
      const { stream, from, to } = each;
      const { before: _drawn, ...event } = each.event;
      const end = Math.min(to, stream.released);
      if (end > from) released.push({ ...event, text: stream.take(end - from) });
      if (end < to) {
        this.#waiting[at] = { ...each, from: end };
        break;
      }
    }
    this.#waiting = this.#waiting.slice(at);
    return released;
  }
}

type Waiting =
  | { readonly event: RecordedEvent }
  | {
      readonly event: RecordedEvent & { readonly type: 'output' | 'input' };
      readonly stream: Stream;
      /** The part of the stream that is its text. */
      readonly from: number;
      readonly to: number;
    };

/** Text without its times. */
class Stream {
  readonly #redactor: Redactor;
  #text = '';
  pushed = 0;
  /** What is released or taken, from the beginning. */
  released = 0;

  constructor(rules: readonly SecretRule[]) {
    this.#redactor = new Redactor(rules);
  }

  get isAtLine(): boolean {
    return this.#redactor.isAtLine;
  }

  get isInKey(): boolean {
    return this.#redactor.isInKey;
  }

  push(text: string): void {
    this.pushed += text.length;
    this.#add(this.#redactor.push(text));
  }

  /** Adds text that draws a screen: it does not continue what is held back. */
  draw(text: string, before: string): void {
    this.#add(this.#redactor.settle(true));
    this.pushed += text.length;
    this.#add(this.#redactor.draw(text, before));
  }

  end(): void {
    this.#add(this.#redactor.end());
  }

  take(length: number): string {
    const taken = this.#text.slice(0, length);
    this.#text = this.#text.slice(length);
    return taken;
  }

  #add(text: string): void {
    this.#text += text;
    this.released += text.length;
  }
}

/** Replaces secrets in a whole text. */
export function redactText(text: string, rules: readonly SecretRule[]): string {
  const redactor = new Redactor(rules);
  return redactor.push(text) + redactor.end();
}

/** Replaces secrets in what a recording says of itself. */
export function redactHeader(
  header: RecordingHeader,
  rules: readonly SecretRule[],
): RecordingHeader {
  const { title, command, env, termType, termVersion, tags, ...rest } = header;
  const redacted = (text: string) => redactText(text, rules);
  return {
    ...rest,
    ...(title === undefined ? {} : { title: redacted(title) }),
    ...(command === undefined ? {} : { command: redacted(command) }),
    ...defined({ env: env && redactValues(env, redacted) }),
    ...(termType === undefined ? {} : { termType: redacted(termType) }),
    ...(termVersion === undefined ? {} : { termVersion: redacted(termVersion) }),
    ...defined({ tags: tags?.map(redacted) }),
  };
}

function redactEvent(event: RecordedEvent, rules: readonly SecretRule[]): RecordedEvent {
  const redacted = (text: string) => redactText(text, rules);
  switch (event.type) {
    case 'marker':
      return { ...event, label: redacted(event.label) };
    case 'other':
      return { ...event, data: redacted(event.data) };
    case 'note':
      return { ...event, note: redactNote(event.note, redacted) };
    default:
      return event;
  }
}

const redactNote = (note: RecordedNote, redacted: (text: string) => string): RecordedNote =>
  Object.fromEntries(
    Object.entries(note).map(([name, value]) => [
      name,
      typeof value === 'string' ? redacted(value) : value,
    ]),
  );

const redactValues = (
  values: Readonly<Record<string, string>>,
  redacted: (text: string) => string,
): Record<string, string> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, redacted(value)]));
