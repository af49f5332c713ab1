import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { cacheDirectory, makeDirectory, type UserEnvironment } from '#config';
import { fileProblem, ownProblem } from '#trust';

/** Files that were written longer ago than this are removed: their bundle or Node may be gone. */
const maxAgeMs = 30 * 24 * 60 * 60 * 1000;

/** The environment of a process and the flags of its Node, as `process` has them. */
export interface CodeUser extends UserEnvironment {
  readonly execArgv?: readonly string[];
}

/**
 * The code that V8 made of bundles, in a directory of the user's cache. V8 runs it without a check, so
 * it is read only if nobody else can have written it. Never fails: a bundle without code is compiled.
 */
export class CodeCache {
  readonly #directory: string;
  readonly #flags: string;

  private constructor(directory: string, flags: string) {
    this.#directory = directory;
    this.#flags = flags;
  }

  /** Returns null if the user wants none, by the variable of Node's own cache, or has no home. */
  static open({ env, execArgv = [] }: CodeUser): CodeCache | null {
    if (env['NODE_DISABLE_COMPILE_CACHE']) return null;
    const directory = resultOf(() => cacheDirectory({ env }));
    if (directory === null) return null;
    const flags = sumOf(execArgv.join(' '));
    return new CodeCache(join(directory, `${process.version}-${process.arch}`), flags);
  }

  /** Returns the code of a bundle; null if there is none for this state of its file. */
  read(name: string, bundle: Stats): Buffer | null {
    try {
      if (!this.#isPrivate()) return null;
      const { O_RDONLY, O_NOFOLLOW } = constants;
      const file = openSync(this.#pathOf(name, bundle), O_RDONLY | O_NOFOLLOW);
      try {
        const stat = fstatSync(file);
        const isPrivate = ownProblem(name, stat, rule) === null;
        return isPrivate ? readWhole(file, stat.size) : null;
      } finally {
        closeSync(file);
      }
    } catch {
      return null;
    }
  }

  /** Writes the code of a bundle. It appears whole or not at all, also if the machine crashes. */
  write(name: string, bundle: Stats, code: Buffer): void {
    const path = this.#pathOf(name, bundle);
    const temporary = `${path}.${process.pid}`;
    resultOf(() => {
      makeDirectory(this.#directory);
      if (!this.#isPrivate()) return;
      try {
        writeWhole(temporary, code);
        renameSync(temporary, path);
      } catch (error) {
        rmSync(temporary, { force: true });
        throw error;
      }
      this.#removeOld();
    });
  }

  /**
   * The code of each set of flags gets its own name, because V8 rejects code of other flags: the daemon and the
   * commands would replace each other's. NODE_OPTIONS is not in the name, because it can have a path that changes with
   * each start.
   */
  #pathOf(name: string, bundle: Stats): string {
    return join(this.#directory, [name, fileState(bundle), this.#flags].join('-'));
  }

  #isPrivate(): boolean {
    const stat = lstatSync(this.#directory, { throwIfNoEntry: false });
    return stat?.isDirectory() === true && fileProblem(this.#directory, stat, rule) === null;
  }

  #removeOld(): void {
    const oldestMs = Date.now() - maxAgeMs;
    for (const name of readdirSync(this.#directory)) {
      const path = join(this.#directory, name);
      if (statSync(path).mtimeMs < oldestMs) rmSync(path, { force: true });
    }
  }
}

/** Returns a text that is another one once the file was replaced or changed, even if its times were set back. */
export const fileState = ({ dev, ino, size, mtimeMs, ctimeMs }: Stats): string =>
  [dev, ino, size, mtimeMs, ctimeMs].join('-');

/** FNV-1a of the code units, 32 bits, in base 36. For another text with the same sum, V8 rejects the code. */
function sumOf(text: string): string {
  let sum = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) {
    sum = Math.imul(sum ^ text.charCodeAt(at), 0x01000193);
  }
  return (sum >>> 0).toString(36);
}

const rule = { owner: 'user', others: 'nothing' } as const;

/** As `readFileSync`, which has more functions of Node that V8 has to compile. */
function readWhole(file: number, size: number): Buffer | null {
  const code = Buffer.allocUnsafeSlow(size);
  for (let at = 0; at < size; ) {
    const length = readSync(file, code, at, size - at, null);
    // It was truncated meanwhile.
    if (length === 0) return null;
    at += length;
  }
  return code;
}

function writeWhole(path: string, code: Buffer): void {
  const { O_CREAT, O_EXCL, O_WRONLY } = constants;
  const file = openSync(path, O_CREAT | O_EXCL | O_WRONLY, 0o600);
  try {
    for (let at = 0; at < code.length; ) at += writeSync(file, code, at);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Returns null if the system does not allow it: no file, no home, a full or read-only disk. */
function resultOf<T>(action: () => T): T | null {
  try {
    return action();
  } catch {
    return null;
  }
}
