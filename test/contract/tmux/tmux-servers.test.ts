import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { lstatSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { LocalCoordinator } from '#coordinator';
import { replacesLabel } from '#model';
import { TmuxServers } from '#wire/tmux';
import { controlClient, coordinator, place } from '../../support/tmux/tmux-place.ts';
import { tree } from '../../support/tree.ts';

describe('a server', () => {
  it('is there while a call uses it, and no late end takes away another one', async () => {
    const { run, fifo } = place();
    const path = fifo('held');
    await run('new-session', '-d', '-s', 'first', 'cat');
    const running = run('run-shell', `cat ${path}`);
    await run('kill-session', '-t', 'first');
    await run('new-session', '-d', '-s', 'second', 'cat');
    await writeFile(path, 'read\n');
    expect(await running).toMatchObject({ status: 0, stdout: 'read\n' });
    const format = '#{session_name} #{session_id} #{pane_id}';
    expect((await run('list-panes', '-F', format)).stdout).toBe('second $1 %1\n');
    await run('kill-server');
    expect((await run('list-sessions')).stderr).toMatch(/^error connecting to /);
  });

  it('that does not run is told from a socket that nobody serves, as by tmux', async () => {
    const { run, request } = place();
    const { socketPath: path } = request;
    const answer = async () => (await run('list-sessions')).stderr;
    expect(await answer()).toBe(`error connecting to ${path} (No such file or directory)\n`);
    await writeFile(path, '');
    expect(await answer()).toBe(`no server running on ${path}\n`);
  });

  it('answers others while it reads its configuration', async () => {
    const { run, fifo } = place({ 'tmux.conf': "run-shell 'cat held'\nset -g @read 1\n" });
    const path = fifo('held');
    const started = run('new-session', '-d', '-s', 's', 'cat');
    expect((await run('has-session', '-t', 's')).stderr).toBe('no current target\n');
    expect((await run('set-option', '-g', '@inside', '1')).status).toBe(0);
    await writeFile(path, '');
    expect((await started).status).toBe(0);
    expect((await run('show-options', '-gv', '@inside')).stdout).toBe('1\n');
    expect((await run('show-options', '-gv', '@read')).stdout).toBe('1\n');
  });

  it('leaves the next one panes that it has just made', async () => {
    const { run, fifo, request } = place();
    const [text, name] = [fifo('made'), fifo('held')];
    await run('new-session', '-d', '-s', 'left', 'cat');
    const making = ['split-window', 'cat', ';', 'new-window', 'cat', ';', 'run-shell'];
    const running = run(...making, `echo > ${text}; cat ${name}`);
    await readFile(text);
    const next = new TmuxServers(coordinator, { pid: process.pid });
    const words = ['list-panes', '-s', '-F', '#{window_index} #{pane_id}'];
    const { stdout } = await next.run({ ...request, words }, new AbortController().signal);
    next.dispose();
    expect(stdout).toBe('0 %0\n0 %1\n1 %2\n');
    await writeFile(name, '');
    await running;
  });

  it('removes a popup that a killed daemon has left, when its program has ended', async () => {
    const { request, fifo } = place();
    const gate = fifo('gate');
    await coordinator.spawn({
      name: 'left.popup',
      program: '/bin/sh',
      args: ['-c', `read x < ${gate}`],
      labels: { 'tmux/server': request.socketPath, 'tmux/popup': '$0' },
    });
    const next = new TmuxServers(coordinator, { pid: process.pid });
    await next.run({ ...request, words: ['list-sessions'] }, new AbortController().signal);
    expect((await coordinator.info('left.popup')).state).toBe('running');
    await writeFile(gate, '\n');
    await vi.waitFor(() => expect(coordinator.info('left.popup')).rejects.toThrow(/not found/));
    next.dispose();
  });

  it('ends with kill-server also if it may be empty', async () => {
    const { run } = place();
    await run('new-session', '-d', 'cat');
    await run('set-option', '-s', 'exit-empty', 'off');
    await run('kill-session');
    expect(await run('list-sessions')).toMatchObject({ status: 0, stdout: '' });
    await run('kill-server');
    expect((await run('list-sessions')).stderr).toMatch(/^error connecting to /);
  });

  it('has a file at its socket path while it runs, but not in place of that of somebody else', async () => {
    const { run, request } = place();
    const path = request.socketPath;
    const isSocket = () => lstatSync(path, { throwIfNoEntry: false })?.isSocket();
    await run('new-session', '-d', 'cat');
    expect(isSocket()).toBe(true);
    const next = new TmuxServers(coordinator, { pid: process.pid });
    const words = ['has-session'];
    await next.run({ ...request, words }, new AbortController().signal);
    next.dispose();
    expect(isSocket()).toBeUndefined();
    await run('kill-server');
    const others = createServer().listen(path);
    await once(others, 'listening');
    const connected = once(others, 'connection');
    await run('new-session', '-d', 'cat');
    await connected;
    await run('kill-server');
    expect(isSocket()).toBe(true);
    others.close();
    await writeFile(path, 'kept');
    await run('new-session', '-d', 'cat');
    await run('kill-server');
    expect(await readFile(path, 'utf8')).toBe('kept');
    expect(await readdir(dirname(path))).toEqual(['default', 'empty.conf']);
  });

  it('ends what waits for it', async () => {
    const { run } = place();
    await run('new-session', '-d', 'cat');
    const waiting = run('wait-for', 'never');
    await run('kill-server');
    expect(await waiting).toMatchObject({ status: 0, stderr: '' });
  });

  it('forgets a call that leaves while it waits: the next one gets the channel and the lock', async () => {
    const { run, leaving } = place();
    await run('new-session', '-d', 'cat');
    expect(await leaving('wait-for', 'channel')).toMatchObject({ status: 1 });
    // With nobody who waits, the channel is woken for the next one.
    await run('wait-for', '-S', 'channel');
    expect(await run('wait-for', 'channel')).toMatchObject({ status: 0 });
    await run('wait-for', '-L', 'lock');
    expect(await leaving('wait-for', '-L', 'lock')).toMatchObject({ status: 1 });
    await run('wait-for', '-U', 'lock');
    expect(await run('wait-for', '-L', 'lock')).toMatchObject({ status: 0 });
  });

  it('keeps the output of a pane for a command that begins to read late', async () => {
    const { run, fifo, directory } = place();
    const [printed, gate, done] = [fifo('printed'), fifo('gate'), fifo('done')];
    await run('new-session', '-d', `read x; seq 1 400000; echo > ${printed}; exec cat`);
    const read = `cat ${gate}; sed '/^400000/q' > ${directory}/piped; echo > ${done}`;
    await run('pipe-pane', read);
    await run('send-keys', 'Enter');
    await readFile(printed);
    await writeFile(gate, '');
    await readFile(done);
    const numbers = (await readFile(join(directory, 'piped'), 'utf8')).match(/\d+/g);
    expect(numbers).toEqual(Array.from({ length: 400_000 }, (_, at) => String(at + 1)));
  });

  it('makes the sessions of its configuration without a terminal, and one command can be start-server', async () => {
    const session = (name: string) => `new-session -s ${name} cat\nnew-window cat\nattach\n`;
    const { run } = place({ 'tmux.conf': session('one') + session('two') });
    expect(await run('start-server')).toMatchObject({ status: 0, stderr: '' });
    const { stdout } = await run('list-windows', '-a', '-F', '#{session_name}:#{window_index}');
    expect(stdout).toBe('one:0\none:1\ntwo:0\ntwo:1\n');
    expect((await run('show-messages')).stdout).toBe('');
  });

  it('shows a space as tmux does, in double quotes', async () => {
    const { run } = place();
    await run('new-session', '-d', 'cat');
    await run('set-option', '-g', '@space', ' ');
    expect((await run('show-options', '-g', '@space')).stdout).toBe('@space " "\n');
  });

  it('tells each file its path, by which themes find the files beside them', async () => {
    const { run } = place({
      'tmux.conf':
        'source-file -F "#{d:current_file}/inner.conf"\nset -gF @own "#{b:current_file}"\n',
      'inner.conf': 'set -gF @inner "#{b:current_file}"\n',
    });
    await run('new-session', '-d', 'cat');
    expect((await run('show', '-gv', '@inner')).stdout).toBe('inner.conf\n');
    expect((await run('show', '-gv', '@own')).stdout).toBe('tmux.conf\n');
    expect((await run('display-message', '-p', '[#{current_file}]')).stdout).toBe('[]\n');
  });

  it('tells its configuration the kind of the terminal outside, and later commands that of the panes', async () => {
    const { run, call, request } = place({
      'tmux.conf': `if '[ "$TERM" = foot ]' 'set -g default-terminal tmux-256color'\n`,
    });
    await call(['new-session', '-d', 'cat'], { env: { ...request.env, TERM: 'foot' } });
    expect((await run('show', '-gv', 'default-terminal')).stdout).toBe('tmux-256color\n');
    expect((await run('run-shell', 'echo $TERM')).stdout).toBe('tmux-256color\n');
  });

  it('goes on after a command of its configuration that fails, and says which did', async () => {
    const { run, directory } = place({
      'tmux.conf': 'set -g status-position left\nset -g @second 1\n',
    });
    await run('new-session', '-d', 'cat');
    expect((await run('show-options', '-gv', '@second')).stdout).toBe('1\n');
    expect((await run('show-messages')).stdout).toBe(
      `${join(directory, 'tmux.conf')}: unknown value: left\n`,
    );
  });
});

it('a window follows its program again when automatic-rename is set, and keeps that name after it', async () => {
  const { run } = place();
  const name = async () => (await run('display-message', '-p', '#{window_name}')).stdout;
  await run('new-session', '-d', '-n', 'given', 'exec cat');
  expect(await name()).toBe('given\n');
  await run('set-option', '-w', 'automatic-rename', 'on');
  await expect.poll(name).toBe('cat\n');
  await run('set-option', '-g', 'automatic-rename', 'off');
  await run('set-option', '-wu', 'automatic-rename');
  await run('respawn-pane', '-k', 'exec sleep 100');
  expect(await name()).toBe('cat\n');
});

describe('a command', () => {
  it('in the background runs after the answer', async () => {
    const { run, fifo } = place();
    const path = fifo('ran');
    await run('new-session', '-d', 'cat');
    await run('run-shell', '-b', '-d', '0.01', `echo ran > ${path}`);
    expect(await readFile(path, 'utf8')).toBe('ran\n');
    await run('run-shell', '-bC', '-d', '0.01', 'wait-for -S later');
    expect(await run('wait-for', 'later')).toMatchObject({ status: 0 });
    await run('if-shell', '-b', 'true', 'wait-for -S decided');
    expect(await run('wait-for', 'decided')).toMatchObject({ status: 0 });
  });

  it('in the background may be one of many', async () => {
    const { run } = place();
    const warned = vi.spyOn(process, 'emitWarning');
    await run('new-session', '-d', 'cat');
    for (let count = 0; count < 20; count++) await run('run-shell', '-b', '-d', '1000', 'true');
    // Answered after they have begun.
    await run('run-shell', '-d', '0.01', 'true');
    await run('kill-server');
    expect(warned).not.toHaveBeenCalled();
  });

  it('refuses a command of run-shell that prints without end', async () => {
    const { run } = place();
    await run('new-session', '-d', 'cat');
    expect(await run('run-shell', 'yes')).toMatchObject({
      status: 1,
      stdout: '',
      stderr: 'yes: printed more than 16777216 characters\n',
    });
  });

  it('types what a command of pipe-pane -I prints, all of it and in order', async () => {
    const { run } = place();
    const path = join(tree(), 'typed');
    const total = 300_000;
    await run('new-session', '-d', `stty raw -echo; head -c ${total} > ${path}; tmux-done`);
    await run('pipe-pane', '-I', 'seq 1000000');
    const text = execFileSync('sh', ['-c', `seq 1000000 | head -c ${total}`], {
      encoding: 'utf8',
    });
    await expect
      .poll(async () => (await readFile(path, 'utf8').catch(() => '')).length)
      .toBe(total);
    expect((await readFile(path, 'utf8')) === text).toBe(true);
  });

  it('of the shell that a signal ends says so', async () => {
    const { run } = place();
    await run('new-session', '-d', 'cat');
    expect(await run('run-shell', 'kill -9 $$')).toMatchObject({
      status: 137,
      stdout: "'kill -9 $$' terminated by signal 9\n",
    });
    expect((await run('display-message', '-p', 'x#(echo $(date))y')).stdout).toBe('xy\n');
  });

  it('refuses files that the daemon could wait for, or that are not those of the caller', async () => {
    const { run, fifo } = place();
    const path = fifo('nobody');
    await run('new-session', '-d', 'cat');
    await run('set-buffer', 'text');
    const refused = { status: 1, stderr: `not a regular file: ${path}\n` };
    expect(await run('load-buffer', path)).toMatchObject(refused);
    expect(await run('source-file', path)).toMatchObject(refused);
    expect((await run('save-buffer', path)).status).toBe(1);
    for (const own of ['/dev/stdin', '/dev/fd/0', '/proc/self/fd/0']) {
      expect((await run('load-buffer', own)).stderr).toBe(`not a file for the daemon: ${own}\n`);
    }
    expect((await run('load-buffer', '-')).status).toBe(1);
    expect(await run('save-buffer', '/dev/null')).toMatchObject({ status: 0 });
    await run('save-buffer', 'saved');
    await run('save-buffer', '-a', 'saved');
    await run('load-buffer', 'saved');
    expect((await run('show-buffer')).stdout).toBe('texttext');
  });

  it('respawn-pane keeps the name of a session, also if the program cannot be started', async () => {
    const { run } = place();
    await run('new-session', '-d', '-s', 'rp', 'cat');
    await run('split-window', '-t', 'rp', 'cat');
    const { id } = await coordinator.info('rp.1');
    const names = async () =>
      (await run('list-panes', '-t', 'rp', '-F', '#{pane_id} #{vtr_session}')).stdout;
    await run('respawn-pane', '-k', '-t', 'rp.1', 'exec sleep 100');
    expect(await names()).toBe('%0 rp.0\n%1 rp.1\n');
    const next = await coordinator.info('rp.1');
    expect(next.labels).toMatchObject({ [replacesLabel]: id });
    await vi.waitFor(() => expect(coordinator.info({ name: '', id })).rejects.toThrow(/not found/));
    expect((await run('respawn-pane', '-k', '-t', 'rp.1', '/nowhere/at', 'all')).status).toBe(1);
    expect(await coordinator.info('rp.1')).toMatchObject({ id: next.id, state: 'running' });
    expect(await names()).toBe('%0 rp.0\n%1 rp.1\n');
  });

  it('sizes a pane by its place in the layout, whoever sees it', async () => {
    // Longer than a busy machine needs for the commands.
    const patient = new LocalCoordinator({ waitForPersonMs: 3_600_000 });
    const servers = new TmuxServers(patient, { pid: process.pid });
    onTestFinished(async () => {
      servers.dispose();
      await patient.close();
    });
    const { run } = place({}, servers);
    await run('new-session', '-d', '-s', 'ed', '-x', '100', '-y', '30', 'cat');
    await run('split-window', '-h', '-t', 'ed', 'cat');
    const size = async () => (await patient.info('ed.1')).size;
    const window = { cols: 100, rows: 30 };
    const viewing = await patient.view('ed.1', { kind: 'attach', size: window });
    await patient.sendText('ed.1', 'x', { viewer: viewing.id });
    expect(await size()).toEqual({ cols: 49, rows: 30 });
    // Agents wait for who types, and so does the layout.
    await run('resize-pane', '-t', 'ed.1', '-x', '40');
    await run('resize-pane', '-t', 'ed.1', '-x', '30');
    expect(await size()).toEqual({ cols: 49, rows: 30 });
    await viewing.dispose();
    await vi.waitFor(async () => expect(await size()).toEqual({ cols: 30, rows: 30 }));
  });

  it('splits off a pane without a program, which shows what its caller reads', async () => {
    const { run, call } = place();
    await run('new-session', '-d', '-s', 's', '-x', '60', '-y', '11', 'cat');
    await call(['split-window', '-I', '-t', 's'], { input: 'one\ntwo\n' });
    expect((await run('capture-pane', '-p', '-t', 's.1')).stdout).toBe('one\ntwo\n\n\n\n');
    await run('split-window', '-h', '-t', 's.1', '');
    expect((await run('send-keys', '-t', 's.2', 'lost', 'Enter')).status).toBe(0);
    const facts = '#{pane_id} #{pane_width}x#{pane_height} #{pane_dead}#{pane_dead_status}';
    const { stdout } = await run('list-panes', '-t', 's', '-F', facts);
    expect(stdout).toBe('%0 60x5 0\n%1 30x5 1\n%2 29x5 1\n');
    expect(await coordinator.info('s.1')).toMatchObject({
      size: { cols: 30, rows: 5 },
      fedBy: 'tmux',
    });
    await run('respawn-pane', '-t', 's.2', 'cat');
    await run('send-keys', '-t', 's.2', 'typed', 'Enter');
    expect(await coordinator.wait('s.2', { screen: ['typed'] })).toMatchObject({
      outcome: 'matched',
    });
    await run('kill-pane', '-t', 's.1');
    await vi.waitFor(() => expect(coordinator.info('s.1')).rejects.toThrow(/not found/));
  });

  it('starts programs with the PATH of its caller, in the directory that PWD names', async () => {
    const { run, call } = place();
    await run('new-session', '-d', 'cat');
    await run('set-option', '-g', 'remain-on-exit', 'on');
    await run('set-hook', '-g', 'pane-died', 'wait-for -S died');
    const line = 'test "$PWD" = / && test "$PATH" = /of/caller:/bin';
    const env = { PATH: '/of/caller:/bin' };
    await call(['new-window', '-d', '-c', '/', '-t', ':5', line], { env });
    await run('wait-for', 'died');
    const [status] = [await run('display-message', '-p', '-t', ':5', '#{pane_dead_status}')];
    expect(status.stdout).toBe('0\n');
  });
});

describe('send-keys -R', () => {
  it('waits for no terminal that takes no output, and refuses one that is not there', async () => {
    const { run } = place();
    await run('new-session', '-d', '-s', 'r', 'cat');
    const reset = () => run('send-keys', '-R');
    // The system stops and starts the terminal some time after the keys.
    await run('send-keys', 'C-s');
    await expect.poll(reset).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/^vtr could not reset this pane: /),
    });
    await run('send-keys', 'C-q');
    await expect.poll(reset).toMatchObject({ status: 0 });
    await run('set-option', '-g', 'remain-on-exit', 'on');
    await run('set-hook', '-g', 'pane-died', 'wait-for -S died');
    await run('send-keys', 'C-d');
    await run('wait-for', 'died');
    expect(await run('send-keys', '-R')).toMatchObject({
      status: 1,
      stderr: 'vtr cannot reset this pane: its terminal is not known\n',
    });
  });
});

