import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { root } from '../../../scripts/root.mjs';
import { verbsInDaemon } from '../../../src/app/cli/run-in-daemon.ts';
import { Place, vtrFile } from '../../support/command/vtr-command.ts';

const hasCompiler = spawnSync('cc', ['--version']).status === 0;
const compiled = it.skipIf(!hasCompiler);
const source = join(root, 'contrib/quick/vtr.c');

/** Compiles the command. Without a Node.js to become, it fails unless the daemon runs the verb. */
function compile(place: Place, node = '/nonexistent/node', ...flags: readonly string[]): string {
  const file = join(place.directory, node.startsWith('/nonexistent') ? 'quick' : 'quick-or-node');
  const paths = [`-DVTR_NODE="${node}"`, `-DVTR_PROGRAM="${vtrFile}"`];
  execFileSync('cc', ['-Wall', '-Wextra', '-Werror', ...flags, ...paths, '-o', file, source]);
  return file;
}

const withoutTimes = (text: string): string => text.replace(/\b\d+m?s\b/g, 'TIME');

/** Runs the compiled command to its end. */
async function quick(place: Place, file: string, words: readonly string[], env = {}, cwd = '') {
  const child = spawn(file, words, {
    env: { ...place.env, ...env },
    cwd: cwd === '' ? place.directory : cwd,
  });
  const text = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (part) => {
      text[name] += part;
    });
  }
  child.stdin.end();
  const [status, signal] = await once(child, 'close');
  return { status, signal, pid: child.pid, ...text };
}

