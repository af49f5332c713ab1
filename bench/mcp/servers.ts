import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { repositoryRoot } from '../repository-root.ts';
import type { ServerCommand, ToolResult } from './server-process.ts';

/** A home for servers, with the socket of their daemon. */
export interface Place {
  readonly directory: string;
}

export const vtrFile = join(repositoryRoot, 'dist/vtr.cjs');

const envOf = ({ directory }: Place) => ({
  HOME: directory,
  SHELL: '/bin/bash',
  VTR_SOCKET: join(directory, 'vtr.sock'),
});

export const vtrServer = (place: Place, flags: readonly string[] = []): ServerCommand => ({
  args: [vtrFile, 'mcp', ...flags],
  cwd: place.directory,
  env: envOf(place),
});

const termcpFile = join(repositoryRoot, 'dist/termcp.cjs');

/** Flags, and COMMAND of termcp. */
export const termcpServer = (place: Place, words: readonly string[]): ServerCommand => ({
  args: [termcpFile, ...words],
  cwd: place.directory,
  env: envOf(place),
});

const bareFile = fileURLToPath(new URL('./bare-server.js', import.meta.url));

/** A server of the official library with one tool, which returns this answer. */
export const bareServer = (place: Place, { structuredContent }: ToolResult): ServerCommand => ({
  args: [bareFile, JSON.stringify(structuredContent ?? {})],
  cwd: place.directory,
  env: envOf(place),
});

/** The server of another package, by the file that its command runs. */
export const peerServer = (place: Place, file: string): ServerCommand => ({
  args: [file],
  cwd: place.directory,
  env: envOf(place),
});
