import { lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { loginTemporaryDirectory } from '#coordinator';
import { keptPrefix } from '#model';
import { isOwn } from '#trust';

/** Removes the files that people gave to sessions (`KeptFile`) with these sessions. */
export class KeptFiles {
  readonly #env: NodeJS.ProcessEnv;
  readonly #log: (line: string) => void;
  /** The removals under way. */
  readonly #removals = new Set<Promise<void>>();

  constructor(env: NodeJS.ProcessEnv, log: (line: string) => void) {
    this.#env = env;
    this.#log = log;
  }

  /** Begins to remove the files of sessions. What cannot be removed is in the log. */
  remove(sessionIds: readonly string[]): void {
    const removal = this.#remove(sessionIds.map(keptPrefix)).finally(() =>
      this.#removals.delete(removal),
    );
    this.#removals.add(removal);
  }

  /** Resolves when nothing is being removed. */
  async settled(): Promise<void> {
    while (this.#removals.size > 0) await Promise.all(this.#removals);
  }

  async #remove(prefixes: readonly string[]): Promise<void> {
    // A program that wrote a file may have had the directory of a login, or that of this process.
    const directories = new Set(
      [this.#env['TMPDIR'], loginTemporaryDirectory()].map((each) => each || '/tmp'),
    );
    for (const directory of directories) {
      const names = await readdir(directory).catch(() => []);
      for (const name of names) {
        if (prefixes.some((prefix) => name.startsWith(prefix)))
          await this.#removeOwn(join(directory, name));
      }
    }
  }

  /** Everybody can make a directory of that name in /tmp. */
  async #removeOwn(path: string): Promise<void> {
    try {
      const stat = await lstat(path);
      if (stat.isDirectory() && isOwn(stat)) await rm(path, { recursive: true, force: true });
    } catch (error) {
      this.#log(`${path} cannot be removed: ${(error as Error).message}`);
    }
  }
}
