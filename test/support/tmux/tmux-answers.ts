import { spawn, spawnSync } from 'node:child_process';
import { expect, vi } from 'vitest';
import { defined } from '#base';
import { tree } from '../tree.ts';
import { tmuxFiles, wordsOf } from './tmux-cases.ts';

/** What a command prints, with its message, and how it ends. */
export interface TmuxResult {
  readonly stdout: string;
  readonly status: number;
  readonly stderr: string;
}

/** @param pane that in which the caller runs, if it runs in one */
export type RunWords = (words: readonly string[], pane?: string) => Promise<TmuxResult>;

/** Waits until a pane shows a text. */
export type Shows = (target: string, text: string) => Promise<void>;

/** Runs the lines of a group, and returns the answers to those that are commands. */
export async function answersTo(
  lines: readonly string[],
  run: RunWords,
  shows: Shows,
): Promise<Record<string, TmuxResult>> {
  const answers: Record<string, TmuxResult> = {};
  for (const [at, line] of lines.entries()) {
    if (line.startsWith('~ ')) {
      const [, target = '', text = ''] = /^~ (\S+) (.*)$/.exec(line) ?? [];
      await shows(target, text.replaceAll('\\n', '\n'));
      continue;
    }
    const [, pane, command = line] = /^(%\d+)> (.*)$/s.exec(line) ?? [];
    answers[`${at} ${line}`] = await run(wordsOf(command), pane);
  }
  return answers;
}

/**
 * A message without the directory of the run. Which one says that no server runs depends on the moment in which tmux
 * ends, and on the socket that it leaves.
 */
export const comparedMessage = (stderr: string, directory: string): string =>
  stderr
    .replaceAll(directory, 'DIR')
    .replace(
      /^(no server running on|error connecting to|server exited unexpectedly).*/,
      'no server',
    );

/** The environment of commands: of tmux, and of those that are compared with it. */
export const tmuxEnvironment = (directory: string): Record<string, string> => ({
  PATH: process.env['PATH'] ?? '/usr/bin:/bin',
  HOME: directory,
  SHELL: '/bin/sh',
  LC_ALL: 'C.UTF-8',
  TERM: 'xterm-256color',
  TMUX_TMPDIR: directory,
});

/** A command of tmux that has not ended after this time never ends. */
const hangMs = 20_000;

class TmuxHangs extends Error {}

/**
 * Runs lines with the tmux of this machine, in a server of their own. tmux can miss the SIGCHLD of a program that ends
 * at once (seen with 3.3a: a zombie of the server, and `wait-for` waits forever); then the lines run again in another
 * server.
 *
 * @throws TmuxHangs if a command has not ended three times
 */
export async function answersOfTmux(
  lines: readonly string[],
  tries = 3,
): Promise<Record<string, TmuxResult>> {
  try {
    return await answersInOneServer(lines);
  } catch (error) {
    if (!(error instanceof TmuxHangs) || tries === 1) throw error;
    return answersOfTmux(lines, tries - 1);
  }
}

async function answersInOneServer(lines: readonly string[]): Promise<Record<string, TmuxResult>> {
  const directory = tree(tmuxFiles);
  const env = tmuxEnvironment(directory);
  const tmux = (words: readonly string[], pane?: string) =>
    spawnSync('tmux', ['-f', '/dev/null', ...words], {
      cwd: directory,
      env: { ...env, ...defined({ TMUX_PANE: pane }) },
      encoding: 'utf8',
      timeout: hangMs,
      killSignal: 'SIGKILL',
    });
  const run: RunWords = async (words, pane) => {
    const { stdout, stderr, status, signal } = tmux(words, pane);
    if (signal === 'SIGKILL') throw new TmuxHangs(`tmux ${words.join(' ')}`);
    return {
      stdout: stdout.replaceAll(directory, 'DIR'),
      stderr: comparedMessage(stderr, directory),
      status: status ?? -1,
    };
  };
  const shows: Shows = async (target, text) => {
    const shown = () => tmux(['capture-pane', '-p', '-t', target]).stdout;
    await vi.waitFor(() => expect(shown(), target).toContain(text));
  };
  try {
    return await answersTo(lines, run, shows);
  } finally {
    tmux(['kill-server']);
  }
}

/** The last line of a control client, after which its answers are complete. */
export const controlEnd = 'display-message -p all-is-answered';

/** The answers that a control client got, without times and numbers, and without what it was told between them. */
export function controlAnswers(output: string): string[] {
  const blocks = output.matchAll(/^%begin \d+ (\d+) (\d)\n([\s\S]*?)^%(end|error) \d+ \1 \2\n/gm);
  return [...blocks].map(([, , flags, text = '', end]) => `${flags} ${end}\n${text}`);
}

/** Sends lines to a control client of the tmux of this machine, in a server of its own. */
export async function controlAnswersOfTmux(lines: readonly string[]): Promise<string[]> {
  const directory = tree(tmuxFiles);
  const env = tmuxEnvironment(directory);
  const words = ['-f', '/dev/null', '-C', 'new-session', '-s', 'c', 'cat'];
  const stdio = ['pipe', 'pipe', 'ignore'] as const;
  const client = spawn('tmux', words, { cwd: directory, env, stdio: [...stdio] });
  const { stdin, stdout } = client;
  if (stdin === null || stdout === null) throw new Error('tmux has no pipes');
  let output = '';
  let isSent = false;
  for await (const text of stdout.setEncoding('utf8')) {
    output += text;
    // What is sent before the session has been made may run before it.
    if (!isSent && /^%end/m.test(output)) {
      isSent = true;
      stdin.write([...lines, controlEnd, ''].join('\n'));
    }
    // An empty line ends the client at once, also before its commands have run.
    if (/^all-is-answered\n%end/m.test(output) && !stdin.writableEnded) stdin.end('\n');
  }
  // Its session goes on without the client.
  spawnSync('tmux', ['kill-server'], { cwd: directory, env, timeout: hangMs });
  return controlAnswers(output.replaceAll(directory, 'DIR'));
}
