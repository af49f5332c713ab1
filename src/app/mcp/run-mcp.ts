import { randomBytes } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { OwnCoordinator, type OwnCoordinatorOptions } from '#app/client';
import { defined, type Log } from '#base';
import { createFile, ensurePrivateDirectory, removeFile, type UserEnvironment } from '#config';
import { asVtrError, type Coordinator, defaultPromptPattern, isVtrError, VtrError } from '#model';
import { fileProblem } from '#trust';
import {
  type McpOptions,
  Service,
  type SessionHost,
  type Streams,
  serveOnHttp,
  serveOnStdio,
  serveOnStreams,
} from '#wire/mcp';

export interface McpRun extends Pick<OwnCoordinatorOptions, 'reach'> {
  /** Socket or address of the coordinator. */
  readonly socket: string;
  /** The user's own socket on this machine: files are made next to it. */
  readonly localSocket: string;
  readonly user: UserEnvironment;
  readonly version: string;
  readonly options: McpOptions;
  /** Whether the sessions live in this process and end with it. */
  readonly embedded: boolean;
  readonly log: Log;
  /** Serves by HTTP. Without it and `streams`, the client is at stdin and stdout. */
  readonly http?: HttpRun;
  /** The streams of the client. */
  readonly streams?: Streams;
}

/** Serves a host on stdin and stdout until it disconnects, or clients by HTTP. A signal ends both. */
export async function runMcp(run: McpRun): Promise<void> {
  let isStopped = false;
  const stop = new Promise<void>((resolve) => {
    const end = () => {
      isStopped = true;
      resolve();
    };
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, end);
  });
  await serveMcp(run, stop);
  // Answers that the host does not read would keep the process alive.
  if (isStopped && process.stdout.writableLength > 0) process.exit();
}

/** Serves until the host disconnects or `stop` resolves. */
export async function serveMcp(run: McpRun, stop: Promise<void>): Promise<void> {
  await checkPromptPattern(run.options);
  await (run.embedded ? serveEmbedded(run, stop) : serveDaemon(run, stop));
}

/** Checks the pattern at start, because every wait for a prompt would fail. @throws VtrError INVALID_PATTERN */
async function checkPromptPattern({ promptPattern }: McpOptions): Promise<void> {
  if (promptPattern === null || promptPattern === defaultPromptPattern) return;
  const { checkPattern } = await import('#app/daemon');
  try {
    checkPattern(promptPattern);
  } catch (error) {
    const { code, message } = asVtrError(error);
    throw new VtrError(code, `the prompt pattern ${message}`, { cause: error });
  }
}

function serve(run: McpRun, host: SessionHost, stop: Promise<void>): Promise<void> {
  const { options, log, http, localSocket: socket, streams } = run;
  const service = new Service(host, options, log);
  if (http !== undefined) return runHttp(service, { ...http, socket, stop });
  return streams === undefined
    ? serveOnStdio(service, stop)
    : serveOnStreams(service, streams, stop);
}

async function serveDaemon(run: McpRun, stop: Promise<void>): Promise<void> {
  const host = new OwnCoordinator({ ...run, client: 'mcp' });
  try {
    await serve(run, host, stop);
  } finally {
    await host.close();
  }
}

/** Runs a coordinator in this process, with a socket for other clients. */
async function serveEmbedded(run: McpRun, stop: Promise<void>): Promise<void> {
  const { user, version, log } = run;
  const { termcp } = run.options;
  const socket = join(dirname(run.localSocket), `mcp-${process.pid}.sock`);
  const { checkProgram, embedCoordinator } = await import('#app/daemon');
  // Checked at start, because every session would fail.
  if (termcp !== null) await checkProgram(termcp.program, termcp.cwd, user.env['PATH']);
  const say = (line: string) => log('info', line);
  const embedded = await embedCoordinator({ socket, user, version, log: say, client: 'mcp' });
  try {
    await serve(run, hostOf(embedded.coordinator), stop);
  } finally {
    await embedded.close();
  }
}

