import { mkdirSync, readdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { keptPrefix } from '#model';
import { Place, vtrFile } from '../../support/command/vtr-command.ts';
import { needs } from '../../support/run/needs.ts';
import { tree } from '../../support/tree.ts';

/** The tests share its daemon. */
const place = Place.forAll();

/** Starts a session for each name; they run `cat`. */
async function spawn(names: readonly string[], at = place): Promise<void> {
  for (const name of names) await at.ok('spawn', name, '--', 'cat');
}

const namesIn = async (place: Place, ...words: readonly string[]): Promise<string[]> =>
  (await place.ok('ls', '--names', ...words)).split('\n').filter((name) => name !== '');

describe('an overview of sessions', () => {
  needs('bash')('shows the state, the command and the directory of each', async () => {
    await place.ok('spawn', 'shell', '--', 'bash');
    await place.ok('wait', 'shell', '--prompt');
    await place.ok('spawn', 'busy', '--', 'bash');
    await place.ok('wait', 'busy', '--prompt');
    await place.ok('send', 'busy', 'cd / && sleep 100', '--enter');
    await place.ok('spawn', 'asks', '--cmd', 'printf "name? "; read name');
    await place.ok('spawn', 'secret', '--cmd', 'stty -echo; printf "Password: "; read secret');
    await place.ok('spawn', 'full', '--cmd', "printf '\\033[?1049hmenu'; sleep 100");
    await place.ok('spawn', 'fails', '--cmd', 'exit 3');
    await place.ok('spawn', 'crashes', '--cmd', 'kill -SEGV $$');
    const states = async () => {
      const [, ...rows] = (await place.ok('ls', '--sort', 'age')).trimEnd().split('\n');
      return rows.map((row) => row.split(/ {2,}/)).map((cells) => [cells[0], cells[1], cells[3]]);
    };
    await expect.poll(states).toEqual([
      ['shell', 'at prompt', 'bash'],
      ['busy', 'running', 'cd / && sleep 100'],
      ['asks', 'awaiting input', 'printf "name? "; read name'],
      ['secret', 'password', 'stty -echo; printf "Password: "; read secret'],
      ['full', 'full screen', `printf '\\033[?1049hmenu'; sleep 100`],
      ['fails', 'exited 3', 'exit 3'],
      ['crashes', 'killed by SIGSEGV', 'kill -SEGV $$'],
    ]);
    expect(await namesIn(place, '--waiting')).toEqual(['asks', 'secret']);
    expect(await place.ok('ls', '--waiting')).toMatch(/ATTENTION\n.*asks .*input: name\?/);
    expect(await namesIn(place, '--failed')).toEqual(['fails', 'crashes']);
    expect(await namesIn(place, '--running')).toEqual(['busy', 'full']);
    expect(await namesIn(place, '--waiting', '--failed', 's*')).toEqual(['secret']);
    const { sessions } = await place.json('ls', 'shell', 'busy', 'fails');
    const directory = realpathSync(place.directory);
    expect(sessions).toMatchObject([
      { activity: { state: 'at_prompt', since: expect.any(String) }, command: null, directory },
      { activity: { state: 'running' }, command: 'cd / && sleep 100' },
      { activity: { state: 'exited' }, command: null, directory, exit_code: 3 },
    ]);
    expect(sessions[0].activity.evidence).toMatchObject({ shell_mark: 'prompt' });
    expect((await place.json('ls', '--waiting', 'f*')).sessions).toEqual([]);
  });

  it('fits a terminal of 80 columns, and is whole in a pipe', async () => {
    const words = Array.from({ length: 30 }, (_, number) => `word${number}`);
    // A program that reads would want somebody after a second, in a column of its own.
    const program = ['sh', '-c', 'sleep 100', ...words];
    await place.ok('spawn', 'long', '--label', 'team=web', '--', ...program);
    expect(await place.ok('ls')).toContain('word29');
    // On a busy machine it says on stderr whose state it could not read in time.
    const line = `"${process.execPath}" "${vtrFile}" ls 2> /dev/null; sleep 100`;
    await place.ok('spawn', 'viewer', '--cmd', line, '--cols', '80');
    const rows = await place.sees('viewer', 'SESSION');
    await place.sees('viewer', 'viewer');
    expect(rows[0]).toMatch(/^SESSION +STATE +FOR +COMMAND +DIRECTORY +LABELS$/);
    expect(rows[1]).toMatch(/^long +\S.*… {2}~ +team=web$/);
  });
});

describe('globs', () => {
  it('select sessions of rm, which lists those removed', async () => {
    await spawn(['build-1', 'build-2', 'test', 'web-1']);
    expect(await namesIn(place, 'build-*', 'test')).toEqual(['build-1', 'build-2', 'test']);
    expect(await place.ok('rm', '--force', 'build-?')).toBe('build-1\nbuild-2\n');
    expect(await place.json('rm', '--force', '[tw]*')).toEqual({
      removed: [
        { coordinator: 'default', name: 'test' },
        { coordinator: 'default', name: 'web-1' },
      ],
      failed: [],
    });
    expect(await namesIn(place)).toEqual([]);
  });

  it('fail if they match nothing', async () => {
    await spawn(['one']);
    for (const words of [['rm'], ['kill'], ['label'], ['ls']]) {
      const { status, stdout, stderr } = await place.result([...words, 'build-*']);
      expect({ status, stdout }).toEqual({ status: 4, stdout: '' });
      expect(stderr).toMatch(/^vtr: no session matches "build-\*"/);
    }
    const { stderr } = await place.result(['ls', 'ones']);
    expect(stderr).toBe('vtr: no session matches "ones"; did you mean one?\n');
    expect(await namesIn(place)).toEqual(['one']);
    for (const words of [['rm'], ['rm', 'one', '--all'], ['kill'], ['rm', '[z-a]*']]) {
      expect((await place.vtr(words)).status).toBe(2);
    }
  });

  it('act on all sessions even if one fails, which sets the exit status', async () => {
    await spawn(['a', 'b']);
    const { status, stdout, stderr } = await place.result(['rm', 'x*', 'a', 'no', 'b', '--force']);
    expect({ status, stdout }).toEqual({ status: 4, stdout: 'a\nb\n' });
    expect(stderr).toMatch(/^vtr: no session matches "x\*".*\nvtr: session "no" not found/);
    const { stdout: json } = await place.result(['rm', 'x*', 'no', '--json']);
    expect(JSON.parse(json)).toMatchObject({
      removed: [],
      failed: [
        { coordinator: null, name: 'x*', code: 'SESSION_NOT_FOUND' },
        { coordinator: 'default', name: 'no', code: 'SESSION_NOT_FOUND' },
      ],
    });
  });

  it('of kill and resize select programs that run', async () => {
    await spawn(['a', 'b']);
    await place.ok('spawn', 'gone', '--', 'true');
    await place.result(['wait', 'gone']);
    expect(await place.ok('resize', '*', '100', '30')).toBe('a\nb\n');
    expect(await place.json('info', 'b')).toMatchObject({ cols: 100, rows: 30 });
    expect(await place.ok('kill', '--all', '-s', 'KILL')).toBe('a\nb\n');
    await place.result(['wait', 'b']);
    expect(await place.json('info', 'b')).toMatchObject({ signal: 'SIGKILL' });
  });

  it('and labels select sessions of grep', async () => {
    for (const [name, label] of [
      ['build-1', 'a=1'],
      ['build-2', 'a=2'],
      ['test', 'a=1'],
    ] as const) {
      await place.ok('spawn', name, '--label', label, '--cmd', `echo FAIL in ${name}`);
      await place.result(['wait', name]);
    }
    const matchIn = async (...words: readonly string[]) =>
      (await place.ok('grep', ...words)).match(/(?<=FAIL in )\S+/g);
    expect(await matchIn('build-*', '^FAIL')).toEqual(['build-1', 'build-2']);
    const both = ['build-2', 'test'];
    expect(await matchIn('--session', '*2', '--session', 'test', '^FAIL')).toEqual(both);
    expect(await matchIn('--all', '--label', 'a=1', '^FAIL')).toEqual(['build-1', 'test']);
    expect((await place.result(['grep', 'x*', 'FAIL'])).status).toBe(4);
    expect((await place.result(['grep', '--all', '--label', 'a=3', 'FAIL'])).status).toBe(1);
  });

  it('--all removes the sessions of one coordinator, also if there are none', async () => {
    const place = new Place();
    await spawn(['a', 'b'], place);
    const other = `${place.directory}/other.sock`;
    const elsewhere = { env: { VTR_SOCKET: other } };
    await place.vtr(['spawn', 'c', '--', 'cat'], elsewhere);
    await place.ok('config', 'add', other);
    try {
      expect(await namesIn(place)).toEqual(['a', 'b', 'c']);
      expect(await place.ok('rm', '--all', '--force')).toBe('a\nb\n');
      expect(await place.result(['rm', '--all'])).toMatchObject({
        status: 0,
        stdout: '',
        stderr: 'vtr: no sessions match\n',
      });
      expect((await place.result(['rm', 'c*'])).status).toBe(4);
      expect(await place.ok('rm', '--force', 'other:c*')).toBe('c\n');
    } finally {
      await place.vtr(['serve', '--stop'], elsewhere);
    }
  });
});

describe('vtr watch', () => {
  it('sets, prints and ends what sessions are watched for', async () => {
    await spawn(['a', 'b']);
    expect(await place.ok('watch', 'a')).toBe('nothing\n');
    expect(await place.ok('watch', 'a', '--activity', '--silence', '90s', '--bell')).toBe('');
    expect(await place.ok('watch', 'a')).toBe('activity,silence=1m30s,bell\n');
    expect(await place.ok('label', 'a')).toBe('vtr/watch=activity,silence=1m30s,bell\n');
    expect(await place.ok('watch', '--all', '--bell')).toBe('a\nb\n');
    expect(await place.ok('watch', '--all')).toBe('a  bell\nb  bell\n');
    expect(await place.json('watch', 'a')).toEqual({
      sessions: [{ name: 'a', watch: { activity: false, silence_ms: null, bell: true } }],
    });
    await place.ok('watch', 'a', '--off');
    expect((await place.json('watch', 'a')).sessions).toEqual([{ name: 'a', watch: null }]);
    for (const words of [
      ['a', '--silence', '10ms'],
      ['a', '--off', '--bell'],
      ['a', '--silence', '9d'],
    ]) {
      expect((await place.result(['watch', ...words])).status).toBe(2);
    }
  });
});

describe('vtr label', () => {
  it('sets, prints and removes labels, which select sessions', async () => {
    await spawn(['a', 'b', 'c']);
    await place.ok('label', 'a', 'team=web', 'url=http://x/?q=1');
    expect(await place.ok('label', 'a')).toBe('team=web\nurl=http://x/?q=1\n');
    expect(await place.ok('label', '[bc]', 'team=db')).toBe('b\nc\n');
    expect(await place.ok('label', '--all', 'env=ci')).toBe('a\nb\nc\n');
    await place.ok('label', 'a', 'url=', 'env=');
    expect(await place.ok('label', '--all')).toBe(
      'a  team=web\nb  team=db env=ci\nc  team=db env=ci\n',
    );
    expect(await place.json('label', 'a')).toEqual({
      sessions: [{ name: 'a', labels: { team: 'web' } }],
    });
    expect(await namesIn(place, '--label', 'team=db')).toEqual(['b', 'c']);
    expect(await namesIn(place, '--label', 'team', '--label', 'env=ci')).toEqual(['b', 'c']);
    expect((await place.json('ls', 'a')).sessions[0].labels).toEqual({ team: 'web' });
    expect(await place.ok('info', 'a')).toMatch(/^labels +team=web$/m);
    expect(await place.ok('rm', '--all', '--label', 'team=db', '--force')).toBe('b\nc\n');
    const missing = await place.result(['rm', 'a', '--label', 'team=db']);
    expect(missing.status).toBe(4);
    expect(missing.stderr).toContain('no session matches "a" with label team=db');
  });

  it('labels are set by spawn, exec and publish', async () => {
    await place.ok('spawn', 'a', '--label', 'k=1', '--label', 'l=2', '--', 'cat');
    await place.result(['exec', '--name', 'b', '--keep', '--label', 'k=1', '--', 'true']);
    await place.ok('publish', 'c', '--label', 'k=1');
    expect(await namesIn(place, '--label', 'k=1')).toEqual(['a', 'b', 'c']);
  });

  it('refuses what is not a label', async () => {
    await spawn(['a']);
    for (const words of [['a', 'x'], ['a', '=x'], ['a', 'a b=x'], ['a', 'k=x\ny'], ['k=v']]) {
      const { status, stderr } = await place.result(['label', ...words]);
      expect([words, status]).toEqual([words, 2]);
      expect(stderr).toMatch(/^vtr: .*(label|SESSION)/);
    }
    expect((await place.result(['spawn', '--label', 'a', '--', 'cat'])).status).toBe(2);
    expect((await place.result(['ls', '--label', 'a b'])).status).toBe(2);
  });
});

describe('vtr rename', () => {
  it('keeps the id and frees the old name', async () => {
    await spawn(['old', 'other']);
    const { id } = await place.json('info', 'old');
    await place.ok('rename', 'old', 'new');
    expect(await place.json('info', 'new')).toMatchObject({ id, name: 'new' });
    const gone = await place.result(['screen', 'old']);
    expect(gone.status).toBe(4);
    expect(gone.stderr).toContain('it was renamed to new');
    await place.ok('spawn', 'old', '--', 'cat');
    expect((await place.result(['rename', 'old', 'new'])).status).toBe(5);
    expect((await place.result(['rename', 'old', 'a b'])).status).toBe(2);
    expect(await namesIn(place)).toEqual(['new', 'other', 'old']);
  });
});

describe('vtr revive', () => {
  it('starts an exited program again below its lines, and refuses one that runs', async () => {
    const line = 'echo "$WORD done"; test "$WORD" = again && exec cat';
    await place.ok('spawn', 'work', '--env', 'WORD=first', '--', 'sh', '-c', line);
    await place.result(['wait', 'work', '--exit']);
    const { stdout, stderr, status } = await place.result(['revive', 'work']);
    expect([stdout, status]).toEqual(['work\n', 0]);
    expect(stderr).toContain('started without WORD: values of --env are not saved');
    await place.result(['wait', 'work', '--exit']);
    const again = await place.json('revive', 'work', '--env', 'WORD=again');
    expect(again).toMatchObject({ name: 'work', missing_env: [], args: ['-c', line] });
    await place.sees('work', 'again done');
    const own = await place.result(['read', 'work', '--since', 'start']);
    expect(own.stdout).toBe('again done\n');
    const read = await place.result(['read', 'work']);
    expect(read.stdout.trimEnd().split('\n')).toEqual([
      'first done',
      expect.stringMatching(/^\[revived .*; exited 1\]$/),
      ' done',
      expect.stringMatching(/^\[revived .*; exited 1\]$/),
      'again done',
    ]);
    const refused = await place.result(['revive', 'work']);
    expect(refused.status).toBe(5);
    expect(refused.stderr).toContain('session work is running; end it first');
    await place.ok('kill', 'work');
    await place.result(['wait', 'work', '--exit']);
    await place.ok('revive', 'work', '--env', 'WORD=x', '--', 'echo', 'other');
    await place.sees('work', 'other');
  });

  it('keeps the files that people gave it until the session is removed', async () => {
    const files = tree();
    const own = new Place(undefined, { TMPDIR: files });
    for (const ways of [
      [['rm', 'a']],
      [
        ['serve', '--restart'],
        ['rm', 'a'],
      ],
      [['serve', '--stop']],
    ]) {
      await own.ok('spawn', 'a', '--', 'true');
      for (let starts = 0; starts < 3; starts++) {
        if (starts > 0) await own.ok('revive', 'a');
        const { id } = await own.json('info', 'a');
        mkdirSync(join(files, `${keptPrefix(id)}${starts}a1b2c`));
        await own.result(['wait', 'a', '--exit']);
      }
      expect(readdirSync(files)).toHaveLength(3);
      for (const words of ways) expect((await own.vtr(words)).status).toBe(0);
      await expect.poll(() => readdirSync(files)).toEqual([]);
    }
  });

  it('waits for output of the new program only', async () => {
    await place.ok('spawn', 'srv', '--wait', 'ready', '--', 'sh', '-c', 'echo ready; exit 1');
    await place.result(['wait', 'srv', '--exit']);
    const later = ['--', 'sh', '-c', 'read x; echo ready; cat'];
    await place.ok('revive', 'srv', ...later);
    const none = await place.result([
      'wait',
      'srv',
      'ready',
      '--since',
      'start',
      '--timeout',
      '0s',
    ]);
    expect(none.status).toBe(9);
    await place.ok('kill', 'srv', '--signal', 'KILL');
    await place.result(['wait', 'srv', '--exit']);
    const words = ['revive', 'srv', '--wait', '^ready (.*)', '--cwd', '/', '--'];
    const revived = await place.result([...words, 'sh', '-c', 'echo ready in $PWD; cat']);
    expect(revived).toMatchObject({ status: 0, stdout: 'srv\nready in /\n' });
    expect((await place.result(['revive', 'srv', '--timeout', '1s'])).status).toBe(2);
  });
});

describe('spawn --reuse', () => {
  it('makes one session of eight commands', async () => {
    const words = ['spawn', 'web', '--reuse', '--', 'sleep', '100'];
    const runs = await Promise.all(Array.from({ length: 8 }, () => place.vtr(words)));
    expect(runs.map(({ status, stdout }) => [status, stdout])).toEqual(
      runs.map(() => [0, 'web\n']),
    );
    expect(await namesIn(place)).toEqual(['web']);
    const again = await place.ok('spawn', 'web', '--reuse', '--json', '--', 'sleep', '100');
    expect(JSON.parse(again)).toMatchObject({ name: 'web', reused: true });
  });

  it('replaces an exited session and refuses another program', async () => {
    await place.ok('spawn', 'web', '--', 'true');
    await place.result(['wait', 'web']);
    await place.ok('spawn', 'web', '--reuse', '--cmd', 'cat; true');
    await place.ok('spawn', 'web', '--reuse', '--cmd', 'cat; true');
    const other = await place.result(['spawn', 'web', '--reuse', '--', 'sleep', '100']);
    expect(other.status).toBe(5);
    expect(other.stderr).toMatch(/session web exists and runs .*, not .*sleep 100;/);
    expect((await place.result(['spawn', '--reuse', '--', 'cat'])).status).toBe(2);
  });
});

describe('messages', () => {
  it.each([
    [['wait', 'named'], 'session named: timed out'],
    [['wait', 'default:named'], 'session default:named: timed out'],
    [['wait', 'named', '--coordinator', 'default'], 'session default:named: timed out'],
    [['idle', 'default:named', '--idle', '10s'], 'session default:named: '],
    [['send', 'default:named', 'x', '--wait', 'never'], 'session default:named: timed out'],
    [['commands', 'default:named'], 'session default:named: no commands'],
  ])('name the session as a command does: %j', async (words, said) => {
    await place.result(['spawn', 'named', '--reuse', '--', 'cat']);
    const limit = words[0] === 'commands' ? [] : ['--timeout', '10ms'];
    expect((await place.result([...words, ...limit])).stderr).toContain(said);
  });
});
