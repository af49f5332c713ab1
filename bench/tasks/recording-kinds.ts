import type { LocalCoordinatorOptions } from '#coordinator';
import { RecordingFiles } from '#store';

/** How sessions are recorded. */
export type RecordingKind = 'off' | 'memory' | 'file' | 'file, secrets kept';

/** How sessions are recorded, and the directory of the files. */
export interface RecordingRequest {
  readonly kind: RecordingKind;
  readonly directory: string;
}

const gibibyte = 1024 ** 3;

export function recordingOptions({
  kind,
  directory,
}: RecordingRequest): NonNullable<LocalCoordinatorOptions['recording']> {
  const all = kind === 'file' || kind === 'file, secrets kept';
  const bounds = { keep: 2, totalBytes: gibibyte, maxAgeMs: Number.POSITIVE_INFINITY };
  const store = new RecordingFiles(directory, {
    socket: '',
    bounds,
    wallMs: Date.now,
    log: console.error,
  });
  return {
    ...(kind === 'off' ? { limits: { sessionBytes: 0 } } : {}),
    redaction: { redact: kind === 'file' },
    files: { store, all, maxBytes: gibibyte },
  };
}
