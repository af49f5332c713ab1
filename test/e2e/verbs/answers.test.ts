import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Place, vtrFile } from '../../support/command/vtr-command.ts';

/** The tests share its daemon. */
const place = Place.forAll();

const printing = (text: string) => ['--', 'sh', '-c', `printf '${text}'; sleep 60`];

describe('vtr screen', () => {
  it('[S3.09, S3.21] draws a frame with the name, the size and the cursor', async () => {
    await place.ok('spawn', 'codex', '--size', '40x3', ...printing('hello\\n$ '));
    await place.sees('codex', '$');
    const frame = await place.ok('screen', 'codex', '--frame');
    expect(frame.split('\n')).toEqual([
      `┌─ codex (40×3) ${'─'.repeat(25)}┐`,
      `│hello${' '.repeat(35)}│`,
      `│$ █${' '.repeat(37)}│`,
      `│${' '.repeat(40)}│`,
      `└${'─'.repeat(40)}┘`,
      '',
    ]);
    const inTerminal = [process.execPath, vtrFile, 'screen', 'codex'];
    expect(await place.ok('exec', '--', ...inTerminal)).toBe(frame);
    expect(await place.ok('exec', '--', ...inTerminal, '--plain')).toBe('hello\n$\n');
  });

  it('[S3.09] prints plain rows in a pipe, without blank rows at the end', async () => {
    await place.ok('spawn', 'codex', '--size', '40x5', ...printing('\\nhello\\n\\n$ '));
    await place.sees('codex', '$');
    const rows = '\nhello\n\n$\n';
    expect(await place.ok('screen', 'codex')).toBe(rows);
    expect(await place.ok('screen', 'codex', '--plain')).toBe(rows);
    await place.ok('spawn', 'blank', '--', 'sleep', '60');
    expect(await place.ok('screen', 'blank')).toBe('');
  });

  it('--plain and --frame override output_format = "json"', async () => {
    const place = new Place();
    await place.ok('config', 'add', '/nowhere/*.sock');
    appendFileSync(
      join(place.directory, 'config/vtr/config.toml'),
      '[defaults]\noutput_format = "json"\n',
    );
    await place.ok('spawn', 'codex', '--json', '--size', '9x1', ...printing('hello'));
    await place.sees('codex', 'hello');
    expect(await place.ok('screen', 'codex', '--plain')).toBe('hello\n');
    expect(await place.ok('screen', 'codex', '--frame')).toContain('│hello█');
    expect(JSON.parse(await place.ok('screen', 'codex')).lines).toEqual(['hello']);
  });

  it('keeps the frame aligned with wide characters', async () => {
    await place.ok('spawn', 'wide', '--size', '20x2', ...printing('日本語'));
    await place.sees('wide', '日');
    const rows = (await place.ok('screen', 'wide', '--frame')).split('\n');
    expect(rows[1]).toBe(`│日本語█${' '.repeat(13)}│`);
  });

  it('[S3.09] prints rows, cursor and title as JSON, and with --cells every cell', async () => {
    const text = '\\033]0;a title\\007\\033[1;31mred\\033[0m';
    await place.ok('spawn', 'red', '--size', '10x2', ...printing(text));
    await place.sees('red', 'red');
    const { screen_rows: rows, ...screen } = await place.json('screen', 'red', '--cells');
    expect(await place.json('screen', 'red')).toEqual(screen);
    expect(screen).toMatchObject({
      coordinator: 'default',
      name: 'red',
      cols: 10,
      rows: 2,
      cursor_x: 3,
      cursor_y: 0,
      cursor: { visible: true, shape: 'block' },
      alternate: false,
      title: 'a title',
      lines: ['red', ''],
      removed: 0,
      hidden_text: false,
    });
    const [{ cells }] = rows;
    expect(rows).toHaveLength(2);
    expect(cells).toHaveLength(10);
    const plain = { char: ' ', fg_color: 0xe5e5e5, bg_color: 0, attributes: 0 };
    expect(cells[0]).toEqual({ ...plain, char: 'r', fg_color: 0xcd0000, attributes: 1, fg: 1 });
    expect(cells[3]).toEqual(plain);
  });

  it('lists the stretches that are not in plain style with --cells', async () => {
    const text = 'a \\033[1;38;5;200mb \\033[0;4:3;7m> c\\033[0m\\n\\033[48;2;1;2;3md';
    await place.ok('spawn', 'menu', '--size', '20x3', ...printing(text));
    await place.sees('menu', 'd');
    expect((await place.ok('screen', 'menu', '--cells')).split('\n')).toEqual([
      '0:2-3 bold fg=200 "b "',
      '0:4-6 inverse underline=curly "> c"',
      '1:0-0 bg=#010203 "d"',
      '',
    ]);
  });

  it('removes and counts invisible characters; --json keeps them', async () => {
    const hostile = 'a\\342\\200\\213b\\342\\200\\256c';
    await place.ok('spawn', 'sly', '--size', '20x2', ...printing(`${hostile} \\033[8mhid`));
    await place.sees('sly', 'a');
    const box = await place.result(['screen', 'sly', '--frame']);
    expect(box.stdout).toContain('│abc hid█            │');
    expect(box.stderr).toBe('vtr: 2 invisible characters removed; --json includes them\n');
    const rows = await place.result(['screen', 'sly', '--scrollback', '1']);
    expect([rows.stdout, rows.stderr]).toEqual(['abc hid\n', box.stderr]);
    const { lines, removed, hidden_text } = await place.json('screen', 'sly');
    expect([lines[0], removed, hidden_text]).toEqual(['a\u200bb\u202ec hid', 2, true]);

    const result = await place.result(['grep', 'sly', 'hid']);
    expect(result.stdout).toBe('scrollback:0: abc hid\n');
    expect(result.stderr).toContain('2 invisible characters');
    const { matches, removed: ofGrep } = await place.json('grep', 'sly', 'hid');
    expect([matches[0].line, ofGrep]).toEqual(['a\u200bb\u202ec hid', 2]);
  });

  it('--ansi adds only colours', async () => {
    const link = '\\033]8;;http://a\\033\\\\link\\033]8;;\\033\\\\';
    const text = `a\\342\\200\\213b \\033[31mr\\342\\200\\256ed\\033[m ${link}`;
    await place.ok('spawn', 'sly', '--size', '20x2', ...printing(`${text}\\nend`));
    await place.sees('sly', 'end');
    expect((await place.json('read', 'sly', '--ansi')).text).toMatchObject({ removed: 2 });
    for (const verb of ['screen', 'read']) {
      const { stdout, stderr } = await place.result([verb, 'sly', '--ansi']);
      expect(stdout.replaceAll(/\x1b\[[\d;]*m/g, '')).toBe('ab red link\nend\n');
      expect(stdout).toMatch(/\x1b\[[\d;]*31m/);
      expect(stderr).toContain('vtr: 2 invisible characters removed; --json includes them\n');
    }
  });

  it('prints colours with --ansi, and scrollback with --scrollback', async () => {
    await place.ok('spawn', 'red', '--size', '20x2', ...printing('\\033[31mred\\033[0m'));
    await place.sees('red', 'red');
    expect(await place.ok('screen', 'red', '--ansi')).toMatch(/^\x1b\[(0;)?31mred\x1b\[0?m/);
    await place.ok('spawn', 'many', '--size', '20x2', '--', 'sh', '-c', 'seq 9; sleep 60');
    await place.sees('many', '9');
    expect(await place.ok('screen', 'many', '--scrollback', '3')).toBe('6\n7\n8\n9\n');
  });

  it('shows the screen of a program that has exited', async () => {
    await place.ok('spawn', 'done', '--', 'echo', 'bye');
    await place.result(['wait', 'done', 'never']);
    expect((await place.json('screen', 'done')).lines[0]).toBe('bye');
  });
});

describe('vtr grep', () => {
  it('says that the pattern comes behind the session if the words are in the order of grep', async () => {
    await place.ok('spawn', 'swapped', '--', 'cat');
    const { status, stderr } = await place.result(['grep', 'error', 'swapped']);
    expect({ status, stderr }).toEqual({
      status: 4,
      stderr:
        'vtr: there is no session "error": the session comes before the pattern: vtr grep swapped error\n',
    });
    const neither = await place.result(['grep', 'nobody', 'nothing']);
    expect(neither.stderr).toContain('session "nobody" not found: existing sessions are ');
  });

  it('[S3.10] prints matches with context as ripgrep does, and as JSON', async () => {
    await place.ok('spawn', 'log', '--size', '40x3', '--', 'sh', '-c', 'seq 30; sleep 60');
    await place.sees('log', '30');
    expect((await place.ok('grep', 'log', '^1?7$', '-C', '1')).split('\n')).toEqual([
      'scrollback:5: 6',
      'scrollback:6: 7',
      'scrollback:7: 8',
      '--',
      'scrollback:15: 16',
      'scrollback:16: 17',
      'scrollback:17: 18',
      '',
    ]);
    expect(await place.ok('grep', 'log', '^7$', '-B', '1')).toBe(
      'scrollback:5: 6\nscrollback:6: 7\n',
    );
    expect(await place.json('grep', 'log', '^7$', '-A', '2')).toEqual({
      matches: [
        {
          line_number: 6,
          line_id: 6,
          line: '7',
          context_before: [],
          context_after: ['8', '9'],
        },
      ],
      truncated: false,
      next_line_id: null,
      lost_lines: 0,
      erased_lines: 0,
      removed: 0,
    });
  });

  it('goes on where a search ended, beyond the most matches of one', async () => {
    await place.ok('spawn', 'long', '--', 'sh', '-c', 'seq 12000; echo end; sleep 60');
    await place.sees('long', 'end');
    const grep = ['grep', 'long', '^[0-9]+$', '--max', '20000'];
    const first = await place.result(grep);
    expect(first.stdout.split('\n')).toHaveLength(10_001);
    expect(first.stderr).toContain(
      'session long: only the first 10000 matches are shown; see more with --from-line 10000',
    );
    const rest = await place.result([...grep, '--from-line', '10000']);
    expect(rest).toMatchObject({
      stderr: '',
      stdout: expect.stringMatching(/^scrollback:10000: 10001\n/),
    });
    const few = await place.result(['grep', 'long', '^[0-9]+$', '--max', '2']);
    expect(few.stderr).toContain('see more with --max, up to 10000, or go on with --from-line 2');
    const answer = await place.result([
      ...grep.slice(0, 3),
      '--max',
      '2',
      '--from-line',
      '2',
      '--json',
    ]);
    const json = JSON.parse(answer.stdout);
    expect(json).toMatchObject({ truncated: true, next_line_id: 4, matches: [{ line: '3' }, {}] });
    for (const more of [['--all'], ['--command', '1']]) {
      const words = more[0] === '--all' ? ['grep', 'x', ...more] : ['grep', 'long', 'x', ...more];
      const refused = await place.result([...words, '--from-line', '2']);
      expect(refused.stderr).toContain('--from-line needs one session, and no --command');
    }
  });

  it('searches lines that have left the scrollback, and exits with 16 where some are gone', async () => {
    const script = 'echo first; seq 30000; sleep 60';
    await place.ok('spawn', 'log', '--', 'sh', '-c', script);
    await place.sees('log', '30000');
    expect(await place.ok('grep', 'log', '^first$')).toBe('scrollback:0: first\n');
    await place.ok('spawn', 'erased', '--', 'sh', '-c', 'seq 100; printf "\\033[3Jend"; sleep 60');
    await place.sees('erased', 'end');
    const gone = await place.result(['grep', 'erased', '^1$']);
    expect(gone).toMatchObject({ status: 16, stdout: '' });
    // A longer scrollback would not have kept them.
    expect(gone.stderr).toBe(
      'vtr: session erased: not searched: 77 lines that the session has cleared\n',
    );
    expect(
      JSON.parse((await place.result(['grep', 'erased', '^1$', '--json'])).stdout),
    ).toMatchObject({
      matches: [],
      lost_lines: 77,
      erased_lines: 77,
    });
    expect((await place.result(['grep', 'erased', '^100$'])).status).toBe(0);
  });

  it('says how many lines read does not print, and how to print those that are kept', async () => {
    await place.ok('spawn', 'long', '--scrollback', '100', '--', 'sh', '-c', 'seq 3000; sleep 60');
    await place.sees('long', '3000');
    const { stdout, stderr } = await place.result(['read', 'long']);
    const [, earlier = '', command = ''] =
      /not printed: (\d+) earlier lines that left the scrollback; to print them: vtr (.*)\n/.exec(
        stderr,
      ) ?? [];
    const [first] = stdout.split('\n');
    expect(Number(earlier)).toBe(Number(first) - 1);
    expect((await place.ok(...command.split(' '))).startsWith('1\n2\n3\n')).toBe(true);
    const { gap } = await place.json('read', 'long', '--tail', '1');
    expect(gap).toEqual({ lines: 0, bytes: 0, earlier: Number(earlier) });
    await place.ok(
      'spawn',
      'erased-2',
      '--',
      'sh',
      '-c',
      'seq 100; printf "\\033[3Jerased"; sleep 60',
    );
    await place.sees('erased-2', 'erased');
    expect((await place.json('read', 'erased-2')).gap.lines).toBeGreaterThan(70);
    const screen = await place.result(['screen', 'erased-2', '--scrollback', '1000']);
    expect(screen.stderr).toMatch(/lost before the read: \d+ lines/);
  });

  it('exits with 1 if nothing matches, and refuses an invalid pattern', async () => {
    await place.shell('one');
    expect(await place.result(['grep', 'one', 'nowhere'])).toMatchObject({ status: 1, stdout: '' });
    expect((await place.result(['grep', 'one', '(?=x)'])).status).toBe(2);
  });

  it('reports that there are more matches', async () => {
    await place.ok('spawn', 'log', '--', 'sh', '-c', 'seq 30; sleep 60');
    await place.sees('log', '30');
    const { stdout, stderr } = await place.result(['grep', 'log', '\\d', '--max', '2']);
    expect(stdout.trimEnd().split('\n')).toHaveLength(2);
    expect(stderr).toContain('--max');
  });
});
