import { spawn } from 'node:child_process';
import { chmodSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Place, vtrFile } from '../../support/command/vtr-command.ts';
import { needs } from '../../support/run/needs.ts';
import { tree } from '../../support/tree.ts';
import { AttachedTerminal } from '../../support/tui/attached-terminal.ts';

const attach = (place: Place, words: readonly string[], options = {}) =>
  AttachedTerminal.start(place, ['attach', ...words], options);

/** The process of the daemon. */
function daemonPid(place: Place): number {
  const claim = readdirSync(place.directory).find((file) => file.endsWith('.claim'));
  return Number(/\.(\d+)-\d+\.claim$/.exec(claim ?? '')?.[1]);
}

/** Resolves when a person sees the session `build`: the first picture is older than that. */
async function joined(place: Place): Promise<void> {
  const viewers = async () => (await place.json('info', 'build')).viewers.length;
  await expect.poll(viewers).toBe(1);
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** The daemon of the tests that leave it alone. */
const shared = Place.forAll();

const clean = { leftModes: [] };

describe('vtr attach', () => {
  it('[S3.18] shows name, coordinator and size; passes keys and pastes; Ctrl+b ?, r, k and d', async () => {
    const place = shared;
    await place.shell('build');
    const person = await attach(place, ['build', '--status', 'on']);
    await person.sees('^\\$');
    const rows = await person.sees('60x11');
    expect(rows.at(-1)).toMatch(/ build .*default.*60x11/);
    await person.types('echo Xb');
    await person.keys('backspace', 'a', 'enter');
    await person.sees('^Xa');
    await person.types('\x1b[200~echo pasted\necho twice\n\x1b[201~');
    await person.sees('\\$ twice');
    await person.resize({ cols: 50, rows: 10 });
    await person.sees('50x9');
    expect(await place.json('info', 'build')).toMatchObject({ cols: 50, rows: 9 });
    await place.ok('spawn', 'other', '--size', '30x5', '--', 'cat');
    await person.keys('ctrl+b', '?');
    await person.sees('detach: the session');
    await person.keys('q', 'ctrl+b', ':');
    await person.types('resize 30x8');
    await person.keys('enter');
    // In the status line, and not in the line that was typed.
    await person.sees('^ build .*30x8');
    await person.keys('ctrl+b', 'r');
    await person.sees('50x9');
    await person.keys('ctrl+b', 'k');
    await person.sees('y');
    await person.keys('n', 'ctrl+b', 'd');
    const end = await person.end();
    expect(end).toMatchObject({ status: { code: 0 }, ...clean });
    expect(end.rows.join('\n')).toContain('vtr: detached from build');
    const info = await place.json('info', 'build');
    expect(info).toMatchObject({ status: 'running', cols: 50, rows: 9 });
  });

  it('an ended program stays to be read, and starts again; every ending leaves the terminal as it was', async () => {
    const place = shared;
    await place.ok(
      'spawn',
      'job',
      '--',
      'sh',
      '-c',
      'printf ready; read x; printf "\\033[?1000hlast $x"; exit 3',
    );
    const person = await attach(place, ['job']);
    await person.sees('ready');
    await person.types('one\r');
    await person.sees('last one');
    await person.sees('exited with status 3');
    await person.keys('enter');
    await expect.poll(async () => (await place.json('info', 'job')).status).toBe('running');
    await person.sees('ready$');
    await person.types('two\r');
    await person.sees('last two');
    await person.sees('exited with status 3');
    await person.keys('q');
    expect(await person.end()).toMatchObject({ status: { code: 0 }, ...clean });

    await place.ok('revive', 'job');
    const follower = await attach(place, ['job', '--exit-status']);
    await follower.sees('ready$');
    await follower.types('three\r');
    expect(await follower.end()).toMatchObject({ status: { code: 3 }, ...clean });

    await place.shell('shell');
    for (const [signal, code] of [
      ['SIGTERM', 143],
      ['SIGHUP', 129],
      ['SIGINT', 130],
    ] as const) {
      const ended = await attach(place, ['shell']);
      await ended.sees('^\\$');
      ended.signal(signal);
      const { rows, ...end } = await ended.end();
      expect(end).toMatchObject({ status: { code }, ...clean });
      expect(rows.join('\n')).toContain(`vtr: ended by ${signal}`);
    }
    const dumb = await AttachedTerminal.start(place, ['attach', 'shell'], {
      env: { TERM: 'dumb' },
    });
    const refused = await dumb.end();
    expect(refused).toMatchObject({ status: { code: 2 }, ...clean });
    expect(refused.rows.join('')).toContain('TERM is dumb: vtr cannot draw in this terminal');
    const remover = await attach(place, ['job']);
    await remover.sees('exited with status 3');
    await remover.keys('x');
    expect(await remover.end()).toMatchObject({ status: { code: 0 }, ...clean });
    expect((await place.json('ls')).sessions.map(({ name }: { name: string }) => name)).toEqual([
      'shell',
    ]);
  });

  it('goes on after Ctrl+b Ctrl+z where no shell could continue it, and after SIGCONT', async () => {
    const place = shared;
    await place.shell('build');
    const person = await attach(place, ['build', '--status', 'on']);
    await person.sees('^\\$');
    for (const suspend of [
      () => person.keys('ctrl+b', 'ctrl+z'),
      async () => person.signal('SIGTSTP'),
      async () => person.signal('SIGCONT'),
    ]) {
      await suspend();
      await person.types('clear; echo still he""re\r');
      await person.sees('^still here');
      await person.types('clear; echo go""ne\r');
      await person.sees('^gone');
    }
    await person.keys('ctrl+b', 'd');
    expect(await person.end()).toMatchObject({ status: { code: 0 }, ...clean });
  });

  it('--size smallest gives the session the size of the smallest terminal, --size manual none', async () => {
    const place = new Place();
    await place.shell('sized');
    const large = await attach(place, ['sized', '--status', 'off', '--size', 'smallest'], {
      size: { cols: 100, rows: 30 },
    });
    await large.sees('^\\$');
    await large.types('clear; stty size\r');
    await large.sees('^30 100');
    const small = await attach(place, ['sized', '--status', 'off']);
    await small.sees('^30 100');
    await expect.poll(async () => (await place.json('info', 'sized')).cols).toBe(60);
    await large.types('clear; stty size\r');
    await large.sees('^12 60');
    await large.keys('ctrl+b', 'd');
    await large.end();
    const manual = await attach(place, ['sized', '--status', 'off', '--size', 'manual'], {
      size: { cols: 70, rows: 20 },
    });
    await manual.types('clear; stty size\r');
    await manual.sees('^12 60');
    await expect.poll(() => place.json('info', 'sized')).toMatchObject({ sizing: 'manual' });
  });

  it('of a person who types while vtr run runs is said in its result', async () => {
    const place = new Place();
    await place.shell('work');
    const person = await attach(place, ['work']);
    await person.sees('^\\$');
    const line = 'echo as""ks; read -r x; echo "got $x"';
    const running = place.vtr(['run', 'work', '--no-asks', '--json', '--', line]);
    // Then the shell no longer reads keys itself, to which Enter would not be the end of a line.
    await person.sees('^asks');
    await person.types('mine\r');
    const result = JSON.parse((await running).stdout);
    expect(result.outcome).toBe('prompt');
    expect(result.person).toMatchObject({ name: userInfo().username, since: expect.any(String) });
    const { stdout } = await place.vtr(['read', 'work', '--since', result.person.mark]);
    expect(stdout).toContain('got mine');
    // Agents wait for 5 s, in which a busy machine may not have started the command.
    const refused = async () => {
      await person.types('\x15');
      return place.vtr(['run', 'work', '--', 'echo refused']);
    };
    const stderr = expect.stringContaining(' typed ');
    await expect.poll(refused).toMatchObject({ status: 14, stderr });
  });

  it('Ctrl+b i asks once, and types the path of a file with the image of the clipboard', async () => {
    const place = new Place();
    await place.shell('here');
    const bin = tree({ 'wl-paste': "#!/bin/sh\nprintf '\\211PNG\\r\\n\\032\\nimage'\n" });
    chmodSync(join(bin, 'wl-paste'), 0o755);
    const env = { PATH: `${bin}:${process.env['PATH']}`, WAYLAND_DISPLAY: 'wayland-0' };
    const person = await attach(place, ['here'], { env, size: { cols: 100, rows: 12 } });
    await person.sees('^\\$');
    await person.types('cat ');
    await person.keys('ctrl+b', 'i');
    await person.sees('copy the image of your clipboard to the machine of the session');
    await person.keys('y');
    const rows = await person.sees('^\\$ cat /.*vtr-file-[0-9a-f]{16}-\\w+/image.png');
    const [path = ''] = /\/\S+image\.png/.exec(rows.join('\n')) ?? [];
    onTestFinished(() => rmSync(dirname(path), { recursive: true }));
    await person.types(' | wc -c\r');
    await person.sees('^13$');
    await person.keys('ctrl+b', 'd');
    expect(await person.end()).toMatchObject({ status: { code: 0 }, ...clean });
  });

  it('types while an agent does, which then waits; the size stays', async () => {
    const place = shared;
    await place.shell('build');
    await place.ok('send', 'build', 'echo agent', '--enter');
    const person = await attach(place, ['build']);
    await person.types('echo mi""ne\r');
    await person.sees('^mine');
    // Agents wait for 5 s, in which a busy machine may not have started the command.
    const refused = async () => {
      await person.types('\x15');
      return place.vtr(['send', 'build', 'y']);
    };
    const stderr = expect.stringMatching(/ typed .* ago; /);
    await expect.poll(refused).toMatchObject({ status: 14, stderr });
    await place.ok('send', 'build', 'echo la""ter', '--enter', '--wait-driver');
    await person.sees('^later');
    await person.keys('ctrl+b', 't');
    await person.sees('you hold it');
    expect((await place.json('info', 'build')).driver).toMatchObject({ holds: true });
    await person.keys('ctrl+b', 'd');
    expect(await person.end()).toMatchObject({ status: { code: 0 }, ...clean });
    const left = { cols: 60, rows: 11, driver: null };
    expect(await place.json('info', 'build')).toMatchObject(left);
  });

  it('goes on with the same session after the daemon was killed', async () => {
    const place = new Place();
    await place.shell('build');
    const person = await attach(place, ['build']);
    await person.sees('^\\$');
    await person.types('here=kept; echo set $here\r');
    await person.sees('^set kept');
    process.kill(daemonPid(place), 'SIGKILL');
    await person.sees('connected again');
    await person.types('echo is $here\r');
    await person.sees('^is kept');
    await person.keys('ctrl+b', 't');
    const holds = async () => (await place.json('info', 'build')).driver?.holds === true;
    await expect.poll(holds).toBe(true);
    process.kill(daemonPid(place), 'SIGKILL');
    // The note about the first connection may still be shown.
    await joined(place);
    await expect.poll(holds).toBe(true);
    await person.keys('ctrl+b', 't', 'enter');
    await expect.poll(holds).toBe(false);
    process.kill(daemonPid(place), 'SIGKILL');
    await joined(place);
    expect(await holds()).toBe(false);
    await person.keys('ctrl+b', 'd');
    expect(await person.end()).toMatchObject({ status: { code: 0 }, ...clean });
  });

  it('says that a suspended daemon does not answer, and goes on when it continues', async () => {
    const place = new Place();
    await place.shell('build');
    const person = await attach(place, ['build']);
    await person.sees('^\\$');
    // The terminal has joined, too: what is typed before waits for that.
    await person.types('echo jo""ined\r');
    await person.sees('^joined');
    const pid = daemonPid(place);
    process.kill(pid, 'SIGSTOP');
    try {
      await person.sees('is not answering');
      await person.types('lost');
      await person.sees('not sent');
    } finally {
      process.kill(pid, 'SIGCONT');
    }
    await person.sees('answers again');
    await person.types('echo go on\r');
    await person.sees('^go on');
    expect((await place.sees('build', 'go on')).join('')).not.toContain('lost');
    await person.keys('ctrl+b', 'd');
    expect(await person.end()).toMatchObject({ status: { code: 0 }, ...clean });
  });

  it('shows why somebody took over, and that the session was removed', async () => {
    const place = shared;
    await place.shell('build');
    const person = await attach(place, ['build', '--watch', '--status', 'on']);
    await person.sees('you watch');
    await place.vtr(['take', 'build', '--note', 'on call']);
    await person.sees('\\(on call\\)');
    await place.ok('rm', 'build');
    await person.sees('removed · q leaves');
    await person.keys('x');
    await person.sees('build was removed');
    await person.keys('q');
    expect(await person.end()).toMatchObject({ status: { code: 0 }, ...clean });
  });

  it('ends with status 3 once a daemon answers that does not have the session', async () => {
    const place = new Place();
    const config = tree({ 'vtr/server.toml': 'pty_host = "in_process"\n' });
    const env = { XDG_CONFIG_HOME: config };
    await place.vtr(['spawn', 'build', '--', 'sh', '-c', 'echo ready; cat'], { env });
    const person = await attach(place, ['build'], { env });
    await person.sees('^ready');
    await person.types('echoed\r');
    await person.sees('^echoed');
    process.kill(daemonPid(place), 'SIGKILL');
    await person.sees('reconnecting');
    await place.vtr(['spawn', 'other', '--', 'cat'], { env });
    const end = await person.end();
    expect(end).toMatchObject({ status: { code: 3 }, ...clean });
    expect(end.rows.join('\n')).toContain('not found');
  });

  it('names other sessions that want somebody, and goes there and back; Ctrl+b n, L', async () => {
    const place = new Place();
    await place.shell('build');
    await place.shell('api');
    const person = await attach(place, ['build'], { size: { cols: 90, rows: 12 } });
    await person.sees('^\\$');
    await place.ok('send', 'api', 'read -p "Overwrite? " answer', '--enter');
    const rows = await person.sees('1 wants somebody: Ctrl\\+b n · api');
    expect(rows.at(-1)).toContain('api');
    await expect.poll(() => person.title()).toContain('1 wants somebody: api');
    await person.keys('ctrl+b', 'n');
    await person.sees('^Overwrite\\?');
    await expect.poll(async () => (await person.sees('^ api ')).at(-1)).not.toContain('want');
    await person.keys('ctrl+b', 'L');
    await person.sees('1 wants somebody: Ctrl\\+b n · api');
    await place.ok('send', 'api', 'y', '--enter', '--wait-driver');
    await expect.poll(() => person.title()).not.toContain('want');
    await person.keys('ctrl+b', 'd');
    expect(await person.end()).toMatchObject({ status: { code: 0 }, ...clean });
  });

  it('tells it for a moment, and in the title, where there is no status line', async () => {
    const place = new Place();
    await place.shell('build');
    await place.shell('api');
    const person = await attach(place, ['build', '--status', 'off'], {
      size: { cols: 90, rows: 12 },
    });
    await person.sees('^\\$');
    // No row is taken from the session.
    const size = { cols: 90, rows: 12 };
    await expect.poll(() => place.json('info', 'build')).toMatchObject(size);
    await place.ok('send', 'api', 'read -p "Overwrite? " answer', '--enter');
    await person.sees('api waits for input: Overwrite\\? · Ctrl\\+b n shows it');
    await expect.poll(() => person.title()).toContain('1 wants somebody: api');
    await person.keys('ctrl+b', 'd');
    expect(await person.end()).toMatchObject({ status: { code: 0 }, ...clean });
  });

  it('ends what a session is watched for, also across kill -9 of the daemon', async () => {
    const place = new Place();
    await place.shell('build');
    await place.ok('watch', 'build', '--activity');
    const wants = async () => (await place.json('info', 'build')).attention?.kind ?? null;
    expect(await wants()).toBe(null);
    await place.ok('watch', 'build', '--activity', '--silence', '1s');
    await place.ok('send', 'build', 'echo hi', '--enter');
    await expect.poll(wants).toBe('silence');
    process.kill(daemonPid(place), 'SIGKILL');
    await expect.poll(wants).toBe('silence');
    const person = await attach(place, ['build']);
    await person.sees('^hi');
    // Her terminal says that it has no focus; who presses a key looks.
    await person.keys('ctrl+b', 'f');
    await expect.poll(wants).toBe(null);
    await person.keys('ctrl+b', 'd');
    await person.end();
    expect(await wants()).toBe(null);
    await place.ok('send', 'build', 'echo more', '--enter');
    await expect.poll(wants).toMatch(/activity|silence/);
  });

  it('passes notifications of the session on, and bells of all sessions on request', async () => {
    const place = new Place();
    const config = tree({ 'vtr/config.toml': '[attach]\nbell = "all"\n' });
    await place.shell('build');
    await place.shell('api');
    const person = await attach(place, ['build'], { env: { XDG_CONFIG_HOME: config } });
    await person.sees('^\\$');
    // The session is joined, and the list of all has come.
    await person.types('echo jo""ined\r');
    await person.sees('^joined');
    // A bell within a second after a key counts as its answer, in this terminal, too.
    const ring = async () => {
      await place.ok('send', 'api', `printf '\\a'`, '--enter');
      return (await person.lastNotice()) ?? '';
    };
    await expect.poll(ring).toMatch(/^bell: /);
    for (const [sequence, text] of [
      ['9;all green', 'notification: all green'],
      ['777;notify;Build;ready', 'notification: Build: ready'],
      ['99;;hello', 'notification: hello'],
    ]) {
      await place.ok('send', 'build', `printf '\\033]${sequence}\\a'`, '--enter', '--wait-driver');
      await expect.poll(() => person.lastNotice()).toBe(text);
    }
    await person.keys('ctrl+b', 'd');
    expect(await person.end()).toMatchObject({ status: { code: 0 }, ...clean });
  });

  it('tells the terminal what the program says that it does, on request only', async () => {
    const place = new Place();
    const config = tree({ 'vtr/config.toml': '[attach]\nprogram_status = "pass"\n' });
    await place.shell('build');
    const person = await attach(place, ['build'], { env: { XDG_CONFIG_HOME: config } });
    const other = await attach(place, ['build']);
    await person.sees('^\\$');
    const report = 'state=blocked:kind=question:msg=RGVwbG95Pw==';
    // A program that reads, and not the shell.
    const program = `printf '\\033]7501;${report}\\a'; head -n1`;
    await place.ok('send', 'build', program, '--enter');
    const status = { state: 'blocked', kind: 'question', message: 'Deploy?' };
    await expect.poll(() => person.programStatus()).toMatchObject(status);
    await other.sees('head');
    expect(await other.programStatus()).toBe(null);
    // The answer ends the question.
    await place.ok('send', 'build', 'yes', '--enter', '--wait-driver');
    await expect.poll(() => person.programStatus()).toBe(null);
    for (const each of [person, other]) {
      await each.keys('ctrl+b', 'd');
      expect(await each.end()).toMatchObject({ status: { code: 0 }, ...clean });
    }
  });

  it('passes everything on unchanged with --raw, and goes on after the daemon was killed', async () => {
    const place = new Place();
    await place.shell('build');
    const person = await attach(place, ['build', '--raw']);
    await person.sees('^\\$');
    await person.types(
      'printf "\\033[?1049h\\033[?1000h\\033]2;raw\\007whole"; sleep 0.1; cat -v\r',
    );
    await person.sees('^whole');
    await person.types('\x1b[M !!\r');
    // What cat prints: Enter has arrived.
    await person.sees('^\\^\\[\\[M !!');
    process.kill(daemonPid(place), 'SIGKILL');
    await person.sees('reconnecting');
    await joined(place);
    await person.types('again\r');
    expect((await person.sees('^again')).join()).not.toContain('reconnecting');
    await person.keys('ctrl+b', 'd');
    expect(await person.end()).toMatchObject({ status: { code: 0 }, ...clean });
  });

  needs('script')('does not crash when the window is closed', async () => {
    const place = shared;
    await place.shell('build');
    const vtr = `"${process.execPath}" "${vtrFile}"`;
    for (const words of ['attach build', 'attach build --raw --take', 'ui', 'ls --watch']) {
      const file = join(place.directory, words.replaceAll(' ', ''));
      const line = `echo $$ >"${file}"; exec ${vtr} ${words} 2>"${file}.err"`;
      const env = { ...process.env, ...place.env, VTR_SESSION_ID: '', SHELL: '/bin/sh' };
      const window = spawn('script', ['-qc', line, '/dev/null'], { env });
      await new Promise<void>((resolve) => {
        let text = '';
        window.stdout.setEncoding('utf8').on('data', (more: string) => {
          text += more;
          if (/build|\$/.test(text)) resolve();
        });
      });
      window.kill('SIGKILL');
      const pid = Number(readFileSync(file, 'utf8'));
      await expect.poll(() => isRunning(pid)).toBe(false);
      expect(readFileSync(`${file}.err`, 'utf8')).toBe('');
    }
  });

  it('is below the text of the session after --raw', async () => {
    const place = shared;
    await place.shell('build');
    const person = await attach(place, ['build', '--raw']);
    await person.sees('^\\$');
    await person.types('clear; echo one\r');
    await person.sees('^one');
    await person.keys('ctrl+b', 'd');
    const { rows, ...end } = await person.end();
    expect(end).toMatchObject({ status: { code: 0 }, ...clean });
    expect(rows.slice(0, 3)).toEqual(['one', '$', 'vtr: detached from build']);
  });

  it('starts a shell of the name with -c if there is none, and shows the same one later', async () => {
    const place = shared;
    for (const text of ['one', 'two']) {
      const person = await attach(place, ['-c', 'notes', '--status', 'off']);
      await person.types(`echo ${text}=$((40+2)); stty size\r`);
      await person.sees(`^${text}=42`);
      await person.sees('^12 60');
      await person.keys('ctrl+b', 'd');
      expect(await person.end()).toMatchObject({ status: { code: 0 }, ...clean });
    }
    expect((await place.json('ls')).sessions).toMatchObject([
      { name: 'notes', cwd: place.directory },
    ]);
    expect(await place.ok('screen', 'notes')).toContain('one=42');
  });

  it('fails with status 2 without a terminal, inside its own session, and for flags that exclude each other', async () => {
    const place = shared;
    await place.shell('build');
    const outside = await place.vtr(['attach', 'build']);
    expect(outside).toMatchObject({ status: 2, stdout: '' });
    expect(outside.stderr).toContain('needs a terminal');
    const info = await place.json('info', 'build');
    for (const [words, message, inSession] of [
      [['build'], 'cannot be attached to itself', info.id],
      [['build', '--take', '--watch'], 'cannot be used together'],
      [['build', '--leader', 'nokey'], 'nokey'],
      [['--create'], '--create needs the name'],
    ] as const) {
      const inside = await attach(place, words, { inSession });
      const { status, rows } = await inside.end();
      expect(status.code).toBe(2);
      expect(rows.join('')).toContain(message);
    }
  });
});
