import { type Clock, type Disposable, ignored, toDisposable } from '#base';
import {
  encodeKey,
  encodeMouse,
  encodeText,
  endOfLastLine,
  isPasted,
  keyText,
  parseKey,
  pasteEnd,
  plainKey,
} from '#keys';
import {
  asVtrError,
  Cancellation,
  checkMouseInput,
  clampWaitMs,
  type DriverState,
  InputIds,
  type InputReceipt,
  type KeyModes,
  type KeyPress,
  type MouseInput,
  type ObservedInput,
  type PasteMode,
  type Sender,
  type SendOptions,
  type SendTextOptions,
  VtrError,
} from '#model';
import {
  enterPauseMs,
  inputPauseMs,
  maxReadWaitMs,
  type Pty,
  type WriteOptions,
  type WriteReceipt,
} from '#pty';
import type { Terminal } from '#vt';
import { TypedSecrets } from '../known-secrets.ts';
import { contentHash, type RecordedInput } from './recorded-input.ts';
import { ShownText } from './text-place.ts';

/** The most input of one call, in bytes. */
const maxInputBytes = 1024 * 1024;
/** The most pauses of one call: some 15 s, in which the session accepts no other input. */
const maxPauses = 100;
const defaultTimeoutMs = 5_000;
/** As many as a `Pty` knows. */
const maxIds = 64;

type MouseScreen = Pick<Terminal, 'viewModes' | 'cellPixels' | 'size'>;

/** Stands for input that was sent before. */
const repeated = Uint8Array.of(0);

export interface InputParts {
  readonly pty: Pty;
  readonly clock: Clock;
  /** Called with each input before anything is read that the program prints after it. */
  readonly onInput?: (bytes: Uint8Array) => void;
  readonly recorded?: Pick<RecordedInput, 'write' | 'isShown'>;
  /** Whether the shell's line editor reads; see {@link RecordedInput.isShown}. */
  readonly isEdited?: () => boolean;
  /** Called with each line that was typed while the terminal hid it. */
  readonly onSecret?: (line: string) => void;
  /** Whether an Enter that ends text must be apart from it; see `SessionView`. */
  readonly keepsEnterApart?: () => boolean;
  readonly screenRows?: () => readonly string[];
  /** Calls the listener when the screen may have changed. */
  readonly onChange?: (listener: () => void) => Disposable;
}

/** The places in some input where the write waits. */
type Stops = Pick<WriteOptions, 'pausesAt' | 'entersAt'>;

/** Sends input to the program, completely and in order. An error reports how much was accepted. */
export class Input {
  readonly #pty: Pty;
  readonly #clock: Clock;
  readonly #onInput: (bytes: Uint8Array) => void;
  readonly #recorded: Pick<RecordedInput, 'write' | 'isShown'>;
  readonly #isEdited: () => boolean;
  readonly #secrets: TypedSecrets;
  readonly #keepsEnterApart: () => boolean;
  readonly #shownText: ShownText;
  /** What was asked for with ids of input. */
  readonly #ids = new InputIds<{ readonly content: string }>(maxIds);
  /** What the terminal has accepted of inputs that were written completely. */
  acceptedBytes = 0;
  /** The inputs that are being written. */
  #unwritten = 0;
  /** Where the last event of the mouse that was sent happened. */
  #pointer: Pick<MouseInput, 'row' | 'col'> | null = null;

  constructor(parts: InputParts) {
    const { onInput = () => {}, recorded = notRecorded, isEdited = () => false } = parts;
    this.#secrets = new TypedSecrets(parts.onSecret ?? (() => {}));
    this.#pty = parts.pty;
    this.#clock = parts.clock;
    this.#onInput = onInput;
    this.#recorded = recorded;
    this.#isEdited = isEdited;
    this.#keepsEnterApart = parts.keepsEnterApart ?? (() => false);
    const { screenRows = () => [], onChange = () => toDisposable(() => {}) } = parts;
    this.#shownText = new ShownText({ screenRows, onChange });
  }

