import { describe, expect, it } from 'vitest';
import { agentStateOn } from '#agents';
import { WatchedTerminal } from '../../test/support/session/watched-terminal.ts';

const rule = '─'.repeat(60);

/**
 * Returns the state of an agent by its screen.
 *
 * @param text rows, in which `█` is the cursor
 * @param isCursorPainted whether the program paints a cell as the cursor, too
 */
function stateOf(text: string, isCursorVisible = true, isCursorPainted = false) {
  const rows = text.replace(/^\n/, '').split('\n');
  const row = rows.findIndex((each) => each.includes('█'));
  const watched = new WatchedTerminal({ cols: 60, rows: 24 });
  const painted = (_: string, next: string) => `\x1b[7m${next || ' '}\x1b[m`;
  const withoutCursor = (each: string) =>
    isCursorPainted ? each.replace(/█(.?)/u, painted) : each.replace('█', '');
  watched.output(rows.map((each, at) => `\x1b[${at + 1}H${withoutCursor(each)}`).join(''));
  const at = row < 0 ? '\x1b[24;60H' : `\x1b[${row + 1}H\x1b[${rows[row]?.indexOf('█') ?? 0}C`;
  watched.output(`${at.replace('\x1b[0C', '')}\x1b[?25${isCursorVisible ? 'h' : 'l'}`);
  const screen = {
    rows: watched.screenRows(),
    cells: (each: number) => watched.rowCells(each),
    cursor: watched.terminal.cursor,
  };
  return agentStateOn(screen, { title: null, earlierTitles: [] }, null);
}

const drafts = {
  'a list with numbers': ['1. look at the readme', '  2. say what is wrong', '  3. mend it█'],
  'a dialog that is quoted': [
    'what does this mean?',
    '  Do you want to proceed?',
    '  ❯ 1. Yes',
    '    2. No',
    '  Enter to confirm · Esc to cancel█',
  ],
  'a dialog alone': ['1. Yes', '  2. No', '  Enter to confirm · Esc to cancel█'],
  'a spinner': ['⠋ Working... (8s · esc to interrupt)█'],
  'a question with keys': ['Overwrite it? (y/n)█'],
  buttons: ['Allow once   Allow always   Reject   enter confirm█'],
  checkboxes: ['[ ] one', '  [x] two', '  Press enter to submit█'],
};

describe('what is typed into a composer is no dialog and no work', () => {
  describe.each(Object.entries(drafts))('%s', (_name, draft) => {
    it.each([true, false])('between two rules, cursor shown: %s', (isShown) => {
      const rows = ['● An answer.', '', rule, `❯ ${draft.join('\n')}`, rule, '  ? for shortcuts'];
      expect(stateOf(rows.join('\n'), isShown).state).toBe('idle');
    });

    it('between two rules without a sign, behind a cursor that is painted', () => {
      const rows = ['● An answer.', '', rule, ...draft, rule, '~/project'];
      // A dialog without colours may have a field behind its last choice.
      const endsWithChoice = /^\s*\d/u.test(draft.at(-1) ?? '');
      const state = endsWithChoice ? 'unknown' : 'idle';
      expect(stateOf(rows.join('\n'), false, true).state).toBe(state);
    });

    it('behind a sign', () => {
      const rows = ['• An answer.', '', `› ${draft.join('\n')}`, '', '  ? for shortcuts'];
      expect(stateOf(rows.join('\n')).state).toBe('idle');
    });

    it('in a box', () => {
      const side = (text: string) => `│ ${text.padEnd(text.includes('█') ? 57 : 56)} │`;
      const inner = draft.map((text, at) => side(at === 0 ? `> ${text}` : text));
      const edge = '─'.repeat(58);
      const rows = [
        '✦ An answer.',
        '',
        `╭${edge}╮`,
        ...inner,
        `╰${edge}╯`,
        ' ~/project   no sandbox',
      ];
      expect(stateOf(rows.join('\n')).state).toBe('idle');
    });

    it('beside a bar', () => {
      const inner = ['', ...draft, '', 'Build  scripted local'].map((text) => `  ┃  ${text}`);
      const rows = [
        '     An answer.',
        '',
        ...inner,
        `  ╹${'▀'.repeat(50)}`,
        '  /tmp  ctrl+p commands',
      ];
      expect(stateOf(rows.join('\n')).state).toBe('idle');
    });
  });
});

