import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { LocalCoordinator } from '#coordinator';
import type { TmuxRequest } from '#model';
import { TmuxServers } from '#wire/tmux';
import { tree } from '../tree.ts';

/** Of all tests of a file. */
export let coordinator: LocalCoordinator;
let ofAll: TmuxServers;

beforeAll(() => {
  coordinator = new LocalCoordinator({});
  ofAll = new TmuxServers(coordinator, { pid: process.pid });
});
afterAll(async () => {
  ofAll.dispose();
  await coordinator.close();
});

/** A server of its own, and its clients. */
export function place(files: Readonly<Record<string, string>> = {}, servers = ofAll) {
  const directory = tree({ 'empty.conf': '', ...files });
  const request = {
    socketPath: join(directory, 'default'),
    cwd: directory,
    env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin', HOME: directory, SHELL: '/bin/sh' },
    configFiles: [join(directory, 'tmux.conf' in files ? 'tmux.conf' : 'empty.conf')],
    pid: process.pid,
  };
  /** Runs a command as a client that is gone after the answer. */
  const call = async (words: readonly string[], more: Partial<TmuxRequest> = {}) => {
    const gone = new AbortController();
    const answer = await servers.run({ ...request, ...more, words }, gone.signal);
    gone.abort();
    return answer;
  };
  const run = (...words: readonly string[]) => call(words);
  const fifo = (name: string) => {
    const path = join(directory, name);
    execFileSync('mkfifo', [path]);
    return path;
  };
  /** Runs commands as a client that leaves while the last one waits. */
  const leaving = async (...words: readonly string[]) => {
    const gone = new AbortController();
    const path = fifo(`leaving-${words.length}`);
    const begun = ['run-shell', `echo > ${path}`, ';'];
    const answer = servers.run({ ...request, words: [...begun, ...words] }, gone.signal);
    await readFile(path);
    await servers.run({ ...request, words: ['list-sessions'] }, new AbortController().signal);
    gone.abort();
    return answer;
  };
  return { directory, servers, request, call, run, leaving, fifo };
}

/** A client in control mode, with what it was told. */
export async function controlClient(
  { call, servers }: ReturnType<typeof place>,
  ...words: readonly string[]
) {
  const never = new AbortController().signal;
  const { controlId = '' } = await call(words, { control: true });
  let output = '';
  return {
    /** Sends lines. */
    send: (...lines: readonly string[]) => servers.control(controlId, lines, never),
    /** Asks for output as a caller that has gone. */
    gone: () => servers.control(controlId, null, AbortSignal.abort()),
    /** Takes output until it matches, or the client has ended. */
    told: async (pattern: RegExp) => {
      for (let ended = false; !ended && !pattern.test(output); ) {
        const answer = await servers.control(controlId, null, never);
        output += answer.output;
        ended = answer.ended;
      }
      return output;
    },
  };
}
