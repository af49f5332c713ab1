import type { VtrError } from '#model';

/** A coordinator that may be running, as known before any call. */
export interface KnownCoordinator {
  /** Path of its socket, or its address. */
  readonly socket: string;
  /** As configured; else the socket's file name without `.sock`, or that of the host or container. */
  readonly name: string;
  /** The path or glob, the address or the selector, in the configuration; null for the user's own. */
  readonly pattern: string | null;
  /** Why what `socket` selects is not known; absent for one coordinator. */
  readonly failure?: VtrError;
}
