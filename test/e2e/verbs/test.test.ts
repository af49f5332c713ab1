import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseCast, type RecordedEvent } from '#recording';
import { Replay } from '#replay';
import { root } from '../../../scripts/root.mjs';
import { Place, vtrFile } from '../../support/command/vtr-command.ts';
import { decodeGif, decodePng } from '../../support/decoded-pictures.ts';
import { commandOf, hasProc, processesNaming } from '../../support/pty/process-facts.ts';
import { needs, provided } from '../../support/run/needs.ts';
import { tree } from '../../support/tree.ts';

const examples = join(root, 'examples/tapes');

/** Runs `vtr test` in a directory with these files. */
async function test(
  files: Readonly<Record<string, string>>,
  words: readonly string[],
  cwd = tree(files),
) {
  const run = await new Place().vtr(['test', ...words], { cwd, killAfterMs: 150_000 });
  const read = (path: string) => readFileSync(join(cwd, path), 'utf8');
  return { ...run, cwd, read };
}

const isOneKey = (event: RecordedEvent) => event.type === 'output' && event.text.length === 1;

describe('vtr test', () => {
  needs(
    'vim',
    'less',
    'fzf',
    'python3',
  )('passes the examples', async () => {
    const files = readdirSync(examples).filter((file) => /\.(tape|md)$/.test(file));
    const copy = Object.fromEntries(
      [...files, ...readdirSync(join(examples, '__goldens__')).map((file) => `__goldens__/${file}`)]
        .filter((file) => file !== '__goldens__/__failures__')
        .map((file) => [file, readFileSync(join(examples, file), 'utf8')]),
    );
    const { status, stdout, cwd, read } = await test(copy, ['--reporter', 'json', ...files]);
    const report = JSON.parse(stdout);
    expect(report.tests.filter((each: { passed: boolean }) => !each.passed)).toEqual([]);
    expect({ status, passed: report.passed }).toEqual({ status: 0, passed: files.length });
    expect(existsSync(join(cwd, '__goldens__/__failures__'))).toBe(false);
    const frames = read('hidden.txt').split(`${'─'.repeat(80)}\n`);
    expect(frames.every((frame) => !frame.includes('export'))).toBe(true);
    expect(frames.at(-2)).toMatch(/> echo \$GREETING\nhello\n> # done\n/);
    const replay = new Replay(parseCast(Buffer.from(read('hidden.cast'))));
    expect(replay.at(replay.durationMs).screenText().slice(0, 3)).toEqual([
      '> echo $GREETING',
      'hello',
      '> # done',
    ]);
    expect(replay.at(0).screenText().join('')).not.toContain('export');
  });

  it('compares screens with goldens, and leaves the screen and a recording', async () => {
    const typed = (word: string) => `Type "clear; echo ${word}" Enter\nWaitCommand@60s\nMatch one`;
    // For `Match`, which fails.
    const tape = (word: string) => ({ 'a.tape': `Set WaitTimeout 500ms\n${typed(word)}\n` });
    const first = await test(tape('one'), ['a.tape']);
    expect(first.status).toBe(1);
    expect(first.stdout).toContain('a.tape:4: there is no golden __goldens__/a.tape.one.txt');
    expect(first.stdout).toContain('vtr test --update');

    expect((await test({}, ['--update', 'a.tape'], first.cwd)).status).toBe(0);
    expect(first.read('__goldens__/a.tape.one.txt')).toBe('vtr 80x24 cursor 1,2\none\n>\n');
    expect((await test({}, ['a.tape'], first.cwd)).status).toBe(0);

    writeFileSync(join(first.cwd, 'a.tape'), tape('two')['a.tape']);
    const { status, stdout } = await test({}, ['a.tape'], first.cwd);
    expect(status).toBe(1);
    expect(stdout).toContain('- one\n      + two');
    expect(first.read('__goldens__/__failures__/a.tape.one.txt')).toContain('two');
    for (const kind of ['', 'expected.', 'difference.']) {
      const [png] = decodePng(
        readFileSync(join(first.cwd, `__goldens__/__failures__/a.tape.one.${kind}png`)),
      );
      expect([kind, png?.width, png?.height]).toEqual([kind, 800, 480]);
    }
    const cast = parseCast(Buffer.from(first.read('__goldens__/__failures__/a.tape.one.cast')));
    const replay = new Replay(cast);
    expect(replay.at(replay.durationMs).screenText()[0]).toBe('two');
  });

  it('does not wait for a screen that only input can change, ignores what failures leave, and names obsolete goldens', async () => {
    const tape = 'Set WaitTimeout 150s\nType "echo one" Enter\nWaitCommand@60s\nMatch one\n';
    const first = await test({ 'a.tape': tape }, ['--update', 'a.tape']);
    expect(first.status).toBe(0);
    const changed = tape.replace('echo one', 'echo two');
    writeFileSync(join(first.cwd, 'a.tape'), changed);
    // It would be killed before the time limit of the wait.
    const failed = await test({}, ['a.tape'], first.cwd);
    expect(failed.status).toBe(1);
    expect(failed.stdout).toContain('the screen is not as in');
    expect(first.read('__goldens__/__failures__/.gitignore')).toBe('*\n');
    writeFileSync(join(first.cwd, 'a.tape'), changed.replace('Match one', 'Match two'));
    expect((await test({}, ['--update', 'a.tape'], first.cwd)).status).toBe(0);
    const { status, stderr } = await test({}, ['a.tape'], first.cwd);
    expect({ status, stderr }).toEqual({
      status: 0,
      stderr: 'vtr: __goldens__/a.tape.one.txt is obsolete: no Match of the tape names it\n',
    });
    expect(existsSync(join(first.cwd, '__goldens__/__failures__'))).toBe(false);
  });

  it('takes the size of the screen in cells, and writes a report beside the text', async () => {
    const tape = 'Set Columns 33\nSet Rows 7\nType "stty size" Enter\nExpect /7 33/\n';
    const run = await test({ 'a.tape': tape }, ['--reporter', 'junit=out/report.xml', 'a.tape']);
    expect(run.status).toBe(0);
    expect(run.stdout).toMatch(/^ok {4}a\.tape .*\n1 passed, 0 failed\n$/);
    expect(run.read('out/report.xml')).toContain('<testcase');
    const wrong = await test({ 'a.tape': tape }, ['--reporter', 'xml=out', 'a.tape']);
    expect(wrong).toMatchObject({ status: 2, stderr: expect.stringContaining('tap, junit, json') });
  });

  it('fails for a tape without commands, such as one that a full disk cut', async () => {
    for (const tape of ['', '# only a comment\n']) {
      const { status, stdout, stderr } = await test({ 'a.tape': tape }, ['a.tape']);
      expect(status).toBe(1);
      expect(stdout + stderr).toContain('the tape has no commands');
    }
  });

  it('makes the pictures that a tape names, and tells once what they do not show', async () => {
    const tape = [
      ...['a.gif', 'a.apng', 'a.svg', 'a.png', 'a.html', 'a.cast', 'frames/'].map(
        (file) => `Output ${file}`,
      ),
      ...['Set FontSize 20', 'Set Width 400', 'Set Height 200', 'Set FontFamily Other'],
      ...['Set Padding 26', 'Set Margin 13', 'Set MarginFill "#674EFF"', 'Set PlaybackSpeed 4'],
      ...['Type "echo hi" Enter', 'WaitCommand', 'Screenshot b.png', 'Screenshot b.svg'],
    ];
    const run = await test({ 'a.tape': tape.join('\n') }, ['--times', '2', 'a.tape']);
    expect(run).toMatchObject({
      status: 0,
      stderr: 'vtr: a.tape: FontFamily has no effect on pictures: their font is JetBrains Mono\n',
    });
    const bytes = (path: string) => readFileSync(join(run.cwd, path));
    const { frames, delays } = decodeGif(bytes('a.gif'));
    const apng = decodePng(bytes('a.apng'));
    const [still] = decodePng(bytes('a.png'));
    // 20 pixels of padding and 10 of margin on each side, around 22x4 cells.
    expect([still?.width, still?.height]).toEqual([22 * 10 + 60, 4 * 20 + 60]);
    expect([frames.at(-1), apng.at(-1)]).toEqual([still, still]);
    expect(still?.pixels[0]).toBe(0x674eff);
    // From the first key to the last picture four times as fast as recorded, then 2 s. A picture that
    // follows in less than 33 ms takes the place of the one before; GIFs count in hundredths.
    const { events } = parseCast(bytes('a.cast'));
    const [first, last] = [events.find(isOneKey), events.at(-1)];
    const shownMs = delays.reduce((sum, each) => sum + each);
    const atMs = (event: typeof last) => 2_000 + (event?.atMs ?? Number.NaN) / 4;
    expect(shownMs).toBeGreaterThanOrEqual(atMs(last) - (first?.atMs ?? 0) / 4 - 43);
    expect(shownMs).toBeLessThanOrEqual(atMs(last) + 10);
    for (const svg of ['a.svg', 'b.svg']) expect(run.read(svg)).toMatch(/#674eff.*hi/s);
    expect(run.read('a.html')).toContain('echo hi');
    const pictures = readdirSync(join(run.cwd, 'frames')).sort();
    expect(pictures[0]).toBe('frame-00001.png');
    expect(decodePng(bytes(join('frames', pictures.at(-1) ?? '')))).toEqual([still]);
    expect(decodePng(bytes('b.png'))[0]?.width).toBe(still?.width);
  });

  it('shows the screen in pictures, and no lines above it, however many there are', async () => {
    const lines = ['Type "seq 12000" Enter', 'WaitCommand', 'Screenshot a.png', 'Screenshot a.svg'];
    const tape = [...lines, 'Expect@100ms /never/'].join('\n');
    const run = await test({ 'a.tape': tape }, ['a.tape']);
    expect(run.stdout).toContain(
      'a.tape:5: Expect@100ms /never/: /never/ was not shown for 100 ms',
    );
    const pictures = ['a.png', '__goldens__/__failures__/a.tape.screen.png'];
    for (const picture of pictures) {
      const [png] = decodePng(readFileSync(join(run.cwd, picture)));
      expect([png?.width, png?.height]).toEqual([800, 480]);
    }
    expect(run.read('a.svg')).not.toContain('11900');
    expect(run.read('a.svg')).toContain('12000');
  });

  it('tells what was not shown also where it cannot leave the screen', async () => {
    const tape = 'Type "echo hi" Enter\nExpect@100ms /never/\n';
    const golden = 'Set WaitTimeout 100ms\nMatch one\n';
    const run = await test(
      {
        'a.tape': tape,
        'b.tape': golden,
        '__goldens__/b.tape.one.txt': 'other\n',
        '__goldens__/__failures__': 'not a directory',
      },
      ['a.tape', 'b.tape'],
    );
    expect(run.stdout).toContain(
      'a.tape:2: Expect@100ms /never/: /never/ was not shown for 100 ms',
    );
    expect(run.stdout).toContain('b.tape:2: the screen is not as in __goldens__/b.tape.one.txt');
    expect(run.stdout.match(/cannot be written/g)).toHaveLength(2);
  });

  it('tells that a film needs ffmpeg before it runs the tape', async () => {
    const cwd = tree({ 'a.tape': 'Type "x"\nOutput a.mp4' });
    const { status, stdout } = await new Place().vtr(['test', 'a.tape'], {
      cwd,
      env: { PATH: '/nowhere' },
    });
    expect(status).toBe(1);
    expect(stdout).toContain('a.tape:2: a.mp4 is made by ffmpeg, which is not in PATH; install it');
  });

  it('runs Markdown, and updates the outputs that differ', async () => {
    const text = '```console\n$ echo old\nold\n$ seq 9\n1\n...\n9\n$ (exit 3)\n$ echo x\ny\n```\n';
    const first = await test({ 'a.md': text }, ['a.md']);
    expect(first.status).toBe(1);
    expect(first.stdout).toContain('a.md:8: $ (exit 3): it exited with status 3 instead of 0');
    expect(first.stdout).toContain('- y\n      + x');
    expect((await test({}, ['--update', 'a.md'], first.cwd)).status).toBe(0);
    expect(first.read('a.md')).toBe(
      text.replace('(exit 3)\n', '(exit 3)\n? 3\n').replace('\ny\n', '\nx\n'),
    );
    expect((await test({}, ['a.md'], first.cwd)).status).toBe(0);
  });

  it('keeps files that cannot be updated, and names them with the reason', async () => {
    // More than a block of 512 bytes.
    const long = 'long '.repeat(300);
    const md = `\`\`\`console\n$ echo new\nold\n\`\`\`\n\n${long}\n`;
    const files = {
      'a.md': md,
      'b.tape': `Output b.txt\nType "${long}"\nScreenshot c.txt\n`,
      'b.txt': 'old',
      'c.txt': 'old',
      'd.tape': `Type "${long}"\nMatch d\n`,
      '__goldens__/d.tape.d.txt': 'old',
    };
    const cwd = tree(files);
    // With this limit a write of more than a block fails, as on a full disk. A shell's key is shorter.
    const line = `ulimit -f 1; exec "${process.execPath}" "${vtrFile}" test --update a.md b.tape d.tape`;
    const { status, stdout } = await new Place().shellLine(line, { cwd, killAfterMs: 150_000 });
    expect(status).toBe(1);
    const named = stdout.match(/\S+ cannot be written: file too large \(EFBIG\)/g) ?? [];
    expect(named.map((each) => basename(each.split(' ')[0] ?? ''))).toEqual(
      expect.arrayContaining(['a.md', 'c.txt', 'd.tape.d.txt']),
    );
    const left = readdirSync(cwd, { recursive: true, withFileTypes: true });
    const paths = left.filter((each) => each.isFile()).map(({ name }) => name);
    expect(paths.sort()).toEqual(
      Object.keys(files)
        .map((path) => basename(path))
        .sort(),
    );
    for (const [path, text] of Object.entries(files)) {
      expect(readFileSync(join(cwd, path), 'utf8')).toBe(text);
    }
  });

  it('names the directory in which it cannot create its own', async () => {
    const cwd = tree({ 'a.md': '```console\n$ echo x\nx\n```\n' });
    const { status, stdout } = await new Place().vtr(['test', 'a.md'], {
      cwd,
      env: { TMPDIR: '/dev/null' },
    });
    expect(status).toBe(1);
    expect(stdout).toContain('/dev/null/vtr-test- cannot be made: not a directory (ENOTDIR)');
  });

  it('runs in surroundings that are the same everywhere', async () => {
    const { status, stdout } = await test(
      {
        'a.tape': [
          'Type "echo [$TZ $LANG $LC_ALL $TERM] $(ls -A ~ | wc -l) [$OTHER]" Enter',
          'WaitCommand',
          'Expect /\\[UTC C.UTF-8 C.UTF-8 xterm-256color\\] 0 \\[\\]\\n/',
        ].join('\n'),
      },
      ['a.tape'],
    );
    expect({ status, stdout }).toMatchObject({ status: 0 });
  });

  it('reports each kind of failure with file and line', async () => {
    const files = {
      'shown.tape': 'Wait+Screen@50ms /never/',
      'not.tape': 'Type "here"\nExpect /here/\nExpect@50ms not /here/',
      'status.tape': 'Type "false" Enter\nWaitCommand exit 0',
      'exit.tape': 'Type "exit 4" Enter\nExit 0',
      'ended.tape': 'Type "exit" Enter\nExpect /never/',
      'busy.tape':
        'Set WaitTimeout 10ms\nType "while :; do echo $((n++)); done" Enter\nExpect@60s /\\d{3}/\nSettle 1s',
      'click.tape': 'Set WaitTimeout 10ms\nType "two two"\nExpect@60s /two two/\nClick /two/',
      'size.tape': 'Set Width 100\nSet Padding 100\nType "x"',
      'require.tape': 'Require vtr-has-no-such-program',
      'shell.tape': 'Set Shell cmd',
      'mistake.tape': 'Type "x"\nSlep 1s\nFoo',
      'empty.md': '# Nothing',
      'asks.md': '```console\n$ read -p "Name? " name\n$ echo not run\n```',
    };
    const { status, stdout } = await test(files, ['--reporter', 'tap', ...Object.keys(files)]);
    expect(status).toBe(1);
    expect(stdout).not.toMatch(/^ok/m);
    const of = (file: string) =>
      stdout.split(/^not ok \d+ - /m).find((part) => part.startsWith(`${file}\n`)) ?? '';
    const said = Object.keys(files).map((file) => {
      const [, message] = /^ {2}message: (".*")$/m.exec(of(file)) ?? [];
      const [, at] = /^ {2}at: (".*")$/m.exec(of(file)) ?? [];
      return `${JSON.parse(at ?? '""')}: ${JSON.parse(message ?? '""')}`;
    });
    expect(said).toEqual([
      'shown.tape:1: Wait+Screen@50ms /never/: /never/ was not shown for 50 ms',
      'not.tape:3: Expect@50ms not /here/: /here/ is still shown for 50 ms',
      'status.tape:2: `false` exited with status 1 instead of 0',
      'exit.tape:2: the shell exited with status 4 instead of 0',
      'ended.tape:2: Expect /never/: /never/ was not shown and the program ended',
      'busy.tape:4: the screen does not stop changing for 1000 ms',
      'click.tape:4: Click /two/: the pattern matches the text at 0,2 and 0,6; a click needs one match',
      'size.tape:2: Padding and Margin leave nothing of Width or Height for the screen; raise these',
      'require.tape:1: the tape requires vtr-has-no-such-program, which is not installed',
      expect.stringContaining('shell.tape:1: there is no shell cmd for tapes; use bash, zsh'),
      'mistake.tape:2: there is no command Slep; did you mean Sleep?',
      'empty.md:1: there is no fence marked console',
      'asks.md:2: $ read -p "Name? " name: it waits for input: Name?',
    ]);
    expect(of('mistake.tape')).toContain('mistake.tape:3:1: there is no command Foo');
  });

  it('counts the runs that fail', async () => {
    // Fails every third time.
    const line = 'n=$(cat n 2>/dev/null || echo 0); echo $((n + 1)) > n; test $((n % 3)) -gt 0';
    const { status, stdout } = await test(
      { 'a.tape': `Type "${line}" Enter\nWaitCommand exit 0` },
      ['--times', '4', 'a.tape'],
    );
    expect(status).toBe(1);
    expect(stdout).toMatch(/^FAIL {2}a\.tape:2: .* \(failed [1-4] of 4 times\)$/m);
  });

  it('writes reports that tools read', async () => {
    const files = { 'good.tape': 'Type "x"', 'bad & <b>.tape': 'Type "<&>"\nExpect@20ms /no "/' };
    const names = Object.keys(files);
    const tap = (await test(files, ['--reporter', 'tap', ...names])).stdout.split('\n');
    expect(tap.slice(0, 3)).toEqual(['TAP version 14', '1..2', 'ok 1 - good.tape']);
    expect(tap.filter((line) => /^\S/.test(line))).toHaveLength(4);
    const junit = (await test(files, ['--reporter', 'junit', ...names])).stdout;
    expect(junit).toContain('<testsuite name="vtr test" tests="2" failures="1" errors="0"');
    expect(junit).toContain('name="bad &#38; &#60;b&#62;.tape"');
    const lint = spawnSync('xmllint', ['--noout', '-'], { input: junit, encoding: 'utf8' });
    if (lint.error === undefined) expect(lint.stderr).toBe('');
  });

  it('docs/testing.md shows what it does', async () => {
    const place = new Place();
    const bin = tree({ vtr: `#!/bin/sh\nexec "${process.execPath}" "${vtrFile}" "$@"\n` });
    chmodSync(join(bin, 'vtr'), 0o755);
    const env = { PATH: `${bin}:${place.env['PATH']}` };
    const { stdout } = await place.vtr(['test', join(root, 'docs/testing.md')], { env });
    expect(stdout).toMatch(/^ok .*\n1 passed, 0 failed\n$/);
    const [, snippet] =
      /^```ts\n(.*?)^```$/ms.exec(readFileSync(join(root, 'docs/testing.md'), 'utf8')) ?? [];
    expect(snippet).toBe(readFileSync(join(root, 'test/e2e/menu.test.ts'), 'utf8'));
  });

  describe('of the daemons that a test starts, leaves nothing', () => {
    const onlyLinux = provided(hasProc, 'only where /proc tells of all processes');
    const spawned = ['$ vtr spawn one', 'one'];
    // Another socket, from inside a session of the first daemon, and a program that does not end when asked.
    const hidden = (directory: string) => [
      '$ vtr spawn two -- bash --norc',
      'two',
      `$ vtr run two -- 'VTR_SOCKET=${directory}/nested/s vtr spawn three'`,
      'three',
      `$ vtr run two -- '(trap "" HUP TERM; exec setsid sh -c "while :; do sleep 1; done" ${directory}) &'`,
      '...',
      `$ env -i PATH="$PATH" HOME=${directory} VTR_SOCKET=${directory}/bare/s vtr spawn four -- sleep 1000`,
      'four',
    ];
    const markdown = (lines: readonly string[]) => ['```console', ...lines, '```'].join('\n');

    const cases = [
      ['passes', 0, (directory: string) => markdown([...spawned, ...hidden(directory)]), 'a.md'],
      ['fails', 1, () => markdown([...spawned, '$ echo other', 'one']), 'a.md'],
      // The shell's parent is `vtr test`.
      ['is interrupted', 130, () => markdown([...spawned, '$ kill -INT $PPID; cat']), 'a.md'],
      [
        'times out',
        1,
        () => 'Type "vtr spawn one" Enter\nWaitCommand\nExpect@100ms /never/',
        'a.tape',
      ],
    ] as const;
    const leavesNothing = async ([, status, text, file]: (typeof cases)[number]) => {
      const directory = tree({ vtr: `#!/bin/sh\nexec "${process.execPath}" "${vtrFile}" "$@"\n` });
      chmodSync(join(directory, 'vtr'), 0o755);
      writeFileSync(join(directory, file), text(directory));
      const place = new Place();
      const env = { PATH: `${directory}:${place.env['PATH']}`, TMPDIR: directory };
      const options = { cwd: directory, env, killAfterMs: 150_000 };
      const run = await place.vtr(['test', file], options);
      const left = processesNaming(directory).map(commandOf);
      for (const pid of processesNaming(directory)) process.kill(pid, 'SIGKILL');
      expect({ ...run, left }).toMatchObject({ status, left: [] });
      expect(readdirSync(directory).filter((name) => name.startsWith('vtr-test-'))).toEqual([]);
    };
    for (const each of cases) onlyLinux(`when it ${each[0]}`, () => leavesNothing(each));
  });

  it('refuses what is not a test before it runs any', async () => {
    const { status, stderr, stdout } = await test({ 'a.tape': 'Type "x"', 'b.txt': '' }, [
      'a.tape',
      'b.txt',
    ]);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toContain('b.txt is not a test; give tapes (.tape) and Markdown files (.md)');
    expect((await test({}, ['c.tape'])).stderr).toContain('c.tape does not exist');
  });
});
