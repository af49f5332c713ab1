/** The method by which the page sends a file to the machine of a session, in parts; see {@link FilePart}. */
export const sendFile = 'SendFile';

/** The bytes of a part. In base64, a part has 64 KiB, as a part of a paste. */
export const filePartBytes = 48 * 1024;

/** A part of a file. The next one is sent when this one is answered. */
export interface FilePart {
  /** Made by the page: names the file on its connection. */
  readonly id: string;
  /** With the first part. */
  readonly file?: {
    readonly sessionId: string;
    readonly name: string;
    /** At most `maxFileBytes`. */
    readonly bytes: number;
  };
  /** In base64. */
  readonly data?: string;
  /** Removes what was sent. */
  readonly isCancelled?: true;
}

/** The answer to a part. */
export interface FilePartAnswer {
  /** Of the file, on the machine of the session; with the last part. */
  readonly path?: string;
}
