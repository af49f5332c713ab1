import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { isatty } from 'node:tty';
import { sanitize } from '#base';
import { type Address, isAddress, VtrError } from '#model';
import { sshConfigFile } from './ssh-config.ts';
import type { ToolCommand, ToolCommandOptions } from './tool-command.ts';

/** The environment of a tool. */
export type ToolEnvironment = Readonly<Record<string, string | undefined>>;

/** How long a tool may take until the other side answers, in ms. */
const defaultConnectMs = 30_000;

/** How much of a tool's messages is kept, in characters: the last ones say why it ended. */
export const maxWords = 2_000;

/** Starts a tool. @throws VtrError UNAVAILABLE where Node throws: some failures are events */
export function startTool(
  place: string,
  { program, args }: ToolCommand,
  env: ToolEnvironment,
): ChildProcessWithoutNullStreams {
  try {
    return spawn(program, args, { env: environmentThere(env) });
  } catch (error) {
    const message = `${place} cannot be reached: ${(error as Error).message}`;
    throw unreachable(place, message, 'UNREACHABLE');
  }
}

/** Inherited, an address would lead the other side back to this one. */
export function environmentThere(env: ToolEnvironment): ToolEnvironment {
  const { VTR_SOCKET: socket = '', ...others } = env;
  return isAddress(socket) ? others : env;
}

/** How ssh is run for an address: whether it may ask, and its configuration. */
export const toolOptions = (address: Address, env: ToolEnvironment): ToolCommandOptions => ({
  mayPrompt: mayAskHere(),
  sshConfig: address.kind === 'ssh' ? sshConfigFile({ env }) : null,
});

/** A person can answer; but not while a program of ours has the terminal for itself. */
const mayAskHere = (): boolean =>
  isatty(0) && isatty(2) && !(process.stdin.isTTY && process.stdin.isRaw);

/** How long to wait for the other side, in ms; null: as long as a person takes to answer ssh. */
export const connectLimitMs = (address: Address, { mayPrompt }: ToolCommandOptions) =>
  mayPrompt && address.kind === 'ssh' ? null : defaultConnectMs;

/** How long messages may arrive after the end of the program that wrote them, in ms. */
const lastWordsMs = 200;

/** Resolves when a program's messages have arrived. Another one, such as ssh's own, can keep their end open. */
export async function lastWords(stderr: Readable): Promise<void> {
  if (stderr.readableEnded) return;
  await Promise.race([once(stderr, 'end'), delay(lastWordsMs, undefined, { ref: false })]);
}

/** What a program said, in one line, without the name of the command on the other side. */
export const wordsOf = (text: string): string =>
  sanitize(text)
    .text.split('\n')
    .map((line) => line.trim().replace(/^vtr: /, ''))
    .filter((line) => line !== '')
    .join('; ');

/** Why a program did not start. */
export const startText = (program: string, { code, message }: NodeJS.ErrnoException): string =>
  code === 'ENOENT' ? `${program} is not installed` : message;

export const endText = (program: string, status: number | null, signal: string | null): string =>
  signal === null ? `${program} ended with status ${status}` : `${program} was ended by ${signal}`;

/** The error of a coordinator or machine to which nothing was sent. */
export const unreachable = (place: string, message: string, reason: string): VtrError =>
  new VtrError('UNAVAILABLE', message, { details: { socket: place, reason, sent: 'no' } });
