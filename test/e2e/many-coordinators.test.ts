import { once } from 'node:events';
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { PersonTerminal } from '../support/command/person-terminal.ts';
import { Place } from '../support/command/vtr-command.ts';
import { tree } from '../support/tree.ts';

/** A user with sessions on several configured coordinators. */
class Neighbourhood extends Place {
  readonly #sockets: string[] = [];

  socketOf(path: string): string {
    return join(this.directory, path);
  }

  /** Configures sockets or globs below the user's directory. */
  configure(...paths: readonly string[]): void {
    const tables = paths.map((path) => `[[coordinators]]\npath = "${this.socketOf(path)}"\n`);
    this.write(tables.join('\n'));
  }

  /** Writes config.toml. */
  write(text: string): void {
    const file = join(this.directory, 'config/vtr/config.toml');
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }

  /** Starts a coordinator with sessions. */
  async serve(path: string, ...sessions: readonly string[]): Promise<void> {
    const socket = this.socketOf(path);
    this.#sockets.push(socket);
    const { status, stderr } = await this.vtr(['serve', '--daemon', '--socket', socket]);
    if (status !== 0) throw new Error(stderr);
    for (const name of sessions) {
      await this.ok('spawn', name, '--coordinator', socket, '--', 'sh', '-c', 'echo $0; cat', path);
      await this.ok('wait', name, path, '--coordinator', socket, '--since', 'start');
    }
  }

  async stop(): Promise<void> {
    await Promise.all(
      this.#sockets.map((socket) => this.vtr(['serve', '--stop', '--socket', socket])),
    );
  }
}

let waiting: (() => void)[] = [];

/** A coordinator without sessions that answers once `count` of its kind have received a call. */
async function silentUntilAllAsk(socket: string, count: number): Promise<void> {
  const server = createServer((connection) => {
    connection.once('data', () => {
      waiting.push(() =>
        connection.end('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n{}'),
      );
      if (waiting.length < count) return;
      for (const answer of waiting) answer();
      waiting = [];
    });
  });
  server.listen(socket);
  onTestFinished(() => void server.close());
  await once(server, 'listening');
}

async function inNeighbourhood(test: (place: Neighbourhood) => Promise<void>): Promise<void> {
  const place = new Neighbourhood();
  try {
    await test(place);
  } finally {
    await place.stop();
  }
}

