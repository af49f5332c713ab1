import { randomInt } from 'node:crypto';
import { defined } from '#base';
import {
  asVtrError,
  type Coordinator,
  callerEnvironment,
  type Lease,
  maxRawBytes,
  type SessionInfo,
  type SpawnRequest,
  VtrError,
} from '#model';
import { AgentTerminal, type TerminalExit } from './agent-terminal.ts';
import type { AuditedCommand, AuditTrail } from './audit-trail.ts';
import type { TerminalSettings } from './options.ts';
import type { CreateParameters } from './parameters.ts';
import { Transcript } from './transcript.ts';

/** The coordinator removes an exited session this long after its time, in ms, even if this process is gone. */
const forgottenAfterMs = 60 * 60 * 1000;

const alphabet = 'abcdefghijklmnopqrstuvwxyz0123456789';
const idLength = 8;

/** Raw output that is kept of a terminal at least, in bytes: the usual amount of a session. */
const leastRawBytes = 1024 * 1024;

export interface LauncherParts {
  readonly coordinator: Coordinator;
  readonly settings: TerminalSettings;
  readonly audit: AuditTrail;
  readonly lease: HeldLease;
}

/** Starts the programs that agents request. */
export class Launcher {
  readonly #parts: LauncherParts;

  constructor(parts: LauncherParts) {
    this.#parts = parts;
  }

  /** @throws VtrError as `Coordinator.spawn`; IO_ERROR, INVALID_ARGUMENT if it cannot be audited */
  async launch(parameters: CreateParameters): Promise<AgentTerminal> {
    const command = this.#audited(parameters);
    const name = generatedName();
    this.#parts.audit.starting(command, name);
    const startedMs = performance.now();
    const { id } = await this.#spawn(parameters, {
      ...this.#request(parameters, command.cwd),
      name,
    });
    const terminal = new AgentTerminal({
      coordinator: this.#parts.coordinator,
      session: { name, id },
      conversationId: parameters.conversationId,
      transcript: new Transcript(this.#outputBytes(parameters), this.#parts.settings.escapes),
    });
    const ended = (exit: TerminalExit | null) => {
      const durationMs = Math.round(performance.now() - startedMs);
      this.#parts.audit.exited(command, { terminal: name, exit: exit?.status ?? null, durationMs });
    };
    terminal.exited.then(ended, () => ended(null));
    return terminal;
  }

  refused(parameters: CreateParameters, error: unknown): void {
    this.#parts.audit.refused(this.#audited(parameters), error);
  }

  /** Retries once with a new lease, because the lease may have been lost with the connection. */
  async #spawn(
    parameters: CreateParameters,
    request: SpawnRequest,
    { isAgain = false }: { readonly isAgain?: boolean | undefined } = {},
  ): Promise<SessionInfo> {
    const { command, args } = parameters;
    const program = { command, args, shell: this.#parts.settings.shell };
    const lease = await this.#parts.lease.id();
    try {
      return await startProgram(this.#parts.coordinator, program, { ...request, lease });
    } catch (error) {
      if (asVtrError(error).code !== 'LEASE_CLOSED' || isAgain) throw unnamed(error, request);
      await this.#parts.lease.lost(lease);
      return this.#spawn(parameters, request, { isAgain: true });
    }
  }

  #request(parameters: CreateParameters, cwd: string): SpawnRequest {
    const { env } = parameters;
    const { maxRunMs, keepReleasedMs, limits, size, environment } = this.#parts.settings;
    // Output before the first event is read from what is kept; control functions are not in the text.
    const rawBytes = Math.max(
      leastRawBytes,
      Math.min(2 * this.#outputBytes(parameters), maxRawBytes),
    );
    return {
      cwd,
      rawBytes,
      env: { ...this.#parts.settings.env, ...env },
      lifetime: { maxRunMs, keepExitedMs: keepReleasedMs + forgottenAfterMs },
      caller: environment ?? callerEnvironment(process.env, { agents: false }),
      ...defined({ limits, size }),
      // Shell marks would add output that is not the program's.
      shellIntegration: false,
    };
  }

  #outputBytes({ outputByteLimit }: CreateParameters): number {
    const { outputBytes, maxOutputBytes } = this.#parts.settings;
    return Math.min(outputByteLimit ?? outputBytes, maxOutputBytes);
  }

  #audited({ conversationId, command, args, env, cwd }: CreateParameters): AuditedCommand {
    return {
      conversation: conversationId,
      command,
      args,
      cwd: cwd ?? this.#parts.settings.cwd(conversationId) ?? process.cwd(),
      envNames: Object.keys(env),
    };
  }
}

