import { execFile } from 'node:child_process';

export interface Ended {
  readonly status: number;
  readonly stdout: string;
}

/** The expenses of a client. */
export interface Spent {
  /** The number of programs started. */
  readonly programs: number;
  /** The size of the answers read, in bytes. */
  readonly bytes: number;
}

const maxOutputBytes = 64 * 1024 ** 2;

/** Runs programs, one at a time, and counts them and their output. */
export class Programs {
  readonly #env: NodeJS.ProcessEnv;
  #programs = 0;
  #bytes = 0;

  /** @param added variables in addition to an environment that costs Node no time */
  constructor(added: Readonly<Record<string, string>> = {}) {
    const {
      NODE_EXTRA_CA_CERTS: _bundle,
      NODE_OPTIONS: _options,
      TMUX: _outer,
      ...env
    } = process.env;
    this.#env = { ...env, LC_ALL: 'C.UTF-8', ...added };
  }

  /** Resolves with any exit status. */
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

  /** Counts bytes that were read without a program. */
  read(text: string): void {
    this.#bytes += Buffer.byteLength(text);
  }

  /** The expenses since the last call. */
  takeSpent(): Spent {
    const spent = { programs: this.#programs, bytes: this.#bytes };
    this.#programs = 0;
    this.#bytes = 0;
    return spent;
  }
}
