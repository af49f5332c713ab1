import { asVtrError, type ErrorCode } from '#model';

/** The error numbers of the specification; -32000 for errors without one. */
const numbers = {
  SESSION_NOT_FOUND: -32001,
  SESSION_TERMINATED: -32002,
  SESSION_TIMEOUT: -32003,
  PTY_ERROR: -32004,
  RESOURCE_LIMIT_EXCEEDED: -32005,
  PERMISSION_DENIED: -32006,
  IO_ERROR: -32000,
  UTF8_ERROR: -32000,
  INVALID_COMMAND: -32000,
  INVALID_REQUEST: -32000,
} as const;

type Word = keyof typeof numbers;

type Details = Readonly<Record<string, string | number | boolean | null>>;

/** An error of the specification, returned as a tool's answer. */
export class TermcpFailure extends Error {
  readonly word: Word;
  readonly details: Details;

  /** @param details for programs, in addition to the number */
  constructor(word: Word, message: string, details: Details = {}) {
    super(message);
    this.word = word;
    this.details = details;
  }

  /** The code word, what failed and what to try; then the details as a line of JSON. */
  get text(): string {
    const details = { code: numbers[this.word], ...this.details };
    return `${this.word}: ${this.message}\n${JSON.stringify(details)}`;
  }
}

const words: Readonly<Partial<Record<ErrorCode, Word>>> = {
  SESSION_NOT_FOUND: 'SESSION_NOT_FOUND',
  SESSION_NOT_RUNNING: 'SESSION_TERMINATED',
  PROGRAM_NOT_FOUND: 'INVALID_COMMAND',
  NUL_IN_STRING: 'INVALID_COMMAND',
  PROGRAM_NOT_EXECUTABLE: 'PERMISSION_DENIED',
  MAX_SESSIONS: 'RESOURCE_LIMIT_EXCEEDED',
  SYSTEM_LIMIT: 'RESOURCE_LIMIT_EXCEEDED',
  NOT_DRIVER: 'PERMISSION_DENIED',
  INPUT_TOO_LARGE: 'IO_ERROR',
  INPUT_BACKLOG: 'IO_ERROR',
  INPUT_TIMEOUT: 'IO_ERROR',
  INVALID_ARGUMENT: 'INVALID_REQUEST',
  INVALID_NAME: 'INVALID_REQUEST',
  NO_INPUT: 'INVALID_REQUEST',
};

/** Converts an error to one of the specification; PTY_ERROR if it has no equivalent. */
export function asTermcpFailure(thrown: unknown): TermcpFailure {
  if (thrown instanceof TermcpFailure) return thrown;
  const { code, message, details } = asVtrError(thrown);
  const { acceptedBytes } = details;
  return new TermcpFailure(words[code] ?? 'PTY_ERROR', message, {
    ...(typeof acceptedBytes === 'number' ? { accepted_bytes: acceptedBytes } : {}),
  });
}
