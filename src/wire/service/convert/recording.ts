import type { MessageInitShape } from '@bufbuild/protobuf';
import { checkRecordFormat, type RecordRequest, type SessionRecord } from '#model';
import type * as wire from '../gen/vtr.gen.ts';
import { field } from './field.ts';
import { fromTimestamp, toTimestamp } from './time.ts';
import { enumOf, wordOf } from './words.ts';

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
