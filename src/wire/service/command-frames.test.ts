import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  CommandAnswer,
  type CommandRequest,
  commandPreface,
  encodeCommand,
  maxCommandBytes,
  readCommand,
} from './command-frames.ts';

const texts = (...all: readonly string[]): Buffer =>
  Buffer.from(all.map((each) => `${each}\0`).join(''));

/** What encodeCommand returns, without its head. */
function requestOf(request: CommandRequest): Buffer | null {
  const bytes = encodeCommand(request);
  if (bytes === null) return null;
  expect(bytes.toString('latin1', 0, commandPreface.length)).toBe(commandPreface);
  expect(bytes.readUInt32LE(commandPreface.length)).toBe(bytes.length - commandPreface.length - 4);
  return bytes.subarray(commandPreface.length + 4);
}

const text = fc.string({ unit: 'grapheme' }).filter((each) => !/[\0\ufffd]/.test(each));

const request: fc.Arbitrary<CommandRequest> = fc.record({
  words: fc.array(text),
  cwd: text.map((path) => `/${path}`),
  env: fc
    .dictionary(
      text.filter((name) => name !== '' && !name.includes('=')),
      text,
    )
    .map((env) => Object.assign(Object.create(null), env)),
  isTerminal: fc.boolean(),
  columns: fc.option(fc.integer({ min: 1, max: 9999 })),
  sharesOutput: fc.boolean(),
  ppid: fc.nat(),
  program: fc.option(fc.stringMatching(/^[\d.-]{1,100}$/)),
});

describe('the request of a command', () => {
  it('is read as it was sent', () => {
    fc.assert(
      fc.property(request, (each) => {
        const columns = each.isTerminal ? each.columns : null;
        expect(readCommand(requestOf(each) ?? Buffer.alloc(0))).toEqual({ ...each, columns });
      }),
    );
  });

  it('has a longest length', () => {
    const command = readCommand(texts('0 0 0 1', '/', '0')) as CommandRequest;
    expect(requestOf({ ...command, env: { A: 'x'.repeat(maxCommandBytes - 30) } })).not.toBeNull();
    expect(requestOf({ ...command, env: { A: 'x'.repeat(maxCommandBytes) } })).toBeNull();
  });

  it('is read from any bytes, or is none', () => {
    const part = fc.oneof(
      fc.constantFrom('1 80 0 1', '0 0 0 1 2-3', '/', '1', '2', 'ls', 'A=b', '=', ''),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.array(part), fc.uint8Array({ maxLength: 4 }), (parts, tail) => {
        const command = readCommand(Buffer.concat([texts(...parts), tail]));
        if (command === null) return;
        expect(command.cwd.startsWith('/')).toBe(true);
        expect(command.words).toHaveLength(Number(parts[2]));
      }),
    );
  });
});

describe('the answer to a command', () => {
  const bytes = Buffer.from('o\x03\0\0\0onee\0\0\0\0x\x01\0\0\0\x07', 'latin1');
  const parts = [
    { file: 1, bytes: Buffer.from('one') },
    { file: 2, bytes: Buffer.alloc(0) },
    { status: 7 },
  ];

  it('is read in any pieces', () => {
    for (let cut = 0; cut <= bytes.length; cut++) {
      const answer = new CommandAnswer();
      const both = [bytes.subarray(0, cut), bytes.subarray(cut)];
      expect(both.flatMap((each) => answer.add(each))).toEqual(parts);
    }
  });

  it.each([
    ['n\0\0\0\0', ['refused']],
    ['HTTP/1.1 400 Bad Request\r\n\r\n', null],
    ['x\0\0\0\0', null],
    ['o\x01\0\x01\0', null],
  ])('%j', (answer, expected) => {
    expect(new CommandAnswer().add(Buffer.from(answer, 'latin1'))).toEqual(expected);
  });
});
