import { create, type MessageInitShape } from '@bufbuild/protobuf';
import * as wire from '#messages';
import {
  checkRecordFormat,
  checkStartRecording,
  type FileRecording,
  type RecordRequest,
  type SessionRecord,
  type StartRecordingRequest,
} from '#model';
import { enumOf, field, fromTimestamp, toTimestamp, wordOf } from './field.ts';

/** @throws VtrError INVALID_ARGUMENT */
export const toRecordFields = ({ format = 'v3' }: RecordRequest) => ({
  format: enumOf('RecordFormat', checkRecordFormat(format)),
});

export const fromRecordFields = ({
  format,
}: Pick<wire.DumpRecordingRequest, 'format'>): RecordRequest =>
  field('format', wordOf('RecordFormat', format));

/** Everything but the data. */
export const toRecordBegin = ({ sinceMs, begins }: SessionRecord) => ({
  since: toTimestamp(sinceMs),
  begins: enumOf('RecordBegin', begins),
});

/** Bytes of data in a message: a turn of the daemon's loop. */
const partBytes = 256 * 1024;

/** The messages of a recording: the first has no data. */
export function* toRecordParts(
  record: SessionRecord,
): Generator<MessageInitShape<typeof wire.DumpRecordingResponseSchema>> {
  yield toRecordBegin(record);
  for (let at = 0; at < record.data.length; at += partBytes) {
    yield { data: record.data.subarray(at, at + partBytes) };
  }
}

/** Joins the messages of a recording. */
export async function fromRecordParts(
  parts: AsyncIterable<wire.DumpRecordingResponse>,
): Promise<SessionRecord> {
  let begin: Pick<SessionRecord, 'sinceMs' | 'begins'> | null = null;
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const { since, begins, data } of parts) {
    begin ??= {
      sinceMs: fromTimestamp(since),
      begins: wordOf('RecordBegin', begins) ?? 'start',
    };
    chunks.push(data);
    length += data.length;
  }
  const data = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    data.set(chunk, at);
    at += chunk.length;
  }
  return { sinceMs: 0, begins: 'start', ...begin, data };
}

export const toFileRecording = (recording: FileRecording): wire.FileRecording => {
  const { state, bytes, startedAtMs, endedAtMs, ...same } = recording;
  return create(wire.FileRecordingSchema, {
    ...same,
    state: enumOf('FileRecordingState', state),
    bytes: BigInt(bytes),
    startedAt: toTimestamp(startedAtMs),
    ...(endedAtMs !== undefined && { endedAt: toTimestamp(endedAtMs) }),
  });
};

export const fromFileRecording = (message: wire.FileRecording): FileRecording => ({
  id: message.id,
  sessionId: message.sessionId,
  session: message.session,
  file: message.file,
  // A state of a later version.
  state: wordOf('FileRecordingState', message.state) ?? 'stopped',
  bytes: Number(message.bytes),
  startedAtMs: fromTimestamp(message.startedAt),
  ...(message.endedAt !== undefined && { endedAtMs: fromTimestamp(message.endedAt) }),
  ...field('reason', message.reason),
  ...field('name', message.name),
});

/** @throws VtrError INVALID_ARGUMENT */
export function toStartFields(request: StartRecordingRequest) {
  checkStartRecording(request);
  const { file, force = false, format = 'v3', input = false } = request;
  return { ...field('file', file), force, format: enumOf('RecordFormat', format), input };
}

export function fromStartFields(message: wire.StartRecordingRequest): StartRecordingRequest {
  const { file, force, input } = message;
  const format = wordOf('RecordFormat', message.format) as StartRecordingRequest['format'];
  return { ...field('file', file), force, ...field('format', format), input };
}
