import { describe, expect, it } from 'vitest';
import { toDisposable } from '#base';
import {
  type Activity,
  type ActivityEvidence,
  type ActivityState,
  type AgentInfo,
  defaultPromptPattern,
  type WaitRequest,
} from '#model';
import { type AgentSource, Pattern, TypedPrompt, waitFor, waitForLine } from '#watch';
import { WatchedTerminal } from '../../../test/support/session/watched-terminal.ts';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';

const unknown: ActivityEvidence = {
  shellMark: null,
  promptPattern: false,
  alternateScreen: false,
  foreground: { pid: 4711, name: 'pdb' },
  leaderInForeground: false,
  echo: null,
  canonical: null,
  readingTerminal: null,
  alsoWaits: null,
  unfinishedLine: true,
};
const reads = { readingTerminal: true, alsoWaits: false };
const busy = { readingTerminal: false, alsoWaits: false };
const both = { readingTerminal: null, alsoWaits: true };
const ofLeader = { leaderInForeground: true, shellMark: 'command' } as const;

/** Waits for 5 s after an output. @returns the outcome, when the wait ended, and the queries */
async function waitAfter(
  output: string,
  state: ActivityState,
  evidence: Partial<ActivityEvidence>,
  request: WaitRequest = {},
  context: { readonly agent?: AgentSource } = {},
): Promise<[string, number, number]> {
  const clock = new VirtualClock();
  const watched = new WatchedTerminal();
  let queries = 0;
  const activity = async (): Promise<Activity> => {
    queries++;
    return { state, evidence: { ...unknown, ...evidence }, sinceMs: 0, revision: 0 };
  };
  const options = { prompt: true, timeoutMs: 5_000, ...request };
  const result = waitFor(watched, options, clock, { activity, ...context });
  watched.output(output);
  await pass(clock, 6_000);
  const { outcome, elapsedMs } = await result;
  return [outcome, elapsedMs, queries];
}

/** Advances the time in steps in which queries are answered. */
async function pass(clock: VirtualClock, ms: number): Promise<void> {
  for (let passedMs = 0; passedMs < ms; passedMs += 50) {
    clock.advance(50);
    clock.settleIo();
    for (let turn = 0; turn < 5; turn++) await Promise.resolve();
  }
}

it('the composer of an agent is no prompt where a wait is for what the agent does, too', async () => {
  const info = (): AgentInfo => ({
    kind: 'codex',
    state: 'unknown',
    sinceMs: 0,
    turn: 0,
    evidence: [],
    rules: 'vtr 0.0.0',
  });
  const agent = { info, onChange: () => toDisposable(() => {}) };
  const after = async (request: WaitRequest) =>
    (await waitAfter('> ', 'at_prompt', reads, request, { agent }))[0];
  expect(await after({})).toBe('prompt');
  expect(await after({ asks: true })).toBe('timed_out');
  expect(await after({ agent: ['idle'] })).toBe('timed_out');
  expect(await after({ asks: true, promptPattern: '> $' })).toBe('prompt');
});

