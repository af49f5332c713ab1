/** Of a request. It holds 1 MiB of input at most, and what JSON makes of it. */
export const maxMessageBytes = 4 * 1024 * 1024;
