import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import { defined } from '#base';
import { root } from '../../../scripts/root.mjs';
import { provided } from '../../support/run/needs.ts';
import { serversForAll } from '../../support/tmux/terminal-client.ts';
import {
  answersOfTmux,
  answersTo,
  comparedMessage,
  controlAnswers,
  controlAnswersOfTmux,
  controlEnd,
  type RunWords,
  type Shows,
  type TmuxResult,
  tmuxEnvironment,
} from '../../support/tmux/tmux-answers.ts';
import { controlCases, tmuxCases, tmuxFiles } from '../../support/tmux/tmux-cases.ts';
import { tree } from '../../support/tree.ts';

const path = join(root, 'test/golden/tmux/answers.json');
const version = spawnSync('tmux', ['-V'], { encoding: 'utf8' }).stdout?.trim();
const isRecorded = process.env['VTR_RECORD_TMUX'] !== undefined;

interface Answers {
  readonly commands: Record<string, Record<string, TmuxResult>>;
  readonly control: Record<string, readonly string[]>;
}
const readAnswers = (): Answers => JSON.parse(readFileSync(path, 'utf8'));

const { coordinator, servers } = serversForAll();

/** Calls of one client, for a server of its own in this process. */
function requestHere(directory: string) {
  return {
    socketPath: join(directory, 'default'),
    cwd: directory,
    env: tmuxEnvironment(directory),
    configFiles: ['/dev/null'],
    pid: process.pid,
  };
}

/** Runs lines in a server of their own, in this process. */
async function answersHere(name: string): Promise<Record<string, TmuxResult>> {
  const directory = tree(tmuxFiles);
  const request = requestHere(directory);
  const run: RunWords = async (words, pane) => {
    const env = { ...request.env, ...defined({ TMUX_PANE: pane }) };
    const { stdout, stderr, status } = await servers.run(
      { ...request, env, words },
      new AbortController().signal,
    );
    return {
      stdout: stdout.replaceAll(directory, 'DIR'),
      stderr: comparedMessage(stderr, directory),
      status,
    };
  };
  const shows: Shows = async (target, text) => {
    const { stdout } = await run(['display-message', '-p', '-t', target, '#{vtr_session}']);
    const events = await coordinator.subscribe(stdout.trim());
    for await (const _event of events) {
      const shown = await run(['capture-pane', '-p', '-t', target]);
      if (shown.stdout.includes(text)) break;
    }
    events.dispose();
  };
  return answersTo(tmuxCases[name] ?? [], run, shows);
}

/** Sends lines to a control client, in a server of its own. */
async function controlAnswersHere(name: string): Promise<readonly string[]> {
  const directory = tree(tmuxFiles);
  const words = ['new-session', '-s', 'c', 'cat'];
  const request = { ...requestHere(directory), words, control: true };
  const never = new AbortController().signal;
  const { controlId = '' } = await servers.run(request, never);
  let output = '';
  const sending = servers.control(
    controlId,
    [...(controlCases[name] ?? []), controlEnd, ''],
    never,
  );
  for (let ended = false; !ended; ) {
    const answer = await servers.control(controlId, null, never);
    output += answer.output;
    ended = answer.ended;
  }
  await sending;
  return controlAnswers(output.replaceAll(directory, 'DIR'));
}

describe('commands of tmux answer as tmux 3.3a does', () => {
  it.each(Object.keys(tmuxCases))('%s', async (name) => {
    const expected = readAnswers().commands[name];
    expect(await answersHere(name)).toEqual(expected);
  });
});

describe('a control client is answered as by tmux 3.3a', () => {
  it.each(Object.keys(controlCases))('%s', async (name) => {
    expect(await controlAnswersHere(name)).toEqual(readAnswers().control[name]);
  });
});

it('at least 200 commands are compared', () => {
  const count = Object.values(readAnswers().commands).flatMap(Object.keys).length;
  expect(count).toBeGreaterThanOrEqual(200);
});

describe('the recorded answers', () => {
  const here = provided(version === 'tmux 3.3a', 'only with tmux 3.3a');
  here('are those of the tmux of this machine', async () => {
    const answers: Answers = { commands: {}, control: {} };
    for (const [name, lines] of Object.entries(tmuxCases)) {
      const answer = await answersOfTmux(lines);
      // tmux itself can answer otherwise on a busy machine (seen: the history of a program that ended at once).
      const isOther = !isRecorded && !isDeepStrictEqual(answer, readAnswers().commands[name]);
      answers.commands[name] = isOther ? await answersOfTmux(lines) : answer;
    }
    for (const [name, lines] of Object.entries(controlCases)) {
      answers.control[name] = await controlAnswersOfTmux(lines);
    }
    if (isRecorded) writeFileSync(path, `${JSON.stringify(answers, null, 1)}\n`);
    expect(answers).toEqual(readAnswers());
  });
});
