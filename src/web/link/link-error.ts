/** Why a call or a stream failed: a code of docs/errors.md, and text for people. */
export class LinkError extends Error {
  readonly code: string;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: string, message: string, details: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.code = code;
    this.details = details;
  }

  /** Returns the error that the server sent. */
  static from(value: unknown): LinkError {
    const { code, message, details } = (value ?? {}) as Partial<LinkError>;
    return new LinkError(String(code ?? 'INTERNAL'), String(message ?? 'it failed'), details);
  }
}

export const lost = (): LinkError => new LinkError('UNAVAILABLE', 'the connection is lost');

/** The coordinator does not respond: what was sent is withdrawn, and must not be sent again. */
export const silent = (): LinkError =>
  new LinkError('UNAVAILABLE', 'vtr does not respond', { reason: 'SILENT' });

export const isSilent = (error: unknown): boolean =>
  error instanceof LinkError && error.details['reason'] === 'SILENT';

/** Returns the text of any error. */
export const errorText = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
