import { expect, it } from 'vitest';
import { type Menu, menuText } from '#model';
import { WatchedTerminal } from '../../../test/support/session/watched-terminal.ts';
import { questionOnScreen } from './question-on-screen.ts';

const hidden = '\x1b[?25l';
const size = { cols: 80, rows: 24 };

/** Returns what a screen asks after this output. */
function questionAfter(output: string) {
  const watched = new WatchedTerminal(size);
  watched.output(output.replaceAll('\n', '\r\n'));
  const rows = watched.screenRows();
  const { cursor } = watched.terminal;
  return questionOnScreen({ rows, cells: (row) => watched.rowCells(row), cursor });
}

const at = (row: number, col: number, text: string) => `\x1b[${row};${col}H${text}`;
const box = (text: string) => `\x1b[30;47m${text}\x1b[44m`;
const page = '\x1b[44m\x1b[2J';

type Expected = Partial<Menu> & Pick<Menu, 'title' | 'options'>;

/** Screens of real programs: what they show, and what a person sees. */
const menus: readonly (readonly [what: string, output: string, expected: Expected])[] = [
  [
    'Droid: choices that fill the box above their keys',
    `${hidden}Why: it runs
╭────────────────────────────────╮
│\x1b[1;38;2;238;238;238m  Yes, allow\x1b[m                    │
│\x1b[38;2;118;118;118m  Yes, and always allow\x1b[m         │
│\x1b[38;2;118;118;118m  No, cancel\x1b[m                    │
╰────────────────────────────────╯
  ↑↓ navigate   Enter select   Esc cancel   Alt/Option+E to inspect approval details`,
    { title: 'Why: it runs', options: ['Yes, allow', 'Yes, and always allow', 'No, cancel'] },
  ],
  [
    'Qwen Code: a permission beside its scroll bar',
    `${hidden} Allow execution of: 'touch'?             █
                                          █
 › 1. Yes                                 █
   2. No                                  █`,
    { title: "Allow execution of: 'touch'?", options: ['1. Yes', '2. No'] },
  ],
  [
    'Claude Code: a permission',
    `${hidden}● Making a file
────────────────────────
 Bash command
╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌
 touch x
╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌
 Do you want to proceed?
 ❯ 1. Yes
   2. Yes, and always allow access to
      /tmp from this project
   3. No

 Esc to cancel · Tab to amend`,
    {
      title: 'Do you want to proceed?',
      options: ['1. Yes', '2. Yes, and always allow access to /tmp from this project', '3. No'],
      selected: 0,
      keys: 'Esc to cancel · Tab to amend',
    },
  ],
  [
    'Claude Code: trust, without numbers',
    `${hidden} Quick check: Is this a project you created or one you trust? (Like your own
 code). If not, look first.

 ❯ No, exit
   Yes, I trust this folder

 Enter to confirm · Esc to cancel`,
    {
      title: 'Quick check: Is this a project you created or one you trust?',
      options: ['No, exit', 'Yes, I trust this folder'],
      selected: 0,
    },
  ],
  [
    'Claude Code: a question with descriptions and a divider',
    `${hidden} ☐ Language

Which language do you want?

  1. TypeScript
     with types
❯ 2. Python
     without
  3. Type something.
────────────────────────
  4. Chat about this

Enter to select · ↑/↓ to navigate · Esc to cancel`,
    {
      title: 'Which language do you want?',
      options: [
        '1. TypeScript with types',
        '2. Python without',
        '3. Type something.',
        '4. Chat about this',
      ],
      selected: 1,
    },
  ],
  [
    'Codex: a command',
    `${hidden}• Running touch x


  Would you like to run the following command?

  Reason: Do you want to allow a file outside?

  $ touch x

› 1. Yes, proceed (y)
  2. No, and tell Codex what to do differently (esc)

  Press enter to confirm or esc to cancel`,
    {
      title: 'Would you like to run the following command?',
      options: ['1. Yes, proceed (y)', '2. No, and tell Codex what to do differently (esc)'],
      selected: 0,
    },
  ],
  [
    'Gemini CLI: a permission, pointed at by a mark',
    `${hidden}╭──────────────────────────────────────╮
│ ? Shell  touch x                     │
│ ╭──────────────────────────────────╮ │
│ │ touch x                          │ │
│ ╰──────────────────────────────────╯ │
│ Allow execution of [Shell]?          │
│                                      │
│ ● 1. Allow once                      │
│   2. Allow for this session          │
│   3. No, suggest changes (esc)       │
╰──────────────────────────────────────╯`,
    {
      title: 'Allow execution of [Shell]?',
      options: ['1. Allow once', '2. Allow for this session', '3. No, suggest changes (esc)'],
      selected: 0,
    },
  ],
  [
    'pi: a menu between dividers, over its status',
    `${hidden} ⠦ Working...

────────────────────────

 Allow?

 → Yes
   No

 ↑↓ navigate  enter select  escape/ctrl+c cancel

────────────────────────
/tmp/demo (main)
↑90 ↓9 0.1%/128k (auto)`,
    { title: 'Allow?', options: ['Yes', 'No'], selected: 0 },
  ],
  [
    'OpenCode: choices beside one another',
    `${hidden}  ┃
  ┃  △ Permission required
  ┃    ← Access external directory /tmp
  ┃
  ┃   \x1b[7mAllow once\x1b[m   Allow always   Reject        ctrl+f fullscreen  ⇆ select  enter confirm
  ┃`,
    {
      title: 'Permission required',
      options: ['Allow once', 'Allow always', 'Reject'],
      selected: 0,
    },
  ],
  [
    'Cline: keys with letters',
    `${hidden} Approve tool call?

   $ touch marker

  [y] Approve   [n] Deny`,
    { title: 'Approve tool call?', options: ['[y] Approve', '[n] Deny'], selected: null },
  ],
  [
    'Kimi Code: trust, each choice with a description, and the keys above them',
    `${hidden}────────────────────────
  Trust this folder?
  ↑↓ navigate · Enter select · Esc exit

  /srv/project

   ❯ Trust this folder
     \x1b[90mEnable its servers.\x1b[m

     Don't trust
     \x1b[90mExit. Asked again next launch.\x1b[m

────────────────────────`,
    {
      title: 'Trust this folder?',
      options: [
        'Trust this folder Enable its servers.',
        "Don't trust Exit. Asked again next launch.",
      ],
      selected: 0,
      keys: '↑↓ navigate · Enter select · Esc exit',
    },
  ],
  [
    'Claude Code: a choice by keys, under a title',
    `${hidden}● Making a file
  ⎿  $ touch x
────────────────────────
  Auto mode can't check actions in this session

  Its check runs on the server. Is it there?

  You can stay in auto mode and approve each action yourself.

  Enter to stay in auto mode · shift+Tab to leave for accept edits mode and
  stop · Esc to cancel`,
    {
      title: "Auto mode can't check actions in this session",
      options: [
        'Enter to stay in auto mode',
        'shift+Tab to leave for accept edits mode and stop',
        'Esc to cancel',
      ],
      selected: null,
    },
  ],
  [
    'Cline: an offer in a box of its own colour over the composer',
    `${hidden}            @@@@@@

        Try the plan

        It is a plan to get access to
        models at much lower cost.
     U                                   u
        https://example.org/dashboard?
  ────                                   ────
  ❯ Wh   Open the plan
  ────                                   ────
        Press Enter to open, any other key to close
   dem                                   ab)`,
    {
      title: 'Try the plan',
      options: ['Press Enter to open', 'any other key to close'],
      selected: null,
    },
  ],
  [
    'Kilo: why a permission is rejected',
    `${hidden}  ┃
  ┃  △ Reject permission
  ┃  Tell Kilo what to do differently
  ┃
  ┃
  ┃                                       enter confirm  esc cancel
  ┃`,
    {
      title: 'Reject permission',
      options: ['enter confirm', 'esc cancel'],
      selected: null,
    },
  ],
  [
    '@inquirer select, with a choice that cannot be taken',
    `${hidden}? Pick a framework
  Red
❯ Green
- Blue (disabled)
  Grey

↑↓ navigate • ⏎ select`,
    {
      title: 'Pick a framework',
      options: ['Red', 'Green', 'Blue (disabled)', 'Grey'],
      selected: 1,
    },
  ],
  [
    '@inquirer select, with a description',
    `${hidden}? Pick a framework
  Red
❯ Green
  Blue

The Green
↑↓ navigate • ⏎ select`,
    {
      title: 'Pick a framework',
      options: ['Red', 'Green', 'Blue'],
      selected: 1,
      keys: '↑↓ navigate • ⏎ select',
    },
  ],
  [
    '@inquirer checkbox',
    `${hidden}? Which features?
❯◯ Red
 ◉ Green
 ◯ Blue

↑↓ navigate • space select • a all • i invert • ⏎ submit`,
    {
      title: 'Which features?',
      options: ['Red', 'Green', 'Blue'],
      selected: 0,
      multiple: true,
      checked: [1],
    },
  ],
  [
    '@inquirer rawlist',
    `? Pick one
  1) Red
  2) Green\x1b[1;12H`,
    { title: 'Pick one', options: ['1) Red', '2) Green'], selected: null },
  ],
  [
    '@clack select',
    `${hidden}┌  create-app
│
◆  Pick a framework
│  ○ Red
│  ● Green
│  ↑/↓ to navigate • Enter: confirm
└`,
    { title: 'Pick a framework', options: ['Red', 'Green'], selected: 1 },
  ],
  [
    '@clack multiselect, whose pointer is a style',
    `${hidden}◆  Which features?
│  \x1b[36m◻\x1b[m Red
│  \x1b[32m◼\x1b[m \x1b[2mGreen\x1b[m
│  \x1b[2m◻ Blue\x1b[m
│  ↑/↓ to navigate • Space: select • Enter: confirm
└`,
    {
      title: 'Which features?',
      options: ['Red', 'Green', 'Blue'],
      selected: 0,
      multiple: true,
      checked: [1],
    },
  ],
  [
    '@clack selectKey, whose choices have keys',
    `${hidden}│
◆  Pick
│  \x1b[46;90m a \x1b[m Apple
│  \x1b[90;47;7m b \x1b[m Banana
└`,
    { title: 'Pick', options: ['a Apple', 'b Banana'], selected: null },
  ],
  [
    '@clack confirm',
    `${hidden}◆  Continue?
│  ○ Yes / ● No
└`,
    { title: 'Continue?', options: ['Yes', 'No'], selected: 1 },
  ],
  [
    'prompts select',
    `${hidden}? Pick a color › - Use arrow-keys. Return to submit.
❯   \x1b[4;36mRed\x1b[m - The Red
    Green`,
    {
      title: 'Pick a color',
      options: ['Red - The Red', 'Green'],
      selected: 0,
      keys: 'Use arrow-keys. Return to submit.',
    },
  ],
  [
    'prompts toggle',
    `${hidden}? Use it? › \x1b[4;36mno\x1b[m / yes`,
    { title: 'Use it?', options: ['no', 'yes'], selected: 0 },
  ],
  [
    'enquirer select',
    `${hidden}? Pick a flavor …
  Red
▸ \x1b[4;36mGreen\x1b[m`,
    { title: 'Pick a flavor', options: ['Red', 'Green'], selected: 1 },
  ],
  [
    'enquirer multiselect, whose choices only their colours tell',
    `${hidden}? Pick flavors …
✔ \x1b[4;36mRed\x1b[m
✔ Green
✔ Blue`,
    { title: 'Pick flavors', options: ['Red', 'Green', 'Blue'], selected: 0, multiple: true },
  ],
  [
    'enquirer multiselect, in its colours',
    `${hidden}? Pick flavors …
\x1b[2;90m✔\x1b[m Red
\x1b[32m✔\x1b[m \x1b[4;36mGreen\x1b[m
\x1b[2;90m✔\x1b[m Blue`,
    {
      title: 'Pick flavors',
      options: ['Red', 'Green', 'Blue'],
      selected: 1,
      multiple: true,
      checked: [1],
    },
  ],
  [
    'enquirer sort, whose pointer is a style',
    `${hidden}? Sort them …  (Use <shift>+<up/down> to sort)
  \x1b[4;36mRed\x1b[m
  Green
  Blue${at(1, 48, '')}`,
    { title: 'Sort them', options: ['Red', 'Green', 'Blue'], selected: 0 },
  ],
  [
    'enquirer autocomplete, whose pointer is a style',
    `? Find a flavor …
  Red
  \x1b[4;36mGreen\x1b[m
  Blue${at(1, 19, '')}`,
    { title: 'Find a flavor', options: ['Red', 'Green', 'Blue'], selected: 1 },
  ],
  [
    'prompts multiselect, with its instructions',
    `${hidden}? Pick colors ›
Instructions:
    ↑/↓: Highlight option
    ←/→/[space]: Toggle selection
    a: Toggle all
    enter/return: Complete answer
◯   Red
\x1b[32m◉\x1b[m   \x1b[4;36mGreen\x1b[m
◯   Blue`,
    {
      title: 'Pick colors',
      options: ['Red', 'Green', 'Blue'],
      selected: 1,
      multiple: true,
      checked: [1],
      keys: '↑/↓: Highlight option ←/→/[space]: Toggle selection enter/return: Complete answer',
    },
  ],
  [
    'dialog --menu',
    `${page}${at(4, 10, box('┌───────Settings────────┐'))}${at(5, 10, box('│ Choose one:           │'))}${at(6, 10, box('│ ┌───────────────────┐ │'))}${at(7, 10, box('│ │   1  First thing  │ │'))}${at(8, 10, box('│ │   '))}\x1b[1;44m2${box('  ')}\x1b[1;44mSecond one${box('  │ │')}${at(9, 10, box('│ └───────────────────┘ │'))}${at(10, 10, box('├───────────────────────┤'))}${at(11, 10, box('│  '))}\x1b[1;44m<  OK  >${box('  <Cancel>   │')}${at(12, 10, box('└───────────────────────┘'))}${at(8, 16, '')}`,
    {
      title: 'Choose one:',
      options: ['1 First thing', '2 Second one'],
      selected: 1,
      keys: '< OK > <Cancel>',
    },
  ],
  [
    'dialog --ascii-lines',
    `${page}${at(4, 10, box('+----------------------+'))}${at(5, 10, box('| Really delete it?    |'))}${at(6, 10, box('+----------------------+'))}${at(7, 10, box('|  < Yes >  '))}\x1b[1;44m< No  >${box('    |')}${at(8, 10, box('+----------------------+'))}`,
    { title: 'Really delete it?', options: ['Yes', 'No'], selected: 1 },
  ],
  [
    'dialog --yesno',
    `${page}${at(4, 10, box('┌──────────────────────┐'))}${at(5, 10, box('│ Really delete it?    │'))}${at(6, 10, box('├──────────────────────┤'))}${at(7, 10, box('│  < Yes >  '))}\x1b[1;44m< No  >${box('    │')}${at(8, 10, box('└──────────────────────┘'))}`,
    { title: 'Really delete it?', options: ['Yes', 'No'], selected: 1 },
  ],
  [
    'whiptail --checklist',
    `${hidden}${page}${at(4, 10, box('┌───────┤ Main ├───────┐'))}${at(5, 10, box('│ Which?               │'))}${at(6, 10, box('│                      │'))}${at(7, 10, box('│  [*] a  Apples       │'))}${at(8, 10, box('│  '))}\x1b[41m[ ] b  Pears${box('        │')}${at(9, 10, box('│                      │'))}${at(10, 10, box('│   <Ok>    <Cancel>   │'))}${at(11, 10, box('└──────────────────────┘'))}`,
    {
      title: 'Which?',
      options: ['a Apples', 'b Pears'],
      selected: 1,
      multiple: true,
      checked: [0],
    },
  ],
  [
    'fzf, from the bottom up',
    `${at(20, 1, '  gamma')}${at(21, 1, '▌ beta')}${at(22, 1, '  2/3 ──────────')}${at(23, 1, 'File> a')}`,
    { title: 'File> a', options: ['gamma', 'beta'], selected: 1 },
  ],
  [
    'select of bash, in columns',
    `1) red     3) blue
2) green   4) black
Your choice: `,
    {
      title: 'Your choice:',
      options: ['1) red', '2) green', '3) blue', '4) black'],
      selected: null,
    },
  ],
  [
    'select of bash without a prompt of its own',
    `Pick a color:
1) red
2) green
#? `,
    { title: 'Pick a color:', options: ['1) red', '2) green'], selected: null },
  ],
];

