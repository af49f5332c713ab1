import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { defined } from '#base';
import { serversForAll, TerminalClient } from '../../support/tmux/terminal-client.ts';
import { tree } from '../../support/tree.ts';

const never = new AbortController().signal;

const { coordinator, servers } = serversForAll();

let count = 0;

/** A server of its own, with its commands and clients. */
function place(config = '') {
  const directory = tree({ 'tmux.conf': `set -g status-right ''\n${config}` });
  const request = {
    socketPath: join(directory, 'default'),
    cwd: directory,
    env: {
      PATH: process.env['PATH'] ?? '/usr/bin:/bin',
      HOME: directory,
      SHELL: '/bin/sh',
      PS1: '$ ',
      TERM: 'xterm-256color',
    },
    configFiles: [join(directory, 'tmux.conf')],
    pid: process.pid,
  };
  const run = (...words: readonly string[]) => servers.run({ ...request, words }, never);
  const out = async (...words: readonly string[]) => (await run(...words)).stdout.trimEnd();
  const attach = (
    words: readonly string[],
    size = { cols: 80, rows: 24 },
    path = `/dev/pts/${100 + count++}`,
    more: Readonly<Record<string, string>> = {},
  ) => {
    const env = { ...request.env, ...more };
    return TerminalClient.begin(servers, { ...request, env, words }, { size, path });
  };
  return { run, out, attach, directory, request };
}

