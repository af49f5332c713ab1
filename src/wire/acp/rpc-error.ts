import { asVtrError, errorTable } from '#model';

/** An error of JSON-RPC 2.0, section 5.1. */
export interface RpcError {
  readonly code: number;
  /** What failed, on which terminal, and what to try. */
  readonly message: string;
  /** vtr's own code by name, with the facts of the failure. */
  readonly data: Readonly<Record<string, string | number | readonly string[]>>;
}

/** Characters of a text that is told. What an agent sent may be as long as it likes; models read this. */
const maxTold = 1000;

/** What was thrown, as an agent is told it: by the table of errors. */
export function toRpcError(thrown: unknown): RpcError {
  const { code, message, details } = asVtrError(thrown);
  const facts = Object.entries(details).map(([name, value]) => [
    name,
    typeof value === 'string' ? told(value) : value,
  ]);
  const data = { ...Object.fromEntries(facts), code };
  return { code: errorTable[code].acp, message: told(message), data };
}

const told = (text: string): string =>
  text.length <= maxTold ? text : `${text.slice(0, maxTold - 1)}…`;
