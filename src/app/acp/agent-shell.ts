import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { Socket } from 'node:net';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { ignored, shellQuoted } from '#base';
import {
  asVtrError,
  type Coordinator,
  type Lease,
  type SessionInfo,
  type SpawnRequest,
  VtrError,
} from '#model';
import { temporaryDirectory } from '#trust';
import { type CommandRequest, commandLineIn, commandRequestOf } from './command-request.ts';

/**
 * Time after which a command runs without a session, in ms; later ones do so at once until the coordinator answers.
 * The first one may wait for its start.
 */
const maxStartMs = 10_000;

/** Time after which a silent coordinator is not waited for at the end, in ms; it ends the commands when it can. */
const silenceMs = 3_000;

/** Limit of sessions of commands that have ended; the newest stay. */
const maxKept = 20;

/** Variables that vtr sets in sessions, and that a command has only if its agent has them. */
const sessionVariables = ['TERM', 'COLORTERM', 'PWD', 'LANG'];

/** The session of a command. */
export type CommandSession = Pick<SessionInfo, 'name' | 'id'>;

export interface AgentShellOptions {
  readonly coordinator: Coordinator;
  /** Path of the shell that runs the commands. */
  readonly shell: string;
  /** Whether a command reads the terminal where its agent gives it no input. */
  readonly readsTerminal: boolean;
  /** The agent's name, for people. */
  readonly agent: string;
  /** Time that a session stays after its end, in ms. */
  readonly keepMs: number;
  readonly log: (level: 'error' | 'info', line: string) => void;
  /** Called with each new session, before its command runs. */
  readonly onStarted: (command: string, session: CommandSession) => void;
  readonly onEnded: (session: CommandSession) => void;
}

/** A shell for an agent: the commands that it runs are sessions. */
export class AgentShell {
  /** The value of SHELL for the agent. */
  readonly path: string;
  readonly #options: AgentShellOptions;
  readonly #place: string;
  readonly #requests: Socket;
  readonly #ended: CommandSession[] = [];
  /** Opened at once: that starts the coordinator if none runs. */
  #lease: Promise<Lease> | null;
  /** Whether the coordinator has not answered in time, and still does not. */
  #isSilent = false;

