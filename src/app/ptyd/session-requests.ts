import {
  asVtrError,
  type EndOptions,
  lateReason,
  type SignalName,
  type Size,
  VtrError,
} from '#model';
import type { LearnedSecrets, Note, ProcessEntry, ReadTime, SignalTarget } from '#pty';
import {
  decodeJson,
  decodeSavedChange,
  decodeWriteOptions,
  encodeFields,
  encodeWriteReceipt,
  Fields,
  type Frame,
  LongPayloads,
  maxFetchBytes,
  ProtocolError,
} from '#pty/hosted';
import type { Connection } from './connection.ts';
import type { KeptSession } from './kept-session.ts';

type PlainQuestion = 'usage' | 'pss' | 'suspend' | 'continue';

/** The questions about a session whose answer is a value. */
export type Question =
  | {
      readonly ask: 'foreground';
      readonly listed: boolean;
      readonly withDirectory?: boolean;
      readonly withTrace?: boolean;
      readonly onlyProgram?: boolean;
    }
  | { readonly ask: 'modes'; readonly listed: boolean }
  | { readonly ask: 'directory'; readonly pid: number }
  | {
      readonly ask: 'signal';
      readonly signal: SignalName;
      readonly target: SignalTarget;
      readonly startByMs?: number;
    }
  | { readonly ask: 'end'; readonly options: EndOptions; readonly startByMs?: number }
  | { readonly ask: 'pause' | 'resume' }
  | { readonly ask: PlainQuestion };

/** Handles the requests of one coordinator about sessions. */
export class SessionRequests {
  readonly #connection: Connection;
  readonly #log: (line: string) => void;
  readonly #now: () => ReadTime;
  readonly #payloads = new LongPayloads();
  /** The last listing that the coordinator requested. */
  listed: readonly ProcessEntry[] = [];

  constructor(
    connection: Connection,
    { log, now }: { readonly log: (line: string) => void; readonly now: () => ReadTime },
  ) {
    this.#connection = connection;
    this.#log = log;
    this.#now = now;
  }

  /** Sends the error of a request that fails. It affects nothing else. */
  answer(request: number, handle: () => Promise<void>): void {
    handle().catch((error) => {
      const failure = asVtrError(error);
      if (failure.code === 'INTERNAL_ERROR') this.#log(`fault: ${String(error)}`);
      this.#connection.fail(request, failure);
    });
  }

  /** @throws ProtocolError */
  handle(session: KeptSession, frame: Frame): void {
    const { type, payload } = frame;
    if (type === 'write') this.#write(session, frame);
    else if (type === 'abort') session.withdraw(frame.request);
    else if (type === 'shown') session.shown(frame.request);
    else if (type === 'resize') this.#resize(session, frame);
    else if (type === 'note') note(session, new Fields(payload));
    else if (type === 'follow') session.follow();
    else if (type === 'keep') this.#keep(session, frame);
    else if (type === 'learned') session.keepLearned(learnedOf(frame));
    else if (type === 'fetch') this.#fetch(session, frame);
    else if (type === 'ask') this.#answerQuestion(session, frame);
    else throw new ProtocolError(`${type} for a session`);
  }

  #write(session: KeptSession, { request, payload }: Frame): void {
    const fields = new Fields(payload);
    const { startByMs, ...options } = decodeWriteOptions(fields);
    const bytes = new Uint8Array(fields.rest());
    this.answer(request, async () => {
      checkStartLimit(startByMs, this.#now().bootMs);
      const receipt = await session.write(request, bytes, options);
      this.#connection.sendSoon('written', { request }, encodeWriteReceipt(receipt));
    });
  }

  #resize(session: KeptSession, { request, payload }: Frame): void {
    const fields = new Fields(payload);
    const size: Size = { cols: fields.u16(), rows: fields.u16() };
    const startByMs = fields.left > 0 ? fields.offset() : undefined;
    this.answer(request, async () => {
      checkStartLimit(startByMs, this.#now().bootMs);
      const value = await session.resize(request, size);
      if (value !== null) this.#connection.answer(request, { value });
    });
  }

  #keep(session: KeptSession, frame: Frame): void {
    const payload = this.#payloads.add(frame);
    if (payload !== null) session.save(decodeSavedChange(payload));
  }

  /** Sends raw output, as much as fits into an answer. */
  #fetch({ pty }: KeptSession, { request, payload }: Frame): void {
    const fields = new Fields(payload);
    const [from, to] = [fields.offset(), fields.offset()];
    this.answer(request, async () => {
      const chunks = await pty.keptOutput(from);
      const parts: Uint8Array[] = [];
      let length = 0;
      for (const { offset, bytes } of chunks) {
        const part = bytes.subarray(0, Math.max(0, Math.min(to - offset, maxFetchBytes - length)));
        parts.push(part);
        length += part.length;
      }
      const offset = chunks[0]?.offset ?? to;
      this.#connection.send('fetched', { request }, encodeFields({ offset }), ...parts);
    });
  }

  #answerQuestion(session: KeptSession, { request, payload }: Frame): void {
    const question = decodeJson(payload) as unknown as Question;
    this.answer(request, async () => {
      this.#connection.answer(request, { value: (await this.#ask(session, question)) ?? null });
    });
  }

  #ask(session: KeptSession, question: Question): unknown {
    const { pty } = session;
    switch (question.ask) {
      case 'foreground':
        if (question.onlyProgram) return pty.foregroundProgram();
        return pty.foreground(
          question.listed ? this.listed : undefined,
          question.withDirectory,
          question.withTrace,
        );
      case 'modes':
        return pty.modes(question.listed ? this.listed : undefined);
      case 'directory':
        return pty.directory(question.pid);
      case 'signal':
        checkStartLimit(question.startByMs, this.#now().bootMs);
        return pty.signal(question.signal, question.target);
      case 'end':
        checkStartLimit(question.startByMs, this.#now().bootMs);
        session.ending();
        return pty.end(question.options);
      case 'pause':
        return session.pause();
      case 'resume':
        return session.resume();
      default:
        return askPlain(session, question.ask);
    }
  }
}

function learnedOf({ payload }: Frame): LearnedSecrets {
  const { typed, seen } = decodeJson(payload);
  return { typed: textsOf(typed), seen: textsOf(seen) };
}

const textsOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];

function note(session: KeptSession, fields: Fields): void {
  const position = { offset: fields.offset(), steps: fields.offset() };
  session.note(decodeJson(fields.rest())['note'] as Note, position);
}

function askPlain({ pty }: KeptSession, ask: PlainQuestion): unknown {
  switch (ask) {
    case 'usage':
      return pty.usage();
    case 'pss':
      return pty.pssBytes();
    case 'suspend':
      return pty.suspend();
    case 'continue':
      return pty.continue();
    default:
      throw new VtrError('INVALID_ARGUMENT', `the PTY host has no question ${String(ask)}`);
  }
}

/**
 * Checks, before a request is carried out, that its coordinator still waits for it. After the limit the
 * coordinator and its client have given the request up.
 *
 * @param startByMs until when it may be begun; absent: at any time
 * @param nowMs on the same clock
 * @throws VtrError UNAVAILABLE
 */
export function checkStartLimit(startByMs: number | undefined, nowMs: number): void {
  if (startByMs === undefined || nowMs <= startByMs) return;
  const seconds = ((nowMs - startByMs) / 1e3).toFixed(1);
  throw new VtrError(
    'UNAVAILABLE',
    `the request was not carried out: the PTY host read it ${seconds} s after its limit; it was suspended, or the machine is overloaded`,
    { details: { reason: lateReason, acceptedBytes: 0 } },
  );
}
