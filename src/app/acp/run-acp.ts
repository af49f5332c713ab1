import { basename, dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { OwnCoordinator, type OwnCoordinatorOptions } from '#app/client';
import { defined } from '#base';
import type { UserEnvironment } from '#config';
import type { Coordinator } from '#model';
import type { TerminalOptions } from '#wire/acp';
import { AcpProxy, type AcpProxyOptions, type Peer } from './acp-proxy.ts';
import { AgentProcess } from './agent-process.ts';
import { AgentShell, type AgentShellOptions } from './agent-shell.ts';
import type { StdioServer } from './editor-messages.ts';
import { FrameWriter, takeStdout } from './frames.ts';

export type AgentShellChoice = Pick<AgentShellOptions, 'shell' | 'readsTerminal'>;

export interface AcpRun extends Pick<OwnCoordinatorOptions, 'reach'> {
  readonly program: string;
  readonly args: readonly string[];
  /** Socket of the user's own coordinator. */
  readonly socket: string;
  readonly user: UserEnvironment;
  readonly version: string;
  /** Whether the sessions live in this process and end with it. */
  readonly embedded: boolean;
  readonly passthrough: boolean;
  /** The shell that runs the agent's commands in sessions; null if the agent runs them itself. */
  readonly shell: AgentShellChoice | null;
  /** Returns vtr's MCP server for a coordinator's socket; null if the agent does not get it. */
  readonly mcpServer: ((socket: string) => StdioServer) | null;
  readonly terminals: Omit<TerminalOptions, 'cwd'>;
  /** Time that released and shown terminals stay, in ms. */
  readonly keepMs: number;
  readonly log: (level: 'error' | 'info', line: string) => void;
}

/** Time that the agent has to exit after the editor has gone, in ms. */
const exitMs = 3_000;
/** Silence after which the agent's output counts as ended, in ms. */
const quietMs = 1_000;
/** Limit of output after the agent's exit, in bytes; more than a pipe's buffer. */
const maxLastBytes = 512 * 1024;

const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Runs an agent between its editor, on stdin and stdout, and a coordinator. Ends when either side
 * ends; no process stays.
 *
 * @returns the agent's exit status, as in shells
 * @throws VtrError PROGRAM_NOT_FOUND, PROGRAM_NOT_EXECUTABLE, INVALID_ARGUMENT
 */
export async function runAcp(run: AcpRun): Promise<number> {
  const editor = { input: process.stdin, output: new FrameWriter(takeStdout()) };
  const status = await runFor(editor, run);
  // A pending write that nobody reads would keep the process alive.
  if (editor.output.waitingBytes > 0) process.exit(status);
  return status;
}

async function runFor(editor: Peer, run: AcpRun): Promise<number> {
  const sessions = await reachSessions(run);
  let shell: AgentShell | null = null;
  try {
    const proxy = new AcpProxy(proxyOptions(run, sessions));
    shell = openShell(run, sessions.coordinator, proxy);
    const env = shell === null ? {} : { SHELL: shell.path };
    // Before the first session: a child process would inherit its terminal.
    const agent = await AgentProcess.start(run.program, run.args, env);
    run.log('info', `started ${run.program}`);
    return await runBetween(editor, agent, proxy, run.log);
  } finally {
    await shell?.close();
    await sessions.close();
    // If it is still open, it keeps the process alive.
    editor.input.destroy();
  }
}

function openShell(
  { shell, program, terminals, keepMs, log }: AcpRun,
  coordinator: Coordinator,
  proxy: AcpProxy,
): AgentShell | null {
  if (shell === null) return null;
  const agent = basename(program).slice(0, 100);
  return AgentShell.open({
    ...shell,
    coordinator,
    agent,
    keepMs,
    ...defined({ auditFile: terminals.auditFile }),
    log,
    onStarted: (command, session) => proxy.commandStarted(command, session),
    onEnded: (session) => proxy.commandEnded(session),
  });
}

interface Sessions {
  readonly socket: string;
  readonly coordinator: Coordinator;
  close(): Promise<void>;
}

function proxyOptions(
  { program, passthrough, shell, mcpServer, terminals, keepMs, log }: AcpRun,
  { coordinator, socket }: Sessions,
): AcpProxyOptions {
  return {
    coordinator,
    passthrough,
    runsCommands: shell !== null,
    keepMs,
    log,
    terminals: { onFault: (error) => log('error', String(error)), ...terminals },
    server: mcpServer === null ? null : mcpServer(socket),
    agentName: `${basename(program).slice(0, 100)}, through vtr acp`,
  };
}

async function runBetween(
  editor: Peer,
  agent: AgentProcess,
  proxy: AcpProxy,
  log: AcpRun['log'],
): Promise<number> {
  const stdin = new FrameWriter(agent.stdin);
  const { fromEditor, fromAgent } = proxy.connect(editor, { input: agent.stdout, output: stdin });
  const editorDone = logged(fromEditor, log);
  const agentDone = logged(fromAgent, log);
  const stop = onSignals((name) => agent.signal(name));
  const editorGone = Promise.race([editorDone, editor.output.gone]);
  await Promise.race([agent.exited, agentDone, editorGone, stop.signalled]);
  log('info', 'ending');
  stdin.end();
  await agent.end(exitMs);
  const status = await agent.exited;
  await Promise.all([agent.endLeftBehind(), proxy.close()]);
  await passRest(agent, agentDone, editor.output, stop.signalled, log);
  agent.stdout.destroy();
  stop.dispose();
  return status;
}

/** Resolves when one direction has ended. Logs its failure, unless this process has closed the stream. */
const logged = (passing: Promise<void>, log: AcpRun['log']): Promise<void> =>
  passing.catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ERR_STREAM_PREMATURE_CLOSE') return;
    log('error', error.stack ?? error.message);
  });

