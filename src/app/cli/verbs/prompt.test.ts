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

it('rows with nothing but the bar of a box are no part of it', () => {
  const text = excerpt('  ┃', '  ┃  what is it?', '  ┃', '', '     Forty-two.', '      ┃');
  expect(withoutComposer(text, 'what is it?').tail).toBe('Forty-two.');
});

it('without a prompt and a composer, it is all that is new', () => {
  const text = excerpt('● Forty-two.', rule, 'a table');
  expect(withoutComposer(text, 'what is it?').tail).toBe(`● Forty-two.\n${rule}\na table`);
});

it.each(['22:17', '10:17 PM', '22:17   ┃'])(
  'is what is below a prompt in a box with its time %s, also where the composer is not new',
  (time) => {
    const screen = [
      ' ▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄',
      `  ❯ what is it?               ${time}`,
      ' ▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀',
      ' ● Forty-two.',
    ];
    expect(withoutComposer(excerpt(...screen), 'what is it?').tail).toBe('● Forty-two.');
    const dated = screen.map((row) => row.replace('it?', 'it at 9:30?'));
    const answer = withoutComposer(excerpt(...dated), 'what is it at 9:30?').tail;
    expect(answer).toBe('● Forty-two.');
  },
);
