import { describe, expect, it } from 'vitest';
import { parsedArguments } from './tool-schema.ts';
import { createSession } from './tools/create-session.ts';
import { send } from './tools/send.ts';

describe('the arguments of a tool', () => {
  it.each([
    [
      { session_id: 'a', txt: 'x' },
      /there is no "txt"; did you mean text\?; it has session_id, text, /,
    ],
    [
      { session_id: 'a', read: { veiw: 'new' } },
      /read: there is no "veiw"; did you mean view\?; it has view, /,
    ],
    [
      { session_id: 'a', text: 'x', wait_for_prompt: true },
      /: "wait_for_prompt" is a field of read: give it there$/,
    ],
    [{ text: 'x' }, /: session_id: it is missing$/],
    [{ session_id: 'a', text: 'ab\ud83d' }, /text: \\ud83d at character 2 is half a character/],
    [
      { session_id: 'a', keys: ['a', '\ude00'] },
      /keys\.1: \\ude00 at character 0 is half a character/,
    ],
  ])('are refused: %j', (args, message) => {
    expect(() => parsedArguments(send, args)).toThrow(message);
  });

  it('may be one string for a list, and numbers and booleans in quotes', () => {
    const args = {
      session_id: 'a',
      keys: 'enter',
      ctrl: 'true',
      read: { wait_for: 'done', timeout_ms: '500', wait_for_exit: 'false' },
    };
    expect(parsedArguments(send, args)).toMatchObject({
      keys: ['enter'],
      ctrl: true,
      read: { wait_for: ['done'], timeout_ms: 500, wait_for_exit: false },
    });
    const sized = parsedArguments(createSession, { rows: '10', cols: '100' });
    expect(sized).toEqual({ rows: 10, cols: 100 });
    const words = { session_id: 'a', read: { timeout_ms: 'soon' } };
    expect(() => parsedArguments(send, words)).toThrow('read.timeout_ms');
  });

  it('may be a whole number for a text, unless it is typed: 1.0 is 1', () => {
    const answer = { session_id: 7, answer: 2, read: { wait_for: [404] } };
    expect(parsedArguments(send, answer)).toEqual({
      session_id: '7',
      answer: '2',
      read: { wait_for: ['404'] },
    });
    const refused = /: Invalid input: expected string, received number$/;
    expect(() => parsedArguments(send, { session_id: 'a', text: 1 })).toThrow(refused);
    expect(() => parsedArguments(send, { session_id: 'a', answer: 1.5 })).toThrow(refused);
  });

  it('are text otherwise', () => {
    const args = { session_id: 'a', text: '\ud83d\ude00 \ufffd' };
    expect(parsedArguments(send, args)).toEqual(args);
  });
});
