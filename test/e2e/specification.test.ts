import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../../scripts/root.mjs';
import { Place } from '../support/command/vtr-command.ts';
import { needs } from '../support/run/needs.ts';

const place = Place.forAll();

// The tests of vtr's specification, with its names, run with the command and a daemon.

describe('[S3.36] Tier 1: core contracts', () => {
  it('TestSpawnAndEcho', async () => {
    await place.shell('one');
    await place.ok('send', 'one', 'echo $((40+2))', '--enter');
    await place.sees('one', '42');
  });

  it('TestScreenDimensions', async () => {
    await place.ok('spawn', 'one', '--size', '100x40', '--', 'cat');
    const {
      cols,
      rows,
      lines,
      screen_rows: screenRows,
    } = await place.json('screen', 'one', '--cells');
    expect([cols, rows, lines.length]).toEqual([100, 40, 40]);
    const lengths = screenRows.map(({ cells }: { cells: unknown[] }) => cells.length);
    expect(lengths).toEqual(Array(40).fill(100));
  });

  it('TestCursorPosition', async () => {
    await place.ok('spawn', 'one', '--', 'sh', '-c', "printf '\\033[5;10Hx'; cat");
    await place.sees('one', '         x');
    expect(await place.json('screen', 'one')).toMatchObject({ cursor_x: 10, cursor_y: 4 });
  });

  it('TestScrollbackGrep', async () => {
    await place.ok('spawn', 'one', '--', 'sh', '-c', 'seq 500; cat');
    await place.sees('one', '500');
    const { matches } = await place.json('grep', 'one', '^2[05]0$');
    expect(matches.map((match: { line_number: number }) => match.line_number)).toEqual([199, 249]);
  });

  it('TestWaitForTimeout', async () => {
    await place.shell('one');
    const { status, stdout } = await place.vtr([
      'wait',
      'one',
      'never',
      '--timeout',
      '200ms',
      '--json',
    ]);
    expect(status).toBe(9);
    const { timed_out: timedOut, elapsed_ms: elapsedMs } = JSON.parse(stdout);
    expect(timedOut).toBe(true);
    expect(elapsedMs).toBeGreaterThanOrEqual(200);
  });

  it('TestWaitForSuccess', async () => {
    await place.ok(
      'spawn',
      'one',
      '--',
      'sh',
      '-c',
      'while :; do echo "tick $((n+=1))"; sleep 0.1; done',
    );
    const result = await place.json('wait', 'one', 'tick \\d+', '--timeout', '30s');
    expect(result).toMatchObject({ outcome: 'matched', timed_out: false });
    expect(result.matched_line).toMatch(/^tick \d+$/);
  });

  it('TestMultiClient', async () => {
    await place.ok('spawn', 'one', '--', 'cat');
    const words = Array.from({ length: 8 }, (_, index) => `word-${index}-end`);
    await Promise.all(words.map((word) => place.ok('send', 'one', word, '--enter')));
    await place.ok('send', 'one', 'last', '--enter');
    const lines = await place.sees('one', 'last');
    for (const word of words) expect(lines).toContain(word);
  });

  it('TestSpecialKeys', async () => {
    await place.ok('spawn', 'one', '--', 'sh', '-c', 'stty -icanon -echo; echo up; cat -v');
    await place.sees('one', 'up');
    await place.ok('key', 'one', 'up', 'down', 'f1', 'alt+x', 'tab', 'escape', 'enter');
    await place.sees('one', '^[[A^[[B^[OP^[x');
    await place.ok('key', 'one', 'ctrl+c');
    await place.vtr(['wait', 'one', 'never']);
    expect(await place.json('info', 'one')).toMatchObject({ status: 'exited', signal: 'SIGINT' });
  });
});

describe('[S3.36] Tier 2: confidence builders', () => {
  it('TestUnicode', async () => {
    await place.ok('spawn', 'one', '--', 'cat');
    await place.ok('send', 'one', '日本語 é 👩‍👩‍👧', '--enter');
    const lines = await place.sees('one', '日本語');
    expect(lines[0]).toContain('日本語 é');
    expect((await place.json('grep', 'one', '本')).matches.length).toBeGreaterThan(0);
  });

  it('TestColors', async () => {
    const colors = "printf '\\033[38;2;1;2;3mA\\033[0;48;5;200mB\\033[0;1;3;4;7mC\\033[0m'; cat";
    await place.ok('spawn', 'one', '--', 'sh', '-c', colors);
    await place.sees('one', 'ABC');
    const [{ cells }] = (await place.json('screen', 'one', '--cells')).screen_rows;
    expect(cells.slice(0, 3)).toEqual([
      { char: 'A', fg_color: 0x010203, bg_color: 0, attributes: 0, fg: '#010203' },
      { char: 'B', fg_color: 0xe5e5e5, bg_color: 0xff00d7, attributes: 0, bg: 200 },
      { char: 'C', fg_color: 0xe5e5e5, bg_color: 0, attributes: 0x01 | 0x02 | 0x04 | 0x20 },
    ]);
  });

  it('TestRapidOutput', async () => {
    await place.ok('spawn', 'flood', '--', 'sh', '-c', 'seq 200000; echo all of it; cat');
    await place.sees('flood', 'all of it');
    const { matches } = await place.json('grep', 'flood', '^1999[0-9]{2}$');
    expect(matches.map(({ line }: { line: string }) => Number(line))).toEqual(
      Array.from({ length: 100 }, (_, index) => 199_900 + index),
    );
  });

  it('TestResize', async () => {
    await place.shell('one');
    await place.ok('resize', 'one', '132', '50');
    await place.ok('send', 'one', 'stty size', '--enter');
    await place.sees('one', '50 132');
  });

  it('TestLongRunning', async () => {
    const seconds = Number(process.env['VTR_LONG_RUNNING_SECONDS'] ?? 10);
    const script = `for n in $(seq ${seconds * 10}); do echo "line $n"; sleep 0.1; done; echo over; cat`;
    await place.ok('spawn', 'one', '--', 'sh', '-c', script);
    await place.sees('one', 'over');
    const { matches } = await place.json('grep', 'one', '^line \\d+$', '--max', '10000');
    expect(matches.map(({ line }: { line: string }) => line)).toEqual(
      Array.from({ length: seconds * 10 }, (_, index) => `line ${index + 1}`),
    );
  }, 180_000);
});

describe('[S3.36] Golden', () => {
  needs('vim')('TestVimRenders', async () => {
    const flags = ['-u', 'NONE', '-i', 'NONE', '-n', '-N', '--cmd', 'set shortmess+=F noruler'];
    await place.ok(
      'spawn',
      'vim',
      '--env',
      'LC_ALL=C',
      '--',
      'vim',
      ...flags,
      '+call setline(1, "hello")',
    );
    await place.sees('vim', '~');
    const golden = readFileSync(join(root, 'test/golden/vim-screen.txt'), 'utf8');
    await expect.poll(() => place.ok('screen', 'vim', '--frame')).toBe(golden);
    await place.ok('key', 'vim', 'escape', ':', 'q', '!', 'enter');
    await place.vtr(['wait', 'vim', 'never']);
    expect(await place.json('info', 'vim')).toMatchObject({ status: 'exited', exit_code: 0 });
  });
});
