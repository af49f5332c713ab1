/**
 * What a request to a coordinator in another process may take: 1 MiB of input at most, and what its
 * language makes of it.
 */
export const maxRequestBytes = 4 * 1024 * 1024;
