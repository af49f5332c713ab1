import { clampWaitMs, defaultWaitMs, type SpawnedSession, type SpawnRequest } from '#model';
import {
  type AnswerOf,
  fromSpawned,
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

  constructor(socket: string) {
    super();
    this.socket = socket;
  }

  override async spawn(request: CommandRequest): Promise<SpawnedSession> {
    const { command = '', wait } = request;
    const expectedMs = wait === undefined ? 0 : clampWaitMs(wait.timeoutMs, defaultWaitMs);
    const message = { ...toSpawnMessage(request), command };
    return fromSpawned(await this.call('spawn', message, { expectedMs }));
  }

  /** Returns a description of the daemon. */
  async daemon(): Promise<DaemonDescription> {
    return fromDaemon(await this.call('describeDaemon', {}));
  }

  /** Resolves when the daemon has begun to stop. */
  async stopDaemon(): Promise<void> {
    await this.call('stopDaemon', {});
  }

  /**
   * Resolves when the daemon has begun to end, to whether a supervisor starts the next one. Its
   * sessions continue.
   *
   * @param program path of the command `vtr` that runs as the next daemon
   */
  async restartDaemon(program: string): Promise<{ readonly inForeground: boolean }> {
    const { inForeground } = await this.call('restartDaemon', { program });
    return { inForeground };
  }

  protected call<Name extends UnaryMethod>(
    method: Name,
    request: RequestOf<Name>,
    { expectedMs = 0 }: UnaryOptions = {},
  ): Promise<AnswerOf<Name>> {
    return unaryCall(this.socket, method, request, expectedMs + answerMs);
  }
}
