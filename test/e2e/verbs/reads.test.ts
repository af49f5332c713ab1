import { describe, expect, it } from 'vitest';
import { Place } from '../../support/command/vtr-command.ts';
import { McpHost } from '../../support/mcp/mcp-client.ts';
import { needs } from '../../support/run/needs.ts';

const place = Place.forAll();

/** A session whose screen shows `text`, and that prints its input. */
async function printing(name: string, text: string): Promise<void> {
  const loop = 'while IFS= read -r line; do printf "$line"; done';
  await place.ok('spawn', name, '--', 'sh', '-c', `stty -echo; printf '${text}<end>'; ${loop}`);
  await place.result(['wait', name, '--screen', '<end>']);
}

describe('vtr read', () => {
  it('--follow prints the output as it comes, up to the exit', async () => {
    await place.ok('spawn', 'job', '--', 'sh', '-c', 'seq 3; read x; echo "got $x"; exit 3');
    await place.sees('job', '3');
    const { ended } = await place.calling('Follow', ['read', 'job', '--follow', '--tail', '2']);
    await place.ok('send', 'job', 'it', '--enter');
    const { status, stdout, stderr } = await ended;
    expect([status, stdout]).toEqual([0, '2\n3\nit\ngot it\n']);
    expect(stderr).toContain('the program exited with status 3');
    expect((await place.result(['read', 'job', '--follow', '--json'])).status).toBe(2);
  });

  it('--transcript prints what left the alternate screen, as does screen --scrollback', async () => {
    const rows = (from: number) =>
      Array.from({ length: 4 }, (_, at) => `line ${from + at} of it\\033[K\\r\\n`).join('');
    const draws = [0, 2, 3, 20].map(
      (from) => `printf '\\033[?2026h\\033[H${rows(from)}> ask\\033[?2026l'`,
    );
    const script = `printf '\\033[?1049h'; ${draws.join('; sleep 0.1; ')}; sleep 60`;
    await place.ok('spawn', 'agent', '--size', '30x5', '--', 'sh', '-c', script);
    await place.result(['wait', 'agent', '--screen', 'line 23']);
    const lines = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, at) => `line ${from + at} of it\n`).join('');
    const { stdout, stderr } = await place.result(['read', 'agent', '--transcript']);
    expect(stdout).toBe(lines(0, 7) + lines(20, 24));
    expect(stderr).toContain('rows may be missing or repeated before line 8 of the transcript\n');
    expect(await place.ok('screen', 'agent', '--scrollback', '2')).toBe(
      `${lines(5, 7)}${lines(20, 24)}> ask\n`,
    );
    const host = await McpHost.start(place);
    const read = { session_id: 'agent', view: 'transcript', max_lines: 5 };
    expect(await host.call('read', read)).toMatchObject({
      content: (lines(6, 7) + lines(20, 24)).trimEnd(),
      note: 'rows may be missing or repeated before line 2',
    });
  });

  it('names the flag of another verb', async () => {
    const { stderr } = await place.result(['read', 'job', '--lines', '3']);
    expect(stderr).toContain('unknown flag --lines; use --tail N');
    expect((await place.result(['screen', 'job', '--tail', '3'])).stderr).toContain(
      'unknown flag --tail; use vtr read SESSION --tail N',
    );
    expect((await place.result(['log', '--tail', '3'])).stderr).toContain('use --last N');
  });

  it('prints the output since a mark, and a new mark', async () => {
    await printing('one', 'a\\nb\\n');
    const all = await place.result(['read', 'one']);
    expect(all).toMatchObject({ status: 0, stdout: 'a\nb\n<end>\n' });
    const [, mark = ''] = /^vtr: mark (\S+)\n$/.exec(all.stderr) ?? [];
    const same = await place.result(['read', 'one', '--since', mark]);
    expect(same).toMatchObject({ status: 0, stdout: '' });
    expect(same.stderr).toMatch(/^vtr: unchanged\nvtr: mark \S+\n$/);
    await place.ok('send', 'one', 'c\\r\\nd', '-e', '--wait', 'd');
    expect((await place.result(['read', 'one', '--since', mark])).stdout).toBe('c\nd\n');
  });

  it('respects a budget, and reports the omission in its place', async () => {
    await printing('one', '1\\n2\\n3\\n4\\n5\\n');
    const read = async (...words: string[]) => {
      const { stdout, stderr } = await place.result(['read', 'one', ...words]);
      const [, lines = '0'] = /omitted: (\d+) line/.exec(stderr) ?? [];
      return [stdout, Number(lines)];
    };
    expect(await read('--tail', '2')).toEqual(['5\n<end>\n', 4]);
    expect(await read('--head', '2')).toEqual(['1\n2\n', 4]);
    expect(await read('--both', '3')).toEqual(['1\n2\n<end>\n', 3]);
    expect(await read('--max-bytes', '7')).toEqual(['5\n<end>\n', 4]);
    expect(await read('--head', '9', '--max-tokens', '2')).toEqual(['1\n2\n', 4]);
    const { text, kind, from_line } = await place.json('read', 'one', '--both', '2');
    expect([kind, from_line]).toEqual(['lines', 0]);
    expect(text).toEqual({
      head: '1',
      tail: '<end>',
      omitted: { lines: 4, bytes: 9, from_line: 1, to_line: 5 },
      tokens: 3,
      removed: 0,
    });
  });

  it('prints colours with --ansi, and bytes with --raw', async () => {
    await printing('one', '\\033[31mred\\033[m');
    expect((await place.result(['read', 'one', '--ansi'])).stdout).toMatch(
      /^\x1b\[(0;)?31mred\x1b\[0?m/,
    );
    expect((await place.result(['read', 'one', '--raw'])).stdout).toBe('\x1b[31mred\x1b[m<end>');
    const tail = await place.result(['read', 'one', '--raw', '--max-bytes', '5']);
    expect(tail.stdout).toBe('<end>');
    expect(tail.stderr).toContain('omitted: 11 bytes');
    const { raw } = await place.json('read', 'one', '--raw', '--max-bytes', '5');
    expect(raw).toEqual({ base64: 'PGVuZD4=', offset: 11, omitted_bytes: 11 });
  });

  it('replaces secrets with --redact, as vtr screen, grep and wait do, and tells how many', async () => {
    const secret = '0123456789abcdefghijABCDEFGHIJ456789';
    const hidden = `ghp_${'•'.repeat(36)}`;
    await printing('one', `ghp_${secret} `);
    const read = await place.result(['read', 'one', '--redact']);
    expect(read.stdout).toBe(`${hidden} <end>\n`);
    expect(read.stderr).toContain('vtr: 1 secret replaced\n');
    expect((await place.json('read', 'one', '--redact'))['redacted']).toBe(1);
    expect((await place.result(['read', 'one', '--raw', '--redact'])).stdout).toBe(
      `${hidden} <end>`,
    );
    const others = [
      ['screen', 'one', '--plain'],
      ['screen', 'one', '--json'],
      ['grep', 'one', 'ghp_'],
      ['wait', 'one', 'ghp_(.*)', '--since', 'start', '--json'],
      ['screenshot', 'one', '-o', '-', '--format', 'svg'],
    ];
    for (const words of others) {
      const { status, stdout, stderr } = await place.result([...words, '--redact']);
      expect(status, stderr).toBe(0);
      expect(stdout).toContain('ghp_••••');
      expect(stdout).not.toContain(secret.slice(0, 6));
      if (!words.includes('--json')) expect(stderr).toContain('vtr: 1 secret replaced\n');
    }
  });

  needs('bash')(
    'replaces a secret that the session showed or read once in what each verb shows later',
    async () => {
      await place.ok('spawn', 'once', '--', 'bash', '--norc');
      const run = (line: string) => place.result(['run', 'once', '--redact', '--', line]);
      expect((await run('echo http://user:hunter2@127.0.0.1:1/')).stdout).toContain('•••••••@');
      expect((await run('echo pw hunter2 end')).stdout).toBe('pw ••••••• end\n');
      await place.ok('send', 'once', 'read -sp "Password: " P', '-e', '--wait', 'Password: $');
      await place.ok('send', 'once', 'swordfish', '-e', '--wait', '--prompt');
      expect((await run('echo "got $P"')).stdout).toBe('got •••••••••\n');
      process.kill((await place.json('serve', '--status')).pid, 'SIGKILL');
      for (const words of [
        ['screen', 'once', '--plain'],
        ['screen', 'once', '--json'],
        ['read', 'once'],
        ['read', 'once', '--raw'],
        ['grep', 'once', 'pw|got'],
        ['output', 'once', '--command', '2'],
        ['commands', 'once', '--json'],
        ['ls', '--json'],
        ['screenshot', 'once', '-o', '-', '--format', 'svg'],
        ['wait', 'once', 'pw (.*) end', '--since', 'start', '--json'],
      ]) {
        const { status, stdout, stderr } = await place.result([...words, '--redact']);
        expect(status, stderr).toBe(0);
        expect(stdout, words.join(' ')).not.toMatch(/hunter2|swordfish/);
        if (words[0] !== 'ls') expect(stdout, words.join(' ')).toContain('•••••••');
      }
      await place.ok('rm', 'once', '--force');
      await place.ok('spawn', 'once', '--', 'cat');
      await place.ok('send', 'once', 'hunter2', '-e', '--wait', 'hunter2');
      expect((await place.result(['read', 'once', '--redact'])).stdout).toContain('hunter2');
    },
  );

  it('replaces secrets with --redact in what vtr ls and info show of sessions', async () => {
    const secret = '0123456789abcdefghijABCDEFGHIJ456789';
    await place.ok(
      'spawn',
      'titled',
      '--',
      'sh',
      '-c',
      `printf '\\033]0;ghp_${secret}\\a<end>'; cat`,
    );
    await place.sees('titled', '<end>');
    for (const words of [
      ['ls'],
      ['ls', '--json'],
      ['info', 'titled'],
      ['info', 'titled', '--json'],
    ]) {
      const { status, stdout, stderr } = await place.vtr([...words, '--redact']);
      expect(status, stderr).toBe(0);
      expect(stdout).toContain('ghp_••••');
      expect(stdout).not.toContain(secret.slice(0, 6));
      if (words.includes('--json')) expect(JSON.parse(stdout).redacted).toBeGreaterThan(0);
      else expect(stderr).toMatch(/vtr: \d+ secrets? replaced\n/);
    }
    expect(await place.vtr(['ls', '--watch', '--redact'])).toMatchObject({ status: 2 });
  });

  it('removes and counts invisible characters', async () => {
    await printing('one', 'a\\342\\200\\213b');
    const { stdout, stderr } = await place.result(['read', 'one']);
    expect(stdout).toBe('ab<end>\n');
    expect(stderr).toContain('1 invisible character removed');
    expect((await place.json('read', 'one')).text).toMatchObject({
      tail: 'a\u200bb<end>',
      removed: 1,
    });
  });

  it.each<[string, string[], string]>([
    ['two parts', ['--head', '1', '--tail', '1'], '--head and --tail cannot be used together'],
    ['two formats', ['--ansi', '--raw'], '--ansi and --raw cannot be used together'],
    ['an invalid mark', ['--since', 'here'], '"here" is not valid'],
    ['half a byte', ['--max-bytes', '.5'], 'whole number'],
  ])('refuses %s', async (_what, words, says) => {
    await place.ok('spawn', 'one', '--', 'cat');
    const { status, stdout, stderr } = await place.result(['read', 'one', ...words]);
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toContain(says);
  });
});