  async sendText(
    text: string,
    modes: KeyModes,
    options: SendTextOptions & ObservedInput,
  ): Promise<InputReceipt> {
    const paste = options.paste ?? 'never';
    const content = ['text', text, paste];
    const { bytes, ...stops } = this.#encodeText(text, paste, modes);
    if (options.pieceBytes !== undefined && !isPasted(text, paste, modes)) {
      return this.#send(bytes, content, options, {
        entersAt: beginsOfPieces(bytes, options.pieceBytes),
      });
    }
    // An Enter alone follows what was typed before it.
    const isShown = endOfLastLine(text) > 0 ? this.#shownText.typed(text) : () => null;
    if (!isPasted(text, paste, modes)) {
      const isApart = (stops.entersAt?.[0] ?? 0) > 0;
      if (!isApart) return this.#send(bytes, content, options, stops);
      let shown: boolean | null = null;
      const onAccepted = () => {
        shown = isShown();
      };
      const receipt = await this.#send(bytes, content, { ...options, onAccepted }, stops);
      return shown === null ? receipt : { ...receipt, shown };
    }
    try {
      return { ...(await this.#send(bytes, content, options, stops)), pasted: true };
    } catch (error) {
      this.#endPaste(bytes, error);
      throw error;
    }
  }

  /** Encodes text, with the Enter that ends it apart if the program needs that. */
  #encodeText(text: string, paste: PasteMode, modes: KeyModes): Stops & { bytes: Uint8Array } {
    const end = endOfLastLine(text);
    // A line end at the end of a paste is a part of it.
    const isTyped = paste === 'auto' || paste === 'never';
    if (!isTyped || end === text.length || !this.#keepsEnterApart()) {
      return { bytes: encodeText(text, paste, modes) };
    }
    const how = isPasted(text, paste, modes) ? 'always' : 'never';
    const before = encodeText(text.slice(0, end), how, modes);
    const count = text.slice(end).replace(/\r\n/g, '\n').length;
    const enters = Array.from({ length: count }, () => enterKey(modes));
    return { bytes: Buffer.concat([before, ...enters]), entersAt: [before.length] };
  }

  /** A program that has got the beginning of a paste takes all later input for text, until the paste ends. */
  #endPaste(bytes: Uint8Array, error: unknown): void {
    const { code, details } = asVtrError(error);
    const accepted = Buffer.from(bytes).subarray(0, Number(details['acceptedBytes'] ?? 0));
    if (code !== 'INPUT_TIMEOUT' || accepted.length === 0 || accepted.includes(pasteEnd)) return;
    // Waits until the program reads, before later input.
    ignored(
      this.#pty.write(Buffer.from(pasteEnd)),
      'the program may have ended; the sender has an error already',
    );
  }

  /**
   * Encodes all keys before it sends the first one. After an escape key that another key follows, the
   * input pauses: read at once, both are one key with alt. An Enter is apart from the keys before it if the program
   * needs that.
   */
  async sendKeys(
    keys: readonly (string | KeyPress)[],
    modes: KeyModes,
    options: SendOptions & ObservedInput,
  ): Promise<InputReceipt> {
    const presses = keys.map((key) => (typeof key === 'string' ? parseKey(key) : key));
    const encoded = presses.map((press) => encodeKey(press, modes));
    // The program has requested no releases.
    if (sendsNothing(presses, encoded)) return {};
    if (presses.length > 0 && encoded.every(({ length }) => length === 0))
      throw withoutBytes(presses);
    const content = ['keys', presses];
    const pausesAt = endsOfEscapes(encoded);
    const isApart = options.entersApart ?? this.#keepsEnterApart();
    const enters = isApart ? beginsOfEnters(encoded, enterKey(modes)) : [];
    const entersAt = enters.filter((at) => !pausesAt.includes(at));
    const text = isApart ? presses.map(({ key }) => (key.length === 1 ? key : '')).join('') : '';
    if (text !== '') this.#shownText.typed(text);
    const receipt = await this.#send(Buffer.concat(encoded), content, options, {
      pausesAt,
      entersAt,
    });
    return { ...receipt, ...plainKeys(presses, modes) };
  }

  async sendBytes(bytes: Uint8Array, options: SendOptions & ObservedInput): Promise<InputReceipt> {
    checkLength(bytes);
    // A copy, because the caller may change the array during the call.
    const copy = new Uint8Array(bytes);
    return this.#send(copy, ['bytes', copy], options);
  }

  /** Whether the terminal has not accepted all input yet: long input, whose rest waits for the program. */
  get isComing(): boolean {
    return this.#unwritten > 0;
  }

  /** Whether input of this id was sent. */
  knows(inputId: string | undefined): boolean {
    return inputId !== undefined && this.#ids.has(inputId);
  }

  /**
   * Returns the reports of those events of the mouse that the program requested.
   *
   * @throws VtrError INVALID_ARGUMENT for an event that is not on the screen
   */
  mouseReports(events: readonly MouseInput[], screen: MouseScreen): Uint8Array {
    const { viewModes, cellPixels, size } = screen;
    for (const event of events) checkMouseInput(event, size);
    const reports = events.map((event) => {
      const report = encodeMouse(event, viewModes, { previous: this.#pointer, cellPixels });
      if (report.length > 0) this.#pointer = { row: event.row, col: event.col };
      return report;
    });
    return Buffer.concat(reports);
  }

  /**
   * @param reports of the mouse; empty only for a repeat, which sends nothing
   * @param content what the reports are for
   */
  async sendReports(
    reports: Uint8Array,
    content: readonly unknown[],
    options: SendOptions & ObservedInput,
  ): Promise<InputReceipt> {
    return this.#send(reports.length === 0 ? repeated : reports, content, options);
  }

  /** @param content what the bytes stand for: a repeat may be encoded in another way */
  async #send(
    bytes: Uint8Array,
    content: readonly unknown[],
    options: SendOptions & ObservedInput,
    { pausesAt = [], entersAt = [] }: Stops = {},
  ): Promise<InputReceipt> {
    checkLength(bytes);
    checkPauses(pausesAt.length + entersAt.length);
    const { inputId } = options;
    const timeoutMs = clampWaitMs(options.timeoutMs, defaultTimeoutMs);
    const cancellation = new Cancellation();
    const readMs = entersAt.length === 0 ? 0 : maxReadWaitMs + entersAt.length * enterPauseMs;
    const totalMs = timeoutMs + pausesAt.length * inputPauseMs + readMs;
    const deadline = this.#clock.schedule(totalMs, () => cancellation.abort());
    // The screen may show the end of a text before its last piece was typed, as that of another line.
    const hasPieces = options.pieceBytes !== undefined;
    const watch = entersAt.length === 0 || hasPieces ? null : this.#shownText.watch();
    this.#unwritten++;
    try {
      // Before it is noted: an Enter in it ends the editing.
      const isEdited = this.#isEdited();
      const id = inputId === undefined ? null : { inputId, content: contentHash(...content) };
      const isNew = this.#isNew(id);
      const onReceipt = ({ modes }: WriteReceipt) => {
        if (modes !== undefined) this.#secrets.note(bytes, modes);
        options.onAccepted?.();
      };
      const stops = {
        pausesAt,
        ...(entersAt.length > 0 && { entersAt, ...(watch !== null && { shown: watch.shown }) }),
      };
      const how = { signal: cancellation, ...stops, ...id, ...(isNew && { onReceipt }) };
      const write = () => this.#pty.write(bytes, how);
      const writing = isNew ? this.#recorded.write(bytes, write) : write();
      // In the same turn, so before its echo. Who waits for the key need not wait for this.
      if (isNew) this.#onInput(bytes);
      const { modes, ...receipt } = await writing;
      if (isNew) {
        this.acceptedBytes += bytes.length;
        const isShown = this.#recorded.isShown(bytes, modes, isEdited);
        options.onWritten?.({ bytes: bytes.length, isShown });
      }
      return receipt;
    } catch (error) {
      throw cancellation.aborted ? timedOut(error as VtrError, timeoutMs) : error;
    } finally {
      this.#unwritten--;
      watch?.dispose();
      deadline.dispose();
    }
  }

  /** Returns false for a repeat, which types nothing. @throws VtrError INPUT_ID_USED */
  #isNew(id: { readonly inputId: string; readonly content: string } | null): boolean {
    if (id === null) return true;
    if (this.#ids.find(id.inputId, () => id.content) !== undefined) return false;
    this.#ids.add(id.inputId, id);
    return true;
  }
}

