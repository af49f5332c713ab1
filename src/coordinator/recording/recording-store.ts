import type { CastVersion } from '#recording';

/** What is known of a recording on disk, apart from its content. */
export interface StoredRecording {
  /** Letters, digits and `-`. */
  readonly id: string;
  /** What a person calls it. */
  readonly name?: string;
  readonly sessionId: string;
  /** The session's name when the recording began. */
  readonly session: string;
  /** Absolute. */
  readonly file: string;
  readonly version: CastVersion;
  /** Whether it has what is typed, too. */
  readonly input: boolean;
  readonly startedAtMs: number;
  /** Why it ended; null while it goes on. */
  readonly end: RecordingEnd | null;
}

export interface RecordingEnd {
  /** `ended`: as requested, or with the session. `stopped`: it could not go on. */
  readonly state: 'ended' | 'stopped';
  readonly reason?: string;
  /** In ms since 1970; absent where nobody saw it. */
  readonly atMs?: number;
}

export type StoredChange = Pick<StoredRecording, 'end'>;

/** A file that is written in the background, in whole lines. */
export interface RecordingFile {
  /** The size of the file once everything is written. */
  readonly bytes: number;
  /** What is not written yet. */
  readonly waitingBytes: number;
  /** Adds whole lines, which must not be changed afterwards. Ignored after a failure. */
  write(lines: Uint8Array): void;
  /** Resolves when everything is written, or with the reason why it is not. Never rejects. */
  close(): Promise<Error | null>;
}

/** A recording that another coordinator left. */
export interface LeftRecording {
  /** Continues after {@link lastLine}; what follows it in the file is removed. */
  readonly file: RecordingFile;
  /** The last line with a place; if there is none, the last whole line; empty if there is none either. */
  readonly lastLine: string;
  /** Reads all lines up to that one, in as much memory. */
  content(): Uint8Array;
}

/** Recordings on disk. */
export interface RecordingStore {
  /** Oldest first. */
  list(): readonly StoredRecording[];
  /** The size of a recording's file, in bytes; null if it is gone. */
  bytes(id: string): number | null;
  /**
   * Makes a new file, in the directory of recordings if `file` is null. It begins with the lines of `head`.
   *
   * @param onFailed called when the file cannot be written any more
   * @throws VtrError IO_ERROR, INVALID_ARGUMENT if it exists and `force` is not set, or is being written
   */
  create(
    recording: Omit<StoredRecording, 'file' | 'end'> & { readonly file: string | null },
    options: {
      readonly head: Uint8Array;
      readonly force: boolean;
      readonly onFailed: (error: Error) => void;
    },
  ): { readonly stored: StoredRecording; readonly file: RecordingFile };
  /** @throws VtrError IO_ERROR, RECORDING_NOT_FOUND */
  resume(id: string, onFailed: (error: Error) => void): LeftRecording;
  change(id: string, change: StoredChange): void;
  /** @throws VtrError IO_ERROR, after which the recording has its name of before; RECORDING_NOT_FOUND */
  rename(id: string, name: string): void;
  /**
   * Removes a recording that has ended, with its file, also one of another coordinator.
   *
   * @throws VtrError IO_ERROR, RECORDING_NOT_FOUND, INVALID_ARGUMENT
   */
  remove(id: string): void;
}