describe('a search of several sessions', () => {
  it('searches all of them, running and exited, and prints their names', async () => {
    await printing('live', 'apple 1\\npear\\n');
    await place.ok('spawn', 'gone', '--', 'echo', 'apple 2');
    await place.result(['wait', 'gone']);
    await place.ok('spawn', 'other', '--', 'cat');
    expect((await place.ok('grep', 'apple', '--all')).split('\n').sort()).toEqual([
      '',
      'gone:0: apple 2',
      'live:0: apple 1',
    ]);
    expect(await place.ok('grep', '--session', 'live', '--session', 'other', 'p', '-C', '1')).toBe(
      'live:0: apple 1\nlive:1: pear\nlive:2: <end>\n',
    );
    const { sessions } = await place.json('grep', 'apple', '--all');
    expect(sessions).toHaveLength(2);
    expect(sessions.find(({ name }: { name: string }) => name === 'gone')).toMatchObject({
      coordinator: 'default',
      matches: [{ line: 'apple 2', line_number: 0, line_id: 0 }],
      truncated: false,
    });
    expect(await place.result(['grep', 'plum', '--all'])).toMatchObject({ status: 1, stdout: '' });
  });

  it('searches all coordinators, and prints their names if there are several', async () => {
    const place = new Place();
    const far = `${place.directory}/far.sock`;
    await place.ok('config', 'add', far);
    await place.result(['serve', '--daemon', '--socket', far]);
    await place.ok('spawn', 'near', '--', 'echo', 'apple');
    await place.ok('spawn', 'far:one', '--', 'echo', 'apple');
    await place.result(['wait', 'near']);
    await place.result(['wait', 'far:one']);
    const lines = (await place.result(['grep', 'apple', '--all'])).stdout.split('\n').sort();
    await place.result(['serve', '--stop', '--socket', far]);
    expect(lines).toEqual(['', 'default:near:0: apple', 'far:one:0: apple']);
  });

  needs('bash')('searches the output of one command', async () => {
    await place.ok('spawn', 'sh', '--env', 'PS1=$ ', '--', 'bash');
    await place.ok('spawn', 'cat', '--', 'cat');
    await place.ok('run', 'sh', '--', 'echo apple one');
    await place.ok('run', 'sh', '--', 'echo apple two');
    expect(await place.ok('grep', 'sh', 'apple', '--command', 'last')).toMatch(/^\S+ apple two\n$/);
    expect(await place.ok('grep', 'sh', 'apple', '--command', '1')).toMatch(/^\S+ apple one\n$/);
    expect(await place.ok('grep', 'apple', '--all', '--command', '1')).toMatch(/^sh:.*one\n$/);
    expect((await place.result(['grep', 'sh', 'apple', '--command', '9'])).status).toBe(4);
  });

  it.each<[string, string[], string]>([
    ['no session', ['apple'], 'choose the sessions'],
    ['two ways to choose sessions', ['one', 'apple', '--all'], 'choose the sessions'],
    ['an invalid command number', ['one', 'apple', '--command', 'first'], 'use last'],
    ['an invalid pattern', ['(?=x)', '--all'], 'RE2'],
    ['an empty pattern', ['one', ''], '"" is empty'],
    ['an invalid pattern, without the name of a session', ['(', '--all'], 'vtr: "(" is not'],
  ])('refuses %s', async (_what, words, says) => {
    await place.ok('spawn', 'one', '--', 'cat');
    const { status, stderr } = await place.result(['grep', ...words]);
    expect(status).toBe(2);
    expect(stderr).toContain(says);
  });
});