it.each(menus)('reads the menu of %s', (_what, output, expected) => {
  const { question, menu } = questionAfter(output) ?? {};
  expect(menu).toMatchObject({ multiple: false, ...expected });
  expect(question).toBe(expected.title);
  expect('checked' in (menu ?? {})).toBe('checked' in expected);
});

const quoted = `● Here is what it showed:

  Do you want to proceed?
  ❯ 1. Yes
    2. No, and say what to do (esc)

  Esc to cancel · Enter to confirm

`;

it.each([
  [
    'a menu that an answer quotes, over an empty field',
    `${hidden}${quoted}──────────\n❯ \n──────────\n  ? for shortcuts`,
  ],
  [
    'the same, over a field without a sign',
    `${hidden}${quoted}──────────\n\n──────────\n/tmp/demo (main)`,
  ],
  ['the same, with the cursor in a field', `${quoted}  ┃ \n  ┃  Build · Model${at(9, 5, '')}`],
  ['several lines in the field of an agent', `${quoted}› one line\n  and the next`],
  ['a list of output', '1. first\n2. second\n3. third\n'],
  ['a quoted list', '> 1. an item\n> 2. another\n'],
  ['a prompt with output below it', '❯ ls\n  notes.txt\n  src\n'],
  ['checked steps', '✔ built\n✔ tested\n'],
  ['a spinner', `${hidden}◒  Installing`],
  [
    'keys below the field of an agent',
    `${hidden}● Reading\n──────────\n❯ \n──────────\n  Enter to steer · Esc to interrupt`,
  ],
  ['keys of a monitor', `${hidden}CPU 12%\nMEM 40%\n\nenter open • esc back • q quit`],
  ['keys of a server in output', 'ready in 300 ms\n\n  ➜  press h + enter to show help\n'],
  ['keys of a working agent', `${hidden}⠧ Thinking... (esc to cancel, 6s)`],
])('sees no question in %s', (_what, output) => {
  expect(questionAfter(output)).toBeNull();
});

