import { describe, expect, it } from 'vitest';
import { type ScreenSnapshot, type SessionInfo, worktreeLabels, worktreeOf } from '#model';
import { ripgrepText } from '../verbs/grep.ts';
import { screenBox } from '../verbs/screen.ts';
import { pausedText, savedText } from './lifetime-text.ts';
import { jsonLine } from './printing.ts';
import { groupedSessions, sessionTable } from './session-table.ts';
import { fittedTable, isNarrow, table } from './table.ts';

const screen = (text: readonly string[], cursor: { row: number; col: number }): ScreenSnapshot => ({
  revision: 1,
  size: { cols: 20, rows: text.length },
  cursor: { ...cursor, wrapPending: false, visible: true, shape: 'block', blinking: false },
  alternate: false,
  title: '',
  text,
  topLine: 0,
});

describe('JSON', () => {
  it('has no character on which a terminal acts, and the same value', () => {
    const value = { 'a\u009b1m': 'b\u007f\u0085\u202e\u061c\u200b\u{e0041}', plain: 'ä€😀👩‍💻1️⃣' };
    const line = jsonLine(value);
    expect(line).toBe(
      '{"a\\u009b1m":"b\\u007f\\u0085\\u202e\\u061c\\u200b\\udb40\\udc41","plain":"ä€😀👩‍💻1️⃣"}',
    );
    expect(JSON.parse(line)).toEqual(value);
  });
});

describe('the text of vtr info', () => {
  it('states where a session is saved, and why it is not', () => {
    expect(savedText({ state: 'disk' })).toBe('on disk');
    expect(savedText({ state: 'stopped', reason: 'no space is left' })).toBe(
      'not saved: no space is left',
    );
  });

  it('states when a program had to wait', () => {
    expect(pausedText({ sinceMs: 0, bytes: 8_388_608 })).toMatch(
      /^1970-01-01T00:00:00\.000Z: 8388608 bytes of output were unread/,
    );
  });
});

describe('the table of sessions', () => {
  const listed = (name: string, cwd: string, more: object) => {
    const info = { name, cwd, program: '/bin/cat', args: [], createdAtMs: 0, exitStatus: null };
    const state = { state: 'running', exitedAtMs: null, ...more };
    return { coordinator: 'default', info: { ...info, ...state } as unknown as SessionInfo };
  };
  const evidence = { foreground: null, leaderInForeground: true };
  const at = (directory: string, branch?: string) => {
    const activity = { state: 'at_prompt', sinceMs: 0, evidence, command: null, directory };
    return { activity: branch === undefined ? activity : { ...activity, branch } };
  };
  const labels = worktreeLabels({ path: '/home/me/api.fix', from: 'main' });
  const sessions = [
    listed('one', '/home/me', at('/home/me/api', 'main')),
    listed('two', '/home/me', { ...at('/home/me/api.fix', 'fix'), labels }),
    listed('three', '/etc', at('/etc')),
  ];
  const table = (columns: number | null) =>
    sessionTable(sessions, { columns, nowMs: 1_000, home: '/home/me' });

  it('has the branch behind the directory in a terminal, and no labels of a worktree', async () => {
    const lines = (await table(100)).trimEnd().split('\n');
    expect(lines.map((line) => line.split(/ {2,}/).at(-1))).toEqual([
      ...['DIRECTORY', '~/api (main)', '~/api.fix (fix)', '/etc'],
    ]);
  });

  it('has the directory alone for scripts', async () => {
    const lines = (await table(null)).trimEnd().split('\n');
    expect(lines.map((line) => line.split(/ {2,}/).at(-1))).toEqual([
      ...['DIRECTORY', '/home/me/api', '/home/me/api.fix', '/etc'],
    ]);
  });

  it('is grouped by branch; those without one are together', () => {
    const groups = groupedSessions(sessions, 'branch');
    expect(groups.map(({ value }) => value)).toEqual(['main', 'fix', null]);
  });

  it('knows the worktree of a session by its labels, but not by a label of somebody else', () => {
    const worktrees = [{ labels }, { labels: { worktree: 'mine' } }, {}].map(worktreeOf);
    expect(worktrees).toEqual([{ path: '/home/me/api.fix', from: 'main' }, null, null]);
  });
});

describe('screenBox', () => {
  it('is as wide as the screen, and shows a cursor on a blank', async () => {
    const box = await screenBox('codex', screen(['$ '.trimEnd(), 'x'], { row: 0, col: 2 }));
    expect(box.text).toBe(
      [
        '┌─ codex (20×2) ─────┐',
        '│$ █                 │',
        '│x                   │',
        '└────────────────────┘',
        '',
      ].join('\n'),
    );
  });

  it('hides no character behind the cursor', async () => {
    const box = await screenBox('s', screen(['abc'], { row: 0, col: 1 }));
    expect(box.text).toContain('│abc ');
  });

  it('widens for a name that is longer than a row', async () => {
    const { text } = await screenBox('a-name-that-is-long', screen(['x'], { row: 0, col: 5 }));
    const lines = text.split('\n');
    expect(new Set(lines.slice(0, -1).map((line) => line.length)).size).toBe(1);
  });
});

