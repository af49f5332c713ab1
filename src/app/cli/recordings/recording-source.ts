import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { durationText, encodeUtf8, wordOrQuoted } from '#base';
import { asVtrError, ioErrors, isAddress, type SessionRecord, VtrError } from '#model';
import { reach } from '../arguments/shared-flags.ts';
import type { Context } from '../context.ts';
import { findSession, placeAndName } from '../coordinators/addressing.ts';
import {
  asItIs,
  clientOf,
  connectionTo,
  oneCoordinator,
} from '../coordinators/known-coordinators.ts';
import { textThere } from '../coordinators/verb-there.ts';
import type { Argument } from '../verb.ts';

/** Loaded on demand: other commands do not work on recordings. */
export const loadRecordings = () => import('#app/recordings');

type Room = Awaited<ReturnType<typeof loadRecordings>>;
type Recording = ReturnType<Room['readRecording']>;
export type ExportFormat = Parameters<Room['exportRecording']>[1];

/** The argument of verbs that work on a recording. */
export const recordingArgument = {
  about: 'recording (.cast, .cast.gz, or an id or a name that vtr record ls prints), or session',
  completes: 'file',
} as const satisfies Argument;

/** The flags of those verbs. */
export const recordingFlags = reach;

export const recordingDetail =
  'SOURCE is a file, or a session: then what is kept of it in memory, about the last 2 MiB of its output. A name with a slash, or that ends in .cast or .cast.gz, is a file. An id or a name that vtr record ls prints is the file of that recording, also on another machine: --coordinator or COORDINATOR:ID. A session is chosen before a recording of the same name.';

/**
 * Returns the recording in a file, or that of a session as far as it is kept in memory.
 *
 * @throws VtrError IO_ERROR, INVALID_RECORDING, INVALID_ARGUMENT; for sessions SESSION_NOT_FOUND, NOT_RECORDED, UNAVAILABLE
 */
export async function recordingOf(
  context: Context,
  source: string,
  flags: { readonly coordinator?: string | undefined },
): Promise<Recording> {
  const path = resolve(context.cwd, source);
  const stats = ioErrors(source, 'read', () => statSync(path, { throwIfNoEntry: false }));
  const isNamed = /\/|\.cast(?:\.gz)?$/.test(source);
  const isFile = isNamed || (flags.coordinator === undefined && stats?.isDirectory() === false);
  if (isFile && flags.coordinator !== undefined) {
    throw new VtrError('INVALID_ARGUMENT', `${source} is a file; --coordinator is for a session`);
  }
  const { readRecording, parseRecording } = await loadRecordings();
  const content = isFile ? { file: path, socket: '' } : await keptRecording(context, source, flags);
  if (content instanceof Uint8Array) return parseRecording(content, source);
  if (isAddress(content.socket)) {
    const text = await textThere(context, content.socket, content.file);
    return parseRecording(encodeUtf8(text), source);
  }
  const recording = readRecording(content.file, source);
  if (recording.cutBytes !== undefined) {
    context.say(`${source} ends within a line, which is left out (${recording.cutBytes} bytes)`);
  }
  if (recording.invalidLine !== undefined) {
    const { number, reason } = recording.invalidLine;
    context.say(
      `line ${number} of ${source} is not valid: ${reason}; it and what follows are left out`,
    );
  }
  return recording;
}

/** The ids of recordings, which `vtr record ls` prints. */
const idPattern = /^\d{8}-\d{6}-[0-9a-f]{6}$/;

interface Flags {
  readonly coordinator?: string | undefined;
}

/** A recording that a coordinator wrote, with its socket. */
interface RecordedFile {
  readonly socket: string;
  readonly file: string;
}

/** Returns the file of the recording with an id, what is kept of a session, or the file of a recording with a name. */
async function keptRecording(
  context: Context,
  source: string,
  flags: Flags,
): Promise<RecordedFile | Uint8Array> {
  const isId = idPattern.test(source.slice(source.lastIndexOf(':') + 1));
  const ofId = isId ? await fileOf(context, source, flags) : null;
  if (ofId !== null) return ofId;
  try {
    return await recordedBytes(context, source, flags);
  } catch (error) {
    const { code, message, details } = asVtrError(error);
    if (code !== 'SESSION_NOT_FOUND' && code !== 'INVALID_NAME') throw error;
    // If it fails, too, the first reason says more.
    const named = isId ? null : await fileOf(context, source, flags).catch(() => null);
    if (named !== null) return named;
    throw new VtrError(code, `there is no file ${wordOrQuoted(source)}; ${message}`, {
      cause: error,
      details,
    });
  }
}

/** Returns the file of the recording with an id or a name, and its coordinator; null if there is none. */
async function fileOf(
  context: Context,
  source: string,
  flags: Flags,
): Promise<RecordedFile | null> {
  const { coordinator: named, session: called } = await placeAndName(context, source, flags);
  const place = await oneCoordinator(context, named);
  const recordings = await clientOf(context, place).recordings();
  const recording = recordings.find(({ id, name }) => id === called || name === called);
  return recording === undefined ? null : { socket: place.socket, file: recording.file };
}

/** What is kept of a session in memory, as asciicast. */
async function recordedBytes(context: Context, source: string, flags: Flags): Promise<Uint8Array> {
  const { coordinator: client, session } = await findSession(context, source, flags);
  // It may be larger than one message of the client for short commands.
  const coordinator = await connectionTo(context, client, asItIs);
  try {
    const record = await coordinator.record(session, { format: 'v3' });
    if (record.begins !== 'start') context.say(sinceText(record));
    return record.data;
  } finally {
    await coordinator.close();
  }
}

const reasons: Readonly<Record<SessionRecord['begins'], string>> = {
  start: 'the session began then',
  restart: 'the coordinator was restarted then',
  limit: 'older output was dropped',
};

/** Says from when on a session is recorded in memory, and why not earlier. */
export function sinceText({ sinceMs, begins }: SessionRecord): string {
  const ago = durationText(Math.max(0, Date.now() - sinceMs));
  return `recorded since ${new Date(sinceMs).toISOString()} (${ago} ago): ${reasons[begins]}`;
}
