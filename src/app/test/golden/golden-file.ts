import { readdir, readFile, rm, rmdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { overwriteInDirectory } from '#config';
import { ioError, VtrError } from '#model';

const namePattern = /^[\w][\w .-]{0,99}$/;

/** Returns `name` if it can be part of a file name. @throws VtrError INVALID_ARGUMENT */
export function checkGoldenName(name: string): string {
  if (namePattern.test(name)) return name;
  throw new VtrError(
    'INVALID_ARGUMENT',
    `${JSON.stringify(name)} is not the name of a golden; use 1 to 100 letters, digits, spaces, . _ or -, of which the first is a letter, a digit or _`,
  );
}

/** The files of a test beside it: its goldens, and what failures leave. */
export class GoldenFiles {
  readonly #testFile: string;
  readonly #directory: string;

  /** @param testFile path of the test */
  constructor(testFile: string) {
    this.#testFile = testFile;
    this.#directory = join(dirname(testFile), '__goldens__');
  }

  path(name: string): string {
    return join(this.#directory, `${this.#base(name)}.txt`);
  }

  /** Null if there is none. */
  async read(name: string): Promise<string | null> {
    try {
      return await readFile(this.path(name), 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw ioError(this.path(name), 'read', error);
    }
  }

  async write(name: string, text: string): Promise<void> {
    overwriteInDirectory(this.path(name), text);
  }

  /** Leaves files of a failure, by their suffixes. @returns their paths */
  async leave(
    name: string,
    files: Readonly<Record<string, string | Uint8Array>>,
  ): Promise<string[]> {
    const paths: string[] = [];
    for (const [suffix, content] of Object.entries(files)) {
      const path = join(this.#directory, '__failures__', `${this.#base(name)}.${suffix}`);
      overwriteInDirectory(path, content);
      paths.push(path);
    }
    return paths;
  }

  /** Removes what earlier failures left: of one golden, or of all of the test. */
  async clear(name?: string): Promise<void> {
    const directory = join(this.#directory, '__failures__');
    const begin = name === undefined ? `${basename(this.#testFile)}.` : `${this.#base(name)}.`;
    const left = await readdir(directory).catch(() => []);
    for (const file of left.filter((each) => each.startsWith(begin))) {
      await rm(join(directory, file), { force: true });
    }
    if (left.length > 0) await rmdir(directory).catch(() => {});
  }

  #base(name: string): string {
    return `${basename(this.#testFile)}.${name.replaceAll(' ', '-')}`;
  }
}