describe('hooks', () => {
  it('of a pane and of a window run', async () => {
    const { run } = place();
    await run('new-session', '-d', 'cat');
    await run('set-option', '-g', 'remain-on-exit', 'on');
    await run('set-hook', '-p', 'pane-died', 'wait-for -S died');
    await run('set-hook', '-w', 'window-renamed', 'wait-for -S renamed');
    await run('rename-window', 'other');
    await run('wait-for', 'renamed');
    await run('send-keys', 'C-d');
    expect(await run('wait-for', 'died')).toMatchObject({ status: 0 });
  });

  it('run when a program sets the title of its pane', async () => {
    const { run } = place();
    await run('new-session', '-d', 'read go; printf "\\033]2;first\\007"; exec cat');
    await run(
      'set-hook',
      '-g',
      'pane-title-changed',
      'set -gF @title "#{pane_title}" ; wait-for -S set',
    );
    await run('send-keys', 'Enter');
    await run('wait-for', 'set');
    expect((await run('show-options', '-gv', '@title')).stdout).toBe('first\n');
    await run('new-window', 'read go; printf "\\033]2;second\\007"; exec cat');
    await run('send-keys', 'Enter');
    await run('wait-for', 'set');
    expect((await run('show-options', '-gv', '@title')).stdout).toBe('second\n');
  });

  it('run also while those of another client do, but not for what a hook does', async () => {
    const { run, fifo } = place();
    const path = fifo('held');
    await run('new-session', '-d', 'cat');
    await run('set-hook', '-g', 'after-set-buffer', `run-shell 'cat ${path}'`);
    await run('set-hook', '-g', 'after-new-window', 'set -g @made yes ; new-window -d cat');
    await run('set-hook', '-g', 'window-renamed', 'rename-window -t 0 "#{window_name}x"');
    const running = run('set-buffer', 'text');
    await run('new-window', '-d', 'cat');
    expect((await run('show-options', '-gv', '@made')).stdout).toBe('yes\n');
    await writeFile(path, '');
    await running;
    await run('rename-window', '-t', '0', 'name');
    expect((await run('list-windows', '-F', '#{window_index}')).stdout).toBe('0\n1\n2\n');
  });
});

