/**
 * The size limit of a request to a coordinator in another process: 1 MiB of input, and its
 * encoding.
 */
export const maxRequestBytes = 4 * 1024 * 1024;

/** The limits of a coordinator, unless its owner sets others. */
export const defaultLimits = {
  /** Running sessions. */
  sessions: 1000,
  /** Exited sessions that are kept. */
  keptExited: 100,
  /** The recording of a session in memory, in bytes. */
  recordingBytes: 2 * 1024 * 1024,
  /** Those of all sessions. */
  allRecordingsBytes: 256 * 1024 * 1024,
  /** One file of a recording, in bytes. */
  recordingFileBytes: 256 * 1024 * 1024,
  /** Screens that wait for a slow subscriber. */
  snapshots: 10,
};