describe('several coordinators', () => {
  it('[S3.20] need no address for a session that only one has', () =>
    inNeighbourhood(async (place) => {
      await place.serve('run/project-a.sock', 'codex', 'both');
      await place.serve('run/project-b.sock', 'claude', 'both');
      place.configure('run/*.sock');
      const firstRow = async (...words: string[]) =>
        (await place.json('screen', ...words)).lines[0];
      expect(await firstRow('codex')).toBe('run/project-a.sock');
      expect(await firstRow('claude')).toBe('run/project-b.sock');
      expect(await firstRow('project-b:both')).toBe('run/project-b.sock');
      expect(await firstRow('both', '--coordinator', 'project-a')).toBe('run/project-a.sock');
      expect(await firstRow('both', '--coordinator', 'run/project-b.sock')).toBe(
        'run/project-b.sock',
      );

      const both = await place.result(['screen', 'both']);
      expect(both.status).toBe(2);
      expect(both.stderr).toContain('  project-a:both\n  project-b:both');
      const wrong = await place.result(['screen', 'project-a:codexx']);
      expect(wrong.stderr).toContain(`vtr: coordinator: ${place.socketOf('run/project-a.sock')}`);
      const near = await place.result(['screen', 'codexx']);
      expect(near.status).toBe(4);
      expect(near.stderr).toContain('did you mean project-a:codex?');
      expect((await place.result(['screen', 'project-c:both'])).stderr).toContain('project-a');

      const { sessions } = await place.json('ls');
      expect(
        sessions.map(({ coordinator, name }: Record<string, string>) => `${coordinator}:${name}`),
      ).toEqual(['project-a:codex', 'project-a:both', 'project-b:claude', 'project-b:both']);
    }));

  it('of the same name are distinguished by their sockets', () =>
    inNeighbourhood(async (place) => {
      await place.serve('a/vtr.sock', 'one');
      await place.serve('b/vtr.sock', 'one', 'two');
      place.configure('*/vtr.sock');
      expect((await place.json('info', 'two')).name).toBe('two');
      for (const words of [['vtr:one'], ['one']]) {
        const { status, stderr } = await place.result(['info', ...words]);
        expect(status).toBe(2);
        expect(stderr).toContain(`--coordinator ${place.socketOf('a/vtr.sock')}`);
        expect(stderr).toContain(`--coordinator ${place.socketOf('b/vtr.sock')}`);
      }
    }));

  it('have sessions that globs and labels select with --everywhere, and the message names them without', () =>
    inNeighbourhood(async (place) => {
      await place.serve('a.sock', 'job-1', 'job-2');
      await place.serve('b.sock', 'job-2', 'other');
      place.configure('a.sock', 'b.sock');
      const names = await place.ok('ls', '--names', 'job-*');
      expect(names.trimEnd().split('\n')).toEqual(['job-1', 'a:job-2', 'b:job-2']);
      // Another coordinator has one of this name, which is not listed here.
      expect(await place.ok('label', 'a:job-2', 'only=here')).toBe('');
      expect(await place.ok('ls', '--label', 'only=here', '--names')).toBe('a:job-2\n');
      expect(await place.ok('ls', 'b:o*', '--names')).toBe('b:other\n');
      for (const words of [
        ['rm', 'job-*'],
        ['kill', 'job-*'],
        ['label', 'job-*', 'x=y'],
      ]) {
        const { status, stderr } = await place.result(words);
        expect(status).toBe(4);
        expect(stderr).toContain('matches "job-*"; 3 on a, b: give a:job-* or --everywhere');
      }
      for (const words of [
        ['rm', 'job-1', '--everywhere'],
        ['rm', 'job-*', '--everywhere', '--coordinator', 'a'],
        ['kill'],
      ]) {
        expect((await place.result(words)).status).toBe(2);
      }
      const labelled = await place.ok('label', 'job-*', 'kind=batch', '--everywhere');
      expect(labelled).toBe('a:job-1\na:job-2\nb:job-2\n');
      const elsewhere = await place.result(['kill', '--label', 'kind']);
      expect(elsewhere.stderr).toContain('with label kind; 3 on a, b');
      expect(await place.ok('kill', '--label', 'kind=batch', '--everywhere', '-s', 'INT')).toBe(
        labelled,
      );
      const deaf = ['deaf', '--wait', 'on', '--', 'sh', '-c', 'trap "" TERM; echo on; read x'];
      await place.result(['spawn', '--coordinator', 'b', ...deaf]);
      const { stderr } = await place.result(['kill', 'b:deaf']);
      expect(stderr).toContain('to end it: vtr kill b:deaf --signal HUP\n');
      await place.ok('rm', '--force', 'b:deaf');
      expect(await place.ok('rm', '--force', '--label', 'kind=batch', '--everywhere')).toBe(
        labelled,
      );
      expect(await place.ok('ls', '--names')).toBe('other\n');
    }));

  it('that are not running are skipped with a message', () =>
    inNeighbourhood(async (place) => {
      await place.serve('a.sock', 'one');
      place.configure('a.sock', 'gone.sock');
      const { status, stdout, stderr } = await place.vtr(['ls', '--names']);
      expect({ status, stdout }).toEqual({ status: 0, stdout: 'one\n' });
      expect(stderr).toContain(`skipped: no coordinator answers at ${place.socketOf('gone.sock')}`);
      expect((await place.result(['screen', 'one'])).status).toBe(0);
    }));

  it('at addresses ask nobody for a password, unless one of them is named', () =>
    inNeighbourhood(async (place) => {
      const ssh = `#!/bin/sh\necho "$*" >>"$HOME/asked"\nexit 255\n`;
      const bin = tree({ ssh });
      chmodSync(join(bin, 'ssh'), 0o755);
      const { directory } = place;
      const here = { directory, env: { ...place.env, PATH: `${bin}:${place.env['PATH']}` } };
      place.write('[[coordinators]]\nname = "far"\naddress = "ssh://far"\n');
      for (const words of [['ls'], ['ls', '--coordinator', 'far']]) {
        const person = await PersonTerminal.run(here, words, { cols: 80, rows: 24 });
        await person.ended();
      }
      const lines = readFileSync(join(directory, 'asked'), 'utf8').trim().split('\n');
      expect(lines.map((line) => line.includes('BatchMode=yes'))).toEqual([true, false]);
    }));

  it('are called at the same time: the answer takes as long as the slowest', () =>
    inNeighbourhood(async (place) => {
      const sockets = Array.from({ length: 20 }, (_, index) => place.socketOf(`${index}.sock`));
      await Promise.all(sockets.map((socket) => silentUntilAllAsk(socket, sockets.length)));
      place.configure('*.sock');
      // Each answers only after all have received the call.
      const { sessions } = await place.json('ls');
      expect(sessions).toEqual([]);
    }));
});

