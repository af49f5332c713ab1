import { describe, expect, it, vi } from 'vitest';
import { type ActivityEvidence, type ActivityState, noEvidence } from '#model';
import type { Foreground } from '#pty';
import { fakeSession } from '../../test/support/session/fake-session.ts';
import { integratedShell, shellMark } from '../../test/support/session/shell-marks.ts';
import { activityState } from './activity.ts';

const hidden = { echo: false, canonical: true };
const shown = { echo: true, canonical: true };
const raw = { echo: false, canonical: false };
const atPrompt = { ...raw, leaderInForeground: true, readingTerminal: true };
const inJob = { leaderInForeground: false };
const ssh = { foreground: { pid: 4711, name: 'ssh' }, alsoWaits: true };

const table: readonly [what: string, ActivityState, Partial<ActivityEvidence>][] = [
  ['there is no evidence', 'running', {}],
  ['a program computes', 'running', { ...shown, ...inJob, readingTerminal: false }],
  ['a program reads input and something else', 'running', { ...raw, ...inJob }],
  [
    'a program has asked, and reads input and something else',
    'awaiting_input',
    { ...raw, ...inJob, alsoWaits: true, unfinishedLine: true },
  ],
  [
    'a program has not asked, and reads input and something else',
    'running',
    { ...raw, ...inJob, alsoWaits: true },
  ],
  [
    'the other side of ssh prints an unfinished line',
    'running',
    { ...raw, ...inJob, ...ssh, unfinishedLine: true },
  ],
  [
    'the other side of ssh shows a possible prompt',
    'awaiting_input',
    { ...raw, ...inJob, ...ssh, unfinishedLine: true, promptPattern: true },
  ],
  ['the alternate screen is shown', 'full_screen', { alternateScreen: true }],
  [
    'an editor waits for keys',
    'full_screen',
    { ...raw, alternateScreen: true, readingTerminal: true },
  ],
  [
    'a full-screen program prompts for a password',
    'full_screen',
    { ...hidden, alternateScreen: true },
  ],
  ['a program reads with ECHO off', 'password', { ...hidden, readingTerminal: true }],
  ['a program may be reading with ECHO off', 'password', hidden],
  ['ECHO is off, but no program reads', 'running', { ...hidden, readingTerminal: false }],
  ['a line is edited by the program', 'awaiting_input', { ...raw, readingTerminal: true }],
  [
    'a command prompts for a password',
    'password',
    { ...hidden, shellMark: 'command', readingTerminal: true },
  ],
  [
    'the password prompt is "> "',
    'password',
    { ...hidden, promptPattern: true, readingTerminal: true },
  ],
  ['a program reads a line', 'awaiting_input', { ...shown, ...inJob, readingTerminal: true }],
  [
    'the leader reads a line',
    'awaiting_input',
    { ...shown, leaderInForeground: true, readingTerminal: true },
  ],
  ['the mark is a prompt', 'at_prompt', { ...atPrompt, shellMark: 'prompt' }],
  ['the mark is a prompt, without more evidence', 'at_prompt', { shellMark: 'prompt' }],
  [
    'the mark is a prompt and the shell is about to read',
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
    'the mark is a command and the shell reads',
    'awaiting_input',
    { ...atPrompt, shellMark: 'command' },
  ],
  [
    'the mark is a command, which prints "$ "',
    'running',
    { shellMark: 'command', promptPattern: true },
  ],
  ['the leader reads after a possible prompt', 'at_prompt', { ...atPrompt, promptPattern: true }],
  ['there is a possible prompt, without more evidence', 'at_prompt', { promptPattern: true }],
  ['the possible prompt is output of a job', 'running', { ...inJob, promptPattern: true }],
  [
    'a job has printed a possible prompt and reads',
    'awaiting_input',
    { ...inJob, promptPattern: true, readingTerminal: true },
  ],
  [
    'the leader has printed a possible prompt and computes',
    'running',
    { leaderInForeground: true, promptPattern: true, readingTerminal: false },
  ],
];

describe('activityState', () => {
  it.each(table)('if %s: %s', (_, state, evidence) => {
    expect(activityState({ ...noEvidence, ...evidence })).toBe(state);
  });
});

it.each([
  ['name? ', 'awaiting_input'],
  ['Do you want to continue? [Y/n] ', 'awaiting_input'],
  ["me@host's password: ", 'awaiting_input'],
  ['checking for gcc... ', 'running'],
  ['Receiving objects: 45% (450/1000)', 'running'],
])('behind ssh, %j is %s', (text, state) => {
  expect(activityState({ ...noEvidence, ...raw, ...ssh, unfinishedLine: true }, { text })).toBe(
    state,
  );
});

