import { gzipSync } from 'node:zlib';
import { CastEncoder, type CastVersion, type Recording } from '#recording';
import { cutRecording, Replay, recordedLines, recordedRange, type TimeRange } from '#replay';

type Exporter = (recording: Recording, range: Required<TimeRange>) => string | Uint8Array;

const exporters = {
  cast: (recording, range) => castOf(recording, range, 3),
  'cast.gz': (recording, range) => gzipSync(castOf(recording, range, 3)),
  v2: (recording, range) => castOf(recording, range, 2),
  txt: (recording, range) => linesOf(recording, range, 'text'),
  ansi: (recording, range) => linesOf(recording, range, 'ansi'),
} satisfies Readonly<Record<string, Exporter>>;

type ExportFormat = keyof typeof exporters;

/**
 * Returns a recording in another format.
 *
 * @param select `FROM..TO`, see `recordedRange`
 * @throws VtrError INVALID_ARGUMENT, NOT_RECORDED
 */
export function exportRecording(
  recording: Recording,
  format: ExportFormat,
  select: string,
): string | Uint8Array {
  return exporters[format](recording, recordedRange(new Replay(recording), select));
}

function castOf(recording: Recording, range: Required<TimeRange>, version: CastVersion): string {
  const { header, events } = cutRecording(recording, range);
  const encoder = new CastEncoder(version);
  return encoder.header(header) + events.map((event) => encoder.event(event)).join('');
}

function linesOf(recording: Recording, range: Required<TimeRange>, form: 'text' | 'ansi'): string {
  return Array.from(recordedLines(recording, range, form), (line) => `${line}\n`).join('');
}
