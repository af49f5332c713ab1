import { existsSync } from 'node:fs';

/** What tmux prints where no server runs: it tells a socket that nobody serves from one that is not there. */
export const noServerMessage = (socketPath: string): string =>
  existsSync(socketPath)
    ? `no server running on ${socketPath}\n`
    : `error connecting to ${socketPath} (No such file or directory)\n`;