it.each([
  ['name: ', 'awaiting_input'],
  ['Enter the name of the bucket: ', 'awaiting_input'],
  ['name:', 'running'],
  ['Downloading: ', 'running'],
  ['configure: checking for gcc: ', 'running'],
  ['Objects 450/1000: ', 'running'],
  ['10:41: ', 'running'],
])('behind ssh, %j is %s after a silence, and runs before', (text, state) => {
  const evidence = { ...noEvidence, ...raw, ...ssh, unfinishedLine: true };
  expect(activityState(evidence, { text, isSilent: true })).toBe(state);
  // The terminal of a program without one at the other side is not in raw mode.
  expect(activityState({ ...evidence, ...shown }, { text, isSilent: true })).toBe('running');
  expect(activityState(evidence, { text })).toBe('running');
});

const left: Partial<ActivityEvidence> = {
  ...raw,
  ...inJob,
  readingTerminal: true,
  alsoWaits: false,
  unfinishedLine: true,
};

it.each<[text: string, reader: string | null, ActivityState]>([
  ['>>> ', 'python3', 'at_prompt'],
  ['(Pdb) ', 'python3', 'at_prompt'],
  ['nonl(Pdb) ', 'python3', 'at_prompt'],
  ['(gdb) ', 'gdb', 'at_prompt'],
  ['sqlite> ', 'sqlite3', 'at_prompt'],
  ['In [1]: ', 'python3', 'at_prompt'],
  ['irb(main):001:0> ', 'ruby', 'at_prompt'],
  ['main[1] ', 'jdb', 'at_prompt'],
  ['db=# ', 'psql', 'at_prompt'],
  ['vm% ', 'zsh', 'at_prompt'],
  ['?- ', 'swipl', 'at_prompt'],
  [':', 'less', 'awaiting_input'],
  ['(END)', 'less', 'awaiting_input'],
  ['price$', 'less', 'awaiting_input'],
  ['--More--', 'more', 'awaiting_input'],
  ['--More--(12%)', 'more', 'awaiting_input'],
  ['> ', 'fzf', 'awaiting_input'],
  ['... ', 'python3', 'awaiting_input'],
  ['   ...> ', 'sqlite3', 'awaiting_input'],
  ['    -> ', 'mysql', 'awaiting_input'],
  ['db-# ', 'psql', 'awaiting_input'],
  ['> ', 'dash', 'awaiting_input'],
  ['> ', 'node', 'at_prompt'],
  ['then> ', 'zsh', 'awaiting_input'],
  ['if dquote> ', 'zsh', 'awaiting_input'],
  ['name? ', 'npm', 'awaiting_input'],
  ['Is this OK? (yes) ', 'npm', 'awaiting_input'],
  ['Continue?(y/n) ', 'apt', 'awaiting_input'],
  ['100% ', 'wget', 'awaiting_input'],
  ['package name: (new) ', 'npm', 'awaiting_input'],
])('%j of %s in a shell is %s', (text, reader, state) => {
  expect(activityState({ ...noEvidence, ...left }, { text, reader })).toBe(state);
});

it('is not at a prompt at which text is typed', () => {
  expect(activityState({ ...noEvidence, ...left }, { text: '>>> ', typed: '1+' })).toBe(
    'awaiting_input',
  );
});

it.each([
  ['awaiting_input', { hasComposer: true }],
  ['running', { hasComposer: true, isAtOwnPace: true }],
  ['running', { isAtOwnPace: true }],
  ['at_prompt', { isAtOwnPace: true, reader: 'zsh' }],
] as const)('what looks like a prompt is %s with %j', (state, context) => {
  const isLeaders = { ...raw, leaderInForeground: true, readingTerminal: true };
  for (const evidence of [left, { ...isLeaders, promptPattern: true }]) {
    const facts = { text: '❯ ', reader: 'node', ...context };
    expect(activityState({ ...noEvidence, ...evidence }, facts)).toBe(state);
  }
});