  private constructor(options: AgentShellOptions, place: string) {
    this.#options = options;
    this.#place = place;
    // Agents choose how they call it by its name.
    this.path = join(place, basename(options.shell));
    writeScript(this.path, agentShellScript(options.shell, place));
    writeScript(join(place, sessionScript), scriptText(sessionScript));
    const requests = join(place, 'requests');
    execFileSync('mkfifo', [requests]);
    // Writable, too: it has no end while nobody writes.
    const fd = openSync(requests, constants.O_RDWR | constants.O_NONBLOCK);
    this.#lease = options.coordinator.openLease();
    void ignored(this.#lease, 'the first command reports it');
    this.#requests = new Socket({ fd, readable: true, writable: false });
    createInterface({ input: this.#requests }).on('line', (line) => void this.#take(Number(line)));
  }

  /** @throws VtrError INVALID_ARGUMENT on another system than Linux */
  static open(options: AgentShellOptions): AgentShell {
    if (process.platform !== 'linux') {
      const message =
        '--shell works on Linux only: elsewhere vtr cannot tell whether a command is in a sandbox';
      throw new VtrError('INVALID_ARGUMENT', message);
    }
    const place = mkdtempSync(join(temporaryDirectory(), 'vtr-acp-'));
    try {
      return new AgentShell(options, place);
    } catch (error) {
      rmSync(place, { recursive: true, force: true });
      throw error;
    }
  }

  /** Ends the commands that run in sessions; later ones run without. */
  async close(): Promise<void> {
    this.#requests.destroy();
    // A shell whose request was not answered would wait for ever.
    for (const name of readdirSync(this.#place)) refuse(join(this.#place, name));
    rmSync(this.#place, { recursive: true, force: true });
    const ended = ignored(
      this.#lease?.then((each) => each.close()),
      'without a coordinator, there is no session',
    );
    await Promise.race([ended, setTimeout(silenceMs, null, { ref: false })]);
  }

  async #take(pid: number): Promise<void> {
    const place = join(this.#place, String(pid));
    const session = await this.#start(pid, place).catch((error: unknown) => {
      this.#options.log('error', `a command runs without a session: ${error}`);
      return null;
    });
    if (session === null) return refuse(place);
    await ignored(this.#untilExit(session), 'the session or the coordinator is gone');
    this.#options.onEnded(session);
    // If it has not begun.
    refuse(place);
    rmSync(place, { recursive: true, force: true });
    this.#ended.push(session);
    while (this.#ended.length > maxKept) {
      const oldest = this.#ended.shift();
      if (oldest !== undefined) {
        void ignored(this.#options.coordinator.remove(oldest), 'it was removed before');
      }
    }
  }

  /** @returns null if the command is to run without a session */
  async #start(pid: number, place: string): Promise<CommandSession | null> {
    const request = commandRequestOf(pid, this.path);
    if (request === null || this.#isSilent) return null;
    const { coordinator, onStarted, log } = this.#options;
    const { command, ...spawn } = this.#spawnOf(request, place);
    const started = this.#spawn(spawn);
    const late = setTimeout(maxStartMs, null, { ref: false });
    const session = await Promise.race([started, late]);
    if (session === null) {
      log('error', 'the coordinator does not answer: commands run without sessions until it does');
      this.#isSilent = true;
      const answers = () => {
        this.#isSilent = false;
      };
      started.then(answers, answers);
      void ignored(
        started.then((each) => coordinator.remove(each, { force: true })),
        'it never was',
      );
      return null;
    }
    const { name, id } = session;
    onStarted(command, { name, id });
    return { name, id };
  }

  /** Retries once with a new lease, because the lease may have been lost with the connection. */
  async #spawn(request: SpawnRequest, { isAgain = false } = {}): Promise<SessionInfo> {
    const { coordinator } = this.#options;
    this.#lease ??= coordinator.openLease();
    const lease = this.#lease;
    try {
      return await coordinator.spawn({ ...request, lease: (await lease).id });
    } catch (error) {
      if (this.#lease === lease) this.#lease = null;
      if (isAgain || asVtrError(error).code !== 'LEASE_CLOSED') throw error;
      return this.#spawn(request, { isAgain: true });
    }
  }

  #spawnOf(request: CommandRequest, place: string): SpawnRequest & { readonly command: string } {
    const { shell, readsTerminal, agent, keepMs } = this.#options;
    const { cwd, env, umask, hasOneOutput } = request;
    const line = commandLineIn(request.words);
    const hasNoInput = request.hasNoInput || line.hasNoInput;
    const words = readsTerminal ? line.words : request.words;
    const input = !hasNoInput ? 'passed' : readsTerminal ? 'terminal' : 'none';
    const own = { ...env, SHELL: shell };
    const variables = {
      ...own,
      VTR_COMMAND_PLACE: place,
      VTR_COMMAND_SHELL: shell,
      VTR_COMMAND_INPUT: input,
      VTR_COMMAND_ERRORS: hasOneOutput ? 'joined' : 'apart',
      VTR_COMMAND_UMASK: umask,
      VTR_COMMAND_COUNT: String(words.length),
      ...Object.fromEntries(words.map((word, index) => [`VTR_COMMAND_WORD_${index}`, word])),
      VTR_COMMAND_UNSET: sessionVariables.filter((name) => !(name in own)).join(' '),
    };
    return {
      command: line.command,
      program: join(this.#place, sessionScript),
      // As a shell that runs the command: people see the line.
      args: ['-c', line.command],
      cwd,
      environment: 'caller',
      caller: { variables, notPassed: [] },
      env: Object.fromEntries(
        Object.entries(own).filter(([name]) => sessionVariables.includes(name)),
      ),
      labels: { acp: agent },
      lifetime: { keepExitedMs: keepMs },
      persist: false,
      shellIntegration: false,
      by: agent,
    };
  }

  async #untilExit(session: CommandSession): Promise<void> {
    const { coordinator } = this.#options;
    for (;;) {
      const { exitStatus } = await coordinator.wait(session, { tail: { maxLines: 0 } });
      if (exitStatus !== null) return;
    }
  }
}

const writeScript = (path: string, text: string): void => {
  writeFileSync(path, text);
  chmodSync(path, 0o700);
};

const sessionScript = 'command-session.sh';

const agentShellScript = (shell: string, place: string): string =>
  [
    '#!/bin/sh',
    `SHELL=${shellQuoted(shell)} place=${shellQuoted(place)} server=${process.pid}`,
    scriptText('agent-shell.sh'),
  ].join('\n');

/** Relative to this file, and relative to a bundle of the build. */
const scriptDirectories = ['./scripts/', './app/acp/scripts/'];

function scriptText(name: string): string {
  const paths = scriptDirectories.map((each) =>
    fileURLToPath(new URL(each + name, import.meta.url)),
  );
  const path = paths.find((each) => existsSync(each)) ?? name;
  return readFileSync(path, 'utf8');
}

/** Tells the shell of a command to run it without a session. Does nothing if it runs in one. */
function refuse(place: string): void {
  try {
    const fd = openSync(join(place, 'answer'), constants.O_WRONLY | constants.O_NONBLOCK);
    try {
      writeSync(fd, 'none\n');
    } finally {
      closeSync(fd);
    }
  } catch {
    // It does not wait for an answer.
  }
}
