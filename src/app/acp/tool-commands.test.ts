import { expect, it } from 'vitest';
import { type CommandCall, ToolCommands } from './tool-commands.ts';

const call = (toolCallId: string, command?: string, more: object = {}) => ({
  sessionUpdate: 'tool_call_update',
  toolCallId,
  ...(command === undefined ? {} : { rawInput: { command } }),
  ...more,
});

const opened = () => {
  const pairs: [string, string][] = [];
  const calls: CommandCall[] = [];
  const commands = new ToolCommands((each, session) => {
    calls.push(each);
    pairs.push([each.toolCallId, session]);
  });
  let count = 0;
  /** Returns the call that gets the session of a command; null if none does. */
  const take = (command: string): CommandCall | null => {
    const before = calls.length;
    commands.started(command, `s${++count}`);
    return calls[before] ?? null;
  };
  return { commands, pairs, take };
};

it('a command belongs to the oldest tool call that runs it, once', () => {
  const { commands, take } = opened();
  for (const id of ['a', 'b']) commands.see('1', call(id, 'make'));
  commands.see('1', call('c', 'make test'));
  expect(take('make')).toMatchObject({ conversationId: '1', toolCallId: 'a' });
  expect(take('make ')).toMatchObject({ toolCallId: 'b' });
  expect(take('make')).toBeNull();
  expect(take('make install')).toBeNull();
});

it('a tool call that has ended counts if no other runs the command: it may be in the background', () => {
  const { commands, take } = opened();
  for (const id of ['a', 'b']) commands.see('1', call(id, 'make'));
  commands.see('1', call('a', undefined, { status: 'completed' }));
  expect(take('make')).toMatchObject({ toolCallId: 'b', hasEnded: false });
  expect(take('make')).toMatchObject({ toolCallId: 'a', hasEnded: true });
});

it('knows the newest hundred tool calls that have no session', () => {
  const { commands, take } = opened();
  for (let id = 0; id <= 100; id++) commands.see('1', call(`${id}`, `make ${id}`));
  expect(take('make 0')).toBeNull();
  expect(take('make 1')).toMatchObject({ toolCallId: '1' });
});

it('knows whether the agent has shown something, and ignores what is not a command', () => {
  const { commands, take } = opened();
  for (const update of [null, 'x', {}, call('a'), call('a', undefined, { rawInput: 3 })]) {
    commands.see('1', update);
  }
  commands.see('1', call('a', 'make', { content: [{}] }));
  commands.see('1', call('a', undefined, { status: 'in_progress' }));
  expect(take('make')).toMatchObject({ hasContent: true });
});

it('a command may begin before its tool call is seen, but not end', () => {
  const { commands, pairs } = opened();
  for (const session of ['one', 'two', 'three']) commands.started('make', session);
  commands.ended('one');
  for (const id of ['a', 'b', 'c']) commands.see('1', call(id, ' make'));
  expect(pairs).toEqual([
    ['a', 'two'],
    ['b', 'three'],
  ]);
});
