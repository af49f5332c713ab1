import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../root.mjs';
import { cloneCheckout } from './clone-checkout.mjs';
import { freshEnvironment } from './fresh-environment.mjs';
import { pathWithout } from './path-without.mjs';

/** Programs that tests use when they are installed, and that a machine may lack. */
const optionalPrograms =
  /^(fish|fzf|git|htop|less|nano|python[\d.]*|ssh-keygen|tmux|top|vi|vim[^/]*|zsh\d?)$/;

/**
 * @typedef {object} RunOptions
 * @property {string} [cwd] default: the checkout
 * @property {Record<string, string>} [env] in addition to the environment of the machine
 * @property {(text: string) => void} [onOutput] is called with the output, which is shown otherwise
 */

/** A clone of this checkout with its own HOME and npm cache. */
export class FreshMachine {
  /** @type {Set<import('node:child_process').ChildProcess>} */
  #children = new Set();
  /** @type {string | undefined} */
  #programs;

  /** @param {{ ref: string, bare: boolean }} options */
  static async create({ ref, bare }) {
    // A space, because paths have them; mode 0700, as many home directories have.
    const machine = new FreshMachine(mkdtempSync(join(tmpdir(), 'vtr fresh ')));
    try {
      await cloneCheckout(root, machine.checkout, ref);
    } catch (error) {
      machine.remove();
      throw error;
    }
    // After the clone, which needs git.
    if (bare) machine.hidePrograms();
    return machine;
  }

  /** @param {string} directory */
  constructor(directory) {
    this.directory = directory;
    this.checkout = join(directory, 'vtr');
    this.env = freshEnvironment(process.env, {
      home: this.makeDirectory('home'),
      npmCache: this.makeDirectory('npm cache'),
      npmConfig: join(directory, 'npmrc'),
    });
    this.endWithSignal = (/** @type {NodeJS.Signals} */ signal) => this.#end(signal);
    for (const signal of signals) process.on(signal, this.endWithSignal);
  }

  /** Leaves a PATH without {@link optionalPrograms}. */
  hidePrograms() {
    // Outside of the private directory, because other users run programs too.
    this.#programs = mkdtempSync(join(tmpdir(), 'vtr-programs-'));
    chmodSync(this.#programs, 0o755);
    this.env['PATH'] = pathWithout(optionalPrograms, this.#programs);
  }

  /** @param {string} name */
  makeDirectory(name) {
    const directory = join(this.directory, name);
    mkdirSync(directory);
    return directory;
  }

  /**
   * Runs a program without stdin.
   *
   * @param {string} program
   * @param {readonly string[]} args
   * @param {RunOptions} [options]
   * @returns {Promise<number>} the exit status; 1 when a signal ended the program
   */
  run(program, args, { cwd = this.checkout, env = {}, onOutput } = {}) {
    const command = `\n$ ${[program, ...args].join(' ')}\n`;
    if (onOutput === undefined) process.stdout.write(command);
    else onOutput(command);
    const output = onOutput === undefined ? 'inherit' : 'pipe';
    return new Promise((resolve, reject) => {
      // In a process group, so that a signal reaches its descendants.
      const child = spawn(program, args, {
        cwd,
        env: { ...this.env, ...env },
        stdio: ['ignore', output, output],
        detached: true,
      });
      this.#children.add(child);
      for (const stream of [child.stdout, child.stderr]) {
        stream?.setEncoding('utf8').on('data', (text) => onOutput?.(text));
      }
      child.on('error', reject);
      child.on('close', (status) => {
        this.#children.delete(child);
        resolve(status ?? 1);
      });
    });
  }

  remove() {
    for (const signal of signals) process.off(signal, this.endWithSignal);
    for (const directory of [this.directory, this.#programs]) {
      if (directory === undefined) continue;
      rmSync(directory, { recursive: true, force: true, maxRetries: 3 });
    }
  }

  /** @param {NodeJS.Signals} signal */
  #end(signal) {
    const exit = () => {
      if (this.#children.size > 0) return;
      this.remove();
      process.exit(128 + constants.signals[signal]);
    };
    for (const child of this.#children) {
      child.once('close', exit);
      if (child.pid !== undefined) process.kill(-child.pid, signal);
    }
    exit();
  }
}

const signals = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);
