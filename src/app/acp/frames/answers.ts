import type { RpcError } from '#wire/acp';

/** An answer to a request, as a frame. @param id as it is written in the request */
export const resultFrame = (id: string, result: object): string =>
  `{"jsonrpc":"2.0","id":${id},"result":${JSON.stringify(result)}}\n`;

/** A failure; to nobody in particular where it cannot be told whose it is. */
export const errorFrame = (id: string | null, error: Omit<RpcError, 'data'>): string =>
  `{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify(error)}}\n`;

export const notificationFrame = (method: string, params: string): string =>
  `{"jsonrpc":"2.0","method":${JSON.stringify(method)},"params":${params}}\n`;