describe('a client in a terminal', () => {
  it('is listed, counts, and leaves with its process', async () => {
    const { out, attach } = place();
    const client = await attach(['new-session', '-s', 'a', 'cat']);
    await client.shows(/^\[a\] 0:/);
    expect(
      await out('list-clients', '-F', '#{client_name} #{client_session} #{client_width}'),
    ).toMatch(/^\/dev\/pts\/\d+ a 80$/);
    expect(await out('display-message', '-p', '-t', 'a', '#{session_attached}')).toBe('1');
    await client.vanish();
    await client.ended;
    expect(await out('list-clients')).toBe('');
    expect(await out('display-message', '-p', '-t', 'a', '#{session_attached}')).toBe('0');
  });

  it('brings the variables of update-environment to the session that it shows, unless -E is given', async () => {
    const { out, run, attach } = place("set -g update-environment 'SSH_AUTH_SOCK TEST_*'");
    const begun = async (words: readonly string[], env: Readonly<Record<string, string>>) => {
      const client = await attach(words, undefined, undefined, env);
      await client.shows(/^\[[ab]\] 0:/);
      return client;
    };
    const show = async (name: string) => out('show-environment', '-t', 'a', name);
    await run('new-session', '-d', '-s', 'b', 'cat');
    const first = await begun(['new-session', '-s', 'a', 'cat'], { SSH_AUTH_SOCK: '/one' });
    expect(await show('SSH_AUTH_SOCK')).toBe('SSH_AUTH_SOCK=/one');
    await first.vanish();
    await begun(['attach', '-E', '-t', 'a'], { SSH_AUTH_SOCK: '/two' });
    expect(await show('SSH_AUTH_SOCK')).toBe('SSH_AUTH_SOCK=/one');
    await begun(['attach', '-t', 'a'], { SSH_AUTH_SOCK: '/three', TEST_A: 'a', OTHER: 'o' });
    expect(await show('SSH_AUTH_SOCK')).toBe('SSH_AUTH_SOCK=/three');
    expect(await show('TEST_A')).toBe('TEST_A=a');
    expect(await show('OTHER')).toBe('');
    // A program in a new window has it.
    await run('new-window', '-t', 'a', 'echo "is $SSH_AUTH_SOCK"; exec cat');
    await begun(['attach', '-t', 'b'], { SSH_AUTH_SOCK: '/four' });
    await run('switch-client', '-t', 'a');
    expect(await show('SSH_AUTH_SOCK')).toBe('SSH_AUTH_SOCK=/four');
    expect(await show('TEST_*')).toBe('-TEST_*');
  });

  it('may be in a pane of another server, and not in one of its own', async () => {
    const { attach, run, out, request } = place();
    await run('new-session', '-d', 'cat');
    const pane = await out('display-message', '-p', '#{pane_id}');
    const inside = (path: string) => ({ TMUX: `${path},1,0`, TMUX_PANE: pane });
    const words = ['attach'];
    const own = await servers.run(
      {
        ...request,
        words,
        env: { ...request.env, ...inside(request.socketPath) },
        size: { cols: 80, rows: 24 },
        terminal: '/dev/pts/99',
      },
      never,
    );
    expect(own).toMatchObject({ status: 1, stderr: expect.stringContaining('nested with care') });
    const client = await attach(words, undefined, undefined, inside('/tmp/tmux-0/other'));
    await client.shows(/^\[0\] 0:/);
  });

  it('is what formats of programs are about, also of those outside of its panes', async () => {
    const { out, run, attach } = place();
    const client = await attach(['new-session', '-s', 'a', 'cat']);
    await client.shows(/^\[a\] 0:/);
    await run('new-session', '-d', '-s', 'b', 'cat');
    expect(await out('display-message', '-p', '-t', 'a', '#{client_session}')).toBe('a');
    expect(await out('display-message', '-p', '-t', 'b', '#{client_session}')).toBe('a');
    await run('switch-client', '-t', 'b');
    const format = '#{client_session} #{client_last_session}';
    expect(await out('display-message', '-p', format)).toBe('b a');
  });

  it('does by a key in a table what it is bound to there, and else what the window that shows it says', async () => {
    const { out, run, attach } = place('bind C-a rename-window bound');
    const client = await attach(['new-session', '-s', 'a', '-n', 'first', 'cat']);
    await client.shows(/^\[a\] 0:first/);
    const press = (key: string, otherwise?: string) =>
      client.send({
        type: 'key',
        press: { key, ctrl: key === 'a' },
        table: 'prefix',
        ...defined({ otherwise }),
      });
    await press('a', 'kill-server');
    await client.shows(/^\[a\] 0:bound/);
    await press('h', 'rename-window otherwise');
    await client.shows(/^\[a\] 0:otherwise/);
    await press('h');
    await client.send({ type: 'run', commands: 'split-window -h cat; resize-pane -Z' });
    await client.shows(/^\[a\] 0:otherwise\*Z/);
    // Nothing was typed, and the next key is not one after the prefix.
    await client.type('typed');
    await client.shows(/^typed/);
    expect(await out('list-panes', '-t', 'a', '-F', '#{pane_active}')).toBe('0\n1');
    await run('kill-server');
  });

  it('looks at the active pane, while its terminal has the focus', async () => {
    const { out, run, attach } = place();
    const client = await attach(['new-session', '-s', 'a', 'cat']);
    await run('split-window', '-h', '-t', 'a', 'cat');
    await client.shows(/^.{40}│/);
    const [left = '', right = ''] = (await out('list-panes', '-F', '#{vtr_session}')).split('\n');
    const away = async () => {
      const infos = await Promise.all([left, right].map((name) => coordinator.info(name)));
      return infos.map(({ viewers = [] }) => viewers.map((each) => each.away === true));
    };
    await client.type('typed');
    await client.shows(/│typed/);
    await expect.poll(away).toEqual([[], [false]]);
    await run('select-pane', '-t', 'a:0.0');
    await expect.poll(away).toEqual([[], [true]]);
    await client.type('x');
    await client.shows(/^x/);
    await expect.poll(away).toEqual([[false], [true]]);
    await client.send({ type: 'focus', focused: false });
    await expect.poll(away).toEqual([[true], [true]]);
    await client.send({ type: 'focus', focused: true });
    await expect.poll(away).toEqual([[false], [true]]);
    await run('kill-server');
  });

  it('tells programs that ask for it which pane has the focus', async () => {
    const { out, run, attach } = place('set -s focus-events on');
    const program = "stty raw -echo; printf '\\033[?1004hready'; exec cat -v";
    const client = await attach(['new-session', '-s', 'a', program]);
    await client.shows(/ready/);
    await run('split-window', '-h', '-t', 'a', program);
    const reports = async () => {
      const names = (await out('list-panes', '-s', '-F', '#{vtr_session}')).split('\n');
      const screens = await Promise.all(names.map((name) => coordinator.screen(name)));
      return screens.map(({ text }) => text.join('').replace(/^.*?ready/, ''));
    };
    await client.shows(/ready.*ready/);
    const before = await reports();
    const since = async () => (await reports()).map((text, at) => text.slice(before[at]?.length));
    await run('select-pane', '-t', ':.0');
    await expect.poll(since).toEqual(['^[[I', '^[[O']);
    // Also while the person types there.
    await client.type('x');
    await expect.poll(since).toEqual(['^[[Ix', '^[[O']);
    await client.type('\x1b[O');
    await expect.poll(since).toEqual(['^[[Ix^[[O', '^[[O']);
    await client.type('\x1b[I');
    await expect.poll(since).toEqual(['^[[Ix^[[O^[[I', '^[[O']);
    await run('detach-client');
    await client.ended;
    await expect.poll(since).toEqual(['^[[Ix^[[O^[[I^[[O', '^[[O']);
    await run('kill-server');
  });

  it('has a name of its own also where another one is in the same terminal', async () => {
    const { out, run, attach } = place();
    await run('new-session', '-d', '-s', 'a', 'cat');
    const path = '/dev/pts/99';
    const both = [
      await attach(['attach'], undefined, path),
      await attach(['attach'], undefined, path),
    ];
    expect(await out('list-clients', '-F', '#{client_name} #{client_tty}')).toBe(
      `${path} ${path}\n${path}.2 ${path}`,
    );
    await run('detach-client', '-t', `${path}.2`);
    await both[1]?.ended;
    expect(both[0]?.end).toBeNull();
    await run('kill-server');
  });

  it('of a window that uses the mouse gets it, and moves a border from the first move on', async () => {
    const { out, run, attach } = place();
    const client = await attach(['new-session', '-s', 'a', 'cat']);
    await run('split-window', '-h', '-t', 'a', 'cat');
    await client.shows(/^.{40}│/);
    const widths = () => out('list-panes', '-t', 'a', '-F', '#{pane_width}');
    const mouse = (action: 'press' | 'move' | 'release', col: number) =>
      client.send({ type: 'mouse', mouse: { action, button: 'left', row: 3, col } });
    expect([client.mouse, await widths()]).toEqual(['none', '40\n39']);
    await client.send({ type: 'usesMouse' });
    await expect.poll(() => client.mouse).toBe('button');
    await mouse('press', 40);
    await mouse('move', 30);
    await mouse('release', 30);
    await client.shows(/^.{30}│/);
    expect(await widths()).toBe('30\n49');
    await run('kill-server');
  });

  // tmux 3.3a does not end, or ends, where a table of keys goes away while its list is shown.
  it('leaves choose-buffer when the last buffer is deleted in it', async () => {
    const { run, out, attach } = place();
    const client = await attach(['new-session', '-s', 'a', 'cat']);
    await client.shows(/^\[a\] 0:/);
    await run('set-buffer', '-b', 'one', '1');
    await run('set-buffer', '-b', 'two', '2');
    await run('choose-buffer', '-t', 'a');
    await run('send-keys', '-t', 'a', 'd');
    expect(await out('display', '-p', '-t', 'a', '#{pane_mode}')).toBe('buffer-mode');
    await run('send-keys', '-t', 'a', 'd');
    expect(await out('list-buffers')).toBe('');
    expect(await out('display', '-p', '-t', 'a', '#{pane_mode}')).toBe('');
  });

  it('unbinds and resets keys in customize-mode', async () => {
    const { out, run, attach } = place();
    const client = await attach(['new-session', '-s', 'a', 'cat']);
    await client.shows(/^\[a\] 0:/);
    await run('bind-key', '-T', 'mine', '-r', 'x', 'display-message hi');
    await run('bind-key', 'C-b', 'list-keys');
    await client.type('\x02C');
    await client.shows(/^┌ Server Options/);
    await client.type('\x13');
    await client.shows(/^\(search\)/);
    await client.type('- mine\r');
    await client.shows(/^┌ Key Table - mine/);
    await client.type('+j');
    await client.shows(/There is no note for this key/);
    await client.type('d');
    await client.shows(/^Reset x to default\?/);
    await client.type('y');
    await client.shows(/^┌ Server Options/);
    expect(client.text.join('\n')).not.toContain('mine');
    await client.type('\x13');
    await client.shows(/^\(search\)/);
    await client.type('- prefix\r');
    await client.shows(/^┌ Key Table - prefix/);
    await client.type('+jd');
    await client.shows(/^Reset C-b to default\?/);
    await client.type('y');
    await client.shows(/Command: send-prefix/);
    await client.type('ju');
    await client.shows(/^Unset C-o\?/);
    await client.type('y');
    await client.shows(/^┌ Server Options/);
    await client.type('q');
    const bound = await out('list-keys', '-T', 'prefix');
    expect([/ C-b +send-prefix/.test(bound), bound.includes('C-o')]).toEqual([true, false]);
    expect((await run('list-keys', '-T', 'mine')).stderr).toContain("table mine doesn't exist");
  });

  it('unsets tagged options in customize-mode, and filters them', async () => {
    const { out, run, attach } = place();
    const client = await attach(['new-session', '-s', 'a', 'cat']);
    await client.shows(/^\[a\] 0:/);
    await run('set-option', '-p', '-t', 'a', 'remain-on-exit', 'on');
    await run('set-option', '-w', '-t', 'a', 'mode-keys', 'vi');
    await run('customize-mode', '-N', '-t', 'a', '-f', '#{!=:#{option_scope},}');
    await client.shows(/^\(2\) \+ Window & Pane Options/);
    await client.type('jj+');
    await client.shows(/└─> remain-on-exit: \(pane 0\) on/);
    expect(client.text.filter((row) => row.includes('─>')).length).toBe(2);
    await client.type('\x14U');
    await client.shows(/^Unset 2 tagged\?/);
    await client.type('y');
    await client.shows(/^\(3\) +Key Table - copy-mode/);
    expect(await out('show-options', '-p', '-t', 'a')).toBe('');
    expect(await out('show-options', '-wv', '-t', 'a', 'mode-keys')).toBe('');
    await client.type('f');
    await client.shows(/^\(filter\)/);
    await client.type('\x15#{==:#{option_name},mouse}\r');
    await client.type('gj+');
    await client.shows(/└─> {1,3}mouse: off/);
    await client.type('q');
    await client.shows(/^\[a\] 0:/);
  });

  it('remembers what was typed in prompts', async () => {
    const { out, run, attach } = place();
    const client = await attach(['new-session', '-s', 'a', '-n', 'first', 'cat']);
    await client.shows(/^\[a\] 0:first/);
    await client.type('\x02:rename-window second\r');
    await client.shows(/^\[a\] 0:second/);
    const history = () => out('show-prompt-history', '-T', 'command');
    expect(await history()).toBe('History for command:\n\n1: rename-window second');
    await run('clear-prompt-history');
    expect(await history()).toBe('History for command:');
  });

  it('gives windows and the sessions of their panes its size', async () => {
    const { out, run, attach } = place();
    await run('new-session', '-d', '-s', 'size', '-x', '60', '-y', '20', 'cat');
    await run('split-window', '-h', '-t', 'size', 'cat');
    const client = await attach(['attach-session', '-t', 'size'], { cols: 100, rows: 30 });
    await client.shows(/^\[size\]/);
    const format = '#{pane_width}x#{pane_height} #{vtr_session}';
    const [first = '', second = ''] = (await out('list-panes', '-t', 'size', '-F', format)).split(
      '\n',
    );
    expect([first, second].map((line) => line.split(' ')[0])).toEqual(['50x29', '49x29']);
    const session = first.split(' ')[1] ?? '';
    const sized = async () => (await coordinator.info(session)).size;
    await expect.poll(sized).toEqual({ cols: 50, rows: 29 });
    await client.type('typed');
    await client.shows(/typed/);
    await client.send({ type: 'size', size: { cols: 71, rows: 11 } });
    await client.shows(/^.{35}│/);
    expect(
      await out('display-message', '-p', '-t', 'size', '#{window_width}x#{window_height}'),
    ).toBe('71x10');
    await expect.poll(sized).toEqual({ cols: 35, rows: 10 });
  });

  it('of two, the one that typed last gives the size', async () => {
    const { out, attach } = place();
    const large = await attach(['new-session', '-s', 'two', 'cat'], { cols: 90, rows: 30 });
    const small = await attach(['attach-session', '-t', 'two'], { cols: 40, rows: 10 });
    const width = () => out('display-message', '-p', '-t', 'two', '#{window_width}');
    await small.shows(/^\[two\]/);
    await expect.poll(width).toBe('40');
    await large.type('x');
    await expect.poll(width).toBe('90');
    await small.type('y');
    await large.shows(/xy/);
    await expect.poll(width).toBe('40');
    await large.shows(/·/);
  });

  it('never keeps commands from typing, also while its person types', async () => {
    const { run, attach } = place();
    const client = await attach(['new-session', '-s', 'keys', 'cat']);
    await client.type('by a person ');
    await client.shows(/^by a person/);
    expect(await run('send-keys', '-t', 'keys', 'and a command', 'Enter')).toMatchObject({
      status: 0,
    });
    await client.shows(/^by a person and a command$/);
  });

  it('keeps the order of keys and of what they are bound to', async () => {
    const { attach } = place("bind -n C-x if-shell true 'send-keys X' ''\n");
    const client = await attach(['new-session', '-s', 'order', 'cat']);
    await client.type('a\x18b\x18c');
    await client.shows(/^aXbXc/);
  });

  it('shows a popup, whose status is that of the caller', async () => {
    const { run, attach } = place();
    const client = await attach(['new-session', '-s', 'popup', 'cat']);
    await client.shows(/^\[popup\]/);
    const answer = run(
      'display-popup',
      '-E',
      'printf asks; read line; test "$line" = yes && exit 7',
    );
    await client.shows(/asks/);
    await client.type('yes\r');
    expect(await answer).toMatchObject({ status: 7 });
    await client.shows(/^\[popup\]/);
    await expect.poll(() => client.text.join('')).not.toContain('asks');
  });

  it('shows the output of shell commands in its status line', async () => {
    const { attach } = place("set -g status-right '#(printf first; echo; printf last)'\n");
    const client = await attach(['new-session', '-s', 'jobs', 'cat']);
    await client.shows(/last$/);
  });

  it('rings for its panes, and copies to its clipboard', async () => {
    const { attach, run } = place();
    const line = "printf waits; read line; printf '\\aword rung'; exec cat";
    const client = await attach(['new-session', '-s', 'bell', line]);
    await client.shows(/waits/);
    await client.type('\r');
    await client.shows(/rung/);
    await client.type('\x02[');
    await client.shows(/\[0\/0\]$/);
    await client.type('\x01\x00\x1bf\x1bw');
    await expect.poll(() => client.clipboard).toBe('word');
    await run('set-buffer', '-w', 'by a program');
    await expect.poll(() => client.clipboard).toBe('by a program');
    await expect.poll(() => client.bells).toBe(1);
  });

  it('goes to another session, or ends, when its own is closed', async () => {
    const { run, attach } = place();
    const client = await attach(['new-session', '-s', 'gone', 'cat']);
    await run('new-session', '-d', '-s', 'left', 'cat');
    await run('set-option', '-g', 'detach-on-destroy', 'off');
    await run('kill-session', '-t', 'gone');
    await client.shows(/^\[left\]/);
    await run('set-option', '-g', 'detach-on-destroy', 'on');
    await run('kill-session', '-t', 'left');
    await client.ended;
    expect(client.end).toEqual({ message: 'exited', status: 0 });
  });

  it('is detached by a key and by a command', async () => {
    const { run, attach } = place();
    const client = await attach(['new-session', '-s', 'd', 'cat']);
    await client.type('\x02d');
    await client.ended;
    expect(client.end).toEqual({ message: 'detached (from session d)', status: 0 });
    const again = await attach(['attach-session', '-t', 'd']);
    await run('detach-client', '-s', 'd', '-E', 'true');
    await again.ended;
    expect(again.end).toMatchObject({ command: 'true' });
  });

  it('read-only, types nothing', async () => {
    const { run, attach } = place();
    await run('new-session', '-d', '-s', 'ro', 'cat');
    const client = await attach(['attach-session', '-r', '-t', 'ro']);
    await client.shows(/^\[ro\]/);
    await client.type('not this');
    await run('send-keys', '-t', 'ro', 'but this');
    await client.shows(/^but this/);
    await client.type('\x02d');
    await client.ended;
  });
});
