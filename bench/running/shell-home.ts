import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Noise } from './noise.ts';
import type { ShellPlace } from './runner.ts';

export const prompt = 'user@host:~$ ';

/** A home for shells, with a command in it that prints a given output and exits with a given code. */
export class ShellHome implements ShellPlace {
  readonly directory = mkdtempSync(join(tmpdir(), 'vtr-bench-'));
  readonly env = {
    HOME: this.directory,
    LC_ALL: 'C.UTF-8',
    HISTFILE: '',
  };

  /** @param seconds the duration of the command */
  constructor(noises: readonly Noise[], seconds: number) {
    mkdirSync(join(this.directory, 'noise'));
    noises.forEach(({ writes }, at) => {
      writeFileSync(join(this.directory, 'noise', String(at)), writes);
    });
    const script = `#!/bin/sh\nsleep ${seconds}\ncat noise/$1\nexit $2\n`;
    writeFileSync(join(this.directory, 'say'), script, { mode: 0o755 });
    writeFileSync(join(this.directory, '.bashrc'), `PS1='${prompt}'\n`);
  }

  /** Writes the noise of this number. */
  command(noise: number, exitCode: number): string {
    return `./say ${noise} ${exitCode}`;
  }

  remove(): void {
    rmSync(this.directory, { recursive: true, force: true });
  }
}
