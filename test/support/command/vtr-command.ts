import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { root } from '../../../scripts/root.mjs';
import { tree } from '../tree.ts';

/** The built command. */
export const vtrFile = join(root, 'dist/vtr.cjs');

export interface Run {
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  readonly cwd?: string;
  /** SIGKILL after so long, in ms. */
  readonly killAfterMs?: number;
}

/** A user's place of their own: home, configuration and socket in a temporary folder. */
export class Place {
  readonly folder = tree();
  readonly socket = join(this.folder, 'default.sock');
  readonly env: Readonly<Record<string, string>> = {
    PATH: process.env['PATH'] ?? '',
    HOME: this.folder,
    XDG_CONFIG_HOME: join(this.folder, 'config'),
    SHELL: '/bin/sh',
    LANG: 'C.UTF-8',
    VTR_SOCKET: this.socket,
  };

  constructor() {
    onTestFinished(async () => {
      await this.vtr(['serve', '--stop']);
    });
  }

  /** Runs the command to its end. */
  vtr(words: readonly string[], options: RunOptions = {}): Promise<Run> {
    return new Promise((resolve, reject) => {
      const { env = {}, input = '', cwd = this.folder, killAfterMs } = options;
      const child = spawn(process.execPath, [vtrFile, ...words], {
        cwd,
        env: { ...this.env, ...env },
        timeout: killAfterMs,
        killSignal: 'SIGKILL',
      });
      let stdout = '';
      let stderr = '';
      child.stdout.setEncoding('utf8').on('data', (text) => {
        stdout += text;
      });
      child.stderr.setEncoding('utf8').on('data', (text) => {
        stderr += text;
      });
      child.on('error', reject);
      child.on('close', (status, signal) => resolve({ status, signal, stdout, stderr }));
      child.stdin.on('error', () => {});
      child.stdin.end(input);
    });
  }

  /** What the command prints; it must succeed and say nothing. */
  async ok(...words: readonly string[]): Promise<string> {
    const { status, stdout, stderr } = await this.vtr(words);
    if (status === 0 && stderr === '') return stdout;
    throw new Error(`vtr ${words.join(' ')}: status ${status}\n${stderr}${stdout}`);
  }

  /** The same, as JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: what the command prints is what the tests are about
  async json(...words: readonly string[]): Promise<any> {
    return JSON.parse(await this.ok(...words, '--json'));
  }

  /** A shell that has shown its prompt. */
  async shell(name: string, ...flags: readonly string[]): Promise<void> {
    await this.ok('spawn', name, '--env', 'PS1=$ ', ...flags, '--', 'sh');
    await this.sees(name, '$');
  }

  /** The rows of the screen, once one of them begins with `text`; a wait would miss what is there. */
  async sees(name: string, text: string): Promise<string[]> {
    for (;;) {
      const { lines } = await this.json('screen', name);
      if (lines.some((line: string) => line.startsWith(text))) return lines;
      await this.vtr(['wait', name, '.', '--timeout', '200ms']);
    }
  }
}
