import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ioError } from '#model';
import { endHousehold, processTime } from '#pty';
import { temporaryDirectory } from '#trust';

/** Where the programs of one test run: an empty home directory, and an environment that is the same on all machines. */
export interface Surroundings {
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
  /**
   * Ends what still runs there, such as a daemon that a program has started, and removes the directory.
   *
   * @param sessionId of the session that was there, which has ended; null if it was not started
   * @throws VtrError PTY_ERROR that names the processes that could not be ended
   */
  remove(sessionId: string | null): Promise<void>;
}

/** @throws VtrError IO_ERROR */
export async function makeSurroundings(): Promise<Surroundings> {
  const since = processTime();
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
    async remove(sessionId) {
      try {
        await endHousehold({ home, sessionId, since });
      } finally {
        // A program that is being ended may still write there.
        await rm(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 });
      }
    },
  };
}
