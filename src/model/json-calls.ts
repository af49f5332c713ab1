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
  /** @throws VtrError of the call, INVALID_ARGUMENT for an unknown method or an invalid request */
  unary(method: string, request: JsonMessage): Promise<JsonMessage>;
  /**
   * The next message is made when it is asked for. `return` ends the call.
   *
   * @throws VtrError as `unary`, from `next`
   */
  stream(method: string, request: JsonMessage): AsyncIterableIterator<StreamedJson>;
  /** Cancels all calls. */
  close(): void;
}

/** The service of proto/vtr.proto in JSON: its handlers, without a socket. */
export interface JsonCalls {
  connect(): JsonConnection;
}
