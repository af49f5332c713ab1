import { basename, dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { OwnCoordinator } from '#app/client';
import type { UserEnvironment } from '#config';
import type { Coordinator } from '#model';
import type { TerminalOptions } from '#wire/acp';
import { AcpProxy, type AcpProxyOptions, type Peer } from './acp-proxy.ts';
import { AgentProcess } from './agent-process.ts';
import type { StdioServer } from './editor-messages.ts';
import { FrameWriter, takeStdout } from './frames/frames.ts';

export interface AcpRun {
  readonly program: string;
  readonly args: readonly string[];
  /** Of the user's own coordinator. */
  readonly socket: string;
  readonly user: UserEnvironment;
  readonly version: string;
  /** Whether the sessions live in this process, and end with it. */
  readonly embedded: boolean;
  readonly passthrough: boolean;
  /** How the agent starts vtr's MCP server for a coordinator's socket; null where it is not to. */
  readonly mcpServer: ((socket: string) => StdioServer) | null;
  readonly terminals: Omit<TerminalOptions, 'cwd'>;
  /** How long released and shown terminals stay, in ms. */
  readonly keepMs: number;
  readonly startDaemon: () => Promise<unknown>;
  readonly log: (level: 'error' | 'info', line: string) => void;
}

/** For the agent to end by itself when its editor is gone, in ms. */
const farewellMs = 3_000;
/** For the end of the agent's output, once nothing more of it comes, in ms. */
const lastWordsMs = 1_000;
/** More than a system holds of output for its reader, in bytes. */
const maxLastBytes = 512 * 1024;

const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Runs an agent between its editor, at stdin and stdout, and a coordinator. Ends with either side,
 * and leaves nothing running.
 *
 * @returns the agent's exit status, as shells have it
 * @throws VtrError PROGRAM_NOT_FOUND, PROGRAM_NOT_EXECUTABLE, INVALID_ARGUMENT
 */
export async function runAcp(run: AcpRun): Promise<number> {
  const editor = { input: process.stdin, output: new FrameWriter(takeStdout()) };
  const status = await runFor(editor, run);
  // Node does not close stdout, and a write that nobody reads would keep us for ever.
  if (editor.output.waitingBytes > 0) process.exit(status);
  return status;
}

async function runFor(editor: Peer, run: AcpRun): Promise<number> {
  const sessions = await reachSessions(run);
  try {
    const proxy = new AcpProxy(proxyOptions(run, sessions));
    // Before there is any session: a child would hold its terminal.
    const agent = await AgentProcess.start(run.program, run.args);
    run.log('info', `started ${run.program}`);
    return await runBetween(editor, agent, proxy, run.log);
  } finally {
    await sessions.close();
    // It may be open still, and would keep us here.
    editor.input.destroy();
  }
}

interface Sessions {
  readonly socket: string;
  readonly coordinator: Coordinator;
  close(): Promise<void>;
}

function proxyOptions(
  { program, passthrough, mcpServer, terminals, keepMs, log }: AcpRun,
  { coordinator, socket }: Sessions,
): AcpProxyOptions {
  return {
    ...{ coordinator, passthrough, keepMs, log },
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
  const editorSilent = told(fromEditor, log);
  const agentSilent = told(fromAgent, log);
  const stop = onSignals((name) => agent.signal(name));
  const editorGone = Promise.race([editorSilent, editor.output.gone]);
  await Promise.race([agent.exited, agentSilent, editorGone, stop.signalled]);
  log('info', 'ending');
  stdin.end();
  await agent.end(farewellMs);
  const status = await agent.exited;
  await Promise.all([agent.endLeftBehind(), proxy.close()]);
  await lastWords(agent, agentSilent, editor.output, stop.signalled);
  agent.stdout.destroy();
  stop.dispose();
  return status;
}

/** Resolves when it is over; what it failed with is told, but that we closed a side ourselves. */
const told = (passing: Promise<void>, log: AcpRun['log']): Promise<void> =>
  passing.catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ERR_STREAM_PREMATURE_CLOSE') return;
    log('error', error.stack ?? error.message);
  });

/**
 * An editor may read slowly, and gets all; but what it has not read when a signal has come for us is
 * for nobody. Who holds the agent's output open and says nothing is not waited for,
 * and who goes on there is not heard.
 */
async function lastWords(
  agent: AgentProcess,
  agentSilent: Promise<void>,
  editor: FrameWriter,
  signalled: Promise<void>,
): Promise<void> {
  const endBytes = agent.saidBytes + maxLastBytes;
  let isOver = false;
  const finish = () => {
    isOver = true;
  };
  const over = Promise.race([agentSilent, editor.gone]).then(finish);
  const pause = () => Promise.race([over, setTimeout(lastWordsMs, null, { ref: false })]);
  await pause();
  void signalled.then(finish);
  for (let before = -1; !isOver && (editor.waitingBytes > 0 || editor.writtenBytes > before); ) {
    if (agent.saidBytes > endBytes) break;
    before = editor.writtenBytes;
    await pause();
  }
  // What is written is not taken yet, and this process may exit next.
  await Promise.race([editor.flushed(), signalled]);
}

/** Passed on to the agent, which may have something to clean up; the first one ends us with it. */
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
  const { socket, startDaemon } = run;
  const own = new OwnCoordinator({ socket, startDaemon });
  return { socket, coordinator: own.coordinator, close: () => own.close() };
}

/** The sessions are here, and people find them at a socket all the same. */
async function embedSessions({ user, version, log, ...run }: AcpRun): Promise<Sessions> {
  const socket = join(dirname(run.socket), `acp-${process.pid}.sock`);
  const { embedCoordinator } = await import('#app/daemon');
  return embedCoordinator({ socket, user, version, log: (line) => log('info', line) });
}
