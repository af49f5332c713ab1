import { decodeUtf8, defined, quoted } from '#base';
import { defaultSize, isSize, maxSide, type Size, VtrError } from '#model';
import { notePrefix } from './cast-encoder.ts';
import type {
  CastTheme,
  CastVersion,
  RecordedEvent,
  RecordedNote,
  Recording,
  RecordingHeader,
} from './recording.ts';

const lineFeed = 0x0a;

/** An event takes about 100 bytes of memory, even if its line has 12. */
const maxEvents = 10_000_000;

/** The longest time since the beginning, in ms: 10 years. Times are computed with, and shown as dates. */
const maxMs = 10 * 366 * 86_400_000;

/**
 * Reads a recording in asciicast version 1, 2 or 3; version 1 is returned as version 2. If the last line
 * is not complete and has no line feed, it is left out: its writer was killed. After an event that is not
 * valid nothing is read, because the screen may depend on it; the result says so.
 *
 * @param file the whole file
 * @throws VtrError INVALID_RECORDING if the header is not valid, or there are too many events
 */
export function parseCast(file: Uint8Array): Recording {
  const bytes = withoutByteOrderMark(file);
  const lines = linesOf(bytes);
  const first = lines.next().value;
  if (first === undefined) throw invalid(1, 'it is empty');
  const whole = parseVersion1(bytes, first.text);
  if (whole !== null) return whole;
  const { version, header } = parseHeader(first.text);
  const events: RecordedEvent[] = [];
  const parser = new EventParser(version);
  let number = 1;
  for (const { text, isWhole, length } of lines) {
    number++;
    if (events.length === maxEvents) throw invalid(number, `it has more than ${maxEvents} events`);
    try {
      const event = parser.event(text);
      if (event !== null) events.push(event);
    } catch (error) {
      if (!isWhole) return { version, header, events, cutBytes: length };
      return { version, header, events, invalidLine: { number, reason: reasonOf(error) } };
    }
  }
  return { version, header, events };
}

/**
 * Reads version 1: one JSON value, on one line or several, with the pause before each output in
 * seconds. Returns null for another version.
 */
