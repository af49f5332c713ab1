import { expect, it } from 'vitest';
import { WatchedTerminal } from '../../../test/support/session/watched-terminal.ts';
import { questionOnScreen } from './question-on-screen.ts';

const hidden = '\x1b[?25l';

function questionAfter(output: string) {
  const watched = new WatchedTerminal({ cols: 80, rows: 24 });
  watched.output(output.replaceAll('\n', '\r\n'));
  const rows = watched.screenRows();
  const { cursor } = watched.terminal;
  return questionOnScreen({ rows, cells: (row) => watched.rowCells(row), cursor });
}

const divider = '─'.repeat(80);
const form = (rows: string) => `${hidden} ○ Asking user Waiting for response



${divider}
 Copilot needs information.
 Which landscape do you like best?

${rows}
${divider}`;

/** Dialogs of coding agents, as they were shown. */
it.each([
  [
    'Continue: choices that name their keys',
    `${hidden} ⠂⠄⡀  ( 1s • esc to interrupt )
╭──────────────────────────────────────────────────────────╮
│                                                          │
│  Bash(touch x)                                           │
│                                                          │
│  Would you like to continue?                             │
│                                                          │
│  Note: Dangerous commands will be blocked.               │
│                                                          │
│  > Continue (tab)                                        │
│    Continue + don't ask again (shift+tab)                │
│    No, and tell Continue what to do differently (esc)    │
│                                                          │
╰──────────────────────────────────────────────────────────╯
  ~/project  • Context: 1%          ◉ Continue CLI`,
    {
      title: 'Would you like to continue?',
      options: [
        'Continue (tab)',
        "Continue + don't ask again (shift+tab)",
        'No, and tell Continue what to do differently (esc)',
      ],
      selected: 0,
    },
  ],
  [
    'Kimi Code: the review of answers',
    `${hidden}
 ──────────────────────────────────────────────────────────────────────────────
  question

  (✓) Like   Submit

  Review your answer before submit

   Q  Which do you like best?
   →  Rivers

  Ready to submit your answers?

   → [1] Submit
     [2] Cancel

   ↑↓ select  1/2 choose  ↵ confirm  ←/→/tab switch  esc cancel
 ──────────────────────────────────────────────────────────────────────────────
 scripted  ~/project                       shift+enter: newline | ctrl+c: cancel
                                                         context: 1% (2/97.7k)`,
    {
      title: 'Ready to submit your answers?',
      options: ['[1] Submit', '[2] Cancel'],
      selected: 0,
    },
  ],
  [
    'Nanocoder: choices with signs',
    `${hidden}⚒ execute_bash
Command:
touch x


Do you want to execute tool "execute_bash"?

> ✓ Yes, execute this tool
  ✗ No, cancel execution

Press Escape to cancel`,
    {
      title: 'Do you want to execute tool "execute_bash"?',
      options: ['Yes, execute this tool', 'No, cancel execution'],
      selected: 0,
      multiple: false,
    },
  ],
  [
    'Copilot: choices to mark',
    form(` Landscapes:
 ❯ • Trees
   • Rivers
   • Other (type your answer)

 ↑/↓ select · space toggle · enter accept · ctrl+d decline · esc cancel`),
    {
      title: 'Which landscape do you like best?',
      options: ['Trees', 'Rivers', 'Other (type your answer)'],
      selected: 0,
      multiple: true,
      checked: [],
    },
  ],
  [
    'Copilot: choices of which one is marked',
    form(` Landscapes:
   ✓ Trees
 ❯ • Rivers
   • Other (type your answer)

 ↑/↓ select · space toggle · enter accept · ctrl+d decline · esc cancel`),
    {
      options: ['Trees', 'Rivers', 'Other (type your answer)'],
      selected: 1,
      multiple: true,
      checked: [0],
    },
  ],
  [
    'Copilot: a form without fields',
    form(' enter accept · ctrl+d decline · esc cancel'),
    {
      title: 'Which landscape do you like best?',
      options: ['enter accept', 'ctrl+d decline', 'esc cancel'],
      selected: null,
    },
  ],
] as const)('reads the menu of %s', (_what, output, expected) => {
  expect(questionAfter(output)?.menu).toMatchObject(expected);
});

it('has the same id while a sign turns above it, and another one for another command', () => {
  const idBelow = (row: string, command: string) =>
    questionAfter(`${hidden}${row}

 Approve tool call?
 run_commands
   $ ${command}

  [y] Approve   [n] Deny`)?.id;
  const id = idBelow('⠹ Thinking... (esc to cancel, 8s)', 'touch x');
  expect(id).toEqual(expect.any(String));
  expect(idBelow('⠏ Looking around... (esc to cancel, 12s)', 'touch x')).toBe(id);
  expect(idBelow('⠹ Thinking... (esc to cancel, 8s)', 'rm x')).not.toBe(id);
});

it('has the same id while the choice that was taken is marked', () => {
  const idOf = (pointed: string, taken: string) =>
    questionAfter(`${hidden}  ┃  Which do you like best?
  ┃
  ┃  ${pointed}
  ┃     Green ones
  ┃  \x1b[34m${taken}\x1b[m
  ┃     Long ones
  ┃
  ┃  ↑↓ select  enter submit  esc dismiss
  ┃`)?.id;
  const id = idOf('1. Trees', '2. Rivers');
  expect(id).toEqual(expect.any(String));
  expect(idOf('1. Trees', '2. Rivers ✓')).toBe(id);
  expect(idOf('1. Trees', '2. Lakes ✓')).not.toBe(id);
});

it('reads the field of a form of Copilot', () => {
  const fieldWith = (draft: string) => {
    const rows = form(` Name
 Of the branch
 ${'▄'.repeat(78)}
  ❯ ${draft}
 ${'▀'.repeat(78)}

 enter accept · ctrl+d decline · esc cancel`);
    return questionAfter(`${rows}\x1b[12;${5 + draft.length}H\x1b[?25h`);
  };
  const empty = fieldWith('');
  expect(empty).toMatchObject({
    question: 'Which landscape do you like best?',
    menu: null,
    by: 'text',
  });
  expect(fieldWith('fix-1')).toEqual(empty);
});
