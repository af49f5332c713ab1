import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createPtyHost } from '#pty';
import { Terminal } from '#vt';
import { StepFailed } from '../steps/step-failed.mjs';
import { typedBytes } from './typed.mjs';
import { differences, viewOf } from './view.mjs';
import { XtermTerminal } from './xterm-terminal.mjs';

/**
 * Where a program is recorded. It may be seen in what the program writes, so that it tells nothing
 * of whoever records, as their own folder for temporary files would.
 */
const folderPrefix = '/tmp/golden-';

/** Nothing of the environment of whoever records. */
const environmentIn = (/** @type {string} */ folder) => ({
  PATH: '/usr/local/bin:/usr/bin:/bin:/usr/games',
  HOME: folder,
  PWD: folder,
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
/** Without output for so long, a program waits for input. In ms. */
const quietMs = 700;
/** A program that never goes quiet is looked at nevertheless. In ms. */
const patienceMs = 15_000;

/**
 * Runs a program in a pseudo-terminal of ours, types at it, and writes down what it wrote and what
 * was to be seen whenever it went quiet.
 *
 * @param {import('./recipe.mjs').Recipe} recipe
 */
export async function record(recipe) {
  const folder = mkdtempSync(folderPrefix);
  const host = createPtyHost();
  try {
    // No child while the host has pseudo-terminals: it would inherit them.
    if (recipe.setup !== undefined) prepareFolder(folder, recipe.setup);
    const recording = await Recording.start(host, folder, recipe);
    await recording.type(recipe.keys);
    return recording.result();
  } finally {
    await host.close({ force: true });
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @param {string} folder @param {string} setup */
function prepareFolder(folder, setup) {
  const { status, stderr } = spawnSync('sh', ['-ec', setup], {
    cwd: folder,
    env: environmentIn(folder),
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
  /** Called by whatever happens. */
  #stir = () => {};
  /** @type {import('#pty').Pty} */
  #pty;
  /** @type {Terminal} */
  #terminal;
  /** @type {XtermTerminal} */
  #xterm;

  /**
   * @param {import('#pty').PtyHost} host
   * @param {string} folder
   * @param {import('./recipe.mjs').Recipe} recipe
   */
  static async start(host, folder, { program: [program = '', ...args], size }) {
    const marker = { name: 'golden', id: `golden-${process.pid}` };
    const env = environmentIn(folder);
    return new Recording(await host.spawn({ program, args, cwd: folder, env, size, marker }), size);
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
      if (this.#exited) throw new StepFailed(`the program has ended before it was typed ${keys}`);
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
    // A program that has ended meanwhile needs no answer.
    if (reply !== null && !this.#exited) this.#pty.write(reply).catch(() => {});
    this.#stir();
  }

  /** @param {string} after */
  #check(after) {
    const view = viewOf(this.#terminal);
    this.#checkpoints.push({ offset: this.#length, after, ...view });
    const found = differences(view, this.#xterm.view());
    const where = after === '' ? 'at the start' : `after ${after}`;
    this.#differences.push(...found.map((each) => `${where}, ${each}`));
  }

  /** Resolves when nothing has come for a while, or the program has ended. */
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
