import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repositoryRoot } from '../repository-root.ts';

const command = join(repositoryRoot, 'dist/vtr.cjs');

/** A coordinator in its own process, behind a socket in a temporary directory. */
export class Daemon {
  readonly #directory = mkdtempSync(join(tmpdir(), 'vtr-bench-'));
  readonly socket = join(this.#directory, 'vtr.sock');

  readonly pid: number;

  constructor() {
    const pidFile = join(this.#directory, 'vtr.pid');
    this.#serve('--daemon', '--pid-file', pidFile);
    this.pid = Number.parseInt(readFileSync(pidFile, 'utf8'), 10);
  }

  stop(): void {
    this.#serve('--stop');
    rmSync(this.#directory, { recursive: true, force: true });
  }

  #serve(...flags: readonly string[]): void {
    const { NODE_EXTRA_CA_CERTS: _bundle, ...env } = process.env;
    const args = [command, 'serve', ...flags, '--socket', this.socket];
    execFileSync(process.execPath, args, {
      env: { ...env, HOME: this.#directory },
      stdio: 'ignore',
    });
  }
}
