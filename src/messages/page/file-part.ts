/** The method by which the page sends a file to the machine of a session, in parts; see {@link FilePart}. */
export const sendFile = 'SendFile';

/** The most bytes of a file that a page sends before they are answered. */
export const maxFilePartsBytes = 1024 * 1024;

/** A part of a file. The next ones need not wait for its answer; they are written in the order of the calls. */
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

/** The answer to a part, when it is written. */
export interface FilePartAnswer {
  /** Of the file, on the machine of the session; with the last part. */
  readonly path?: string;
}