describe('the command in C', () => {
  compiled('prints what vtr prints, with its status, without Node.js (needs cc)', async () => {
    const place = new Place();
    const file = compile(place);
    await place.shell('a');
    await place.vtr(['run', 'a', '--', 'printf "one\\ntwo"; false']);
    for (const words of [
      ['screen', 'a'],
      ['screen', 'a', '--json'],
      ['screen', 'nobody'],
      ['ls', '--names'],
      ['ls', '--json', '--label', 'x=y'],
      ['read', 'a', '--tail', '1'],
      ['wait', 'a', 'never', '--timeout', '50ms'],
      // Meanwhile, the daemon is asked whether it responds.
      ['wait', 'a', 'never', '--timeout', '1500ms'],
      ['commands', 'a', '--json'],
      ['run', 'a', '--', 'exit_status() { return 7; }; exit_status'],
      ['send', 'a', ''],
      ['key', 'a', 'nokey'],
      ['idle', 'a', '--idle', '100ms'],
      ['info', 'nobody', '--json'],
    ]) {
      const { status, ...expected } = await place.result(words);
      const answer = await quick(place, file, words);
      expect([words, answer.status, answer.signal]).toEqual([words, status, null]);
      for (const name of ['stdout', 'stderr'] as const) {
        expect([words, withoutTimes(answer[name])]).toEqual([words, withoutTimes(expected[name])]);
      }
    }
  });

  compiled('starts and removes a session as vtr does, without Node.js (needs cc)', async () => {
    const place = new Place();
    const file = compile(place);
    await place.ok('spawn', 'first', '--', 'cat');
    const inside = { SESSION_COLOUR: 'blue', VTR_TEST_TOKEN: 'secret1' };
    const show = 'echo "in $(pwd): $SESSION_COLOUR$VTR_TEST_TOKEN$OWN."; exec cat';
    const words = ['spawn', 'new', '--env', 'OWN=1', '--', 'sh', '-c', show];
    expect(await quick(place, file, words, inside, '/')).toMatchObject({
      status: 0,
      stdout: 'new\n',
      stderr: expect.stringContaining('not passed: VTR_TEST_TOKEN'),
    });
    await place.sees('new', 'in /: blue1.');
    expect(await quick(place, file, words)).toMatchObject({ status: 5, stdout: '' });
    expect(await quick(place, file, ['rm', 'new', '--force'])).toMatchObject({ status: 0 });
    const again = ['rm', 'new', '--force'];
    const { status, stderr } = await place.result(again);
    expect(await quick(place, file, again)).toMatchObject({ status, stderr });
    expect(await place.ok('ls', '--names')).toBe('first\n');
  });

  compiled('leaves the removal of several sessions, and worktrees, to vtr (needs cc)', async () => {
    const place = new Place();
    const file = compile(place);
    await place.ok('spawn', 'one', '--', 'cat');
    await place.ok('spawn', 'two', '--', 'cat', '--label', 'x=y');
    for (const words of [
      ['rm', 'one', 'two'],
      ['rm', '*'],
      ['rm', '--all'],
      ['rm', '--damaged'],
      ['spawn', '--worktree', 'branch', '--', 'cat'],
    ]) {
      // It becomes Node.js, which is not there.
      expect([words, (await quick(place, file, words)).status]).toEqual([words, 127]);
    }
    expect(await place.ok('ls', '--names')).toBe('one\ntwo\n');
  });

  compiled('runs commands of tmux that have a flag -h in the daemon (needs cc)', async () => {
    const place = new Place();
    const tmux = compile(place, '/nonexistent/node', '-DVTR_AS_TMUX');
    await place.ok('tmux', 'new-session', '-d', '-s', 'h', 'cat');
    for (const words of [
      ['split-window', '-h', '-t', 'h', 'cat'],
      ['set-environment', '-h', '-t', 'h', 'A', '1'],
    ]) {
      const { status, stderr } = await quick(place, tmux, words);
      expect([words, status, stderr]).toEqual([words, 0, '']);
    }
  });

  compiled('has no state of other callers or of the daemon (needs cc)', async () => {
    const place = new Place();
    const file = compile(place);
    await place.ok('spawn', 'a', '--', 'cat');
    const config = join(place.directory, 'json/vtr');
    mkdirSync(config, { recursive: true });
    writeFileSync(join(config, 'config.toml'), '[defaults]\noutput_format = "json"\n');
    const asJson = { XDG_CONFIG_HOME: join(place.directory, 'json') };
    const calls = Array.from({ length: 12 }, (_none, at) =>
      quick(place, file, ['ls'], at % 2 === 0 ? asJson : {}, at % 3 === 0 ? '/' : ''),
    );
    for (const [at, { stdout }] of (await Promise.all(calls)).entries()) {
      expect([at, stdout.startsWith('{')]).toEqual([at, at % 2 === 0]);
    }
    const typed = await quick(place, file, ['send', 'a', 'x']);
    expect(typed.status).toBe(0);
    const { entries } = await place.json('log');
    const { action, client, pid } = entries.at(-1);
    expect({ action, client, pid }).toEqual({ action: 'send', client: 'cli', pid: typed.pid });
  });

  compiled('cancels on ctrl+c what it runs, and ends with SIGPIPE (needs cc)', async () => {
    const place = new Place();
    const file = compile(place);
    await place.shell('a');
    const child = spawn(file, ['run', 'a', '--', 'echo begun; exec sleep 1000'], {
      env: place.env,
      cwd: place.directory,
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    await place.sees('a', 'begun');
    child.kill('SIGINT');
    expect((await once(child, 'close'))[0]).toBe(130);
    const line = `${file} read a --scrollback 0 >/dev/full; ${file} screen a | true; echo "$?"`;
    expect((await place.shellLine(line)).status).toBe(0);
    const piped = `{ ${file} screen a; echo "$?" >&2; } | exec 0<&-`;
    expect((await place.shellLine(piped)).stderr).toMatch(/^(0|141)\n$/);
  });

  compiled('writes what it prints only where it is to be printed (needs cc)', async () => {
    const place = new Place();
    const file = compile(place);
    const part = (letter: string, text: string) =>
      Buffer.from([letter.charCodeAt(0), text.length, 0, 0, 0, ...Buffer.from(text)]);
    const received: Buffer[] = [];
    const server = createServer((connection) => {
      connection.on('data', (data: Buffer) => received.push(data)).on('error', () => {});
      connection.write(Buffer.concat([part('o', 'out'), part('e', 'err'), part('x', '\x05')]));
    }).listen(place.socket);
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    for (const [closed, status] of [
      ['>&-', 10],
      ['2>&-', 5],
      ['<&-', 5],
      ['<&- >&- 2>&-', 10],
    ] as const) {
      received.length = 0;
      const answer = await place.shellLine(`${file} ls ${closed}`);
      expect([closed, answer.status]).toEqual([closed, status]);
      const [begin = Buffer.alloc(0)] = received;
      const length = 'vtr-command/1\n'.length + 4 + begin.readUInt32LE('vtr-command/1\n'.length);
      expect([closed, Buffer.concat(received).length]).toEqual([closed, length]);
    }
    const full = await place.shellLine(`${file} ls >/dev/full`);
    expect(full).toMatchObject({ status: 10, stderr: expect.stringContaining('to stdout: ') });
  });

  compiled('reports a closed stdout for each verb that prints (needs cc)', async () => {
    const place = new Place();
    const file = compile(place, process.execPath);
    await place.ok('spawn', 'a', '--wait', 'out', '--', 'sh', '-c', 'echo out; exec cat');
    for (const words of ['ls', 'screen a', 'info a --json', '--version', 'grep a out', 'spawn b']) {
      const { status, stderr } = await place.shellLine(`${file} ${words} >&-`);
      expect([words, status]).toEqual([words, 10]);
      expect(stderr).toMatch(/cannot write to stdout: (Bad file descriptor|EBADF)/);
    }
    expect((await place.shellLine(`${file} key a enter >&-`)).status).toBe(0);
  });

  compiled('becomes vtr where the daemon cannot run the command (needs cc)', async () => {
    const place = new Place();
    const file = compile(place, process.execPath);
    for (const words of [['ls', '--names'], ['--version'], ['screen', '--help'], ['nonsense']]) {
      const { stdout, stderr, status } = await place.vtr(words);
      expect(await quick(place, file, words)).toMatchObject({ stdout, stderr, status });
    }
    await place.ok('spawn', 'a', '--', 'cat');
    const typed = spawnSync(file, ['send', 'a', '--stdin'], {
      env: place.env,
      cwd: place.directory,
      input: 'typed',
    });
    expect(typed.status).toBe(0);
    await place.sees('a', 'typed');
    // A daemon of an earlier version, and what is no daemon.
    for (const answer of ['HTTP/1.1 400 Bad Request\r\n\r\n', '']) {
      const socket = join(place.directory, 'old.sock');
      rmSync(socket, { force: true });
      let connections = 0;
      const server = createServer((connection) => {
        connections++;
        connection.on('error', () => {}).end(answer);
      }).listen(socket);
      await once(server, 'listening');
      const old = await quick(place, file, ['ls', '--names'], { VTR_SOCKET: socket });
      expect([old.status, connections > 1]).toEqual([3, true]);
      server.close();
    }
  });

  compiled('does not wait for a daemon that is suspended (needs cc)', async () => {
    const place = new Place();
    const file = compile(place, process.execPath, '-DPATIENCE_MS=1000');
    const tmux = join(place.directory, 'quick-tmux');
    renameSync(compile(place, process.execPath, '-DPATIENCE_MS=1000', '-DVTR_AS_TMUX'), tmux);
    compile(place, process.execPath, '-DPATIENCE_MS=1000');
    await place.ok('spawn', 'one', '--', 'cat');
    const screen = await place.ok('screen', 'one');
    const { pid } = await place.json('serve', '--status');
    process.kill(pid, 'SIGSTOP');
    try {
      const verbs = [
        ['ls'],
        ['screen', 'one'],
        ['send', 'one', 'typed', '--timeout', '3s'],
        ['wait', 'one', '--timeout', '1m'],
      ];
      // With the first verb, more than the system keeps for a reader that does not read.
      const long = 'x'.repeat(120_000);
      const runs = verbs.map(async (words, at) => {
        const env = at === 0 ? { A: long, B: long, C: long } : {};
        const { status, stdout, stderr } = await quick(place, file, words, env);
        expect([words, status, stdout]).toEqual([words, 3, '']);
        expect(stderr).toContain('does not respond');
        expect(stderr).toContain(`kill -CONT ${pid}`);
      });
      // A command of tmux is not repeated: it may be carried out.
      const typed = await quick(place, tmux, ['send-keys', '-t', 'one', 'typed']);
      const stderr = `vtr: the daemon at ${place.socket} does not respond; see vtr doctor\n`;
      expect(typed).toMatchObject({ status: 3, stdout: '', stderr });
      await Promise.all(runs);
    } finally {
      process.kill(pid, 'SIGCONT');
    }
    expect(await place.ok('screen', 'one')).toBe(screen);
  });

  compiled('reads any answer without a fault of memory (needs cc)', async () => {
    const place = new Place();
    const harness = join(place.directory, 'fuzz.c');
    writeFileSync(
      harness,
      `#include "${source}"
static size_t printed;
static int count(char letter, const char *bytes, size_t length) {
    for (size_t at = 0; at < length; at++) printed += (unsigned char)bytes[at] + (unsigned char)letter;
    return 0;
}
int main(void) {
    struct answer *answer = malloc(sizeof *answer);
    unsigned seed = 1;
    own_words = environ;
    for (int round = 0; round < 200000; round++) {
        int status;
        answer->length = 0;
        for (int part = 0; part < 4; part++) {
            size_t room = sizeof answer->bytes - answer->length;
            seed = seed * 1103515245u + 12345u;
            size_t length = (seed >> 8) % 24;
            if (round % 64 == 0) length = room;
            if (length > room) length = room;
            for (size_t at = 0; at < length; at++) {
                seed = seed * 1103515245u + 12345u;
                unsigned value = seed >> 16;
                answer->bytes[answer->length + at] = (value & 7) < 4 ? 0 : "oexn\\001\\377"[value % 6];
            }
            answer->length += length;
            if (use_answer(answer, &status, count) != MORE) break;
        }
    }
    free(answer);
    printf("%s", printed > 0 ? "read" : "nothing");
    return 0;
}
`,
    );
    const fuzz = join(place.directory, 'fuzz');
    const flags = ['-DVTR_FUZZ', '-Wno-unused-function', '-fsanitize=address,undefined'];
    execFileSync('cc', ['-g', '-O1', ...flags, '-fno-sanitize-recover', '-o', fuzz, harness]);
    expect(execFileSync(fuzz, { encoding: 'utf8' })).toBe('read');
  });

  compiled('knows the verbs that the daemon runs (needs cc)', () => {
    const place = new Place();
    const preprocessed = execFileSync('cc', ['-E', '-P', source], { encoding: 'utf8' });
    const table = /verbs\[\] = \{([\s\S]*?)\};/.exec(preprocessed)?.[1] ?? '';
    const names = [...table.matchAll(/"(\w+)"/g)].map((match) => match[1]);
    expect(place.socket).not.toBe('');
    expect(new Set([...names, 'tmux'])).toEqual(new Set(verbsInDaemon));
  });
});

describe('vtr quick install', () => {
  compiled('compiles the command, and removes only its own (needs cc)', async () => {
    const place = new Place();
    const path = join(place.directory, '.vtr/bin/vtr');
    const installed = await place.vtr(['quick', 'install']);
    expect(installed).toMatchObject({ status: 0, stdout: `${path}\n` });
    await place.ok('spawn', 'a', '--', 'cat');
    expect(await quick(place, path, ['ls', '--names'])).toMatchObject({ stdout: 'a\n', status: 0 });
    expect((await place.vtr(['quick', 'install', '--remove'])).status).toBe(0);
    expect((await place.vtr(['quick', 'install', '--remove'])).status).toBe(2);
    writeFileSync(path, 'mine');
    const refused = await place.vtr(['quick', 'install']);
    expect(refused).toMatchObject({ status: 2, stderr: expect.stringContaining('not written by') });
  });

  it('says that there is no compiler', async () => {
    const place = new Place();
    const env = { CC: 'no-such-compiler' };
    const { status, stderr } = await place.vtr(['quick', 'install', 'bin'], { env });
    expect([status, stderr]).toEqual([8, expect.stringContaining('install one')]);
    const shim = await place.vtr(['shim', 'install', 'bin'], { env });
    expect(shim.status).toBe(0);
    expect((await place.shellLine('bin/tmux -V')).stdout).toBe('tmux 3.3a\n');
  });
});