it('all variables with a value are listed by their names', async () => {
  const { run } = place();
  await run('new-session', '-d', '-s', 'all', '-x', '50', '-y', '9', 'cat');
  const { stdout } = await run('display-message', '-a');
  const lines = stdout.trimEnd().split('\n');
  expect(lines).toEqual(
    expect.arrayContaining(['session_name=all', 'pane_width=50', `pid=${process.pid}`]),
  );
  expect(lines).toEqual([...lines].sort());
  expect(stdout).not.toMatch(/^(buffer|client|copy_cursor|session_group)_/m);
  await run('copy-mode');
  expect((await run('display-message', '-a')).stdout).toMatch(/^copy_cursor_x=0$/m);
});

describe('a server of a coordinator whose answers have no secrets', () => {
  /** With a variable whose name looks like a secret, and one with a password in it. */
  const secrets = { SERVICE_PASSWORD: 'corr3ct $horse', DATABASE: 'postgres://me:hunter2x@db/x' };
  const hidden = /corr3ct|hunter2x|AKIAQ3E|GRFZ7VN/;
  const closed = new LocalCoordinator({ recording: { redaction: { reads: true } } });
  const own = new TmuxServers(closed, { pid: process.pid, withoutSecrets: closed.withoutSecrets });
  afterAll(async () => {
    own.dispose();
    await closed.close();
  });
  const withSecrets = () => {
    const here = place({}, own);
    Object.assign(here.request.env, secrets);
    return here;
  };

  it('prints none, whichever command reads them', async () => {
    const { run } = withSecrets();
    await run('new-session', '-d', '-s', 's', '-e', 'OTHER_TOKEN=tr0ub4dor', 'cat');
    await run('new-window', '-d', '-n', 'tr0ub4dor', 'cat');
    await run('set-buffer', 'a hunter2x b tr0ub4dor c');
    await run('set-option', '-g', '@mine', 'corr3ct $horse');
    const shell = 'echo $SERVICE_PASSWORD $DATABASE; echo GITHUB_TOKEN=abcdefgh';
    const read = [
      await run('show-environment', '-g'),
      await run('show-environment', '-gs'),
      await run('show-environment', '-g', 'SERVICE_PASSWORD'),
      await run('show-environment', '-t', 's'),
      await run('display-message', '-p', '#{SERVICE_PASSWORD} #{DATABASE} #{OTHER_TOKEN}'),
      await run('list-windows', '-F', '#{window_name}'),
      await run('show-options', '-g', '@mine'),
      await run('show-buffer'),
      await run('run-shell', shell),
      await run('tr0ub4dor'),
    ];
    const text = read.map(({ stdout, stderr }) => stdout + stderr).join('');
    expect(text).not.toMatch(/corr3ct|tr0ub4dor|abcdefgh|:hunter2x/);
    expect(text).toContain('SERVICE_PASSWORD=••••••• ••••••\n');
    expect(text).toContain('SERVICE_PASSWORD="••••••• ••••••"; export SERVICE_PASSWORD;\n');
    expect(text).toContain('DATABASE=postgres://me:••••••••@db/x\n');
    expect(text).toContain('\n••••••• •••••• postgres://me:••••••••@db/x •••••••••\n');
  });

  it('leaves the fields of formats, which may be beside what looks like a URL', async () => {
    const { run } = withSecrets();
    await run('new-session', '-d', '-s', 's', 'cat');
    const format = 'http://localhost:8080|#{window_id}|#{window_layout}';
    const { stdout } = await run('list-windows', '-F', format);
    expect(stdout).toMatch(/^http:\/\/localhost:8080\|@0\|[0-9a-f]{4},80x24,0,0,0\n$/);
  });

  it('gives none to a control client and to the command of pipe-pane, also in parts', async () => {
    const here = withSecrets();
    const [piped, one, other] = [here.fifo('piped'), here.fifo('one'), here.fifo('other')];
    const line = `cat ${one} ${other} -`;
    const client = await controlClient(here, 'new-session', '-s', 'c', line);
    await client.send('display-message -p $SERVICE_PASSWORD');
    await client.send("rename-window 'of corr3ct $horse'");
    await client.told(/^%window-renamed @\d+ of /m);
    await here.run('pipe-pane', `cat > ${piped}`);
    const read = readFile(piped, 'utf8');
    await writeFile(one, 'url postgres://me:hunter2x@db/x\nkey AKIAQ3EGRFZ7VN5');
    await client.told(/key AKIA/);
    await writeFile(other, 'XK2TD end\n');
    const notices = (await client.told(/ end/)).replaceAll(/\n%output %\d+ /g, '');
    await here.run('kill-server');
    const text = await read;
    for (const each of [notices, text]) {
      expect(each).not.toMatch(hidden);
      expect(each).toMatch(/url postgres:\/\/me:••••••••@db\/x/);
      expect(each).toMatch(/key AKIA•{16} end/);
    }
    expect(await client.told(/^%exit/m)).toMatch(/^••••••• ••••••$/m);
  });
});
