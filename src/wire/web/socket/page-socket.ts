/** A WebSocket, as far as a connection with a page uses it. */
export interface PageSocket {
  /** Bytes that are not yet in the system's buffers. */
  readonly unsentBytes: number;
  send(message: string | Uint8Array): void;
  /** Called when bytes that were waiting have been sent. */
  onSent(listener: () => void): void;
  /** Stops and continues to read. */
  pause(): void;
  resume(): void;
  /** @param code of RFC 6455, 7.4.1 */
  close(code: number, reason: string): void;
}