const hostOf = (coordinator: Coordinator): SessionHost => ({
  reach: async () => coordinator,
  start: async () => coordinator,
});

/** Options of the HTTP server. */
interface HttpRun {
  /** 0: any free port. */
  readonly port: number;
  /** From the environment. Without it and `tokenFile`, one is generated. */
  readonly token?: string;
  readonly tokenFile?: string;
  /** Whether the line on stdout is JSON. */
  readonly json: boolean;
  readonly out: (line: string) => void;
  readonly say: (line: string) => void;
}

interface Serving extends HttpRun {
  readonly socket: string;
  readonly stop: Promise<void>;
}

/** Serves until `stop` resolves. Prints one line on stdout, with the address, for programs. */
async function runHttp(service: Service, run: Serving): Promise<void> {
  const { port, socket, stop, json, out, say } = run;
  const ownToken = givenToken(run);
  const token = ownToken ?? newToken();
  let removeTokenFile = () => {};
  const onListening = (url: string) => {
    const file = ownToken === null ? tokenFileOf(socket, new URL(url).port) : run.tokenFile;
    if (ownToken === null && file !== undefined) {
      removeTokenFile = writeTokenFile(file, token);
      say(`the token is ${token}, saved in ${file}`);
    }
    if (run.port === 0) say(`serving at ${url}`);
    const address = { url, ...defined({ token_file: file }) };
    out(`${json ? JSON.stringify(address) : url}\n`);
  };
  try {
    await serveOnHttp(service, { port, token, onListening, stop });
  } finally {
    removeTokenFile();
  }
}

/** @throws VtrError INVALID_ARGUMENT for an invalid token */
function givenToken({ token, tokenFile }: HttpRun): string | null {
  if (tokenFile !== undefined) return readTokenFile(tokenFile);
  return token === undefined ? null : checkToken(token, 'VTR_MCP_TOKEN');
}

/** 256 bits. */
const tokenBytes = 32;
/** Characters that a header carries unchanged (RFC 6750, section 2.1). Shorter tokens can be guessed. */
const usable = /^[A-Za-z0-9._~+/-]{16,512}=*$/;

const newToken = (): string => randomBytes(tokenBytes).toString('base64url');

/** @throws VtrError INVALID_ARGUMENT */
function checkToken(token: string, from: string): string {
  if (usable.test(token)) return token;
  throw new VtrError(
    'INVALID_ARGUMENT',
    `invalid token in ${from}: give 16 to 512 of A-Z a-z 0-9 . _ ~ + / -`,
  );
}

/** Reads a token. @throws VtrError INVALID_ARGUMENT if others have access to the file */
export function readTokenFile(file: string): string {
  try {
    return checkToken(readPrivate(file).trim(), file);
  } catch (error) {
    if (isVtrError(error)) throw error;
    const { code } = error as NodeJS.ErrnoException;
    throw new VtrError('INVALID_ARGUMENT', `cannot read the token file ${file}: ${code}`);
  }
}

function readPrivate(file: string): string {
  const descriptor = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    // A service may have a token of root's.
    const problem = fileProblem(file, fstatSync(descriptor), {
      owner: 'system',
      others: 'nothing',
    });
    if (problem === null) return readFileSync(descriptor, 'utf8');
    throw new VtrError('INVALID_ARGUMENT', `the token file ${problem.problem}; ${problem.fix}`);
  } finally {
    closeSync(descriptor);
  }
}

/** Returns the path of a generated token's file: next to the socket, which is as private. */
const tokenFileOf = (socket: string, port: string): string =>
  join(dirname(socket), `mcp-${port}.token`);

/**
 * Writes a token to a file for programs of the same user.
 *
 * @returns removes the file
 * @throws VtrError IO_ERROR; UNAVAILABLE if others can write to the directory
 */
export function writeTokenFile(file: string, token: string): () => void {
  ensurePrivateDirectory(dirname(file));
  // A killed server on the same port may have left its file.
  removeFile(file);
  createFile(file, `${token}\n`);
  return () => removeFile(file);
}
