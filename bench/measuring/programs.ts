import { execFile } from 'node:child_process';

export interface Ended {
  readonly status: number;
  readonly stdout: string;
}

/** What was spent by who asked. */
export interface Spent {
  /** Programs that were started. */
  readonly programs: number;
  /** What was read of answers, in bytes. */
  readonly bytes: number;
}

const maxOutputBytes = 64 * 1024 ** 2;

/** Runs programs, one at a time, and keeps count of them and of what they print. */
export class Programs {
  readonly #env: NodeJS.ProcessEnv;
  #programs = 0;
  #bytes = 0;

  /** @param added to the environment, which lacks what costs Node time at its start */
  constructor(added: Readonly<Record<string, string>> = {}) {
    const {
      NODE_EXTRA_CA_CERTS: _bundle,
      NODE_OPTIONS: _options,
      TMUX: _outer,
      ...env
    } = process.env;
    this.#env = { ...env, LC_ALL: 'C.UTF-8', ...added };
  }

  /** Resolves whatever the status is. */
  run(program: string, ...args: readonly string[]): Promise<Ended> {
    const options = { env: this.#env, maxBuffer: maxOutputBytes, encoding: 'utf8' } as const;
    this.#programs++;
    return new Promise((resolve, reject) => {
      execFile(program, args, options, (error, stdout, stderr) => {
        this.#bytes += Buffer.byteLength(stdout);
        if (error === null) resolve({ status: 0, stdout });
        else if (typeof error.code === 'number') resolve({ status: error.code, stdout });
        else reject(new Error(`${program} ${args.join(' ')}: ${error.message} ${stderr}`));
      });
    });
  }

  /** Counts what was read without a program. */
  read(text: string): void {
    this.#bytes += Buffer.byteLength(text);
  }

  /** What was spent since the last time. */
  takeSpent(): Spent {
    const spent = { programs: this.#programs, bytes: this.#bytes };
    this.#programs = 0;
    this.#bytes = 0;
    return spent;
  }
}
