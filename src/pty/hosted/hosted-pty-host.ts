import { checkSize, type EndOptions, VtrError } from '#model';
import { type AdoptedPty, defaultLogBytes, type Pty, type PtySpawnRequest } from '../port.ts';
import type { ProcessEntry } from '../processes/process-table.ts';
import { decodeJson, encodeJson } from './frames.ts';
import type { HostConnection } from './host-connection.ts';
import { HostedPty } from './hosted-pty.ts';
import type { LosablePtyHost } from './supervised-pty-host.ts';

export interface HostedPtyHostOptions {
  /** Called with the error of a listener that threw, which is then removed. */
  readonly onListenerError?: (error: unknown) => void;
  /** Resolves when the process of the host has exited. Called by `close`. */
  readonly untilExited?: () => Promise<unknown>;
}

/** A host in another process. It ends when it is closed, and when the connection ends. */
export class HostedPtyHost implements LosablePtyHost {
  readonly #connection: HostConnection;
  readonly #onListenerError: (error: unknown) => void;
  readonly #untilExited: () => Promise<unknown>;
  #isClosed = false;

  constructor(connection: HostConnection, options: HostedPtyHostOptions = {}) {
    this.#connection = connection;
    this.#onListenerError = options.onListenerError ?? (() => {});
    this.#untilExited = options.untilExited ?? (() => Promise.resolve());
  }

  get isOpen(): boolean {
    return this.#connection.isOpen;
  }

  async spawn(request: PtySpawnRequest): Promise<Pty> {
    this.#checkOpen();
    checkSize(request.size);
    const connection = this.#connection;
    const { logBytes = defaultLogBytes } = request;
    const onListenerError = this.#onListenerError;
    return connection.request('spawn', 0, [encodeJson(request)], ({ session, payload }) => {
      const { pid, program } = decodeJson(payload) as { pid: number; program: string };
      const parts = { connection, session, pid, program, logBytes, onListenerError };
      const pty = new HostedPty(parts);
      connection.addSession(session, pty);
      return pty;
    }).answer;
  }

  async listProcesses(): Promise<readonly ProcessEntry[]> {
    const question = encodeJson({ ask: 'processes' });
    const decode = ({ payload }: { readonly payload: Uint8Array }) =>
      decodeJson(payload) as unknown as readonly ProcessEntry[];
    return this.#connection.request('ask', 0, [question], decode).answer;
  }

  async adopt(): Promise<readonly AdoptedPty[]> {
    return [];
  }

  async detach(): Promise<void> {
    throw new VtrError('UNAVAILABLE', 'the programs end with their coordinator');
  }

  async close(options: EndOptions = {}): Promise<void> {
    this.#isClosed = true;
    this.#connection.beginEnding();
    try {
      if (this.#connection.isOpen) {
        await this.#connection.request('bye', 0, [encodeJson(options)], () => {}).answer;
      }
    } catch (error) {
      // Of two concurrent calls, the host may answer only one.
      if (this.#connection.isOpen) throw error;
    } finally {
      this.#connection.close();
      await this.#untilExited();
    }
  }

  #checkOpen(): void {
    if (this.#isClosed) {
      throw new VtrError('UNAVAILABLE', 'the PTY host is closed; create another one');
    }
  }
}
