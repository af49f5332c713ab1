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
