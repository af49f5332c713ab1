import { lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { loginTemporaryDirectory } from '#coordinator';
import { keptPrefix } from '#model';
import { isOwn } from '#trust';

/** Removes the files that people gave to sessions (`KeptFile`) with these sessions. */
export class KeptFiles {
  readonly #env: NodeJS.ProcessEnv;
  readonly #log: (line: string) => void;
  /** The beginnings of the names of what the next look at the directories removes. */
  #prefixes = new Set<string>();
  /** Null if nothing is being removed. */
  #removing: Promise<void> | null = null;

  constructor(env: NodeJS.ProcessEnv, log: (line: string) => void) {
    this.#env = env;
    this.#log = log;
  }

  /** Begins to remove the files of sessions. What cannot be removed is in the log. */
  remove(sessionIds: readonly string[]): void {
    for (const id of sessionIds) this.#prefixes.add(keptPrefix(id));
    if (this.#prefixes.size > 0) this.#removing ??= this.#removeAll();
  }

  /** Resolves when nothing is being removed. */
  async settled(): Promise<void> {
    await this.#removing;
  }

  /** Of many sessions that are removed together, with few looks: a directory of temporary files can have thousands. */
  async #removeAll(): Promise<void> {
    while (this.#prefixes.size > 0) {
      const prefixes = this.#prefixes;
      this.#prefixes = new Set();
      await this.#remove(prefixes);
    }
    this.#removing = null;
  }

  async #remove(prefixes: ReadonlySet<string>): Promise<void> {
    // A program that wrote a file may have had the directory of a login, or that of this process.
    const directories = new Set(
      [this.#env['TMPDIR'], loginTemporaryDirectory()].map((each) => each || '/tmp'),
    );
    for (const directory of directories) {
      const names = await readdir(directory).catch(() => []);
      for (const name of names) {
        const prefix = name.slice(0, name.lastIndexOf('-') + 1);
        if (prefixes.has(prefix)) await this.#removeOwn(join(directory, name));
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
