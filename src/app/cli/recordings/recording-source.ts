import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { durationText } from '#base';
import { asVtrError, ioErrors, type SessionRecord, VtrError } from '#model';
import { reach } from '../arguments/shared-flags.ts';
import type { Context } from '../context.ts';
import { findSession } from '../coordinators/addressing.ts';
import { asItIs, connectionTo } from '../coordinators/known-coordinators.ts';
import type { Argument } from '../verb.ts';

/** Loaded on demand: other commands do not work on recordings. */
export const loadRecordings = () => import('#app/recordings');

type Room = Awaited<ReturnType<typeof loadRecordings>>;
type Recording = ReturnType<Room['readRecording']>;
export type ExportFormat = Parameters<Room['exportRecording']>[1];

/** The argument of verbs that work on a recording. */
export const recordingArgument = {
  about: 'recording (.cast, .cast.gz), or session',
  completes: 'file',
} as const satisfies Argument;

/** The flags of those verbs. */
export const recordingFlags = reach;

export const recordingDetail =
  'SOURCE is a file, or a session: then what is kept of it in memory, about the last 2 MiB of its output. A name with a slash, or that ends in .cast or .cast.gz, is a file.';

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
  if (!isFile) return parseRecording(await recordedBytes(context, source, flags), source);
  const recording = readRecording(path, source);
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

async function recordedBytes(
  context: Context,
  source: string,
  flags: { readonly coordinator?: string | undefined },
): Promise<Uint8Array> {
  try {
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
  } catch (error) {
    const { code, message, details } = asVtrError(error);
    if (code !== 'SESSION_NOT_FOUND' && code !== 'INVALID_NAME') throw error;
    throw new VtrError(code, `there is no file ${source}; ${message}`, { cause: error, details });
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
