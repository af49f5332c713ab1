import { asVtrError, errorTable } from '#model';

/** An error of JSON-RPC 2.0, section 5.1. */
export interface RpcError {
  readonly code: number;
  /** What failed, on which terminal, and what to try. */
  readonly message: string;
  /** vtr's own code by name, with the facts of the failure. */
  readonly data: Readonly<Record<string, string | number | readonly string[]>>;
}

/** What was thrown, as an agent is told it: by the table of errors. */
export function toRpcError(thrown: unknown): RpcError {
  const { code, message, details } = asVtrError(thrown);
  return { code: errorTable[code].acp, message, data: { ...details, code } };
}
