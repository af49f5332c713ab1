import type { Socket } from 'node:net';
import type { CommandCall, JsonConnection, RunCommand } from '#model';
import { maxCommandBytes, maxPayload, readCommand } from '../command-frames.ts';
import { callBytes } from './limits/request-budget.ts';
import type { ServedConnection } from './limits/served-connection.ts';

const interruptByte = 'I'.charCodeAt(0);

interface CommandParts {
  readonly run: RunCommand;
  readonly service: JsonConnection;
  readonly onFault: (error: unknown) => void;
}

/** A connection that has one command run. */
export class CommandConnection {
  readonly #socket: Socket;
  readonly #connection: ServedConnection;
  readonly #parts: CommandParts;
  readonly #hold;
  readonly #late: NodeJS.Timeout;
  /** What arrived of the request; null when the command runs. */
  #received: Buffer[] | null = [];
  #receivedBytes = 0;
  /** What is written at the end of this turn. */
  #unsent: Buffer[] = [];
  #interrupt: () => void = () => {};

  constructor(socket: Socket, connection: ServedConnection, parts: CommandParts) {
    this.#socket = socket;
    this.#connection = connection;
    this.#parts = parts;
    this.#hold = connection.budget.hold();
    this.#late = setTimeout(() => this.giveUp(), connection.limits.bodyMs).unref();
    socket.on('data', (chunk) => this.#onData(chunk));
    socket.on('error', () => socket.destroy());
    socket.once('end', () => this.giveUp());
    socket.once('close', () => {
      clearTimeout(this.#late);
      this.#hold.release();
      parts.service.close();
    });
  }

  /** Closes the connection, and cancels the command. */
  giveUp(): void {
    this.#socket.destroy();
  }

  #onData(chunk: Buffer): void {
    if (this.#received === null) {
      if (chunk.includes(interruptByte)) this.#interrupt();
      return;
    }
    this.#received.push(chunk);
    this.#receivedBytes += chunk.length;
    if (this.#receivedBytes < 4) return;
    const all = this.#received.length === 1 ? chunk : Buffer.concat(this.#received);
    const length = all.readUInt32LE(0);
    if (length > maxCommandBytes) this.#end(null);
    if (length > maxCommandBytes || this.#receivedBytes < 4 + length) return;
    this.#received = null;
    clearTimeout(this.#late);
    void this.#run(all.subarray(4, 4 + length));
  }

  async #run(request: Buffer): Promise<void> {
    this.#connection.received();
    try {
      this.#hold.add(callBytes + request.length);
      const { client } = this.#connection;
      const command = readCommand(request);
      const call = command && { ...command, pid: client?.pid ?? 0, ...this.#callParts() };
      this.#end(call === null ? null : await this.#parts.run(call));
    } catch (error) {
      this.#parts.onFault(error);
      this.giveUp();
    } finally {
      this.#connection.answered();
    }
  }

  #callParts(): Pick<CommandCall, 'service' | 'interrupted' | 'out' | 'err' | 'flushed'> {
    return {
      service: this.#parts.service,
      interrupted: new Promise((resolve) => {
        this.#interrupt = resolve;
      }),
      out: (bytes) => this.#write('o', bytes),
      err: (text) => this.#write('e', Buffer.from(text)),
      flushed: () => this.#flushed(),
    };
  }

  #write(letter: string, bytes: Uint8Array): void {
    if (this.#unsent.length === 0) setImmediate(() => this.#send());
    for (let at = 0; at < bytes.length; at += maxPayload) {
      this.#unsent.push(...framed(letter, bytes.subarray(at, at + maxPayload)));
    }
  }

  #send(): void {
    const unsent = this.#unsent;
    this.#unsent = [];
    if (unsent.length > 0 && !this.#socket.destroyed) this.#socket.write(Buffer.concat(unsent));
  }

  #flushed(): Promise<void> {
    this.#send();
    const socket = this.#socket;
    if (socket.destroyed || socket.writableLength === 0) return Promise.resolve();
    return new Promise((resolve) => socket.write(empty, () => resolve()));
  }

  /** @param status null: the caller must run the command */
  #end(status: number | null): void {
    const last = status === null ? framed('n', empty) : framed('x', Uint8Array.of(status));
    const unsent = Buffer.concat([...this.#unsent, ...last]);
    this.#unsent = [];
    if (!this.#socket.destroyed) this.#socket.end(unsent);
  }
}

const empty = new Uint8Array();

function framed(letter: string, payload: Uint8Array): readonly Buffer[] {
  const head = Buffer.allocUnsafe(5);
  head.write(letter, 0, 'latin1');
  head.writeUInt32LE(payload.length, 1);
  return [head, Buffer.from(payload)];
}
