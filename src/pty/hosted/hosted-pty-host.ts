import type { Disposable } from '#base';
import { checkSize, type EndOptions, VtrError } from '#model';
import {
  type AdoptedPty,
  type Deprival,
  defaultLogBytes,
  nothingLearned,
  type Pty,
  type PtySpawnRequest,
} from '../port.ts';
import type { ProcessEntry } from '../processes/process-table.ts';
import { decodeJson, encodeFields, encodeJson, type Frame } from './frames.ts';
import type { HostConnection } from './host-connection.ts';
import { HostedPty } from './hosted-pty.ts';
import type { LosablePtyHost } from './pty-hosts.ts';
import { decodeKept, type KeptFrame, LongPayloads } from './saved-frames.ts';

export interface HostedPtyHostOptions {
  /** Called with the error of a listener that threw, which is then removed. */
  readonly onListenerError?: (error: unknown) => void;
  /** Resolves when the process of the host has exited. Called by `close`. */
  readonly untilExited?: () => Promise<unknown>;
}

/** A host in another process. */
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

  /** The host's process. */
  get pid(): number {
    return this.#connection.facts.pid;
  }

  /** The version of the host's package. */
  get version(): string {
    return this.#connection.version;
  }

  /** The number of programs, also exited ones, that were spawned or adopted and not forgotten. */
  get sessions(): number {
    return this.#connection.sessions;
  }

  async spawn(request: PtySpawnRequest): Promise<Pty> {
    this.#checkOpen();
    checkSize(request.size);
    const connection = this.#connection;
    connection.checkResponds();
    const { logBytes = defaultLogBytes } = request;
    const onListenerError = this.#onListenerError;
    const { facts = new Uint8Array(0), ...rest } = request;
    const json = encodeJson({ ...rest, ...connection.startBy });
    const parts = [encodeFields({ u32: json.length }), json, facts];
    return connection.request('spawn', 0, parts, ({ session, payload }) => {
      const { pid, program } = decodeJson(payload) as { pid: number; program: string };
      const about = { connection, session, pid, program, logBytes, onListenerError };
      const pty = new HostedPty(about);
      connection.addSession(session, pty);
      return pty;
    }).answer;
  }

  async listProcesses(): Promise<readonly ProcessEntry[]> {
    const question = encodeJson({ ask: 'processes' });
    const decode = ({ payload }: { readonly payload: Uint8Array }) =>
      decodeJson(payload) as unknown as readonly ProcessEntry[];
    try {
      return await this.#connection.request('ask', 0, [question], decode).answer;
    } catch (error) {
      // A list of sessions does not fail because of it.
      if (this.#connection.isSilent) return [];
      throw error;
    }
  }

  async adopt(): Promise<readonly AdoptedPty[]> {
    this.#checkOpen();
    const adopted: AdoptedPty[] = [];
    const payloads = new LongPayloads();
    const onKept = (frame: Frame) => {
      const { session } = frame;
      if (this.#connection.hasSession(session)) return;
      const payload = payloads.add(frame);
      if (payload !== null) adopted.push(this.#adopt(session, decodeKept(payload)));
    };
    await this.#connection.request('list', 0, [], () => {}, onKept).answer;
    return adopted;
  }

  async detach(): Promise<void> {
    this.#checkOpen();
    this.#isClosed = true;
    if (this.#connection.isLeft) return;
    try {
      await this.#connection.request('bye', 0, [encodeJson({ keep: true })], () => {}).answer;
    } catch (error) {
      // One that does not respond keeps the programs, too.
      if (!this.#connection.isSilent || !this.#connection.survives) throw error;
    }
    this.#connection.leave();
  }

  onDeprived(listener: (how: Deprival) => void): Disposable {
    return this.#connection.onDeprived(listener);
  }

  async close(options: EndOptions = {}): Promise<void> {
    this.#isClosed = true;
    if (this.#connection.isLeft) return;
    this.#connection.beginEnding();
    try {
      if (this.#connection.isOpen) {
        await this.#connection.request('bye', 0, [encodeJson(options)], () => {}).answer;
      }
    } catch (error) {
      // The host may answer only one of two concurrent calls.
      if (this.#connection.isOpen) throw error;
    } finally {
      const { isLeft, isSilent } = this.#connection;
      this.#connection.close();
      if (!isLeft && !isSilent) await this.#untilExited();
    }
  }

  #adopt(session: number, frame: KeptFrame): AdoptedPty {
    const { pid, program, logBytes, answeredTo, outputEnd, exited, paused, saved } = frame;
    const { secrets = null, learned = nothingLearned, lastEnterAt = null } = frame;
    const connection = this.#connection;
    const { offset, steps } = frame.base;
    const pty = new HostedPty({
      connection,
      session,
      pid,
      program,
      logBytes: logBytes ?? defaultLogBytes,
      onListenerError: this.#onListenerError,
      continues: { offset, steps, paused },
    });
    connection.addSession(session, pty, offset);
    const { replayed } = pty;
    return { pty, saved, answeredTo, outputEnd, exited, replayed, lastEnterAt, learned, secrets };
  }

  #checkOpen(): void {
    if (this.#isClosed) {
      throw new VtrError('UNAVAILABLE', 'the PTY host is closed; create another one');
    }
  }
}
