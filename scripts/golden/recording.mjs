import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createPtyHost } from '#pty';
import { Terminal } from '#vt';
import { StepFailed } from '../steps/step-failed.mjs';
import { typedBytes } from './typed.mjs';
import { differences, viewOf } from './view.mjs';
import { XtermTerminal } from './xterm-terminal.mjs';

/**
 * The directory of a recorded program, whose output may contain it. The user's own directory for
 * temporary files could identify the user.
 */
const directoryPrefix = '/tmp/golden-';

/** An environment without variables of the user. */
const environmentIn = (/** @type {string} */ directory) => ({
  PATH: '/usr/local/bin:/usr/bin:/bin:/usr/games',
  HOME: directory,
  PWD: directory,
  USER: 'user',
  LOGNAME: 'user',
  HOSTNAME: 'host',
  SHELL: '/bin/sh',
  LANG: 'C.UTF-8',
  TZ: 'UTC',
  TERM: 'xterm-256color',
  COLORTERM: 'truecolor',
  PS1: '$ ',
});
/** A program without output for this time waits for input. In ms. */
const quietMs = 700;
/** The screen of a program that is never quiet is taken after this time. In ms. */
const patienceMs = 15_000;

/**
 * Runs a program in a pseudo-terminal, types keys, and records the output and, each time that the
 * program is quiet, the screen.
 *
 * @param {import('./recipe.mjs').Recipe} recipe
 */
export async function record(recipe) {
  const directory = mkdtempSync(directoryPrefix);
  const host = createPtyHost();
  try {
    // Before the host has pseudo-terminals, because a child would inherit them.
    if (recipe.setup !== undefined) prepareDirectory(directory, recipe.setup);
    const recording = await Recording.start(host, directory, recipe);
    await recording.type(recipe.keys);
    return recording.result();
  } finally {
    await host.close({ force: true });
    rmSync(directory, { recursive: true, force: true });
  }
}

/** @param {string} directory @param {string} setup */
function prepareDirectory(directory, setup) {
  const { status, stderr } = spawnSync('sh', ['-ec', setup], {
    cwd: directory,
    env: environmentIn(directory),
    encoding: 'utf8',
  });
  if (status !== 0) throw new StepFailed('the set-up of the case failed', stderr);
}

class Recording {
  /** @type {Uint8Array[]} */
  #chunks = [];
  #length = 0;
  /** @type {import('./recipe.mjs').Checkpoint[]} */
  #checkpoints = [];
  /** @type {string[]} */
  #differences = [];
  #exited = false;
  /** Called by output and by the exit. */
  #stir = () => {};
  /** @type {import('#pty').Pty} */
  #pty;
  /** @type {Terminal} */
  #terminal;
  /** @type {XtermTerminal} */
  #xterm;

  /**
   * @param {import('#pty').PtyHost} host
   * @param {string} directory
   * @param {import('./recipe.mjs').Recipe} recipe
   */
  static async start(host, directory, { program: [program = '', ...args], size }) {
    const marker = { name: 'golden', id: `golden-${process.pid}` };
    const env = environmentIn(directory);
    return new Recording(
      await host.spawn({ program, args, cwd: directory, env, size, marker }),
      size,
    );
  }

  /**
   * @param {import('#pty').Pty} pty
   * @param {import('#model').Size} size
   */
  constructor(pty, size) {
    this.#pty = pty;
    this.#terminal = new Terminal({ size });
    this.#xterm = new XtermTerminal(size);
    pty.readOutput(0, ({ bytes }) => this.#take(bytes));
    pty.onExit(() => {
      this.#exited = true;
      this.#stir();
    });
  }

  /** @param {readonly string[]} groups */
  async type(groups) {
    await this.#quiet();
    this.#check('');
    for (const keys of groups) {
      if (this.#exited) throw new StepFailed(`the program exited before ${keys} was typed`);
      await this.#pty.write(typedBytes(keys, this.#terminal.keyModes));
      await this.#quiet();
      this.#check(keys);
    }
  }

  result() {
    return {
      bytes: Buffer.concat(this.#chunks),
      checkpoints: this.#checkpoints,
      differences: this.#differences,
    };
  }

  /** @param {Uint8Array} bytes */
  #take(bytes) {
    this.#chunks.push(bytes);
    this.#length += bytes.length;
    this.#terminal.feed(bytes);
    this.#xterm.feed(bytes);
    const reply = this.#terminal.takeReplies();
    // The program may exit before the answer.
    if (reply !== null && !this.#exited) this.#pty.write(reply).catch(() => {});
    this.#stir();
  }

  /** @param {string} after */
  #check(after) {
    const view = viewOf(this.#terminal);
    this.#checkpoints.push({ offset: this.#length, after, ...view });
    const problems = differences(view, this.#xterm.view());
    const where = after === '' ? 'at the start' : `after ${after}`;
    this.#differences.push(...problems.map((each) => `${where}, ${each}`));
  }

  /** Resolves when the program is quiet or exits. */
  async #quiet() {
    const latest = Date.now() + patienceMs;
    while (!this.#exited) {
      const stirred = await this.#stirredWithin(Math.min(quietMs, latest - Date.now()));
      if (!stirred) return;
    }
  }

  /** @param {number} ms */
  async #stirredWithin(ms) {
    /** @type {NodeJS.Timeout | undefined} */
    let timer;
    const stirred = await new Promise((resolve) => {
      timer = setTimeout(() => resolve(false), ms);
      this.#stir = () => resolve(true);
    });
    clearTimeout(timer);
    return stirred;
  }
}
