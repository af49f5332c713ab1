import type { SpawnedSession, SpawnRequest } from '#model';
import type { Recover } from '../client/continuity.ts';
import {
  type AnswerOf,
  type RequestOf,
  UnaryClient,
  type UnaryMethod,
  type UnaryOptions,
} from '../client/unary-client.ts';
import { type DaemonDescription, fromDaemon } from '../convert/daemon.ts';
import { toSpawnMessage } from '../convert/spawn.ts';
import { unaryCall } from './unary-call.ts';

/** Timeout of a call that the coordinator answers at once, in ms. */
const answerMs = 30_000;
/** Timeout of a call about the daemon itself, in ms. It waits for no session. */
const daemonAnswerMs = 4_000;

/** As `SpawnRequest`, or with a command line instead of a program. */
export interface CommandRequest extends SpawnRequest {
  /** A program, or a line for the shell when it has more than one word. */
  readonly command?: string;
}

/**
 * A coordinator behind a socket, for processes that make a call or two and exit. It loads only
 * `node:net`. Each call is one HTTP request of JSON on its own connection, so calls are accepted in the
 * order in which they are received, not in the order in which they were made.
 */
export class JsonCoordinator extends UnaryClient {
  readonly socket: string;

  /** @param recover see {@link Continuity}; without it, no call is repeated */
  constructor(socket: string, recover: Recover | null = null) {
    super(recover);
    this.socket = socket;
  }

  override spawn(request: CommandRequest): Promise<SpawnedSession> {
    return super.spawn(request);
  }

  protected override toSpawnMessage(request: CommandRequest): RequestOf<'spawn'> {
    return { ...toSpawnMessage(request), command: request.command ?? '' };
  }

  /** Returns a description of the daemon. */
  async daemon(): Promise<DaemonDescription> {
    return fromDaemon(await unaryCall(this.socket, 'describeDaemon', {}, daemonAnswerMs));
  }

  /** Resolves when the daemon has begun to stop. */
  async stopDaemon(): Promise<void> {
    await unaryCall(this.socket, 'stopDaemon', {}, daemonAnswerMs);
  }

  /**
   * Resolves when the daemon has begun to end, to whether a supervisor starts the next one. Its
   * sessions continue.
   *
   * @param program path of the command `vtr` that runs as the next daemon
   */
  async restartDaemon(program: string): Promise<{ readonly inForeground: boolean }> {
    const { inForeground } = await this.once('restartDaemon', { program });
    return { inForeground };
  }

  protected async once<Name extends UnaryMethod>(
    method: Name,
    request: RequestOf<Name>,
    { expectedMs = 0, after }: UnaryOptions = {},
  ): Promise<AnswerOf<Name>> {
    if (after !== undefined) await after;
    return unaryCall(this.socket, method, request, expectedMs + answerMs);
  }
}
