import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ioError } from '#model';
import { temporaryDirectory } from '#trust';

/** Where the programs of one test run: an empty home directory, and an environment that is the same on all machines. */
export interface Surroundings {
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
  /** Removes the directory. */
  remove(): Promise<void>;
}

/** @throws VtrError IO_ERROR */
export async function makeSurroundings(): Promise<Surroundings> {
  const path = join(temporaryDirectory(), 'vtr-test-');
  const home = await mkdtemp(path).catch((error) => {
    throw ioError(path, 'made', error);
  });
  return {
    home,
    env: {
      HOME: home,
      LANG: 'C.UTF-8',
      LC_ALL: 'C.UTF-8',
      TZ: 'UTC',
      SHELL: '/bin/sh',
      // Programs of the test do not meet the sockets of the user's own.
      XDG_RUNTIME_DIR: home,
    },
    // A program that is being ended may still write there.
    remove: () => rm(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 }),
  };
}
