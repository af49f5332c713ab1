import { expect, it } from 'vitest';
import { ToolCommands } from './tool-commands.ts';

const call = (toolCallId: string, command?: string, more: object = {}) => ({
  sessionUpdate: 'tool_call_update',
  toolCallId,
  ...(command === undefined ? {} : { rawInput: { command } }),
  ...more,
});

it('a command belongs to the oldest tool call that runs it, once', () => {
  const commands = new ToolCommands();
  for (const id of ['a', 'b']) commands.see('1', call(id, 'make'));
  commands.see('1', call('c', 'make test'));
  expect(commands.take('make')).toMatchObject({ conversationId: '1', toolCallId: 'a' });
  expect(commands.take('make ')).toMatchObject({ toolCallId: 'b' });
  expect(commands.take('make')).toBeNull();
  expect(commands.take('make install')).toBeNull();
});

it('a tool call that has ended counts if no other runs the command: it may be in the background', () => {
  const commands = new ToolCommands();
  for (const id of ['a', 'b']) commands.see('1', call(id, 'make'));
  commands.see('1', call('a', undefined, { status: 'completed' }));
  expect(commands.take('make')).toMatchObject({ toolCallId: 'b', hasEnded: false });
  expect(commands.take('make')).toMatchObject({ toolCallId: 'a', hasEnded: true });
});

it('knows the newest hundred tool calls that have no session', () => {
  const commands = new ToolCommands();
  for (let id = 0; id <= 100; id++) commands.see('1', call(`${id}`, `make ${id}`));
  expect(commands.take('make 0')).toBeNull();
  expect(commands.take('make 1')).toMatchObject({ toolCallId: '1' });
});

it('knows whether the agent has shown something, and ignores what is not a command', () => {
  const commands = new ToolCommands();
  for (const update of [null, 'x', {}, call('a'), call('a', undefined, { rawInput: 3 })]) {
    commands.see('1', update);
  }
  commands.see('1', call('a', 'make', { content: [{}] }));
  commands.see('1', call('a', undefined, { status: 'in_progress' }));
  expect(commands.take('make')).toMatchObject({ hasContent: true });
});
