import { performance } from 'node:perf_hooks';
import { buildEnvironment, createPtyHost, type OwnedPty } from '#pty';
import { echoProgram, probe } from './echo-session.ts';

/** A pseudo-terminal without a session, whose program echoes its input: the least that an echo takes. */
export class BareEcho {
  readonly #host: ReturnType<typeof createPtyHost>;
  readonly #pty: OwnedPty;
  #onOutput: (bytes: Uint8Array) => void = () => {};

  static async start(): Promise<BareEcho> {
    const host = createPtyHost();
    const env = buildEnvironment({ base: process.env, cwd: '/' });
    const size = { cols: 80, rows: 24 };
    const marker = { name: 'echo', id: `${process.pid}-echo` };
    const pty = await host.spawn({ ...echoProgram, cwd: '/', env, size, marker });
    const echo = new BareEcho(host, pty);
    for (let output = ''; !output.includes('ready'); ) {
      output += Buffer.from(await echo.#output()).toString();
    }
    return echo;
  }

  private constructor(host: ReturnType<typeof createPtyHost>, pty: OwnedPty) {
    this.#host = host;
    this.#pty = pty;
    pty.readOutput(0, ({ bytes }) => this.#onOutput(bytes));
  }

  /** From the write of a byte to the output with its echo, in ms. */
  async roundTripMs(): Promise<number> {
    const begin = performance.now();
    await Promise.all([this.#pty.write(probe), this.#output()]);
    return performance.now() - begin;
  }

  end(): Promise<unknown> {
    return this.#host.close({ force: true });
  }

  #output(): Promise<Uint8Array> {
    return new Promise((resolve) => {
      this.#onOutput = resolve;
    });
  }
}
