import { describe, expect, it } from 'vitest';
import type { WaitRequest, WaitResult } from '#model';
import { markNow, waitFor } from '#watch';
import { WatchedTerminal } from '../../../test/support/session/watched-terminal.ts';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';

/** Returns the result of a wait on a screen of 20x4 that shows `before`. */
async function waitIn(
  request: WaitRequest,
  pieces: readonly string[],
  before = '',
): Promise<WaitResult> {
  const clock = new VirtualClock();
  const watched = new WatchedTerminal();
  if (before !== '') watched.output(before);
  const result = waitFor(watched, { timeoutMs: 1_000, ...request }, clock);
  for (const piece of pieces) watched.output(piece);
  clock.advance(1_000);
  return result;
}

describe('a wait', () => {
  it.each<[string, WaitRequest, readonly string[], Partial<WaitResult>]>([
    [
      'returns the pattern that matched, and its groups',
      { match: ['nothing', '(\\w+)=(\\d+)(x)?'] },
      ['port=80\r\n'],
      {
        outcome: 'matched',
        pattern: { of: 'match', index: 1, source: '(\\w+)=(\\d+)(x)?' },
        match: { line: 0, text: 'port=80', matched: 'port=80', groups: ['port', '80', null] },
      },
    ],
    [
      'stops, even if both match at once',
      { match: ['done'], stop: ['error'] },
      ['done\r\nerror\r\n'],
      { outcome: 'stopped', pattern: { of: 'stop', index: 0, source: 'error' } },
    ],
    [
      'matches output before a stop',
      { match: ['a'], stop: ['b'] },
      ['a', 'b'],
      { outcome: 'matched' },
    ],
    [
      'matches raw output',
      { match: ['\\x1b\\[31m'], raw: true },
      ['\x1b[3', '1mred'],
      {
        outcome: 'matched',
        match: { line: null, text: '\x1b[31mred', matched: '\x1b[31m', groups: [] },
      },
    ],
    [
      'stops by raw output',
      { stop: ['\\[31m'], raw: true },
      ['\x1b[31mred'],
      { outcome: 'stopped' },
    ],
    ['ends with the bell', { bell: true }, ['\x07'], { outcome: 'bell' }],
    [
      'ends with a title that matches',
      { title: '^done' },
      ['\x1b]2;busy\x07', '\x1b]2;done: 0\x07'],
      { outcome: 'title', pattern: { of: 'title', index: 0, source: '^done' } },
    ],
    [
      'recognises a prompt by the default pattern, once it stays',
      { prompt: true },
      ['50 $', '\r\nuser$ '],
      { outcome: 'prompt', elapsedMs: 100 },
    ],
    [
      'recognises a prompt by a given pattern',
      { prompt: true, promptPattern: 'mysql> $' },
      ['mysql> '],
      { outcome: 'prompt' },
    ],
    [
      'ignores a prompt that more output follows',
      { prompt: true },
      ['cost $', ' 5', ''],
      { outcome: 'timed_out' },
    ],
  ])('%s', async (_what, request, pieces, result) => {
    expect(await waitIn(request, pieces)).toMatchObject(result);
  });

  it.each<[string, string, WaitRequest]>([
    ['the screen matches already', 'old\r\nready', { screen: ['^ready$'] }],
    ['the alternate screen matches already', '\x1b[?1049h\x1b[2;1Hready', { screen: ['ready'] }],
    ['an empty prompt is shown', 'user$ ', { prompt: true }],
  ])('ends without output if %s', async (_what, before, request) => {
    expect((await waitIn(request, [], before)).outcome).toMatch(/matched|prompt/);
  });

  it('ignores a prompt at which text was typed, even before it is echoed', async () => {
    const clock = new VirtualClock();
    const watched = new WatchedTerminal();
    watched.output('user$ ');
    watched.lastInputAt = watched.outputEnd;
    const result = waitFor(watched, { prompt: true }, clock);
    clock.advance(1_000);
    watched.output('make\r\n');
    clock.advance(1_000);
    watched.output('user$ ');
    clock.advance(1_000);
    expect(await result).toMatchObject({ outcome: 'prompt', elapsedMs: 2_100 });
  });

  it('returns the output since it began, within a budget, and a mark', async () => {
    const clock = new VirtualClock();
    const watched = new WatchedTerminal();
    watched.output('before\r\n');
    const result = waitFor(watched, { match: ['3'], tail: { maxLines: 2 } }, clock);
    watched.output('1\r\n2\r\n3\r\n');
    expect(await result).toMatchObject({
      output: { tail: '2\n3', omitted: { lines: 1, bytes: 2, fromLine: 1, toLine: 2 } },
      mark: markNow(watched),
    });
  });

  it('waits for several conditions, or for the exit alone', async () => {
    const clock = new VirtualClock();
    const watched = new WatchedTerminal();
    const any = waitFor(watched, { match: ['x'], quietMs: 50, bell: true }, clock);
    const exit = waitFor(watched, {}, clock);
    clock.advance(50);
    expect((await any).outcome).toBe('idle');
    watched.output('x');
    watched.exit({ code: 3, signal: null });
    expect(await exit).toMatchObject({ outcome: 'exited', exitStatus: { code: 3, signal: null } });
  });

  it.each<[string, WaitRequest, string]>([
    ['an invalid pattern', { match: ['('] }, 'INVALID_PATTERN'],
    ['an invalid stop', { stop: ['['] }, 'INVALID_PATTERN'],
    ['an invalid ignore', { quietMs: 1, ignore: ['['] }, 'INVALID_PATTERN'],
    ['an empty pattern', { match: [''] }, 'INVALID_PATTERN'],
    ['an empty stop', { stop: ['x', ''] }, 'INVALID_PATTERN'],
    ['an empty screen', { screen: [''] }, 'INVALID_PATTERN'],
    ['an empty title', { title: '' }, 'INVALID_PATTERN'],
    ['an empty prompt pattern', { prompt: true, promptPattern: '' }, 'INVALID_PATTERN'],
    ['an invalid mark', { since: 'x' }, 'INVALID_MARK'],
    ['an invalid budget', { tail: { maxLines: -1 } }, 'INVALID_ARGUMENT'],
    ['too many patterns', { match: Array(65).fill('x') }, 'INVALID_ARGUMENT'],
  ])('rejects %s synchronously', (_what, request, code) => {
    const watched = new WatchedTerminal();
    expect(() => waitFor(watched, request, new VirtualClock())).toThrow(
      expect.objectContaining({ code }),
    );
    expect(watched.listenerCount).toBe(0);
  });
});

