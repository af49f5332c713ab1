import { constants, type Stats, stat } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { ignored, sanitize } from '#base';
import { statNow } from '#libc';
import { isOwn } from '#trust';

/**
 * How many directories are looked at at the same time. A file system that does not answer holds a thread for each, and
 * Node has four threads for files.
 */
const atOnce = 2;
/** How many directories wait for their turn. */
const maxWaiting = 10_000;
/** How far up a repository is looked for, in directories. */
const maxParents = 64;
/** HEAD, and the file `.git` of a worktree, are shorter, in bytes: they have a name of at most 255 bytes, or a path. */
const maxBytes = 8 * 1024;
const maxBranchLength = 255;
/** How many files are known. */
const maxKnown = 4_000;
/** As `git log --oneline` shortens a commit. */
const commitDigits = 7;

/** Tells whether a file has changed, and its kind. */
type FileStats = Pick<Stats, 'ino' | 'size' | 'mtimeMs' | 'ctimeMs' | 'isFile'>;

/** Does not wait for the writer of a pipe, and makes no terminal that of this process. */
const openFlags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY;

interface KnownFile {
  /** What differs if the file has changed. */
  readonly version: string;
  /** Null if it cannot be read, or is too long. */
  readonly text: string | null;
}

/**
 * Finds the branches of git that are checked out in directories, as `.git/HEAD` has them, without git. As git does, it
 * reads only repositories of this user: another one could lead it to any path. A file is read when it has changed.
 */
export class GitBranches {
  /** By path; those that were read longest ago first. */
  readonly #files = new Map<string, KnownFile>();
  readonly #lookups = new Map<string, Promise<string | null>>();
  readonly #waiting: (() => void)[] = [];
  #looking = 0;
  /** Directories in which there is no `.git`; forgotten when no other directory waits. */
  readonly #without = new Set<string>();

  /**
   * Returns the branch of a directory; the first digits of the commit if HEAD is detached; null if there is no
   * repository of this user, or it cannot be read. Never fails.
   */
  of(directory: string): Promise<string | null> {
    const before = this.#lookups.get(directory);
    if (before !== undefined) return before;
    const branch = this.#branchNow(directory);
    if (branch !== undefined) return Promise.resolve(branch);
    if (this.#waiting.length >= maxWaiting) return Promise.resolve(null);
    const lookup = this.#inTurn(() => this.#find(directory))
      .catch(() => null)
      .finally(() => {
        this.#lookups.delete(directory);
        if (this.#waiting.length === 0) this.#without.clear();
      });
    this.#lookups.set(directory, lookup);
    return lookup;
  }

  /**
   * Returns what {@link of} does if no thread need wait for a file system: the kernel knows where the repository is, and
   * HEAD is as it was read before. Else undefined.
   */
  #branchNow(directory: string): string | null | undefined {
    if (!isAbsolute(directory)) return null;
    let at = directory;
    for (let parents = 0; parents <= maxParents; parents++) {
      const git = join(at, '.git');
      const stats = statNow(git);
      if (stats === null) return undefined;
      if (stats !== 'missing') {
        if (!isOwn(stats)) return null;
        const text = stats.isDirectory() ? null : this.#textNow(git, stats);
        if (text === undefined) return undefined;
        const home = stats.isDirectory() ? git : linkedDirectory(git, text);
        return home === null ? null : this.#branchOfHead(join(home, 'HEAD'));
      }
      const parent = dirname(at);
      if (at === parent) return null;
      at = parent;
    }
    return null;
  }

  #branchOfHead(head: string): string | null | undefined {
    const stats = statNow(head);
    if (stats === null || stats === 'missing') return undefined;
    const text = this.#textNow(head, stats);
    return text === undefined ? undefined : branchOfHead(text ?? '');
  }