describe('ripgrepText', () => {
  const match = (line: number, before: string[], after: string[]) => ({
    line,
    text: `match ${line}`,
    start: 0,
    end: 1,
    before,
    after,
  });

  it('prints the context of two matches once, numbered from the oldest line kept', () => {
    const matches = [match(101, ['a'], ['b']), match(103, ['b'], []), match(110, ['c'], [])];
    expect(ripgrepText({ matches, firstLine: 100 }).trimEnd().split('\n')).toEqual([
      'scrollback:0: a',
      'scrollback:1: match 101',
      'scrollback:2: b',
      'scrollback:3: match 103',
      '--',
      'scrollback:9: c',
      'scrollback:10: match 110',
    ]);
  });

  it('prints no -- without context', () => {
    const matches = [match(1, [], []), match(5, [], [])];
    expect(ripgrepText({ matches, firstLine: 0 })).toBe(
      'scrollback:1: match 1\nscrollback:5: match 5\n',
    );
  });
});

it('the engine gives one column to each character that needs no table of widths', async () => {
  const { textWidth } = await import('#vt/widths');
  const all = Array.from({ length: 0x1_0000 }, (_, unit) => String.fromCharCode(unit));
  const narrow = all.filter(isNarrow);
  expect(narrow).toContain('─');
  expect(narrow.filter((each) => textWidth(`a${each}b`) !== 3)).toEqual([]);
});

it('table aligns its columns, without trailing blanks', async () => {
  expect(
    await table(
      ['A', 'LONG'],
      [
        ['xyz', 'b'],
        ['x', ''],
      ],
    ),
  ).toBe('A      LONG\nxyz    b\nx\n');
});

describe('fittedTable', () => {
  const heads = ['NAME', 'COMMAND', 'DIRECTORY'];
  const rows = [
    ['a', 'make check and more', '/home/user/projects/a'],
    ['long-name', 'make', '/tmp'],
  ];
  const shrinkable = [
    { column: 1, minWidth: 6, keep: 'start' },
    { column: 2, minWidth: 6, keep: 'end' },
  ] as const;
  const fitted = async (width: number) =>
    (await fittedTable(heads, rows, width, shrinkable)).split('\n');

  it('is whole if it fits', async () => {
    expect(await fitted(80)).toEqual([
      'NAME       COMMAND              DIRECTORY',
      'a          make check and more  /home/user/projects/a',
      'long-name  make                 /tmp',
      '',
    ]);
  });

  it('truncates the widest columns, each at its side', async () => {
    expect(await fitted(37)).toEqual([
      'NAME       COMMAND       DIRECTORY',
      'a          make check …  …/projects/a',
      'long-name  make          /tmp',
      '',
    ]);
  });

  it('leaves out columns that do not fit, but never the first', async () => {
    expect(await fitted(20)).toEqual([
      'NAME       COMMAND',
      'a          make che…',
      'long-name  make',
      '',
    ]);
    expect(await fitted(5)).toEqual(['NAME', 'a', 'long-name', '']);
  });

  it('truncates a column that is last only after the others', async () => {
    const names = { column: 0, minWidth: 4, keep: 'start', isLast: true } as const;
    const rowsFitted = async (width: number) =>
      (await fittedTable(heads, rows, width, [names, ...shrinkable])).split('\n');
    expect(await rowsFitted(26)).toEqual([
      'NAME       COMMA…  DIRECT…',
      'a          make …  …ects/a',
      'long-name  make    /tmp',
      '',
    ]);
    expect(await rowsFitted(20)).toEqual([
      'NAME  COMMA…  DIREC…',
      'a     make …  …cts/a',
      'lon…  make    /tmp',
      '',
    ]);
  });

  it('counts a cluster as the columns that the engine gives it', async () => {
    const rows = [
      ['👩‍💻👩‍💻🇩🇪', 'x'],
      ['a', '👍🏽👍🏽👍🏽👍🏽'],
    ];
    expect(await table(['NAME', 'B'], rows)).toBe(
      'NAME      B\n👩‍💻👩‍💻🇩🇪    x\na         👍🏽👍🏽👍🏽👍🏽\n',
    );
    expect(
      await fittedTable(['NAME', 'B'], rows, 13, [{ column: 1, minWidth: 4, keep: 'end' }]),
    ).toBe('NAME    B\n👩‍💻👩‍💻🇩🇪  x\na       …👍🏽👍🏽\n');
  });

  it('counts wide characters as two columns', async () => {
    const wide = [
      ['日本', 'x'],
      ['a', '日本語のコマンド'],
    ];
    expect(
      await fittedTable(['NAME', 'B'], wide, 13, [{ column: 1, minWidth: 4, keep: 'end' }]),
    ).toBe('NAME  B\n日本  x\na     …マンド\n');
  });
});
