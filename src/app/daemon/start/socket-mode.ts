import type { ServerConfig } from '#config';

/** Permission bits of a socket that only its owner may use. */
export const privateMode = 0o600;

/** Who may enter the directory of the socket. */
export const accessOf = ({ socketMode = privateMode }: ServerConfig) => ({
  isGroupOpen: socketMode !== privateMode,
});