it.each([
  [
    'a field of @clack',
    `${hidden}┌  create-app\n│\n◆  Project name?\n│  my-app\n└`,
    'Project name?',
  ],
  ['an answer by a key', 'Overwrite it? (y/n)\n', 'Overwrite it? (y/n)'],
  [
    'enquirer confirm, behind which is the default',
    `${hidden}? Want it? (y/N) ‣ false${at(1, 15, '')}`,
    'Want it? (y/N)',
  ],
  ['prompts confirm', `${hidden}? Want it? › (Y/n)`, 'Want it? (Y/n)'],
  [
    'a field in a box',
    `${hidden}╭──────────────────╮\n│ Enter API Key    │\n│ ╭──────────────╮ │\n│ │ key          │ │\n│ ╰──────────────╯ │\n│ (Press Enter to submit) │\n╰──────────────────╯`,
    'Enter API Key',
  ],
])('finds the question of %s', (_what, output, question) => {
  expect(questionAfter(output)).toMatchObject({ question, menu: null });
});

it('is one line of text', () => {
  const menu = { title: 'Which?', options: ['a', 'b'], selected: 1, multiple: false, keys: '' };
  expect(menuText(menu)).toBe('Which? a | > b');
  expect(menuText({ ...menu, multiple: true, checked: [0] })).toBe('Which? [x] a | > [ ] b');
  expect(menuText({ ...menu, checked: [0] })).toBe('Which? (x) a | > ( ) b');
  expect(menuText({ ...menu, button: 'Cancel' })).toBe('Which? a | > b | > <Cancel>');
});
