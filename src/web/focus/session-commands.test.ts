import { afterAll, describe, expect, it, vi } from 'vitest';

// The address of the page is read when the module is loaded.
vi.stubGlobal('location', { hash: '' });
vi.stubGlobal('addEventListener', () => {});
const { commandOfLine, inOrder, lineOf, statusOf, statusText } = await import(
  './session-commands.ts'
);
afterAll(() => {
  vi.unstubAllGlobals();
});

/** A command whose output has these lines; `to` is absent while it runs. */
const command = (number: number, from: number, to?: readonly [line: number, col: number]) => ({
  number,
  from: { line: String(from) },
  ...(to !== undefined && { to: { line: String(to[0]), col: to[1] } }),
});

describe('[S3.32] the command of a line', () => {
  // Typed in line 9, with output in 10 to 14; in 20, with an open end in 30; in 40, and it runs.
  const commands = [command(3, 41), command(2, 21, [30, 4]), command(1, 10, [15, 0])];

  it.each([
    [8, null],
    [9, null],
    [10, 1],
    [14, 1],
    [15, null],
    [20, null],
    [21, 2],
    [30, 2],
    [31, null],
    [40, null],
    [5_000, 3],
  ])('%s is that of %s', (line, number) => {
    expect(commandOfLine(commands, line)?.number ?? null).toBe(number);
  });

  it('is none on the alternate screen', () => {
    expect(lineOf({ number: 1, from: {} })).toBe(null);
    expect(commandOfLine([{ number: 1, from: {} }], 5)).toBe(null);
  });
});

it.each([
  [{ exitCode: 0 }, 'good', '0'],
  [{ exitCode: 130 }, 'bad', '130'],
  [{}, 'unknown', '?'],
  [{ state: 'COMMAND_STATE_RUNNING' }, 'running', '…'],
] as const)('[S3.32] %j is %s', (command, status, text) => {
  expect([statusOf(command), statusText(command)]).toEqual([status, text]);
});

describe('what a coding agent ran', () => {
  const at = (second: number) => `2026-01-01T00:00:0${second}Z`;
  const agent = 'claude';

  it('is among the commands of the shell in the order of their beginnings, newest first', () => {
    const shell = [
      { number: 2, startedAt: at(5) },
      { number: 1, startedAt: at(1) },
    ];
    const ran = [
      { number: 1, agent, line: 'make', startedAt: at(2) },
      { number: 2, agent, line: 'ls', endedAt: at(7) },
    ];
    const all = inOrder(shell, ran);
    expect(all.map(({ number, byAgent }) => [byAgent?.agent, number])).toEqual([
      [agent, 2],
      [undefined, 2],
      [agent, 1],
      [undefined, 1],
    ]);
    expect(inOrder(shell, [])).toBe(shell);
  });

  it.each([
    ['RUNNING', undefined, 'running', '…'],
    ['ASKS', undefined, 'running', 'asks'],
    ['SUCCEEDED', 0, 'good', '0'],
    ['SUCCEEDED', undefined, 'good', 'ok'],
    ['FAILED', 2, 'bad', '2'],
    ['FAILED', undefined, 'bad', 'failed'],
    ['UNKNOWN', undefined, 'unknown', '?'],
    ['OF_A_LATER_VERSION', undefined, 'unknown', '?'],
  ] as const)('%s with the exit status %s is %s', (word, exitCode, status, text) => {
    const ran = { number: 1, agent, status: `AGENT_COMMAND_STATUS_${word}` as never };
    const [command = {}] = inOrder([], [exitCode === undefined ? ran : { ...ran, exitCode }]);
    expect([statusOf(command), statusText(command)]).toEqual([status, text]);
  });

  it('is shown above the cursor of its agent', () => {
    const [command = {}] = inOrder([], [{ number: 1, from: { line: '30' } }]);
    expect(lineOf(command)).toBe(22);
  });
});