  /** Returns the text of a file as it was read; undefined if it was not read, or has changed. */
  #textNow(path: string, file: FileStats): string | null | undefined {
    const before = this.#files.get(path);
    return before?.version === versionOf(file) ? before.text : undefined;
  }

  async #inTurn<T>(look: () => Promise<T>): Promise<T> {
    while (this.#looking >= atOnce) await new Promise<void>((go) => this.#waiting.push(go));
    this.#looking++;
    try {
      return await look();
    } finally {
      this.#looked();
    }
  }

  #looked(): void {
    this.#looking--;
    this.#waiting.shift()?.();
  }

  async #find(directory: string): Promise<string | null> {
    if (!isAbsolute(directory)) return null;
    let at = directory;
    let ahead: Promise<Stats | null> | null = null;
    for (let parents = 0; parents <= maxParents; parents++) {
      const parent = dirname(at);
      const looking = ahead ?? this.#gitIn(at);
      // Most directories are below that of their repository.
      ahead = ahead === null && this.#looking === 1 && parent !== at ? this.#ahead(parent) : null;
      ignored(ahead, 'what is above a repository, or a failure, does not matter');
      const stats = await looking;
      if (stats !== null) return isOwn(stats) ? this.#branchIn(join(at, '.git'), stats) : null;
      this.#without.add(at);
      if (at === parent) return null;
      at = parent;
    }
    return null;
  }

  /** Returns null if there is no `.git` in a directory. */
  async #gitIn(directory: string): Promise<Stats | null> {
    return this.#without.has(directory)
      ? null
      : statOf(join(directory, '.git')).catch(nullIfMissing);
  }

  /** Counts among those that are looked at until its file system answers, also if the answer is not needed. */
  #ahead(directory: string): Promise<Stats | null> {
    this.#looking++;
    return this.#gitIn(directory).finally(() => this.#looked());
  }

  /** @param git the directory of a repository, or the file of a worktree that names it */
  async #branchIn(git: string, stats: Stats): Promise<string | null> {
    const home = stats.isDirectory() ? git : linkedDirectory(git, await this.#text(git, stats));
    if (home === null) return null;
    const path = join(home, 'HEAD');
    return branchOfHead((await this.#text(path, await statOf(path))) ?? '');
  }

  async #text(path: string, file: FileStats): Promise<string | null> {
    const before = this.#textNow(path, file);
    if (before !== undefined) return before;
    const version = versionOf(file);
    const text = file.isFile() && file.size < maxBytes ? await textOf(path) : null;
    this.#files.delete(path);
    this.#files.set(path, { version, text });
    const [oldest] = this.#files.keys();
    if (this.#files.size > maxKnown && oldest !== undefined) this.#files.delete(oldest);
    return text;
  }
}

const versionOf = ({ ino, size, mtimeMs, ctimeMs }: FileStats): string =>
  `${ino} ${size} ${mtimeMs} ${ctimeMs}`;

/** As that of `node:fs/promises`, whose errors take as long to make as the call. */
const statOf = (path: string): Promise<Stats> =>
  new Promise((resolve, reject) => {
    stat(path, (error, stats) => (error === null ? resolve(stats) : reject(error)));
  });

/** Above a repository that cannot be looked at, another one may be: its branch would be wrong. */
function nullIfMissing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null;
  throw error;
}

/** Returns the text of an ordinary file; null if it is another one by now, or too long. */
async function textOf(path: string): Promise<string | null> {
  const handle = await open(path, openFlags);
  try {
    if (!(await handle.stat()).isFile()) return null;
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(maxBytes), 0, maxBytes, 0);
    return bytesRead === maxBytes ? null : buffer.toString('utf8', 0, bytesRead);
  } finally {
    await handle.close();
  }
}

/** Returns the directory that the file `.git` of a worktree or submodule names; null if it names none. */
function linkedDirectory(git: string, text: string | null): string | null {
  const [, path] = /^gitdir: (.+?)\r?\n?$/.exec(text ?? '') ?? [];
  return path === undefined ? null : resolve(dirname(git), path);
}

/** Returns the branch that the text of a HEAD names, or the first digits of its commit; null if it has neither. */
export function branchOfHead(text: string): string | null {
  const [, commit] = /^([\da-f]{40}|[\da-f]{64})\n?$/.exec(text) ?? [];
  if (commit !== undefined) return commit.slice(0, commitDigits);
  const [, branch] = /^ref: refs\/heads\/(\S+)\n?$/.exec(text) ?? [];
  return branch !== undefined && isBranch(branch) ? branch : null;
}

/** git-check-ref-format(1). A file of a program must also not bring invisible characters into a list. */
const isBranch = (name: string): boolean =>
  name.length <= maxBranchLength &&
  !/[\u0000-\u0020\u007f~^:?*[\\]|\.\.|@\{|\/\/|^\/|\/$|\.$/.test(name) &&
  name.split('/').every((part) => !part.startsWith('.') && !part.endsWith('.lock')) &&
  sanitize(name).removed === 0;