const notRecorded: Pick<RecordedInput, 'write' | 'isShown'> = {
  write: (_, write) => write(),
  isShown: () => false,
};

const enterKey = (modes: KeyModes): Uint8Array => encodeKey({ key: 'enter' }, modes);

const sendsNothing = (presses: readonly KeyPress[], encoded: readonly Uint8Array[]): boolean =>
  presses.length > 0 &&
  presses.every(({ action }, at) => action === 'release' && encoded[at]?.length === 0);

/** The error for keys that a terminal does not report in the modes of the program, such as media keys. */
const withoutBytes = (presses: readonly KeyPress[]): VtrError => {
  const names = [...new Set(presses.map(keyText))].slice(0, 3).join(', ');
  return new VtrError(
    'NO_INPUT',
    `${names}: nothing is sent, because the program has not asked for reports of such keys`,
  );
};

/** Tells which keys the program cannot tell from others, by their short forms. */
function plainKeys(presses: readonly KeyPress[], modes: KeyModes): Pick<InputReceipt, 'sentAs'> {
  const plain = presses.flatMap((press) => {
    const text = plainKey(press, modes);
    return text === null ? [] : [[keyText(press), text] as const];
  });
  return plain.length === 0 ? {} : { sentAs: Object.fromEntries(plain) };
}

