/** A command that failed, with the message that tmux prints. Its exit status is 1. */
export class TmuxError extends Error {
  override readonly name: string = 'TmuxError';
}

/** A text of commands that cannot be read. None of its commands has run. */
export class TextError extends TmuxError {
  override readonly name = 'TextError';
  /** From 1 on. */
  readonly line: number;

  constructor(line: number, message: string) {
    super(message);
    this.line = line;
  }
}
