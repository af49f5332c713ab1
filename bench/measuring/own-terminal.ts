import { performance } from 'node:perf_hooks';
import { ignored } from '#base';
import type { Size } from '#model';
import { buildEnvironment, createPtyHost, type OwnedPty } from '#pty';
import { Terminal } from '#vt';
import { cpuSeconds } from './process-cost.ts';

let started = 0;

/** A program in a terminal that the benchmark owns, which answers its queries. */
export class OwnTerminal {
  readonly #host: ReturnType<typeof createPtyHost>;
  readonly #pty: OwnedPty;
  readonly #terminal: Terminal;
  readonly #listeners = new Set<(bytes: Uint8Array) => void>();
  /** When the program was started, in ms of `performance.now`. */
  readonly startedMs: number;

  static async start(
    size: Size,
    [program = '', ...args]: readonly string[],
    added: Readonly<Record<string, string>> = {},
  ): Promise<OwnTerminal> {
    const { NODE_EXTRA_CA_CERTS: _bundle, NODE_OPTIONS: _options, TMUX: _, ...base } = process.env;
    const env = { ...buildEnvironment({ base, cwd: '/' }), ...added };
    const host = createPtyHost();
    const marker = { name: 'outer', id: `${process.pid}-${started++}` };
    const terminal = { TERM: 'xterm-256color', COLORTERM: 'truecolor' };
    const request = { program, args, cwd: '/', env: { ...env, ...terminal }, size, marker };
    const startedMs = performance.now();
    return new OwnTerminal(host, await host.spawn(request), size, startedMs);
  }

  private constructor(
    host: ReturnType<typeof createPtyHost>,
    pty: OwnedPty,
    size: Size,
    startedMs: number,
  ) {
    this.#host = host;
    this.#pty = pty;
    this.startedMs = startedMs;
    this.#terminal = new Terminal({ size });
    pty.readOutput(0, ({ bytes }) => {
      this.#terminal.feed(bytes);
      const replies = this.#terminal.takeReplies();
      if (replies !== null) ignored(pty.write(replies), 'the program may have ended');
      for (const listener of this.#listeners) listener(bytes);
    });
  }

  write(text: string): Promise<unknown> {
    return this.#pty.write(Buffer.from(text));
  }

  /** Resolves when the screen shows a text, to the time in ms of `performance.now`. */
  shows(text: string): Promise<number> {
    const isShown = () => this.#terminal.screenText().some((row) => row.includes(text));
    return this.#when(isShown, isShown, text);
  }

  /** Resolves when output contains a text, to the time in ms of `performance.now`. */
  prints(text: string): Promise<number> {
    const bytes = Buffer.from(text);
    // The end of earlier output: a text may arrive in parts.
    let buffer = Buffer.alloc(0);
    const isIn = (output: Uint8Array) => {
      buffer = Buffer.concat([buffer, output]);
      const isThere = buffer.includes(bytes);
      buffer = buffer.subarray(Math.max(0, buffer.length - bytes.length + 1));
      return isThere;
    };
    return this.#when(() => false, isIn, text);
  }

  /** Calls a listener with all later output until the returned function is called. */
  onOutput(listener: (bytes: Uint8Array) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** CPU time that the program has used, in seconds. */
  cpuSeconds(): number {
    return cpuSeconds(this.#pty.pid);
  }

  get screen(): string {
    return this.#terminal.screenText().join('\n');
  }

  close(): Promise<void> {
    return this.#host.close({ force: true });
  }

  #when(isNow: () => boolean, isIn: (bytes: Uint8Array) => boolean, what: string): Promise<number> {
    if (isNow()) return Promise.resolve(performance.now());
    return new Promise((resolve, reject) => {
      const stop = this.onOutput((bytes) => {
        if (!isIn(bytes)) return;
        const at = performance.now();
        clearTimeout(timer);
        stop();
        resolve(at);
      });
      const timer = setTimeout(() => {
        stop();
        reject(new Error(`${what} was not shown within 20 s; the screen is\n${this.screen}`));
      }, 20_000);
    });
  }
}
