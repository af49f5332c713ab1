import { gzipSync } from 'node:zlib';
import { CastEncoder, type CastVersion, type Recording } from '#recording';
import { cutRecording, Replay, recordedLines, recordedRange, type TimeRange } from '#replay';
import {
  exportFrames,
  exportPictures,
  isPictureFormat,
  type PictureFormat,
  type PictureOptions,
} from './pictures/export-pictures.ts';

type Exporter = (recording: Recording, range: Required<TimeRange>) => string | Uint8Array;

const exporters = {
  cast: (recording, range) => castOf(recording, range, 3),
  'cast.gz': (recording, range) => gzipSync(castOf(recording, range, 3)),
  v2: (recording, range) => castOf(recording, range, 2),
  txt: (recording, range) => linesOf(recording, range, 'text'),
  ansi: (recording, range) => linesOf(recording, range, 'ansi'),
} satisfies Readonly<Record<string, Exporter>>;

type ExportFormat = keyof typeof exporters | PictureFormat;

interface ExportOptions extends PictureOptions {
  /** `FROM..TO`, see `recordedRange`. */
  readonly select: string;
}

/**
 * Returns a recording in another format.
 *
 * @throws VtrError INVALID_ARGUMENT, NOT_RECORDED; see also `exportPictures`
 */
export async function exportRecording(
  recording: Recording,
  format: ExportFormat,
  options: ExportOptions,
): Promise<string | Uint8Array> {
  const range = recordedRange(new Replay(recording), options.select);
  if (isPictureFormat(format)) return exportPictures({ recording, range, options }, format);
  return exporters[format](recording, range);
}

/** Yields the whole picture of each interval of a recording, as PNG. */
export function recordedFrames(
  recording: Recording,
  options: PictureOptions,
): AsyncGenerator<Uint8Array> {
  const range = recordedRange(new Replay(recording), '..');
  return exportFrames({ recording, range, options });
}

function castOf(recording: Recording, range: Required<TimeRange>, version: CastVersion): string {
  const { header, events } = cutRecording(recording, range);
  const encoder = new CastEncoder(version);
  return encoder.header(header) + events.map((event) => encoder.event(event)).join('');
}

function linesOf(recording: Recording, range: Required<TimeRange>, form: 'text' | 'ansi'): string {
  const { lines } = recordedLines(recording, range);
  return Array.from(lines, (line) => `${line[form]()}\n`).join('');
}
