import { execFileSync } from 'node:child_process';

/** In it, git knows who commits, and reads no configuration of the machine or its user. */
export const gitEnvironment = {
  PATH: process.env['PATH'],
  HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'Ann',
  GIT_AUTHOR_EMAIL: 'ann@example.org',
  GIT_COMMITTER_NAME: 'Ann',
  GIT_COMMITTER_EMAIL: 'ann@example.org',
};

/** Runs git in a directory. Returns its output, without the last line end. @throws Error if git fails */
export const git = (directory: string, ...words: readonly string[]): string =>
  execFileSync('git', ['-C', directory, ...words], {
    env: gitEnvironment,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  }).trimEnd();
