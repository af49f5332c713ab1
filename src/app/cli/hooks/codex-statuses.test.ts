import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tree } from '../../../../test/support/tree.ts';
import { codexStatuses, statusesIn } from './codex-statuses.ts';

/** Lines as Codex 0.171 writes them, without what is not read. */
const callLine = (call_id: string, cmd: string) =>
  JSON.stringify({
    type: 'response_item',
    payload: {
      type: 'function_call',
      call_id,
      name: 'exec_command',
      arguments: JSON.stringify({ cmd }),
    },
  });
const outputLine = (call_id: string, head: string, output = '') =>
  JSON.stringify({
    type: 'response_item',
    payload: {
      type: 'function_call_output',
      call_id,
      output: `Chunk ID: df43bb\nWall time: 0.0000 seconds\n${head}\nOriginal token count: 1\nOutput:\n${output}`,
    },
  });
const exitHead = (code: number) => `Process exited with code ${code}`;

describe('the file of a conversation of Codex', () => {
  it('tells the status of each command that has ended', () => {
    const lines = [
      callLine('a', 'echo hi'),
      '{"type":"event_msg","payload":{"type":"token_count"}}',
      outputLine('a', exitHead(0), 'hi\n'),
      callLine('b', 'false'),
      outputLine('b', exitHead(1)),
      callLine('c', 'crash'),
      outputLine('c', exitHead(-1)),
    ];
    expect(statusesIn(lines.join('\n'))).toEqual([
      { line: 'echo hi', call: 'a', outcome: 'succeeded', exitCode: 0 },
      { line: 'false', call: 'b', outcome: 'failed', exitCode: 1 },
      { line: 'crash', call: 'c', outcome: 'failed' },
    ]);
  });

  it.each([
    [
      'a command that goes on',
      [callLine('a', 'x'), outputLine('a', 'Process running with session ID 7')],
    ],
    [
      'an output that quotes a status',
      [
        callLine('a', 'x'),
        outputLine('a', 'Process running with session ID 7', `${exitHead(0)}\n`),
      ],
    ],
    ['an output without its call', [outputLine('a', exitHead(0))]],
    ['a call without an output', [callLine('a', 'x')]],
    [
      'another tool',
      [
        '{"payload":{"type":"function_call","call_id":"a","arguments":"{}"}}',
        outputLine('a', exitHead(0)),
      ],
    ],
    [
      'a line that is cut',
      [callLine('a', 'x').slice(9), outputLine('a', exitHead(0)).slice(0, -9)],
    ],
    ['other values', ['{"payload":7,"x":"\\"function_call"}', 'null "function_call']],
  ])('tells no status of %s', (_about, lines) => {
    expect(statusesIn(lines.join('\n'))).toEqual([]);
  });

  it('is read from its end, if it is a file', async () => {
    const old = `${callLine('a', 'x')}\n${outputLine('a', exitHead(0))}\n`;
    const filler = `{"x":"${'y'.repeat(300_000)}"}\n`;
    const directory = tree({
      'c.jsonl': `${old}${filler}${callLine('b', 'z')}\n${outputLine('b', exitHead(2))}\n`,
      'c.txt': old,
    });
    expect(await codexStatuses(join(directory, 'c.jsonl'), 4)).toMatchObject([
      { call: 'b', exitCode: 2 },
    ]);
    expect(await codexStatuses(join(directory, 'c.txt'), 4)).toEqual([]);
    expect(await codexStatuses('c.jsonl', 4)).toEqual([]);
    await expect(codexStatuses(join(directory, 'none.jsonl'), 4)).rejects.toThrow('ENOENT');
  });
});
