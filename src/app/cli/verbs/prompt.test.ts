import { expect, it } from 'vitest';
import { withoutComposer } from './prompt.ts';

const excerpt = (...lines: readonly string[]) => ({
  head: '',
  tail: lines.join('\n'),
  omitted: null,
  tokens: 0,
});

const rule = '─'.repeat(40);

it('the answer is between the prompt and the composer', () => {
  const screen = ['Banner', '', '❯ what is it?', '', '● Forty-two.', '', '✻ Worked for 2s', ''];
  const text = excerpt(...screen, rule, '❯ ', rule, '  auto mode on');
  expect(withoutComposer(text, 'what is it?').tail).toBe('● Forty-two.\n\n✻ Worked for 2s');
  expect(withoutComposer(text, 'first\nwhat is it?').tail).toContain('● Forty-two.');
});

it('a composer may have no frame, and a status may repeat the prompt', () => {
  const text = excerpt(
    '› what is it?',
    '',
    '• Forty-two.',
    '',
    '› Ask Codex',
    '',
    'x · what is it?',
  );
  expect(withoutComposer(text, 'what is it?').tail).toBe('• Forty-two.');
});

it('without a prompt and a composer, it is all that is new', () => {
  const text = excerpt('● Forty-two.', rule, 'a table');
  expect(withoutComposer(text, 'what is it?').tail).toBe(`● Forty-two.\n${rule}\na table`);
});
