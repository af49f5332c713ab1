import { quoted, sanitize } from '#base';
import { VtrError } from './errors.ts';

/**
 * The forms of a recording: asciicast version 3 or 2, the text of all lines, or the output as it was
 * written.
 */
export const recordFormats = ['v3', 'v2', 'text', 'raw'] as const;

export type RecordFormat = (typeof recordFormats)[number];

export interface RecordRequest {
  /** Default: `v3`. */
  readonly format?: RecordFormat;
}

/** What happened in a session, as far back as it is kept in memory. */
export interface SessionRecord {
  /** In the requested format. */
  readonly data: Uint8Array;
  /** When it begins, in ms since 1970. */
  readonly sinceMs: number;
  /** Why it does not begin earlier. */
  readonly begins: RecordBegin;
}

/**
 * Why nothing earlier is known. `start`: the session began then; `restart`: the coordinator did;
 * `limit`: older output was dropped.
 */
export const recordBegins = ['start', 'restart', 'limit'] as const;

export type RecordBegin = (typeof recordBegins)[number];

/** The forms in which a recording is written to a file while it goes on. */
export const fileRecordFormats = ['v3', 'v2'] as const satisfies readonly RecordFormat[];

export interface StartRecordingRequest {
  /** An absolute path. Default: a new file in the directory of recordings. */
  readonly file?: string;
  /** Overwrites `file`. Default: false. */
  readonly force?: boolean;
  /** Default: `v3`. */
  readonly format?: (typeof fileRecordFormats)[number];
  /** Records what is typed, too, except passwords. Default: false. */
  readonly input?: boolean;
}

/**
 * `on`: it goes on. `ended`: it was stopped as requested, or its session ended. `stopped`: it could not
 * go on.
 */
export const fileRecordingStates = ['on', 'ended', 'stopped'] as const;

export type FileRecordingState = (typeof fileRecordingStates)[number];

/** A recording of a session in a file. */
export interface FileRecording {
  /** Letters, digits and `-`. */
  readonly id: string;
  /** What a person calls it; no other recording of the coordinator has this name. */
  readonly name?: string;
  readonly sessionId: string;
  /** The session's name when the recording began. */
  readonly session: string;
  /** Absolute. */
  readonly file: string;
  readonly state: FileRecordingState;
  /** The size of the file; 0 if it is gone. */
  readonly bytes: number;
  readonly startedAtMs: number;
  /** When it ended, in ms since 1970; absent while it goes on, and where nobody saw its end. */
  readonly endedAtMs?: number;
  /** Why it stopped. */
  readonly reason?: string;
}

/** The limit of the name of a marker, in UTF-16 code units. */
const maxMarkerLength = 200;

/** Checks a format at run time, for callers without types. @throws VtrError INVALID_ARGUMENT */
export function checkRecordFormat(format: RecordFormat): RecordFormat {
  if (recordFormats.includes(format)) return format;
  throw new VtrError(
    'INVALID_ARGUMENT',
    `format is ${quoted(format)}; use one of ${recordFormats.join(', ')}`,
  );
}

/** Checks a request at run time, for callers without types. @throws VtrError INVALID_ARGUMENT */
export function checkStartRecording({ file, format }: StartRecordingRequest): void {
  if (file !== undefined && !file.startsWith('/')) {
    throw new VtrError('INVALID_ARGUMENT', `file is ${quoted(file)}; use an absolute path`);
  }
  if (format === undefined || fileRecordFormats.includes(format)) return;
  throw new VtrError(
    'INVALID_ARGUMENT',
    `format is ${quoted(format)}; use one of ${fileRecordFormats.join(', ')}`,
  );
}

/** Without `.cast` at its end, by which verbs know a file. */
const recordingName = /^(?!.*\.cast(?:\.gz)?$)[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** Returns `name` if a recording can have it. @throws VtrError INVALID_ARGUMENT */
export function checkRecordingName(name: string): string {
  if (recordingName.test(name)) return name;
  throw new VtrError(
    'INVALID_ARGUMENT',
    `the name ${quoted(name)} is not allowed for a recording; use 1 to 64 characters of A-Z a-z 0-9 . _ -, with a letter or digit first, and no .cast at the end`,
  );
}

/** Returns the name of a marker: one line. @throws VtrError INVALID_ARGUMENT */
export function checkMarker(label: string): string {
  const name = sanitize(label).text.replace(/\s+/g, ' ').trim();
  if (name === '') throw new VtrError('INVALID_ARGUMENT', 'a marker needs a name');
  if (name.length <= maxMarkerLength) return name;
  const message = `the name of the marker has ${name.length} characters; use at most ${maxMarkerLength}`;
  throw new VtrError('INVALID_ARGUMENT', message);
}
