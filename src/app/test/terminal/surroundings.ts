import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ioError, VtrError } from '#model';
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

/** How a tape's shell is started: without start-up files, with the prompt `> `. */
interface ShellStart {
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

const prompt = '> ';
const posix: ShellStart = { args: [], env: { PS1: prompt } };

const shells: Readonly<Record<string, ShellStart>> = {
  bash: {
    args: ['--noprofile', '--norc'],
    env: { PS1: prompt, BASH_SILENCE_DEPRECATION_WARNING: '1' },
  },
  zsh: { args: ['--no-rcs', '--histnostore'], env: { PROMPT: prompt, RPROMPT: '' } },
  fish: {
    args: [
      ...['--no-config', '--private'],
      ...['-C', 'function fish_greeting; end', '-C', 'function fish_prompt; echo -n "> "; end'],
    ],
  },
  sh: posix,
  dash: posix,
  ksh: posix,
  mksh: posix,
  nu: {
    args: [
      '--no-config-file',
      '--execute',
      "$env.PROMPT_COMMAND = {'> '}; $env.PROMPT_COMMAND_RIGHT = {''}",
    ],
  },
  osh: { args: ['--norc'], env: { PS1: prompt } },
  xonsh: { args: ['--no-rc', '-D', `PROMPT=${prompt}`] },
  pwsh: {
    args: ['-NoLogo', '-NoExit', '-NoProfile', '-Command', "function prompt { '> ' }"],
  },
};

/** @throws VtrError INVALID_ARGUMENT for a shell that is not known */
export function shellStart(shell: string) {
  const start = Object.hasOwn(shells, shell) ? shells[shell] : undefined;
  if (start === undefined) {
    const names = Object.keys(shells).join(', ');
    throw new VtrError('INVALID_ARGUMENT', `there is no shell ${shell} for tapes; use ${names}`);
  }
  return { program: shell, args: start.args, env: start.env ?? {} };
}
