import { randomInt } from 'node:crypto';
import {
  asVtrError,
  type Coordinator,
  callerEnvironment,
  maxRawBytes,
  type SessionInfo,
  type SpawnRequest,
  VtrError,
} from '#model';
import { AgentTerminal, type TerminalExit } from './agent-terminal.ts';
import type { AuditedCommand } from './audit.ts';
import type { AuditTrail } from './audit-trail.ts';
import type { HeldLease } from './held-lease.ts';
import type { TerminalSettings } from './options.ts';
import type { CreateParameters } from './parameters.ts';
import { startProgram } from './start-program.ts';
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
  readonly #coordinator: Coordinator;
  readonly #settings: TerminalSettings;
  readonly #audit: AuditTrail;
  readonly #lease: HeldLease;

  constructor({ coordinator, settings, audit, lease }: LauncherParts) {
    this.#coordinator = coordinator;
    this.#settings = settings;
    this.#audit = audit;
    this.#lease = lease;
  }

  /** @throws VtrError as `Coordinator.spawn`; IO_ERROR, INVALID_ARGUMENT if it cannot be audited */
  async launch(asked: CreateParameters): Promise<AgentTerminal> {
    const command = this.#audited(asked);
    const name = generatedName();
    this.#audit.starting(command, name);
    const startedMs = performance.now();
    const { id } = await this.#spawn(asked, { ...this.#request(asked, command.cwd), name });
    const terminal = new AgentTerminal({
      coordinator: this.#coordinator,
      session: { name, id },
      conversationId: asked.conversationId,
      transcript: new Transcript(this.#outputBytes(asked), this.#settings.escapes),
    });
    const ended = (exit: TerminalExit | null) => {
      const durationMs = Math.round(performance.now() - startedMs);
      this.#audit.exited(command, { terminal: name, exit: exit?.status ?? null, durationMs });
    };
    terminal.exited.then(ended, () => ended(null));
    return terminal;
  }

  refused(asked: CreateParameters, error: unknown): void {
    this.#audit.refused(this.#audited(asked), error);
  }

  /** Retries once with a new lease, because the lease may have been lost with the connection. */
  async #spawn(
    asked: CreateParameters,
    request: SpawnRequest,
    isAgain = false,
  ): Promise<SessionInfo> {
    const { command, args } = asked;
    const program = { command, args, shell: this.#settings.shell };
    const lease = await this.#lease.id();
    try {
      return await startProgram(this.#coordinator, program, { ...request, lease });
    } catch (error) {
      if (asVtrError(error).code !== 'LEASE_CLOSED' || isAgain) throw unnamed(error, request);
      await this.#lease.lost(lease);
      return this.#spawn(asked, request, true);
    }
  }

  #request(asked: CreateParameters, cwd: string): SpawnRequest {
    const { env } = asked;
    const { maxRunMs, keepReleasedMs, limits, size, environment } = this.#settings;
    // Output before the first event is read from what is kept; control functions are not in the text.
    const rawBytes = Math.max(leastRawBytes, Math.min(2 * this.#outputBytes(asked), maxRawBytes));
    return {
      cwd,
      rawBytes,
      env: { ...this.#settings.env, ...env },
      lifetime: { maxRunMs, keepExitedMs: keepReleasedMs + forgottenAfterMs },
      caller: environment ?? callerEnvironment(process.env, { agents: false }),
      ...(limits === undefined ? {} : { limits }),
      ...(size === undefined ? {} : { size }),
      // Shell marks would add output that is not the program's.
      shellIntegration: false,
    };
  }

  #outputBytes({ outputByteLimit }: CreateParameters): number {
    const { outputBytes, maxOutputBytes } = this.#settings;
    return Math.min(outputByteLimit ?? outputBytes, maxOutputBytes);
  }

  #audited({ conversationId, command, args, env, cwd }: CreateParameters): AuditedCommand {
    return {
      conversation: conversationId,
      command,
      args,
      cwd: cwd ?? this.#settings.cwd(conversationId) ?? process.cwd(),
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
