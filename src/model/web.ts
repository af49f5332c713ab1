import type { Client } from './calls.ts';
import type { SessionRef } from './session.ts';

/** How the web page is served. */
export interface WebRequest {
  /** 0 for any free one. Default: 7681 or the next free one. A running server keeps its own. */
  readonly port?: number;
  /** An address of this machine to listen at. Default: 127.0.0.1. Others need `tls` or `behindProxy`. */
  readonly host?: string;
  /** Absolute paths of PEM files. */
  readonly tls?: { readonly certFile: string; readonly keyFile: string };
  /** The origin at which a proxy serves the page, for example https://vtr.example. */
  readonly behindProxy?: string;
  /** Writes a file that opens the link in a browser: unlike the link, the path of the file is not secret. */
  readonly openFile?: boolean;
  /**
   * Whether browsers that are logged in may be told by push messages (RFC 8030) that a session asks. Default: as the
   * configuration says.
   */
  readonly push?: boolean;
}

/** A link to the page, for one login within 60 s. */
export interface WebLink {
  readonly url: string;
  readonly port: number;
  /** With `openFile`. It exists until the link is used or has expired; empty from an older daemon. */
  readonly file?: string;
}

/** Says that a link to all sessions was used a second time, or by another user of the machine. */
export interface WebWarning {
  /** Milliseconds since 1970-01-01 UTC. */
  readonly atMs: number;
  /** Whether the link had been used before; this login was refused. */
  readonly again: boolean;
  /** The other user; null if it was this user or is unknown. */
  readonly uid: number | null;
}

/** Returns what a warning says to the user. */
export function webWarningText({ again, uid }: Omit<WebWarning, 'atMs'>): string {
  const user = uid === null ? '' : `user ${uid} of this machine`;
  if (!again) return `${user} logged in with a link to all sessions`;
  return `a login link was used a second time${user === '' ? '' : `, by ${user}`}; the second try was refused`;
}

/** What to do about a warning. */
export const webWarningHint = 'if that was not you, end all logins with vtr web stop';

export interface WebStatus {
  /** Null if the page is not served. */
  readonly port: number | null;
  /** The origin of the page; empty if it is not served. */
  readonly origin: string;
  /** Open connections of pages and players. */
  readonly viewers: number;
  /** Shares that have not ended. */
  readonly shares: number;
  /** Browsers that are logged in. */
  readonly logins: number;
  /** Logins that may not be the user's own, oldest first. */
  readonly warnings: readonly WebWarning[];
}

export interface ShareRequest {
  /** How long the share lasts, in ms, 1 s to 30 days. Default: 1 hour. */
  readonly forMs?: number;
  /** Whether visitors may type. Default: false. */
  readonly write?: boolean;
  /** Makes the address of a live stream for players (ALiS) instead of a link to the page. */
  readonly alis?: boolean;
  /** Whether visitors may read what was before the share. Default: false. */
  readonly withHistory?: boolean;
  /** Whether secrets are replaced for visitors. Default: true. */
  readonly redact?: boolean;
}

/** A session that people without a login can see. */
export interface WebShare {
  readonly id: string;
  readonly sessionId: string;
  /** The session's name; of one that was removed, that when it was shared. */
  readonly session: string;
  readonly write: boolean;
  readonly alis: boolean;
  readonly withHistory: boolean;
  readonly redact: boolean;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly sinceMs: number;
  readonly untilMs: number;
  /** Open connections with it. */
  readonly viewers: number;
}

/** A browser that is logged in. */
export interface WebLogin {
  readonly id: string;
  /** What its person calls it, else what the browser says that it is: `Firefox on Linux`. May be empty. */
  readonly name: string;
  /** Whether a person gave the name. */
  readonly isNamed: boolean;
  /** {@link WebShare.id} of the share that let it in; null: it sees everything. */
  readonly share: string | null;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly sinceMs: number;
  readonly usedMs: number;
  /** Its open pages. */
  readonly pages: number;
  /** Whether it is told by push messages that a session asks. */
  readonly notified: boolean;
}

export interface SharedLink {
  readonly id: string;
  readonly url: string;
  readonly untilMs: number;
}

/** The web page of a daemon. */
export interface WebControls {
  /**
   * Serves the page, or makes another link to it.
   *
   * @throws VtrError INVALID_ARGUMENT, UNAVAILABLE if it cannot listen there
   */
  start(request: WebRequest): Promise<WebLink>;
  /** Ends connections and logins; shares stay. Does nothing if the page is not served. */
  stop(): Promise<void>;
  describe(): WebStatus;
  /** Serves the page, too, if it is not served. @throws VtrError SESSION_NOT_FOUND, INVALID_ARGUMENT */
  share(session: SessionRef, request: ShareRequest): Promise<SharedLink>;
  /** Those that have not ended, oldest first. */
  shares(): Promise<readonly WebShare[]>;
  /** Ends a share and the connections with it. @throws VtrError SHARE_NOT_FOUND */
  unshare(id: string): void;
  /** Those that have not ended, in the order of their last use, the newest first. */
  logins(): readonly WebLogin[];
  /** Ends a login and its pages. @throws VtrError LOGIN_NOT_FOUND */
  endLogin(id: string): void;
}

/** A message as JSON, by the rules of protobuf.dev/programming-guides/json. */
export type JsonMessage = { readonly [name: string]: unknown };

/** A message of a stream. */
export interface StreamedJson {
  /** Without its large field of bytes. */
  readonly json: JsonMessage;
  /** That field, if the message has one. */
  readonly bytes: Uint8Array | null;
}

/** The calls of one client. They are accepted in the order in which they are made. */
export interface JsonConnection {
  /**
   * @param bytes of the request as it was received, which count to those that are under way
   * @throws VtrError of the call, INVALID_ARGUMENT for an unknown method or an invalid request,
   * REQUEST_BACKLOG
   */
  unary(method: string, request: JsonMessage, bytes?: number): Promise<JsonMessage>;
  /**
   * The next message is made when it is asked for. `return` ends the call.
   *
   * @throws VtrError as `unary`; of the call from `next`
   */
  stream(method: string, request: JsonMessage, bytes?: number): AsyncIterableIterator<StreamedJson>;
  /** Cancels all calls. */
  close(): void;
}

/** The service of proto/vtr.proto in JSON: its handlers, without a socket. */
export interface JsonCalls {
  connect(client?: Client): JsonConnection;
}
