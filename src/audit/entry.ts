import { type ErrorCode, shortened } from '#model';

export type AuditDetail = string | number | boolean | readonly string[];

/** One line of the audit trail. */
export interface AuditEntry {
  /** When the call began; ISO 8601, UTC. */
  readonly time: string;
  /** What was done, for example `send`. */
  readonly action: string;
  /** See `Client.kind`. */
  readonly client: string;
  readonly pid?: number;
  /** The name of the agent or person, as the client says. */
  readonly by?: string;
  /** The name at that time. If there is no such session: the name that the client gave. */
  readonly session?: string;
  readonly session_id?: string;
  /** What was written to the program. */
  readonly bytes?: number;
  /** The hash of the text or bytes that the client sent. Absent for input that may be secret or is short. */
  readonly sha256?: string;
  /** Only if `audit_text` is configured, and never for input that may be secret. */
  readonly text?: string;
  /** The code of the error with which the call failed. */
  readonly refused?: ErrorCode;
  readonly details?: Readonly<Record<string, AuditDetail>>;
  /** The number of the entry in its trail, from 1 on. Absent in those of earlier versions of vtr. */
  readonly seq?: number;
  /** The hash of the entry before, in the first of a file. */
  readonly prev?: string;
  /** The hash of this entry and of the one before; see `chainOf`. */
  readonly chain?: string;
}

/** An entry, and what its hash and its text are made of; null if neither may be known. */
export interface NewEntry {
  readonly entry: AuditEntry;
  readonly input: string | Uint8Array | null;
}

/** What clients give is limited to this length, in UTF-16 code units. */
const maxDetail = 1024;

/** Returns the beginning of a text that a client gave. */
export const limited = (text: string, max = maxDetail): string => shortened(text, max);
