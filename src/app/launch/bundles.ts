import { closeSync, fstatSync, openSync, readFileSync, type Stats } from 'node:fs';
import { basename, join } from 'node:path';
import { Script } from 'node:vm';
import { CodeCache } from './code-cache.ts';

/** How long a process runs before its code is saved, in ms: then most of what it needs is compiled. */
const settledMs = 3_000;

/**
 * Bundles are ASCII, which is the same in both encodings. Node reads UTF-8 in one call, which starts sooner, and
 * Latin-1 several times as fast.
 */
const largeBytes = 768 * 1024;

type Require = (name: string) => unknown;

/** The function in which Node runs a CommonJS module. */
type Wrapper = (
  exports: unknown,
  require: Require,
  module: { exports: unknown },
  filename: string,
  directory: string,
) => void;

/**
 * Loads the bundles of a directory as `require` does, in less time: V8 continues with the code that it
 * made of them in an earlier process. Bundles load each other by `./vtr-NAME.cjs`.
 */
export class Bundles {
  readonly #directory: string;
  readonly #require: Require;
  #cache: CodeCache | null;
  /** Saves code that is not saved yet. */
  readonly #unsaved = new Set<() => void>();
  readonly #loaded = new Map<string, { exports: unknown }>();

  /** @param require loads everything that is not a bundle */
  constructor(directory: string, require: Require, cache: CodeCache | null) {
    this.#directory = directory;
    this.#require = require;
    this.#cache = cache;
  }

  /** @throws Error of the file system, SyntaxError, or what the bundle throws */
  load(name: string): unknown {
    const bundle = this.#loaded.get(name);
    if (bundle !== undefined) return bundle.exports;
    const module = { exports: {} as unknown };
    this.#loaded.set(name, module);
    const path = join(this.#directory, name);
    try {
      const run: Wrapper = this.#scriptOf(name, path).runInThisContext();
      run(module.exports, (each) => this.#loadOrRequire(each), module, path, this.#directory);
      return module.exports;
    } catch (error) {
      this.#loaded.delete(name);
      throw error;
    }
  }

  /**
   * Changes the flags of V8. Code that was made with other flags is saved before.
   *
   * @param cache of code with these flags
   */
  change(setFlags: () => void, cache: CodeCache | null): void {
    for (const save of [...this.#unsaved]) save();
    setFlags();
    this.#cache = cache;
  }

  #loadOrRequire(name: string): unknown {
    return name.startsWith('./vtr-') ? this.load(name.slice(2)) : this.#require(name);
  }

  #scriptOf(name: string, path: string): Script {
    const file = openSync(path, 'r');
    let stat: Stats;
    let source: string;
    try {
      stat = fstatSync(file);
      source = readFileSync(file, stat.size < largeBytes ? 'utf8' : 'latin1');
    } finally {
      closeSync(file);
    }
    const cachedData = this.#cache?.read(name, stat) ?? undefined;
    const script = new Script(
      `(function (exports, require, module, __filename, __dirname) {${source}\n})`,
      { filename: path, ...(cachedData && { cachedData }) },
    );
    // V8 rejects code of another version of itself, or made with other flags.
    if (cachedData === undefined || script.cachedDataRejected) this.#saveLater(name, stat, script);
    return script;
  }

  /** Functions are compiled when they are first called, and are then saved as well. */
  #saveLater(name: string, stat: Stats, script: Script): void {
    const cache = this.#cache;
    if (cache === null) return;
    const save = () => {
      clearTimeout(timer);
      process.off('exit', save);
      this.#unsaved.delete(save);
      cache.write(name, stat, script.createCachedData());
    };
    const timer = setTimeout(save, settledMs).unref();
    process.on('exit', save);
    this.#unsaved.add(save);
  }
}

/**
 * Runs a program.
 *
 * @param bundle its file, of those that `npm run build` makes
 * @param directory of the bundles
 * @param require loads what is not a bundle
 * @param flags of V8, in addition to those with which this process was started
 * @param lateFlags those that are set when the process has run for 3 s: Node's own code is compiled anew after a flag was
 *   set, 10 ms of a start
 */
export function launch(
  bundle: string,
  directory: string,
  require: NodeJS.Require,
  flags: readonly string[] = [],
  lateFlags: readonly string[] = [],
): void {
  if (process.versions['bun'] !== undefined) {
    refuseBun(directory);
    return;
  }
  setFlags(flags, require);
  const { env, execArgv } = process;
  const cacheFor = (more: readonly string[]) =>
    CodeCache.open({ env, execArgv: [...execArgv, ...flags, ...more] });
  const bundles = new Bundles(directory, require, cacheFor([]));
  bundles.load(bundle);
  if (lateFlags.length === 0) return;
  const change = () => bundles.change(() => setFlags(lateFlags, require), cacheFor(lateFlags));
  setTimeout(change, settledMs).unref();
}

/** Bun lacks parts of Node.js that daemons and terminals need. Nothing is started; exit status 8, as of `SPAWN_FAILED`. */
function refuseBun(directory: string): void {
  const own = basename(process.argv[1] ?? 'vtr.cjs');
  process.stderr.write(
    `vtr: Bun cannot run vtr; use Node.js 20.19 or newer: node '${join(directory, own)}' (bunx uses it, unless --bun is given)\n`,
  );
  process.exitCode = 8;
}

/** `node:v8` loads the streams of Node.js, which take a quarter of the start of a short verb. */
function setFlags(flags: readonly string[], require: NodeJS.Require): void {
  if (flags.length === 0) return;
  const { setFlagsFromString } = require('node:v8') as typeof import('node:v8');
  for (const flag of flags) setFlagsFromString(flag);
}
