import { asVtrError, errorTable, shortened } from '#model';

/** An error of JSON-RPC 2.0, section 5.1. */
export interface RpcError {
  readonly code: number;
  /** What failed, on which terminal, and what to try. */
  readonly message: string;
  /** vtr's error code, and the facts of the failure. */
  readonly data: Readonly<Record<string, string | number | readonly string[]>>;
}

/** Limit of characters of a text. Models read it, and agents may have sent long ones. */
const maxChars = 1000;

/** Converts an error by the table of errors. */
export function toRpcError(thrown: unknown): RpcError {
  const { code, message, details } = asVtrError(thrown);
  const facts = Object.entries(details).map(([name, value]) => [
    name,
    typeof value === 'string' ? shortened(value, maxChars) : value,
  ]);
  const data = { ...Object.fromEntries(facts), code };
  return { code: errorTable[code].acp, message: shortened(message, maxChars), data };
}