function parseVersion1(bytes: Uint8Array, firstLine: string): Recording | null {
  // The lines of the other versions are JSON values of their own.
  const mayBe = /^\s*\{\s*$|"version":\s*1\b/.test(firstLine);
  const value = mayBe ? jsonOf(decodeUtf8(bytes)) : null;
  if (!isObject(value) || value['version'] !== 1) return null;
  const { stdout } = value;
  if (!Array.isArray(stdout)) throw invalid(1, 'version 1 has an array "stdout"');
  try {
    return { ...headerOf({ ...value, version: 2 }), ...outputsOf(stdout) };
  } catch (error) {
    throw invalid(1, reasonOf(error));
  }
}

function outputsOf(stdout: readonly unknown[]): Pick<Recording, 'events' | 'invalidLine'> {
  const events: RecordedEvent[] = [];
  let atMs = 0;
  for (const [index, entry] of stdout.entries()) {
    const [delay, text] = Array.isArray(entry) ? (entry as unknown[]) : [];
    if (!isSeconds(delay) || typeof text !== 'string') {
      const reason = 'each entry of "stdout" is a pause and a text';
      return { events, invalidLine: { number: index + 1, reason } };
    }
    atMs = Math.min(maxMs, atMs + delay * 1000);
    events.push({ atMs, type: 'output', text });
  }
  return { events };
}

const reasonOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

const isSeconds = (value: unknown): value is number =>
  typeof value === 'number' && value >= 0 && value <= maxMs / 1000;

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Programs of Windows write one, which JSON.parse does not ignore (RFC 8259, 8.1). */
const withoutByteOrderMark = (bytes: Uint8Array): Uint8Array =>
  bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;

interface Line {
  readonly text: string;
  readonly length: number;
  /** Whether it ends with a line feed. */
  readonly isWhole: boolean;
}

function* linesOf(bytes: Uint8Array): Generator<Line, undefined> {
  for (let at = 0; at < bytes.length; ) {
    const index = bytes.indexOf(lineFeed, at);
    const end = index < 0 ? bytes.length : index;
    const text = decodeUtf8(bytes.subarray(at, end));
    yield { text, length: end - at, isWhole: index >= 0 };
    at = end + 1;
  }
  return undefined;
}

class EventParser {
  readonly #version: CastVersion;
  #atMs = 0;

  constructor(version: CastVersion) {
    this.#version = version;
  }

  event(text: string): RecordedEvent | null {
    if (text.trim() === '') return null;
    if (this.#version === 3 && text.startsWith('#')) return this.#note(text);
    const value: unknown = JSON.parse(text);
    if (!Array.isArray(value) || value.length < 3) throw new Error('an event has three elements');
    const [time, code, data] = value as [unknown, unknown, unknown];
    if (!isSeconds(time)) throw new Error(`a time is a number from 0 to ${maxMs / 1000}`);
    if (typeof code !== 'string' || typeof data !== 'string') {
      throw new Error('the kind of an event and its data are strings');
    }
    this.#atMs = this.#version === 2 ? Math.max(this.#atMs, time * 1000) : this.#atMs + time * 1000;
    if (this.#version === 3) this.#atMs = Math.min(maxMs, Math.round(this.#atMs * 1000) / 1000);
    return eventOf(this.#atMs, code, data);
  }

  #note(text: string): RecordedEvent | null {
    if (!text.startsWith(notePrefix)) return null;
    try {
      const note: unknown = JSON.parse(text.slice(notePrefix.length));
      return isNote(note) ? { atMs: this.#atMs, type: 'note', note } : null;
    } catch {
      return null;
    }
  }
}

const isNote = (value: unknown): value is RecordedNote =>
  isObject(value) &&
  Object.values(value).every((each) => each === null || typeof each !== 'object');

function eventOf(atMs: number, code: string, data: string): RecordedEvent {
  switch (code) {
    case 'o':
      return { atMs, type: 'output', text: data };
    case 'i':
      return { atMs, type: 'input', text: data };
    case 'm':
      return { atMs, type: 'marker', label: data };
    case 'r':
      // As in a header, a 0 says that no size was found: the screen stays as it is.
      if (/^(?:0x\d+|\d+x0)$/.test(data)) return { atMs, type: 'other', code, data };
      return { atMs, type: 'resize', size: sizeOf(data) };
    case 'x':
      return exitOf(atMs, data);
    default:
      return { atMs, type: 'other', code, data };
  }
}

function exitOf(atMs: number, data: string): RecordedEvent {
  const status = /^\d{1,3}$/.test(data) ? Number(data) : Number.NaN;
  return status <= 255 ? { atMs, type: 'exit', status } : { atMs, type: 'other', code: 'x', data };
}

function sizeOf(text: string): Size {
  const [, cols, rows] = /^(\d+)x(\d+)$/.exec(text) ?? [];
  return checkedSize(Number(cols), Number(rows));
}

function checkedSize(cols: unknown, rows: unknown): Size {
  const size = { cols: cols as number, rows: rows as number };
  if (isSize(size)) return size;
  throw new Error(`a size is 1x1 to ${maxSide}x${maxSide}`);
}

/** Recorders write 0 where they find no size. */
const firstSize = (cols: unknown, rows: unknown): Size =>
  checkedSize(cols === 0 ? defaultSize.cols : cols, rows === 0 ? defaultSize.rows : rows);

function parseHeader(text: string): { version: CastVersion; header: RecordingHeader } {
  const value = jsonOf(text);
  if (!isObject(value)) {
    const message = 'this is not an asciicast: its first line is not an object of JSON';
    throw new VtrError('INVALID_RECORDING', message, { details: { line: '1' } });
  }
  try {
    return headerOf(value);
  } catch (error) {
    throw invalid(1, reasonOf(error));
  }
}

function headerOf(value: Record<string, unknown>) {
  const { version } = value;
  if (version !== 2 && version !== 3) {
    const problem = version === undefined ? 'it has no version' : `version is ${quoted(version)}`;
    throw new Error(`${problem}; asciicast 1, 2 and 3 are known`);
  }
  const { width, height, term } = value;
  const { cols, rows, theme: inTerm, ...terminal } = isObject(term) ? term : {};
  const size = version === 3 ? firstSize(cols, rows) : firstSize(width, height);
  const { timestamp, title, command, env, idle_time_limit: idle, theme: outer } = value;
  const theme = themeOf(version === 3 ? inTerm : outer);
  const header: RecordingHeader = {
    size,
    ...(isDate(timestamp) ? { startedAtMs: timestamp * 1000 } : {}),
    ...(typeof title === 'string' ? { title } : {}),
    ...(typeof command === 'string' ? { command } : {}),
    ...(isObject(env) ? { env: stringsOf(env) } : {}),
    ...(isSeconds(idle) && idle > 0 ? { idleLimitMs: idle * 1000 } : {}),
    ...defined({ theme }),
    ...(version === 3 ? onlyInVersion3(terminal, value['tags']) : {}),
  };
  return { version, header } as const;
}

function onlyInVersion3({ type, version }: Record<string, unknown>, tags: unknown) {
  return {
    ...(typeof type === 'string' ? { termType: type } : {}),
    ...(typeof version === 'string' ? { termVersion: version } : {}),
    ...(Array.isArray(tags) ? { tags: tags.filter((tag) => typeof tag === 'string') } : {}),
  };
}

/** Whether it is a time since 1970, in seconds, that a `Date` can have; others are left out. */
const isDate = (value: unknown): value is number =>
  typeof value === 'number' && Math.abs(value) <= 8.64e12;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const stringsOf = (value: Record<string, unknown>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(value).flatMap(([name, each]) =>
      typeof each === 'string' ? [[name, each]] : [],
    ),
  );

/** Returns null for a theme that is not valid: a recording plays without it. */
function themeOf(value: unknown): CastTheme | null {
  const { fg, bg, palette: entries } = isObject(value) ? value : {};
  if (typeof entries !== 'string') return null;
  const foreground = rgbOf(fg);
  const background = rgbOf(bg);
  const palette = entries.split(':').map(rgbOf);
  if (foreground === null || background === null) return null;
  if (palette.length !== 8 && palette.length !== 16) return null;
  if (palette.includes(null)) return null;
  return { foreground, background, palette: palette as number[] };
}

function rgbOf(value: unknown): number | null {
  const [, digits] = typeof value === 'string' ? (/^#([\da-f]{6})$/i.exec(value) ?? []) : [];
  return digits === undefined ? null : Number.parseInt(digits, 16);
}

const invalid = (line: number, reason: string): VtrError =>
  new VtrError('INVALID_RECORDING', `line ${line} of the recording is not valid: ${reason}`, {
    details: { line: String(line) },
  });