describe('Session.activity', () => {
  const foreground: Foreground = {
    program: { pid: 4711, name: 'sh' },
    isLeader: true,
    readsTerminal: true,
    alsoWaits: false,
  };

  it('returns the state with its evidence and revision', async () => {
    const { session, pty, clock } = fakeSession();
    pty.facts = { foreground, modes: raw };
    pty.output('host $ ');
    expect(await session.activity()).toEqual({
      state: 'at_prompt',
      evidence: {
        ...noEvidence,
        ...raw,
        promptPattern: true,
        foreground: foreground.program,
        leaderInForeground: true,
        readingTerminal: true,
        alsoWaits: false,
        unfinishedLine: true,
      },
      sinceMs: clock.wallMs(),
      revision: session.revision,
    });
  });

  it.each([
    ['the text left of the cursor', 'host $ ', true],
    ['not the text right of it', 'host $ \x1b[5G', false],
    ['in its row', 'host $ \r\nmore', false],
    ['up to the margin', `${'x'.repeat(18)}$ `, true],
    ['wide characters', '漢字 $ ', true],
  ])('checks %s for a prompt', async (_, output, promptPattern) => {
    const { session, pty } = fakeSession();
    pty.output(output);
    expect((await session.activity()).evidence.promptPattern).toBe(promptPattern);
  });

  it.each([
    ['A> B', 'prompt'],
    ['A> Bls\r\nC', 'command'],
    ['A> Bls\r\nCD', null],
    ['A> Becho "a\r\nS> B', 'command'],
    ['> ', null],
  ])('takes the last mark from %j: %s', async (output, mark) => {
    const { session, pty } = fakeSession(integratedShell);
    const marks = { A: 'A', B: 'B', C: 'C', D: 'D;0', S: 'A;k=s' };
    pty.output(output.replace(/[ABCDS]/g, (each) => shellMark(marks[each as 'A'])));
    expect((await session.activity()).evidence.shellMark).toBe(mark);
  });

  it('reports the alternate screen and the exit', async () => {
    const { session, pty } = fakeSession();
    pty.output('\x1b[?1049h');
    expect((await session.activity()).state).toBe('full_screen');
    pty.announceExit({ code: 0, signal: null });
    const { state, evidence } = await session.activity();
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
    expect(await session.activity()).toMatchObject({
      state: 'at_prompt',
      revision: session.revision,
    });
  });

  it('asks for the directory of a listed session with all else, and apart if the host is of an earlier version', async () => {
    const { session, pty } = fakeSession();
    const directory = vi.spyOn(pty, 'directory');
    const foregroundOf = vi.spyOn(pty, 'foreground');
    foregroundOf.mockResolvedValue({ ...foreground, directory: '/here' });
    expect((await session.listedActivity([])).directory).toBe('/here');
    expect(foregroundOf).toHaveBeenCalledExactlyOnceWith([], true);
    expect(directory).not.toHaveBeenCalled();
    foregroundOf.mockResolvedValue({ ...foreground, directory: null });
    expect((await session.listedActivity([])).directory).toBeNull();
    expect(directory).not.toHaveBeenCalled();
    foregroundOf.mockResolvedValue(foreground);
    directory.mockResolvedValue('/there');
    expect((await session.listedActivity([])).directory).toBe('/there');
    expect(directory).toHaveBeenCalledExactlyOnceWith(foreground.program?.pid);
  });

  it('takes a label at the other side of ssh for a question after 3 s of silence', async () => {
    const { session, pty, clock } = fakeSession();
    const program = { pid: 4711, name: 'ssh' };
    const relay = { ...foreground, program, readsTerminal: null, alsoWaits: true };
    pty.facts = { foreground: relay, modes: raw };
    pty.output('name: ');
    await clock.advance(2_900);
    expect((await session.activity()).state).toBe('running');
    await clock.advance(100);
    expect((await session.activity()).state).toBe('awaiting_input');
  });

  it('returns since when the state lasts', async () => {
    const { session, pty, clock } = fakeSession(integratedShell);
    const startMs = clock.wallMs();
    const since = async () => {
      const { state, sinceMs } = await session.activity();
      return [state, sinceMs - startMs];
    };
    expect(await since()).toEqual(['running', 0]);
    await clock.advance(10);
    pty.output('host $ ');
    expect(await since()).toEqual(['at_prompt', 10]);
    await clock.advance(10);
    await session.sendText('make\r', {});
    await clock.advance(10);
    pty.output('make\r\n');
    expect(await since()).toEqual(['running', 20]);
    await clock.advance(10);
    pty.output(`${shellMark('C')}cc\r\n`);
    await clock.advance(10);
    pty.output('ld\r\n');
    expect(await since()).toEqual(['running', 40]);
    await clock.advance(10);
    pty.announceExit({ code: 0, signal: null });
    await clock.advance(10);
    expect(await since()).toEqual(['exited', 60]);
  });

  it.each([
    ['text at the left of the cursor', 'name? ', '', true],
    ['no text', 'name?\r\n', '', false],
    ['blanks', 'name?\r\n    ', '', false],
    ['a question with an answer', 'name? ', 'me', true],
    ['typed text alone', 'cat\r\n', 'me', false],
  ])('finds an unfinished line: %s', async (_, output, typed, unfinishedLine) => {
    const { session, pty } = fakeSession();
    pty.output(output);
    if (typed !== '') {
      await session.sendText(typed, {});
      pty.output(typed);
    }
    expect((await session.activity()).evidence.unfinishedLine).toBe(unfinishedLine);
  });

  it('returns although output never ends', async () => {
    const { session, pty } = fakeSession();
    pty.foreground = async () => {
      pty.output('y\r\n');
      return { ...foreground, readsTerminal: false };
    };
    expect(await session.activity()).toMatchObject({
      state: 'running',
      revision: session.revision,
    });
  });
});
