import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  constants,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { Socket } from 'node:net';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { defined, ignored, shellQuoted } from '#base';
import {
  asVtrError,
  type Coordinator,
  type ExitStatus,
  type Lease,
  type SessionInfo,
  type SpawnRequest,
  VtrError,
} from '#model';
import { temporaryDirectory } from '#trust';
import { type AuditedCommand, AuditTrail } from '#wire/acp';
import { type CommandRequest, commandLineIn, commandRequestOf } from './command-request.ts';
import { placePrefix, removeLeftPlaces, removePlace, ShellRequest } from './shell-request.ts';

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
  /** File that gets a line for each command that starts or ends, as `TerminalOptions.auditFile`; absent: none. */
  readonly auditFile?: string;
  readonly log: (level: 'error' | 'info', line: string) => void;
  /** Called with each new session, before its command runs. */
  readonly onStarted: (command: string, session: CommandSession) => void;
  readonly onEnded: (session: CommandSession) => void;
}

/** A command of a shell that has asked for a session. */
interface Asked {
  readonly command: CommandRequest;
  /** The directory of its request. */
  readonly place: string;
  readonly request: ShellRequest;
}

/** A shell for an agent: the commands that it runs are sessions. */
export class AgentShell {
  /** The value of SHELL for the agent. */
  readonly path: string;
  readonly #options: AgentShellOptions;
  readonly #place: string;
  readonly #requests: Socket;
  readonly #trail: AuditTrail;
  readonly #ended: CommandSession[] = [];
  /** Opened at once: that starts the coordinator if none runs. */
  #lease: Promise<Lease> | null;
  /** Whether the coordinator has not answered in time, and still does not. */
  #isSilent = false;

  private constructor(options: AgentShellOptions, place: string) {
    const { log, auditFile } = options;
    this.#options = options;
    this.#place = place;
    const onFault = (error: unknown) => log('error', String(error));
    this.#trail = new AuditTrail({ onFault, ...defined({ auditFile }) });
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

  /**
   * @throws VtrError INVALID_ARGUMENT on another system than Linux, or for an audit file that is not private; IO_ERROR if
   * that cannot be written
   */
  static open(options: AgentShellOptions): AgentShell {
    if (process.platform !== 'linux') {
      const message =
        '--shell works on Linux only: elsewhere vtr cannot tell whether a command is in a sandbox';
      throw new VtrError('INVALID_ARGUMENT', message);
    }
    const directory = temporaryDirectory();
    removeLeftPlaces(directory);
    const place = mkdtempSync(join(directory, placePrefix));
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
    removePlace(this.#place);
    const ended = ignored(
      this.#lease?.then((each) => each.close()),
      'without a coordinator, there is no session',
    );
    await Promise.race([ended, setTimeout(silenceMs, null, { ref: false })]);
  }

  async #take(pid: number): Promise<void> {
    const { log } = this.#options;
    const place = join(this.#place, String(pid));
    let request: ShellRequest;
    try {
      request = new ShellRequest(place);
    } catch {
      // The shell is gone.
      return;
    }
    const command = this.#commandOf(pid);
    if (command === null) return request.refuse('none');
    const terminal = `sess_${randomBytes(4).toString('hex')}`;
    const record = { ...recordOf(command), command: this.#options.shell };
    try {
      this.#trail.starting(record, terminal);
    } catch (error) {
      log('error', `a command was not run: ${asVtrError(error).message}`);
      return request.refuse('unrecorded');
    }
    const startedMs = performance.now();
    const exit = await this.#run(terminal, { command, place, request });
    const durationMs = Math.round(performance.now() - startedMs);
    this.#trail.exited(record, { terminal, exit, durationMs });
  }

  /** Returns what a shell was asked to run; null if that is to run without a session. */
  #commandOf(pid: number): CommandRequest | null {
    try {
      return commandRequestOf(pid, this.path);
    } catch (error) {
      this.#options.log('error', `a command runs without a session: ${error}`);
      return null;
    }
  }

  /** Runs a command in a session. @returns how it ended; null if it has no session, or that is gone */
  async #run(name: string, { command, place, request }: Asked): Promise<ExitStatus | null> {
    const { coordinator, log, onEnded } = this.#options;
    const session = await this.#start(name, command, place).catch((error: unknown) => {
      log('error', `a command runs without a session: ${error}`);
      return null;
    });
    if (session === null) {
      request.refuse('none');
      return null;
    }
    void request.ended.then(({ hasBegun }) => {
      // Its session waits for a shell that is gone.
      if (!hasBegun) void ignored(coordinator.end(session, { force: true }), 'it has ended');
    });
    const exit = await this.#untilExit(session).catch(() => null);
    onEnded(session);
    // If it has not begun.
    request.refuse('none');
    rmSync(place, { recursive: true, force: true });
    this.#ended.push(session);
    while (this.#ended.length > maxKept) {
      const oldest = this.#ended.shift();
      if (oldest !== undefined) void ignored(coordinator.remove(oldest), 'it was removed before');
    }
    return exit;
  }

  /** @returns null if the command is to run without a session */
  async #start(
    name: string,
    request: CommandRequest,
    place: string,
  ): Promise<CommandSession | null> {
    if (this.#isSilent) return null;
    const { coordinator, onStarted, log } = this.#options;
    const { command, ...spawn } = this.#spawnOf(request, place);
    const started = this.#spawn({ ...spawn, name });
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
    const { id } = session;
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

  async #untilExit(session: CommandSession): Promise<ExitStatus> {
    const { coordinator } = this.#options;
    for (;;) {
      const { exitStatus } = await coordinator.wait(session, { tail: { maxLines: 0 } });
      if (exitStatus !== null) return exitStatus;
    }
  }
}

/** A shell does not tell of which conversation its command is. */
const recordOf = ({ words, cwd, env }: CommandRequest): Omit<AuditedCommand, 'command'> => ({
  conversation: '',
  args: words,
  cwd,
  envNames: Object.keys(env),
});

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
