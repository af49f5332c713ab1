import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PersonTerminal } from '../../support/command/person-terminal.ts';
import { Place, vtrFile } from '../../support/command/vtr-command.ts';
import { isAlive } from '../../support/pty/process-facts.ts';
import { AttachedTerminal } from '../../support/tui/attached-terminal.ts';

describe('vtr tmux', () => {
  const place = Place.forAll();
  const tmux = (...words: readonly string[]) => place.ok('tmux', ...words);

  it('runs commands in sessions of vtr, of which each is a pane', async () => {
    await tmux('-L', 'one', 'new-session', '-d', '-s', 'a b', '-x', '60', '-y', '20', 'cat');
    await tmux('-L', 'one', 'split-window', '-h', '-t', 'a b', 'cat');
    await tmux('-L', 'one', 'send-keys', '-t', 'a b:0.0', 'typed', 'Enter');
    const [first = ''] = (await tmux('-L', 'one', 'list-panes', '-F', '#{vtr_session}')).split(
      '\n',
    );
    expect(first).toBe('a-b.0');
    expect(await place.json('wait', first, '--screen', 'typed')).toMatchObject({
      outcome: 'matched',
    });
    expect(await tmux('-L', 'one', 'capture-pane', '-p', '-t', '%0')).toMatch(/^typed\n/);
    const { sessions } = (await place.json('ls')) as { sessions: { labels: object }[] };
    expect(sessions.map(({ labels }) => labels)).toMatchObject([
      { 'tmux/session': 'a b', 'tmux/place': '$0 @0 %0 0 0 +current-' },
      { 'tmux/session': 'a b', 'tmux/place': '$0 @0 %1 0 1 active+current-' },
    ]);
  });

  it('gives programs the variables of tmux, with which they find their pane', async () => {
    const line = 'printf "%s %s\\n" "$TMUX" "$TMUX_PANE"; exec cat';
    await tmux('-S', '/tmp/named.sock', 'new-session', '-d', '-s', 'env', line);
    const status = (await place.json('serve', '--status')) as { pid: number };
    expect(await place.json('wait', 'env.0', '--screen', '%0')).toMatchObject({
      outcome: 'matched',
    });
    expect(await place.ok('screen', 'env.0', '--plain')).toContain(
      `/tmp/named.sock,${status.pid},0 %0`,
    );
    const env = { TMUX: `/tmp/named.sock,${status.pid},0`, TMUX_PANE: '%0' };
    const { stdout } = await place.vtr(['tmux', 'display-message', '-p', '#S #D'], { env });
    expect(stdout).toBe('env %0\n');
  });

  it('names a server by the flags -L and -S, TMUX and TMUX_TMPDIR', async () => {
    const socket = async (env: Readonly<Record<string, string>>, ...flags: readonly string[]) => {
      const words = ['tmux', ...flags, 'new-session', '-d', '-P', '-F', '#{socket_path}', 'cat'];
      return (await place.vtr(words, { env })).stdout.trim();
    };
    const uid = process.getuid?.() ?? 0;
    expect(await socket({ TMUX_TMPDIR: '/x' })).toBe(`/x/tmux-${uid}/default`);
    expect(await socket({ TMUX_TMPDIR: '/x', TMUX: '/y/z,1,0' })).toBe('/y/z');
    expect(await socket({ TMUX: '/y/z,1,0' }, '-L', 'name')).toBe(`/tmp/tmux-${uid}/name`);
    expect(await socket({ TMUX: '/y/z,1,0' }, '-S', '/own')).toBe('/own');
  });

  it('calls at the same time get different ids and indexes', async () => {
    await tmux('-L', 'many', 'new-session', '-d', '-s', 'm', 'cat');
    const words = ['-L', 'many', 'new-window', '-d', '-P', '-F', '#{window_index} #{pane_id}'];
    const ids = await Promise.all(
      Array.from({ length: 8 }, () => tmux(...words, '-t', 'm:', 'cat')),
    );
    const expected = Array.from({ length: 8 }, (_none, at) => `${at + 1} %${at + 1}\n`);
    expect(ids.sort()).toEqual(expected);
  });

  it('wait-for waits in one process for another', async () => {
    await tmux('-L', 'wait', 'new-session', '-d', 'cat');
    const waiting = await place.calling('RunTmux', ['tmux', '-L', 'wait', 'wait-for', 'ready']);
    await tmux('-L', 'wait', 'wait-for', '-S', 'ready');
    expect(await waiting.ended).toMatchObject({ status: 0, stdout: '', stderr: '' });
  });

  it('a pane whose program ends goes, with its window and its session', async () => {
    await tmux('-L', 'end', 'new-session', '-d', '-s', 'e', 'cat');
    await tmux('-L', 'end', 'new-window', '-t', 'e', 'tmux_end() { :; }; read line');
    await place.ok('wait', 'e.1', '--idle', '1ms');
    await tmux('-L', 'end', 'send-keys', '-t', 'e:1', 'Enter');
    await expect
      .poll(() => tmux('-L', 'end', 'list-windows', '-F', '#I'), { interval: 10 })
      .toBe('0\n');
    await tmux('-L', 'end', 'kill-session', '-t', 'e');
    expect(await place.vtr(['tmux', '-L', 'end', 'ls'])).toMatchObject({
      status: 1,
      stdout: '',
      stderr: expect.stringMatching(/^error connecting to /),
    });
  });

  it('sessions and ids stay when the daemon is replaced', async () => {
    const other = new Place();
    const here = (...words: readonly string[]) => other.ok('tmux', ...words);
    await here('new-session', '-d', '-s', 'stays', '-n', 'first', 'cat');
    await here('split-window', '-h', '-t', 'stays', 'cat');
    await here('new-window', '-t', 'stays', '-n', 'second', 'cat');
    await here('kill-window', '-t', 'stays:second');
    const format = '#{session_id} #S #{window_id} #I #W #{pane_id} #{window_layout} #{pane_active}';
    const before = await here('list-panes', '-a', '-F', format);
    expect(await other.ok('ls')).not.toContain('tmux/');
    const ended = join(other.directory, 'ended');
    for (const hook of ['pane-exited', 'session-closed', 'window-unlinked']) {
      await here('set-hook', '-g', hook, `run-shell 'echo ${hook} >> ${ended}'`);
    }
    const replaced = Number((await here('display-message', '-p', '#{pid}')).trim());
    expect((await other.vtr(['serve', '--restart'])).status).toBe(0);
    await expect.poll(() => isAlive(replaced)).toBe(false);
    expect(existsSync(ended)).toBe(false);
    expect(await here('list-panes', '-a', '-F', format)).toBe(before);
    expect(await here('new-window', '-P', '-F', '#{window_id} #{pane_id}', 'cat')).toBe('@2 %3\n');
  });

  it('-C answers line by line, and tells what happens', async () => {
    const client = spawn(
      process.execPath,
      [vtrFile, 'tmux', '-L', 'c', '-C', 'new', '-s', 'c', 'cat'],
      {
        env: place.env,
      },
    );
    let output = '';
    client.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    const ended = new Promise((resolve) => client.once('close', resolve));
    client.stdin.write('display-message -p hello\nnonsense\nnew-window -n made cat\n\n');
    expect(await ended).toBe(0);
    expect(output).toContain('%session-changed $0 c\n');
    expect(output).toMatch(/^%begin (\d+ \d+ 1)\nhello\n%end \1$/m);
    expect(output).toMatch(
      /^%begin (\d+ \d+ 1)\nparse error: unknown command: nonsense\n%error \1$/m,
    );
    expect(output).toMatch(/^%window-add @1$/m);
    expect(output).toMatch(/%exit\n$/);
  });

  it('vtr attach of a pane goes on when the pane is respawned', async () => {
    await tmux('-L', 're', 'new-session', '-d', '-s', 're', 'exec cat');
    const person = await AttachedTerminal.start(place, ['attach', 're.0']);
    await person.types('one\r');
    await person.sees('^one');
    await tmux('-L', 're', 'respawn-pane', '-k', '-t', 're', 'echo "next pro""gram"; exec cat');
    await person.sees('^next program');
    await person.types('two\r');
    await person.sees('^two');
    await person.keys('ctrl+b', 'd');
    expect(await person.end()).toMatchObject({ status: { code: 0 } });
  });

  it('-CC echoes nothing in a terminal, and leaves it as it was', async () => {
    // The terminal is another session; its shell prints the settings before and after.
    const tmuxPath = `"${process.execPath}" "${vtrFile}" tmux -L cc`;
    const line = `stty -a > before; ${tmuxPath} -CC new -s q cat; stty -a > after; echo over`;
    await place.ok('spawn', 'terminal', '--', '/bin/sh', '-c', line);
    const flags = ['--raw', '--since', 'start'];
    await place.json('wait', 'terminal', '%session-changed \\$0 q', ...flags);
    await place.ok('send', 'terminal', 'display-message -p "1#{version}"', '--enter');
    await place.json('wait', 'terminal', '13\\.3a', ...flags);
    await place.ok('key', 'terminal', 'enter');
    await place.json('wait', 'terminal', 'over', ...flags);
    const { stdout: raw } = await place.vtr(['read', 'terminal', '--raw']);
    expect(raw).not.toContain('display-message');
    const first = raw.match(/%(window-add @0|sessions-changed|session-changed \$0 q)/g);
    expect(first).toEqual(['%window-add @0', '%sessions-changed', '%session-changed $0 q']);
    const settings = (name: string) => readFileSync(join(place.directory, name), 'utf8');
    expect(settings('after')).toBe(settings('before'));
  });

  it('-C ends with its input, also while a command waits', async () => {
    const words = ['tmux', '-L', 'w', '-C', 'new', '-s', 'w', 'cat'];
    const client = spawn(process.execPath, [vtrFile, ...words], { env: place.env });
    client.stdout.resume();
    const ended = new Promise((resolve) => client.once('close', resolve));
    client.stdin.end('wait-for never\ndisplay-message -p later\n');
    expect(await ended).toBe(0);
    expect(await tmux('-L', 'w', 'list-clients')).toBe('');
  });

  it('attach-session shows windows, and keys reach their panes, also after a restart of the daemon', async () => {
    const other = new Place();
    const person = await PersonTerminal.run(
      other,
      ['tmux', 'new-session', '-s', 'p', '-n', 'first', 'cat'],
      { cols: 80, rows: 24 },
    );
    await person.shows('^\\[p\\] 0:first\\*');
    await person.types('typed');
    await person.shows('^typed');
    await person.keys('ctrl+b', '%');
    await person.shows('│');
    await other.ok('tmux', 'new-window', '-t', 'p', '-n', 'second', 'cat');
    await person.shows('1:second\\*');
    expect(await other.ok('tmux', 'list-clients', '-F', '#{client_session}')).toBe('p\n');
    expect((await other.vtr(['serve', '--restart'])).status).toBe(0);
    await expect
      .poll(() => other.ok('tmux', 'list-clients', '-F', '#{client_session}'))
      .toBe('p\n');
    await person.types('later');
    await person.shows('^later');
    await person.keys('ctrl+b', 'd');
    await person.shows('\\[detached \\(from session p\\)\\]');
    expect(await person.ended()).toEqual({ code: 0, alternate: false });
  });

  it('attach-session ends with the daemon that is stopped', async () => {
    const other = new Place();
    const words = ['tmux', 'new-session', '-s', 'p', 'cat'];
    const person = await PersonTerminal.run(other, words, { cols: 80, rows: 24 });
    await person.shows('^\\[p\\] 0:');
    expect((await other.vtr(['serve', '--stop'])).status).toBe(0);
    await person.shows('^\\[server exited\\]');
    expect(await person.ended()).toEqual({ code: 1, alternate: false });
  });

  it('shows a session in a terminal that does not know its size, such as that of expect', async () => {
    const other = new Place();
    const line = 'stty rows 0 cols 0; exec "$@"';
    const words = [process.execPath, vtrFile, 'tmux', 'new-session', '-s', 'z', 'cat'];
    await other.ok('spawn', 'outer', '--size', '80x24', '--', 'sh', '-c', line, 'sh', ...words);
    await other.sees('outer', '[z] 0:');
    expect(await other.ok('tmux', 'list-clients', '-F', '#{client_width}')).toBe('80\n');
  });

  it('gives the terminal to lock-command, until that ends, also after a time without a key', async () => {
    const other = new Place();
    const words = ['tmux', 'new-session', '-s', 'l', 'cat'];
    const person = await PersonTerminal.run(other, words, { cols: 80, rows: 24 });
    await person.shows('^\\[l\\] 0:');
    await other.ok('tmux', 'set', '-g', 'lock-command', `printf locked:; read x`);
    await other.ok('tmux', 'lock-session', '-t', 'l');
    await person.shows('^locked:');
    await person.types('secret\r');
    await person.shows('^\\[l\\] 0:');
    await person.types('typed');
    await person.shows('^typed');
    await other.ok('tmux', 'set', '-g', 'lock-after-time', '1');
    await person.shows('^locked:');
    await other.ok('tmux', 'set', '-g', 'lock-after-time', '0');
    await person.types('\r');
    const rows = await person.shows('^typed', '^\\[l\\] 0:');
    expect(rows.join('\n')).not.toContain('secret');
    await person.keys('ctrl+b', 'd');
    expect(await person.ended()).toEqual({ code: 0, alternate: false });
  });

  it('says what is not supported, with status 1', async () => {
    await tmux('-L', 'no', 'new-session', '-d', 'cat');
    expect(await place.vtr(['tmux', '-L', 'no', 'capture-pane', '-P'])).toMatchObject({
      status: 1,
      stdout: '',
      stderr: 'vtr does not support capture-pane -P\n',
    });
    for (const words of [['-V'], ['--', '-V'], ['--', '-L', 'no', '-V']]) {
      expect((await place.vtr(['tmux', ...words])).stdout).toBe('tmux 3.3a\n');
    }
    for (const word of ['-y', '--nonsense']) {
      const { stderr, status } = await place.vtr(['tmux', word]);
      expect([stderr, status]).toEqual([expect.stringMatching(/^usage: tmux /), 1]);
    }
    expect((await place.vtr(['tmux', '--help'])).stdout).toContain('vtr shim install');
  });
});

