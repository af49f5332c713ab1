import { expect, it, vi } from 'vitest';
import { type Coordinator, type Viewing, VtrError } from '#model';
import { sessionInfo } from '../../../../test/support/tui/overview-model.ts';
import { Keys } from '../keys.ts';
import { completeLine, runLine, wordsOf } from './command-line.ts';
import type { Scene } from './scene.ts';

/** The scene of the session `work`, and the calls of its coordinator. */
function scene() {
  const calls = { end: vi.fn(), remove: vi.fn(), revive: vi.fn(), info: vi.fn() };
  const verbs = {
    names: async () => ['ls', 'info', 'send'],
    complete: vi.fn(async () => ['--json', '--coordinator']),
    run: vi.fn(async (_words: readonly string[]) => ({ status: 0, out: '', err: '' })),
  };
  const session = { name: 'work', id: '1' };
  return {
    calls,
    verbs,
    scene: {
      session,
      viewing: null,
      receivers: ['ann', "Bo's phone"],
      wants: () => false,
      sessions: new Map([['1', sessionInfo('work', { id: '1', directory: '/src' })]]),
      size: { cols: 80, rows: 24 },
      coordinator: calls as unknown as Coordinator,
      link: { name: 'default', socket: '/run/vtr', connect: vi.fn(), responds: vi.fn() },
      last: null,
      group: null,
      copying: {
        buffer: { text: null },
        copyCommand: null,
        setClipboard: () => false,
        keys: new Keys(null),
      },
      verbs,
      ended: new AbortController().signal,
      lend: (use) => use(),
    } satisfies Scene,
  };
}

it.each([
  ['rm build', 'use rm or rm --force'],
  ['kill build', 'kill has no argument'],
  ['revive build', 'revive has no argument'],
  ['detach now', 'detach has no argument'],
  ['attach', 'use attach SESSION'],
  ['resize 80', 'use resize COLSxROWS'],
  ['give --to', 'use give --to NAME [NOTE]'],
  ['deatch', 'did you mean detach?'],
  ['constructor', 'no command "constructor"'],
])('the line %j is refused, and does nothing', async (line, message) => {
  const { scene: here, calls } = scene();
  await expect(runLine(line, here)).rejects.toThrow(message);
  for (const call of Object.values(calls)) expect(call).not.toHaveBeenCalled();
});

it.each([
  ['rm', 'remove', [{ keepsWork: true }]],
  ['rm --force', 'remove', [{}]],
  [' kill ', 'end', []],
] as const)('the line %j is for the session in view', async (line, method, more) => {
  const { scene: here, calls } = scene();
  await runLine(line, here);
  expect(calls[method]).toHaveBeenCalledWith(here.session, ...more);
});

it.each([
  ['give', {}],
  ['give all green', { note: 'all green' }],
  ['give --to ann', { to: 'ann' }],
  ['give --to=ann your turn', { to: 'ann', note: 'your turn' }],
  ['give --to "Bo\'s phone"  your "turn"', { to: "Bo's phone", note: 'your "turn"' }],
  ["give --to 'a b'", { to: 'a b' }],
  ['give --tonight', { note: '--tonight' }],
])('the line %j gives back, or hands over', async (line, request) => {
  const give = vi.fn();
  await runLine(line, { ...scene().scene, viewing: { give } as unknown as Viewing });
  expect(give).toHaveBeenCalledWith(request);
});

it('completes those to whom the session can be handed', async () => {
  const { scene: here } = scene();
  const words = async (line: string) => {
    const action = await completeLine(line, here);
    return action.type === 'completed' ? action.words : null;
  };
  expect(await words('give --')).toEqual(['--to']);
  expect(await words('give --to ')).toEqual(['"Bo\'s phone"', 'ann']);
  expect(await words('give --to an')).toEqual(['ann']);
});

it('asks before it removes a session whose worktree has work left', async () => {
  const { scene: here, calls } = scene();
  const message = 'session fix was not removed: its worktree /src/fix has 1 changed file\nsee: git';
  calls.remove.mockRejectedValueOnce(new VtrError('WORK_LEFT', message));
  expect(await runLine('rm', here)).toEqual({
    action: {
      type: 'question',
      question: 'remove only the session? its worktree /src/fix has 1 changed file',
      effect: { type: 'remove', anyway: true },
    },
  });
});

it('a verb of vtr runs for the session in view; more than a line has the window', async () => {
  const { scene: here, verbs } = scene();
  verbs.run.mockResolvedValueOnce({ status: 0, out: 'one\n', err: '' });
  expect(await runLine("send 'a b' --enter", here)).toEqual({ said: 'one' });
  const place = { socket: '/run/vtr', session: 'work', sessions: ['work'], signal: here.ended };
  expect(verbs.run).toHaveBeenCalledWith(['send', 'a b', '--enter'], place);
  verbs.run.mockResolvedValueOnce({ status: 2, out: 'one\n', err: 'two\n' });
  expect(await runLine('ls', here)).toEqual({
    action: { type: 'page', title: 'ls · status 2', lines: ['one', 'two'] },
  });
});

it.each([
  ['spawn api -- make', ['spawn', '--cwd', '/src', 'api', '--', 'make'], { said: 'started api' }],
  ['new --cwd /tmp api', ['new', '--detach', '--cwd', '/tmp', 'api'], null],
  ['new', ['new', '--detach', '--cwd', '/src'], null],
])('%s starts a session in the directory of the one in view', async (line, words, done) => {
  const { scene: here, calls, verbs } = scene();
  verbs.run.mockResolvedValueOnce({ status: 0, out: 'api\n', err: 'vtr: not passed: TOKEN\n' });
  calls.info.mockResolvedValueOnce({ name: 'api', id: '2' });
  const way = { way: { type: 'other', session: { name: 'api', id: '2' } } };
  expect(await runLine(line, here)).toEqual(done ?? way);
  expect(verbs.run.mock.calls[0]?.slice(0, 1)).toEqual([words]);
});

it('tells why a session could not be started', async () => {
  const { scene: here, verbs } = scene();
  verbs.run.mockResolvedValueOnce({ status: 5, out: '', err: 'vtr: session api exists\n' });
  await expect(runLine('new api', here)).rejects.toThrow('vtr: session api exists');
});

it.each([
  ['', []],
  ['a  b', ['a', 'b']],
  [`'a b' "c d"e`, ['a b', 'c de']],
  [`a\\ b '\\' "\\""`, ['a b', '\\', '"']],
  [`''`, ['']],
])('the words of %j', (line, words) => {
  expect(wordsOf(line)).toEqual(words);
});

it('a quote without an end is refused', () => {
  expect(() => wordsOf(`send 'a`)).toThrow("the quote ' has no end");
});

it.each([
  ['re', ['rename', 'resize', 'revive']],
  ['info --j', ['--json']],
  ['info ', ['--coordinator', '--json']],
  ['detach ', []],
  ['attach w', ['work']],
  ['new --co', ['--coordinator']],
])('%j goes on', async (line, words) => {
  const { scene: here } = scene();
  expect(await completeLine(line, here)).toEqual({ type: 'completed', line, words });
});
