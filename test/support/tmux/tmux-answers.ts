import { spawnSync } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { tree } from '../tree.ts';
import { tmuxFiles, wordsOf } from './tmux-cases.ts';

/** What a command prints, how it ends, and whether it has a message. */
export interface TmuxResult {
  readonly stdout: string;
  readonly status: number;
  readonly quiet: boolean;
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

/** The environment of commands: of tmux, and of those that are compared with it. */
export const tmuxEnvironment = (directory: string): Record<string, string> => ({
  PATH: process.env['PATH'] ?? '/usr/bin:/bin',
  HOME: directory,
  SHELL: '/bin/sh',
  LC_ALL: 'C.UTF-8',
  TERM: 'xterm-256color',
  TMUX_TMPDIR: directory,
});

/** How often a screen is looked at before the text is given up. */
const maxTries = 2000;

/** Runs lines with the tmux of this machine, in a server of their own. */
export async function answersOfTmux(lines: readonly string[]): Promise<Record<string, TmuxResult>> {
  const directory = tree(tmuxFiles);
  const env = tmuxEnvironment(directory);
  const tmux = (words: readonly string[], pane?: string) =>
    spawnSync('tmux', ['-f', '/dev/null', ...words], {
      cwd: directory,
      env: { ...env, ...(pane !== undefined && { TMUX_PANE: pane }) },
      encoding: 'utf8',
    });
  const run: RunWords = async (words, pane) => {
    const { stdout, stderr, status } = tmux(words, pane);
    return {
      stdout: stdout.replaceAll(directory, 'DIR'),
      status: status ?? -1,
      quiet: stderr === '',
    };
  };
  const shows: Shows = async (target, text) => {
    for (let tries = 1; ; tries++) {
      const { stdout } = tmux(['capture-pane', '-p', '-t', target]);
      if (stdout.includes(text)) return;
      if (tries === maxTries) throw new Error(`${target} does not show ${text}:\n${stdout}`);
      await delay(5);
    }
  };
  try {
    return await answersTo(lines, run, shows);
  } finally {
    tmux(['kill-server']);
  }
}
