/** Whether the answer of a call is to show secrets. */
export interface RedactRequest {
  /**
   * Replaces known secrets in the answer: values of variables whose names look like secrets, and the usual
   * forms of keys and tokens. Each cell of one is a `•`. Default: as the coordinator is configured.
   */
  readonly redact?: boolean;
}

/** An answer in which secrets may have been replaced. */
export interface Redacted {
  /**
   * The number of secrets that were replaced in the answer, without those in the line of a command whose
   * output it is. Absent if that was not requested.
   */
  readonly redacted?: number;
}