/** Returns the offsets after each lone ESC, except at the end. */
function endsOfEscapes(keys: readonly Uint8Array[]): number[] {
  const ends: number[] = [];
  let at = 0;
  for (const bytes of keys.slice(0, -1)) {
    at += bytes.length;
    if (bytes.length === 1 && bytes[0] === 0x1b) ends.push(at);
  }
  return ends;
}

/** Returns the offset of each Enter that does not follow another one. */
function beginsOfEnters(keys: readonly Uint8Array[], enter: Uint8Array): number[] {
  const begins: number[] = [];
  let at = 0;
  let isAfterEnter = false;
  for (const bytes of keys) {
    const isEnter = Buffer.compare(bytes, enter) === 0;
    if (isEnter && !isAfterEnter) begins.push(at);
    isAfterEnter = isEnter;
    at += bytes.length;
  }
  return begins;
}

/** Returns where the pieces of a text but the first begin. They are about equally long, and no character is divided. */
function beginsOfPieces(bytes: Uint8Array, maxBytes: number): number[] {
  // A character has up to three more bytes.
  const count = Math.ceil(bytes.length / (maxBytes - 3));
  return Array.from({ length: Math.max(0, count - 1) }, (_, piece) => {
    let at = Math.ceil(((piece + 1) * bytes.length) / count);
    while (((bytes[at] ?? 0) & 0xc0) === 0x80) at--;
    return at;
  });
}

function checkLength({ length }: Uint8Array): void {
  if (length === 0) throw new VtrError('NO_INPUT', 'the input is empty; give text, keys or bytes');
  if (length <= maxInputBytes) return;
  throw new VtrError(
    'INPUT_TOO_LARGE',
    `the input has ${length} bytes; send at most ${maxInputBytes} at once`,
    { details: { bytes: length, maxBytes: maxInputBytes } },
  );
}

function checkPauses(pauses: number): void {
  if (pauses <= maxPauses) return;
  throw new VtrError(
    'INPUT_TOO_LARGE',
    `the input needs ${pauses} pauses, after escape, before enter and between pieces of a long text; send at most ${maxPauses} at once`,
    { details: { pauses, maxPauses } },
  );
}

function timedOut(error: VtrError, timeoutMs: number): VtrError {
  if (error.code !== 'CANCELLED') return error;
  return new VtrError(
    'INPUT_TIMEOUT',
    `${error.message}; the program did not read the rest within ${timeoutMs} ms; ` +
      'interrupt it, or send the rest when it reads',
    { cause: error, details: error.details },
  );
}

/** Decides who may type in a session, for its coordinator. */
export interface InputGate {
  /** @throws VtrError NOT_DRIVER */
  check(sender: Sender): void;
  /** Sends input if its sender may type; called once per write. @throws VtrError NOT_DRIVER */
  send<T>(sender: Sender, write: () => Promise<T>): Promise<T>;
  state(): DriverState;
  onChange(listener: () => void): Disposable;
}