describe('a wait since a mark', () => {
  /** The wait begins after all output has arrived. */
  async function waitAfter(request: WaitRequest, before: string, after: string) {
    const watched = new WatchedTerminal();
    watched.output(before);
    const since = markNow(watched);
    watched.output(after);
    const clock = new VirtualClock();
    const result = waitFor(watched, { since, timeoutMs: 10, ...request }, clock);
    clock.advance(1_000);
    return result;
  }

  it.each<[string, WaitRequest, string, string, string]>([
    ['finds output from before the call', { match: ['b'] }, 'a\r\n', 'b\r\nc', 'matched'],
    [
      'finds text that has scrolled away',
      { match: ['^b$'] },
      'a\r\n',
      `b${'\r\nc'.repeat(50)}`,
      'matched',
    ],
    ['does not find output from before the mark', { match: ['a'] }, 'a', 'b\r\n', 'timed_out'],
    ['finds new text on an old line', { match: ['^ab$'] }, 'a', 'b', 'matched'],
    [
      'stops by output from before the call',
      { match: ['b'], stop: ['c'] },
      '',
      'b\r\nc',
      'stopped',
    ],
    ['finds raw output', { match: ['\\x1b\\[1m'], raw: true }, '', '\x1b[1mx', 'matched'],
    [
      'finds no raw output before it',
      { match: ['\\x1b\\[1m'], raw: true },
      '\x1b[1mx',
      'y',
      'timed_out',
    ],
    ['finds the alternate screen', { match: ['menu'] }, '', '\x1b[?1049hmenu', 'matched'],
  ])('%s', async (_what, request, before, after, outcome) => {
    expect((await waitAfter(request, before, after)).outcome).toBe(outcome);
  });

  it('finds output from before the exit, then the exit', async () => {
    const watched = new WatchedTerminal();
    const since = markNow(watched);
    watched.output('bye\r\n');
    watched.exit();
    const result = await waitFor(watched, { since, match: ['bye'] }, new VirtualClock());
    expect(result.outcome).toBe('matched');
    const ended = await waitFor(watched, { since, match: ['other'] }, new VirtualClock());
    expect(ended).toMatchObject({ outcome: 'exited', output: { tail: 'bye' } });
  });
});