describe('what an answer says is no work', () => {
  it.each([
    ['● I wait for your decision…'],
    ['⏺ Thinking about it...'],
    ['• Ready when you are...'],
    ['✦ Shall I go on...'],
    ['  and then I stop…'],
    ['- press esc to cancel the build'],
    ['1. press ctrl+c to stop it'],
    ['■ Conversation interrupted - tell the model what to do differently…'],
    ['✻ Worked for 8s'],
  ])('%s', (answer) => {
    const rows = ['❯ a prompt', '', answer, '', rule, '❯ █', rule, '  ? for shortcuts'];
    expect(stateOf(rows.join('\n')).state).toBe('idle');
  });
});

describe('a composer with', () => {
  const shown = (draft: string, below: readonly string[], isShown = true) => {
    const rows = ['● An answer.', '', rule, `❯ ${draft}`, rule, ...below];
    return stateOf(rows.join('\n'), isShown).state;
  };

  it('a wide text is idle', () => {
    expect(shown('1. 日本語を直す\n  2. テストする█', ['  ? for shortcuts'])).toBe('idle');
  });

  it('a dialog behind a blank row does not ask', () => {
    const draft = [
      '› what is this?',
      '  ❯ 1. Yes',
      '    2. No',
      '',
      '  Enter to confirm█',
      '',
      '  model',
    ];
    expect(stateOf(['• An answer.', '', ...draft].join('\n')).state).toBe('unknown');
  });

  it('paragraphs is idle', () => {
    const draft = ['› what is this?', '', '  and this?█', '', '  model'];
    expect(stateOf(['• An answer.', '', ...draft].join('\n')).state).toBe('idle');
  });

  it('a list of commands below it does not ask', () => {
    const commands = ['add-dir', 'agents', 'clear', 'compact', 'config', 'cost', 'doctor', 'exit'];
    const list = commands.map((name) => `  /${name.padEnd(20)} does something`);
    expect(shown('/█', list)).not.toBe('asks');
    expect(shown('/█', list.slice(0, 5))).not.toBe('asks');
    const pointed = list.slice(0, 5).map((row, at) => (at === 1 ? row.replace('  /', '❯ /') : row));
    expect(shown('/█', pointed)).not.toBe('asks');
  });

  it('a list of files above it does not ask', () => {
    const rows = [
      '● An answer.',
      '',
      '❯ src/a.ts',
      '  src/b.ts',
      '  src/c.ts',
      rule,
      '❯ @src█',
      rule,
    ];
    expect(stateOf(rows.join('\n')).state).not.toBe('asks');
  });

  it('a cursor in the middle of a quoted dialog does not ask', () => {
    const draft = 'what is\n  ❯ 1. Y█es\n    2. No\n  Enter to confirm · Esc to cancel';
    expect(shown(draft, ['  ? for shortcuts'])).not.toBe('asks');
    const other = '1. Y█es\n  2. No';
    expect(shown(other, ['  ? for shortcuts'])).not.toBe('asks');
  });
});

