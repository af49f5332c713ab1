import { describe, expect, it } from 'vitest';
import type { ActivityEvidence, ActivityState } from '#model';
import type { Foreground } from '#pty';
import { fakeSession } from '../../test/support/session/fake-session.ts';
import { activityState } from './activity.ts';

/** No evidence. */
const nothing: ActivityEvidence = {
  shellMark: null,
  promptPattern: false,
  alternateScreen: false,
  foreground: null,
  leaderInForeground: null,
  echo: null,
  canonical: null,
  readingTerminal: null,
};

const hidden = { echo: false, canonical: true };
const shown = { echo: true, canonical: true };
const raw = { echo: false, canonical: false };
const atPrompt = { ...raw, leaderInForeground: true, readingTerminal: true };
const inJob = { leaderInForeground: false };

const table: readonly [what: string, ActivityState, Partial<ActivityEvidence>][] = [
  ['nothing is known', 'running', {}],
  ['a program computes', 'running', { ...shown, ...inJob, readingTerminal: false }],
  ['a program takes input and something else', 'running', { ...raw, ...inJob }],
  ['the alternate screen is shown', 'full_screen', { alternateScreen: true }],
  [
    'an editor waits for keys',
    'full_screen',
    { ...raw, alternateScreen: true, readingTerminal: true },
  ],
  [
    'a full-screen program asks for a password',
    'full_screen',
    { ...hidden, alternateScreen: true },
  ],
  ['a read hides what is typed', 'password', { ...hidden, readingTerminal: true }],
  ['it may be a read that hides what is typed', 'password', hidden],
  ['what is typed is hidden, but nobody reads', 'running', { ...hidden, readingTerminal: false }],
  ['a line is edited by the program', 'awaiting_input', { ...raw, readingTerminal: true }],
  [
    'a password is asked for in a command',
    'password',
    { ...hidden, shellMark: 'command', readingTerminal: true },
  ],
  [
    'a password is asked for with a "> "',
    'password',
    { ...hidden, promptPattern: true, readingTerminal: true },
  ],
  ['a program reads a line', 'awaiting_input', { ...shown, ...inJob, readingTerminal: true }],
  [
    'the leader reads a line',
    'awaiting_input',
    { ...shown, leaderInForeground: true, readingTerminal: true },
  ],
  ['the shell says prompt', 'at_prompt', { ...atPrompt, shellMark: 'prompt' }],
  ['the shell says prompt, and more is not known', 'at_prompt', { shellMark: 'prompt' }],
  [
    'the shell says prompt and is about to read',
    'at_prompt',
    { ...atPrompt, shellMark: 'prompt', readingTerminal: false },
  ],
  ['a program that the prompt started computes', 'running', { ...inJob, shellMark: 'prompt' }],
  [
    'a program that the prompt started reads',
    'awaiting_input',
    { ...inJob, shellMark: 'prompt', readingTerminal: true },
  ],
  [
    'the shell says command, and it reads itself',
    'awaiting_input',
    { ...atPrompt, shellMark: 'command' },
  ],
  [
    'the shell says command, which prints "$ "',
    'running',
    { shellMark: 'command', promptPattern: true },
  ],
  [
    'the leader reads behind what looks like a prompt',
    'at_prompt',
    { ...atPrompt, promptPattern: true },
  ],
  ['something looks like a prompt, and more is not known', 'at_prompt', { promptPattern: true }],
  ['what looks like a prompt is output of a job', 'running', { ...inJob, promptPattern: true }],
  [
    'a job has printed what looks like a prompt and reads',
    'awaiting_input',
    { ...inJob, promptPattern: true, readingTerminal: true },
  ],
  [
    'the leader has printed what looks like a prompt and computes',
    'running',
    { leaderInForeground: true, promptPattern: true, readingTerminal: false },
  ],
];

describe('activityState', () => {
  it.each(table)('where %s: %s', (_, state, evidence) => {
    expect(activityState({ ...nothing, ...evidence })).toBe(state);
  });
});

describe('Session.activity', () => {
  const isPrompt = (text: string) => /\$ $/.test(text);
  const foreground: Foreground = {
    program: { pid: 4711, name: 'sh' },
    isLeader: true,
    readsTerminal: true,
  };

  it('returns the state with its evidence and revision', async () => {
    const { session, pty } = fakeSession();
    pty.facts = { foreground, modes: raw };
    pty.output('host $ ');
    expect(await session.activity(isPrompt)).toEqual({
      state: 'at_prompt',
      evidence: {
        ...nothing,
        ...raw,
        promptPattern: true,
        foreground: foreground.program,
        leaderInForeground: true,
        readingTerminal: true,
      },
      revision: session.revision,
    });
  });

  it.each([
    ['what stands left of the cursor', 'host $ ', true],
    ['and not what stands right of it', 'host $ \x1b[5G', false],
    ['in its row', 'host $ \r\nmore', false],
    ['up to the margin', `${'x'.repeat(18)}$ `, true],
    ['with what is wide', '漢字 $ ', true],
  ])('checks %s for a prompt', async (_, output, promptPattern) => {
    const { session, pty } = fakeSession();
    pty.output(output);
    expect((await session.activity(isPrompt)).evidence.promptPattern).toBe(promptPattern);
  });

  it.each([
    ['\x1b]133;A\x07> \x1b]133;B\x07', 'prompt'],
    ['\x1b]133;A\x07> \x1b]133;B\x07ls\r\n\x1b]133;C\x07', 'command'],
    ['\x1b]133;A\x07> \x1b]133;B\x07ls\r\n\x1b]133;C\x07\x1b]133;D;0\x07', null],
    ['\x1b]133;A\x07> \x1b]133;B\x07echo "a\r\n\x1b]133;A;k=s\x07> \x1b]133;B\x07', 'command'],
    ['> ', null],
  ])('takes the last mark from %j: %s', async (output, mark) => {
    const { session, pty } = fakeSession();
    pty.output(output);
    expect((await session.activity(isPrompt)).evidence.shellMark).toBe(mark);
  });

  it('reports the alternate screen and the exit', async () => {
    const { session, pty } = fakeSession();
    pty.output('\x1b[?1049h');
    expect((await session.activity(isPrompt)).state).toBe('full_screen');
    pty.announceExit({ code: 0, signal: null });
    const { state, evidence } = await session.activity(isPrompt);
    expect(state).toBe('exited');
    expect(evidence.alternateScreen).toBe(true);
  });

  it('queries the system again if the screen changed meanwhile', async () => {
    const { session, pty } = fakeSession();
    const answers = [{ ...foreground, isLeader: false, readsTerminal: false }, foreground];
    pty.foreground = async () => {
      if (answers.length === 2) pty.output('done\r\nhost $ ');
      return answers.shift() as Foreground;
    };
    expect(await session.activity(isPrompt)).toMatchObject({
      state: 'at_prompt',
      revision: session.revision,
    });
  });

  it('returns although output never ends', async () => {
    const { session, pty } = fakeSession();
    pty.foreground = async () => {
      pty.output('y\r\n');
      return { ...foreground, readsTerminal: false };
    };
    expect(await session.activity(isPrompt)).toMatchObject({
      state: 'running',
      revision: session.revision,
    });
  });
});