describe('an address where none can be used, or one that is not valid', () => {
  const ssh = 'ssh://gpu1';

  it.each([
    [['spawn', '--coordinator', 'unix:///tmp/vtr.sock'], {}, 'its scheme is unknown'],
    [['exec', '--coordinator', 'ssh://-oX', '--', 'true'], {}, 'its host "-oX" begins with -'],
    [['spawn', `${ssh}:22`], {}, 'add the name of a session: ssh://gpu1:22:NAME'],
    [['screen', 'exec:vtr:shell'], {}, 'use --coordinator ADDRESS and the name alone'],
    [['ls'], { VTR_SOCKET: 'exec:a | b' }, 'no shell runs'],
    [['mcp', '--coordinator', 'docker://-x'], {}, 'its container "-x" begins with -'],
    [['acp', '--embedded', '--socket', ssh, '--', 'true'], {}, '--embedded needs the path'],
    [['serve', '--stop', '--socket', ssh], {}, 'give the path of a Unix socket'],
    [['serve', '--daemon'], { VTR_SOCKET: ssh }, 'run vtr serve there'],
    [['config', 'add', 'exec:vtr'], {}, 'cannot be saved'],
    [['config', 'add', ssh, '--name', 'a:b'], {}, 'the name "a:b" is not valid'],
    [['config', 'add', 'docker://web-*', '--name', 'web'], {}, 'leave out --name'],
    [['ls'], { VTR_SOCKET: 'docker://web-*' }, 'VTR_SOCKET names one coordinator'],
    [['record', 'start', 'x', '-o', 'x.cast', '--coordinator', ssh], {}, '--output x.cast is not'],
    [
      ['web', '--tls-cert', 'c', '--tls-key', '/k', '--coordinator', ssh],
      {},
      '--tls-cert c is not absolute, which it must be for ssh://gpu1',
    ],
    [['wait', 'a-*'], {}, 'wait in all that it matches with --any'],
    [['wait', 'a-*', '--any', '--since', 'r1-1'], {}, 'a mark is of one session'],
  ])('is refused and never used as a path: %j with %j', async (words, env, message) => {
    const place = new Place();
    const { status, stdout, stderr } = await place.vtr(words, { env });
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toContain(message);
    expect(readdirSync(place.directory)).toEqual([]);
  });

  it.each([
    ['config.toml', `[[coordinators]]\npath = "${ssh}"\n`, '2:8: path is "ssh://gpu1"; it must be'],
    [
      'server.toml',
      'socket_path = "/run/x://y"\n',
      '1:15: socket_path is "/run/x://y"; it must be',
    ],
  ])('is refused in %s, with line and column', async (name, text, message) => {
    const place = new Place();
    const file = join(place.directory, 'config/vtr', name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    const { status, stderr } = await place.vtr(['ls'], { env: { VTR_SOCKET: '' } });
    expect(status).toBe(2);
    expect(stderr).toContain(`${file}:${message}`);
  });
});

describe('an invalid config.toml', () => {
  it.each([
    [
      'an unknown key',
      '[defaults]\ngrep_contxt_before = 3\n',
      '2:1: unknown key grep_contxt_before',
    ],
    ['a bad value', '[defaults]\noutput_format = "xml"\n', '2:17: output_format is "xml"'],
    ['invalid TOML', '[[coordinators]]\npath = \n', '2:8: '],
  ])('is refused for %s, with line and column', async (_what, text, message) => {
    const place = new Place();
    const file = join(place.directory, 'config/vtr/config.toml');
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    const { status, stderr } = await place.vtr(['ls']);
    expect(status).toBe(2);
    expect(stderr).toContain(`${file}:${message}`);
  });
});

describe('the defaults of config.toml', () => {
  it('[S3.19] apply unless a flag is given', async () => {
    const place = new Place();
    const file = join(place.directory, 'config/vtr/config.toml');
    mkdirSync(dirname(file), { recursive: true });
    const defaults = ['wait_for_idle_timeout = "100ms"', 'grep_context_before = 1'];
    writeFileSync(file, ['[defaults]', ...defaults, 'output_format = "json"', ''].join('\n'));
    await place.ok('spawn', 'log', '--', 'cat');
    expect(JSON.parse(await place.ok('info', 'log')).name).toBe('log');
    await place.ok('spawn', 'still', '--', 'sh', '-c', 'seq 9; sleep 60');
    await place.sees('still', '9');
    const { matches } = JSON.parse(await place.ok('grep', 'still', '^9'));
    expect(matches).toMatchObject([{ line: '9', context_before: ['8'], context_after: [] }]);
    const { stdout } = await place.result(['idle', 'log', '--idle', '50ms']);
    expect(JSON.parse(stdout)).toMatchObject({ timeout_ms: 100 });
  });
});