/**
 * Passes the rest of the agent's output on. A slow editor gets all of it, unless a signal arrives. A
 * process that keeps the agent's output open and writes nothing is not waited for; one that keeps
 * writing is cut off.
 */
async function passRest(
  agent: AgentProcess,
  agentDone: Promise<void>,
  editor: FrameWriter,
  signalled: Promise<void>,
  log: AcpRun['log'],
): Promise<void> {
  const endBytes = agent.outputBytes + maxLastBytes;
  let isOver = false;
  const finish = () => {
    isOver = true;
  };
  const over = Promise.race([agentDone, editor.gone]).then(finish);
  const pause = () => Promise.race([over, setTimeout(quietMs, null, { ref: false })]);
  await pause();
  void signalled.then(finish);
  if (!isOver && editor.waitingBytes > 0) log('info', 'waiting for the editor to read');
  for (let before = -1; !isOver && (editor.waitingBytes > 0 || editor.writtenBytes > before); ) {
    if (agent.outputBytes > endBytes) break;
    before = editor.writtenBytes;
    await pause();
  }
  // The process may exit next, before stdout is flushed.
  await Promise.race([editor.flushed(), signalled]);
}

/** Passes signals on to the agent, which may need to clean up. The first one ends the proxy too. */
function onSignals(pass: (name: NodeJS.Signals) => void) {
  let onSignal = (_name: NodeJS.Signals): void => {};
  const signalled = new Promise<void>((resolve) => {
    onSignal = (name) => {
      pass(name);
      resolve();
    };
    for (const name of stopSignals) process.on(name, onSignal);
  });
  const dispose = () => {
    for (const name of stopSignals) process.off(name, onSignal);
  };
  return { signalled, dispose };
}

async function reachSessions(run: AcpRun): Promise<Sessions> {
  if (run.embedded) return embedSessions(run);
  const own = new OwnCoordinator({ ...run, client: 'acp' });
  return { socket: run.socket, coordinator: own.coordinator, close: () => own.close() };
}

/** Runs a coordinator in this process, with a socket for other clients. */
async function embedSessions({ user, version, log, ...run }: AcpRun): Promise<Sessions> {
  const socket = join(dirname(run.socket), `acp-${process.pid}.sock`);
  const { embedCoordinator } = await import('#app/daemon');
  return embedCoordinator({
    socket,
    user,
    version,
    client: 'acp',
    log: (line) => log('info', line),
  });
}