describe('a long draft behind a sign, whose footer is dim', () => {
  const footer = ['', '  \x1b[2mmodel · ~/project\x1b[m'];
  const shown = (draft: readonly string[], below = footer) =>
    stateOf(['• An answer.', '', `› ${draft[0]}`, ...draft.slice(1), ...below].join('\n')).state;
  const dialog = ['  ❯ 1. Yes', '    2. No', '', '  Enter to confirm · Esc to cancel'];

  it('does not ask when the cursor is above a quoted dialog', () => {
    expect(shown(['what is█ this?', ...dialog])).toBe('unknown');
    expect(shown(['what is this?', ...dialog.with(0, '  ❯ 1. Y█es')])).toBe('unknown');
  });

  it('does not ask below more rows than a field often has', () => {
    const lines = Array.from({ length: 14 }, (_, at) => `${at === 0 ? '' : '  '}line ${at}`);
    expect(shown([...lines, ...dialog.with(3, `${dialog[3]}█`)])).toBe('unknown');
  });

  it('asks when a dialog is below it', () => {
    const below = ['', '\x1b[36m  ❯ 1. Yes\x1b[m', '    2. No', '', '  Enter to confirm'];
    expect(shown(['what is this?█'], below)).toBe('asks');
  });
});

describe('a cursor that is painted', () => {
  const shown = (rows: readonly string[]) =>
    stateOf(['● An answer.', '', rule, ...rows, rule, '~/project'].join('\n'), false, true).state;

  it('in the middle of a quoted dialog does not ask', () => {
    expect(shown(['Do you want to proceed?', '❯ 1. Y█es', '  2. No'])).toBe('unknown');
    expect(shown(['Do you want to proceed?', '❯ 1. Yes', '  2. No█'])).toBe('unknown');
    expect(shown(['Do you want to proceed?', '❯ 1. Yes', '  2. 日█本'])).toBe('unknown');
  });

  it('behind rules and a dialog that are quoted is idle', () => {
    const quoted = ['See:', '─'.repeat(20), '❯ 1. Yes', '  2. No', '─'.repeat(20), 'Why?█'];
    expect(shown(quoted)).toBe('idle');
  });

  it('in the field of a dialog whose choice is painted asks', () => {
    const choices = ['\x1b[36m→ 1. Theme\x1b[m   dark', '  2. Padding   0'];
    expect(shown(['> the█', '', ...choices, '', 'Enter to select · Esc to cancel'])).toBe('asks');
  });
});

describe('without a composer', () => {
  it.each([
    [
      'a transcript',
      `❯ a prompt\n\n● An answer\n  1. one\n  2. two\n\n${rule}\n  Showing detailed transcript · ctrl+o to toggle`,
    ],
    [
      'a pager',
      '  1. Yes\n  2. No\n\n/ T R A N S C R I P T /\n ↑/↓ to scroll   pgup/pgdn to page\n q to quit   esc to edit prev',
    ],
    ['an empty screen', ''],
  ])('%s is unknown', (_name, text) => {
    expect(stateOf(text, false).state).toBe('unknown');
  });
});

describe('dialogs', () => {
  it.each([
    ['in a frame, with numbers', `Run it?\n${rule}\n❯ 1. Yes\n  2. No\n${rule}\n Enter to select`],
    [
      'with numbers and without a pointer',
      '  Which one?\n\n  1. Trees\n     Green\n  2. Rivers\n     Long\n\n  ↑↓ select  enter submit  esc dismiss',
    ],
    [
      'beside a bar',
      '  ┃  Which one?\n  ┃\n  ┃  1. Trees\n  ┃     Green\n  ┃  2. Rivers\n  ┃     Long\n  ┃\n  ┃  ↑↓ select  enter submit  esc dismiss\n  ╹▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀',
    ],
  ])('%s', (_name, text) => {
    expect(stateOf(text, false).state).toBe('asks');
  });
});

describe('work', () => {
  it('is a sign with what it does below it', () => {
    const rows = [
      '● An answer.',
      '',
      '✶ Mending the test… (12s · ↓ 1.2k tokens)',
      '  ⎿  ☒ Look at it',
      '     ☐ Mend it',
      '     ☐ Run it',
      '     ☐ Say so',
      '     ☐ And so on',
      '',
      rule,
      '❯ █',
      rule,
      '  ? for shortcuts',
    ];
    expect(stateOf(rows.join('\n')).state).toBe('busy');
  });
});