/** Removes the name of a terminal that could not be created: an agent would take it for one. */
function unnamed(thrown: unknown, { name }: SpawnRequest): VtrError {
  const { code, message, details } = asVtrError(thrown);
  const text = message.replace(`session ${name}: `, '');
  return new VtrError(code, text, { cause: thrown, details });
}

function generatedName(): string {
  const letters = Array.from({ length: idLength }, () => alphabet[randomInt(alphabet.length)]);
  return `term_${letters.join('')}`;
}

/** Models write bash lines; sh exists on every system. */
const usualShells = ['bash', '/bin/sh'];

/** Characters of shell lines that are unusual in program names. */
const shellCharacters = /[\s;&|<>()$`"'*?[\]{}~#=!\\]/;

/** A requested program with arguments; without arguments, possibly a shell line. */
interface AskedProgram {
  readonly command: string;
  readonly args: readonly string[];
  /** Runs lines. Default: bash, or sh if there is no bash. */
  readonly shell: string | undefined;
}

/**
 * Starts a program. Some agents send a whole shell line as the command, without arguments: a command
 * that is not found and looks like a line runs in a shell.
 *
 * @throws VtrError as `Coordinator.spawn`
 */
async function startProgram(
  coordinator: Coordinator,
  { command, args, shell }: AskedProgram,
  request: SpawnRequest,
): Promise<SessionInfo> {
  const shells = shell === undefined ? usualShells : [shell];
  const isLine = args.length === 0 && shellCharacters.test(command);
  const lines = isLine ? shells.map((each) => ({ program: each, args: ['-c', command] })) : [];
  return firstFound([{ program: command, args }, ...lines], (program) =>
    coordinator.spawn({ ...request, ...program }),
  );
}

type Program = Pick<SpawnRequest, 'program' | 'args'>;

/** Starts the first program that is found. @throws VtrError the last one's failure if none is found */
async function firstFound(
  [program = {}, ...others]: readonly Program[],
  start: (program: Program) => Promise<SessionInfo>,
): Promise<SessionInfo> {
  try {
    return await start(program);
  } catch (error) {
    if (others.length === 0 || asVtrError(error).code !== 'PROGRAM_NOT_FOUND') throw error;
    return firstFound(others, start);
  }
}

/** The lease of a connection's programs, opened when it is first needed. */
export class HeldLease {
  readonly #coordinator: Coordinator;
  #lease: Promise<Lease> | null = null;
  #closed = false;

  constructor(coordinator: Coordinator) {
    this.#coordinator = coordinator;
  }

  /** Returns the lease's id. @throws VtrError UNAVAILABLE; the next call tries again, unless `close` was called */
  async id(): Promise<string> {
    if (this.#closed) throw new VtrError('UNAVAILABLE', 'the connection is closed');
    this.#lease ??= this.#coordinator.openLease();
    const opening = this.#lease;
    try {
      return (await opening).id;
    } catch (error) {
      if (this.#lease === opening) this.#lease = null;
      throw error;
    }
  }

  /**
   * Forgets a lease that the coordinator closed because the connection to it was lost. The next call
   * of {@link id} opens another.
   */
  async lost(id: string): Promise<void> {
    const lease = this.#lease;
    if ((await lease)?.id === id && this.#lease === lease) this.#lease = null;
  }

  /** Ends the programs. No lease is opened after this call. */
  async close(): Promise<void> {
    this.#closed = true;
    const lease = await this.#lease?.catch(() => null);
    await lease?.close();
  }
}
