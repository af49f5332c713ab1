/** A WebSocket, as far as a connection with a page uses it. */
export interface PageSocket {
  /** Bytes that are not yet in the system's buffers. */
  readonly unsentBytes: number;
  /** @param isUrgent absent: it may wait until other events of this moment are handled */
  send(message: string | Uint8Array, isUrgent?: boolean): void;
  /** Called when bytes that were waiting have been sent. */
  onSent(listener: () => void): void;
  /** Stops and continues to read. */
  pause(): void;
  resume(): void;
  /** @param code of RFC 6455, 7.4.1 */
  close(code: number, reason: string): void;
}
