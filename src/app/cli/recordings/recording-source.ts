import { resolve } from 'node:path';
import type { Context } from '../context.ts';
import type { Argument } from '../verb.ts';

/** Loaded on demand: other commands do not work on recordings. */
export const loadRecordings = () => import('#app/recordings');

type Room = Awaited<ReturnType<typeof loadRecordings>>;
export type ExportFormat = Parameters<Room['exportRecording']>[1];

/** The argument of verbs that work on a recording. */
export const recordingArgument = {
  about: 'recording: a file (.cast, .cast.gz)',
  completes: 'file',
} as const satisfies Argument;

/** @throws VtrError IO_ERROR, INVALID_RECORDING */
export async function recordingOf(
  context: Context,
  source: string,
): Promise<ReturnType<Room['readRecording']>> {
  const { readRecording } = await loadRecordings();
  const recording = readRecording(resolve(context.cwd, source), source);
  if (recording.cutBytes !== undefined) {
    context.say(`${source} ends within a line, which is left out (${recording.cutBytes} bytes)`);
  }
  return recording;
}