describe('vtr shim install', () => {
  it('writes a command tmux, but not over another one', async () => {
    const place = new Place();
    const path = join(place.directory, 'bin/tmux');
    const installed = await place.vtr(['shim', 'install', join(place.directory, 'bin')]);
    expect(installed).toMatchObject({ status: 0, stdout: `${path}\n` });
    expect(installed.stderr).toContain('put it first: export PATH=');
    const { stdout } = await place.shellLine('PATH="$PWD/bin:$PATH" tmux -V', {
      cwd: place.directory,
    });
    expect(stdout).toBe('tmux 3.3a\n');
    writeFileSync(path, '#!/bin/sh\n');
    const refused = await place.vtr(['shim', 'install', join(place.directory, 'bin')]);
    expect(refused).toMatchObject({ status: 2, stderr: expect.stringContaining('--force') });
    expect(readFileSync(path, 'utf8')).toBe('#!/bin/sh\n');
  });

  it('writes the whole command or nothing, and replaces a link, not what it names', async () => {
    const place = new Place();
    const bin = join(place.directory, 'bin');
    // With this limit every write to a file fails, as on a full disk.
    const line = `ulimit -f 0; exec "${process.execPath}" "${vtrFile}" shim install bin`;
    const full = await place.shellLine(line, { cwd: place.directory });
    expect(full).toMatchObject({ status: 10, stderr: expect.stringContaining('EFBIG') });
    expect(readdirSync(bin)).toEqual([]);
    const real = join(place.directory, 'real-tmux');
    writeFileSync(real, 'the real one\n');
    symlinkSync(real, join(bin, 'tmux'));
    expect((await place.vtr(['shim', 'install', bin, '--force'])).status).toBe(0);
    expect(readFileSync(real, 'utf8')).toBe('the real one\n');
    const { stdout } = await place.shellLine('bin/tmux -V', { cwd: place.directory });
    expect(stdout).toBe('tmux 3.3a\n');
  });
});