describe('a wait for a prompt without marks', () => {
  it.each<[string, string, ActivityState, Partial<ActivityEvidence>, string, number]>([
    ['a program that reads is at its prompt', '(Pdb) ', 'at_prompt', reads, 'prompt', 100],
    ['a program that reads asks', 'name? ', 'awaiting_input', reads, 'timed_out', 0],
    ['a program that reads has left no line', 'ready\r\n', 'awaiting_input', reads, 'timed_out', 0],
    ['the program does not read', '$ ', 'running', busy, 'timed_out', 0],
    ['it is unknown whether the program reads', '$ ', 'at_prompt', {}, 'prompt', 100],
    ['that is unknown, and the line is not a prompt', 'name: ', 'running', {}, 'timed_out', 0],
    ['it reads and waits for more', '(cmd) ', 'at_prompt', both, 'prompt', 1_000],
    ['it asks and waits for more', 'name: ', 'awaiting_input', both, 'timed_out', 0],
    ['the shell asks', 'name: ', 'awaiting_input', { ...reads, ...ofLeader }, 'timed_out', 0],
    ['the program asks for a password', 'code: ', 'password', reads, 'timed_out', 0],
    ['a pager is shown', '\x1b[?1049h: ', 'full_screen', reads, 'timed_out', 0],
    ['tmux shows a prompt', '\x1b[?1049h$ ', 'full_screen', busy, 'prompt', 100],
  ])('if %s', async (_, output, state, evidence, outcome, atMs) => {
    const [met, elapsedMs] = await waitAfter(output, state, evidence);
    expect(met).toBe(outcome);
    if (met === 'prompt') expect(elapsedMs).toBe(atMs);
  });

  it('needs the pattern of the caller, in full-screen programs too', async () => {
    const own = { promptPattern: 'ready: $' };
    expect((await waitAfter('> ', 'awaiting_input', reads, own))[0]).toBe('timed_out');
    expect((await waitAfter('ready: ', 'awaiting_input', reads, own))[0]).toBe('prompt');
    const screen = '\x1b[?1049hready: ';
    expect((await waitAfter(screen, 'full_screen', reads, own))[0]).toBe('prompt');
  });

  it.each<[string, ActivityState, Partial<ActivityEvidence>, number]>([
    ['a program that looks for input now and then', 'running', busy, 1_000],
    ['one in a shell with marks', 'running', { ...busy, shellMark: 'command' }, 1_000],
    ['a command of the shell itself', 'awaiting_input', { ...reads, ...ofLeader }, 100],
  ])(
    '[S1.18] is met by the pattern of the caller at the prompt of %s',
    async (_, state, evidence, atMs) => {
      const own = { promptPattern: 'ready> $' };
      expect((await waitAfter('ready> ', state, evidence, own)).slice(0, 2)).toEqual([
        'prompt',
        atMs,
      ]);
      expect((await waitAfter('ready> ', state, evidence))[0]).toBe('timed_out');
      expect((await waitAfter('reading> ', state, evidence, own))[0]).toBe('timed_out');
    },
  );

  it('queries the system only if there is an unfinished line', async () => {
    const [, , queries] = await waitAfter('ready\r\n', 'running', busy);
    // One is for the result of the timeout.
    expect(queries).toBe(1);
  });
});

describe('a wait for the end of a line at a prompt without marks', () => {
  it('ends at the prompt of a program that the line started, although its reads are unknown', async () => {
    const clock = new VirtualClock();
    const watched = new WatchedTerminal();
    watched.output('$ ');
    const evidence = { ...unknown, promptPattern: true };
    const activity: Activity = { state: 'running', evidence, sinceMs: 0, revision: 0 };
    const typedAt = new TypedPrompt('$ ', { pid: 100 }, new Pattern(defaultPromptPattern), false);
    const ends = { by: 'prompt', typedAt, asks: true } as const;
    const result = waitForLine(watched, { timeoutMs: 5_000 }, clock, async () => activity, ends);
    watched.output('python3\r\n>>> ');
    await pass(clock, 6_000);
    expect(await result).toMatchObject({ outcome: 'awaiting_input', question: '>>>' });
  });

  it.each([
    ['a program of the line, which has ended by then', 2, 'prompt', 1_000],
    ['another shell, which stays', Number.POSITIVE_INFINITY, 'awaiting_input', 1_000],
  ])('ends at the same prompt of %s', async (_, queriesOfOther, outcome, atMs) => {
    const clock = new VirtualClock();
    const watched = new WatchedTerminal();
    watched.output('$ ');
    let queries = 0;
    const activity = async (): Promise<Activity> => {
      const foreground = { pid: queries++ < queriesOfOther ? 4711 : 100, name: 'sh' };
      const evidence = { ...unknown, ...reads, foreground };
      return { state: 'at_prompt', evidence, sinceMs: 0, revision: 0 };
    };
    const typedAt = new TypedPrompt('$ ', { pid: 100 }, new Pattern(defaultPromptPattern), false);
    const ends = { by: 'prompt', typedAt, asks: true } as const;
    const result = waitForLine(watched, { timeoutMs: 5_000 }, clock, activity, ends);
    watched.output('stty size\r\n24 80\r\n$ ');
    await pass(clock, 6_000);
    expect(await result).toMatchObject({ outcome, elapsedMs: atMs });
  });
});
