/** What a client with terminals says of itself in `initialize`, as `clientCapabilities`. */
export const terminalCapabilities = { terminal: true } as const;
