import { describe, expect, it } from 'vitest';
import { Place } from '../../support/command/vtr-command.ts';
import { needs, provided } from '../../support/run/needs.ts';

const place = Place.forAll();

/** A session that prints `ready`, and each line of its input by `printf`. */
async function printer(name: string): Promise<void> {
  const loop = 'while IFS= read -r line; do printf "$line"; done';
  await place.ok('spawn', name, '--', 'sh', '-c', `stty -echo; printf ready; ${loop}`);
  await place.sees(name, 'ready');
}

describe('vtr wait', () => {
  it('[S3.16] ends when output matches, and prints the line', async () => {
    await place.ok('spawn', 'job', '--', 'sh', '-c', 'read x; echo "result: $x"; sleep 60');
    const { ended } = await place.calling('Wait', ['wait', 'job', 'result: \\d+']);
    await place.ok('send', 'job', '42', '--enter');
    expect(await ended).toMatchObject({ status: 0, stdout: 'result: 42\n', stderr: '' });
  });

  it('--prompt-pattern waits for a prompt without --prompt, too', async () => {
    await place.ok('spawn', 'own', '--', 'sh', '-c', 'printf "ready: "; read x');
    const result = await place.result(['wait', 'own', '--prompt-pattern', 'ready: $']);
    expect(result.status).toBe(0);
    expect((await place.result(['wait', 'own', '--prompt-pattern', '('])).status).toBe(2);
  });

  it('--failed waits for a failure, and --any leaves out what had ended before', async () => {
    await place.ok('spawn', 'j1', '--', 'sh', '-c', 'exit 0');
    await place.ok('spawn', 'j2', '--', 'sh', '-c', 'exit 3');
    for (const name of ['j1', 'j2']) {
      expect((await place.result(['wait', name, '--exit'])).status).toBe(0);
    }
    expect((await place.vtr(['wait', 'j1', '--failed'])).status).toBe(6);
    expect((await place.vtr(['wait', 'j2', '--failed'])).status).toBe(0);
    const any = (...flags: readonly string[]) => place.vtr(['wait', 'j*', '--any', ...flags]);
    const none = await any('--exit');
    expect([none.status, none.stdout]).toEqual([6, '']);
    expect(none.stderr).toContain('have ended; --include-ended counts them');
    expect(await any('--failed', '--include-ended')).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/:j2\n$/),
    });
    await place.ok('spawn', 'j3', '--', 'sh', '-c', 'read x; exit 1');
    const late = await any('--exit', '--timeout', '50ms');
    expect(late).toMatchObject({ status: 9, stdout: '' });
    expect(late.stderr).toContain('in 1 session');
  });

  it('distinguishes timeout and exit, in words and by status', async () => {
    await place.shell('one');
    const late = await place.result(['wait', 'one', 'never', '--timeout', '50ms']);
    expect(late).toMatchObject({ status: 9, stdout: '' });
    expect(late.stderr).toContain('timed out after 50ms');
    await place.ok('spawn', 'done', '--', 'sh', '-c', 'exit 3');
    const gone = await place.result(['wait', 'done', 'never', '--json']);
    expect(gone.status).toBe(6);
    expect(JSON.parse(gone.stdout)).toMatchObject({
      outcome: 'exited',
      exit_code: 3,
      timed_out: false,
    });
  });

  it('ends with the first of several conditions, and names it', async () => {
    await printer('one');
    const first = place.vtr(
      ['send', 'one', 'x\\r\\nerror: no room\\r\\n', '-e', '--wait', 'done'].concat([
        '--stop',
        '^error: (.*)',
        '--idle',
        '1m',
        '--bell',
        '--title',
        'x',
        '--timeout',
        '1m',
      ]),
    );
    expect(await first).toEqual({
      status: 11,
      signal: null,
      stdout: '',
      stderr: 'vtr: session one: stopped by ^error: (.*): error: no room\n',
    });
    const bell = await place.result(['send', 'one', '\\007', '-e', '--wait', 'x', '--bell']);
    expect(bell).toMatchObject({ status: 0, stdout: '', stderr: 'vtr: session one: bell\n' });
    const title = ['--wait', '--title', '^(ti)', '--idle', '1m'];
    const titled = await place.result(['send', 'one', '\\033]2;title\\007', '-e', ...title]);
    expect(titled).toMatchObject({ status: 0, stderr: 'vtr: session one: title: ^(ti)\n' });
    expect(await place.ok('wait', 'one', '--idle', '100ms', '--ignore', 'clock')).toBe('');
    expect(await place.ok('wait', 'one', '--screen', '^ready')).toBe('readyx\n');
    const clock = `while :; do printf '\\rat %s' $((n += 1)); sleep 0.6; done`;
    await place.ok('spawn', 'busy', '--', 'sh', '-c', clock);
    const quiet = ['wait', 'busy', '--idle', '2s', '--timeout', '8s'];
    const masked = await place.vtr(quiet);
    expect(masked).toMatchObject({ status: 0, stdout: '' });
    expect(masked.stderr).toMatch(/^vtr: ignored row: at \d+\n$/);
    expect((await place.result([...quiet, '--count-clocks'])).status).toBe(9);
    const ignoring = await place.result([...quiet, '--count-clocks', '--ignore', '^at']);
    expect(ignoring.status).toBe(0);
    const prompt = ['--wait', '--prompt', '--prompt-pattern', '>>> $'];
    expect(await place.ok('send', 'one', '\\r\\n>>> ', '-e', ...prompt)).toBe('');
  });

  it('matches raw bytes with --raw, and output since a mark with --since', async () => {
    await printer('one');
    const { mark, wait } = await place.json(
      ...['send', 'one', '\\033[1mbold', '-e', '--wait', '\\x1b\\[1m(b)old', '--raw'],
    );
    expect(wait).toMatchObject({
      outcome: 'matched',
      pattern: { of: 'match', index: 0 },
      matched: '\u001b[1mbold',
      groups: ['b'],
      line_number: null,
      timed_out: false,
      output: { tail: 'bold', omitted: null },
    });
    expect((await place.result(['wait', 'one', 'bold', '--timeout', '50ms'])).status).toBe(9);
    expect(await place.ok('wait', 'one', 'bold', '--since', mark)).toBe('readybold\n');
    const wrong = await place.result(['wait', 'one', 'bold', '--since', 'here']);
    expect(wrong).toMatchObject({ status: 2, stdout: '' });
    expect(wrong.stderr).toContain('"here" is not valid');
  });

  it('prints the end of the output with --tail, and reports the omission', async () => {
    await printer('one');
    const lines = 'a\\r\\nb\\r\\nc\\r\\nd';
    const { status, stdout, stderr } = await place.result([
      'send',
      'one',
      lines,
      '-e',
      '--wait',
      '^d',
      '--tail',
      '2',
    ]);
    expect([status, stdout]).toEqual([0, 'c\nd\n']);
    expect(stderr).toMatch(/^vtr: omitted: 2 lines, 4 bytes \(.*\nvtr: mark r1-\S+\n$/);
  });

  it('waits for the exit without a condition, or with --exit', async () => {
    await place.ok('spawn', 'done', '--', 'sh', '-c', 'exit 3');
    const exited = {
      status: 0,
      stdout: '',
      stderr: 'vtr: session done: the program exited with status 3\n',
    };
    expect(await place.result(['wait', 'done'])).toMatchObject(exited);
    expect(await place.result(['wait', 'done', 'x', '--exit'])).toMatchObject(exited);
    expect((await place.result(['wait', 'done', 'x'])).status).toBe(6);
  });

  needs('bash')(
    'waits for the end of a command with --finished, for the prompt with --prompt',
    async () => {
      await place.ok('spawn', 'sh', '--env', 'PS1=$ ', '--', 'bash');
      expect(await place.ok('wait', 'sh', '--prompt')).toBe('');
      const ended = await place.result(['send', 'sh', '(exit 3)', '-e', '--wait', '--finished']);
      expect(ended).toMatchObject({ status: 0, stdout: '' });
      expect(ended.stderr).toMatch(/^vtr: session sh: command 1 exited with status 3 after \S+\n$/);
      await place.ok('send', 'sh', 'echo beg""un; sleep 60', '-e', '--wait', '^begun');
      expect(await place.ok('key', 'sh', 'ctrl+c', '--wait', '--prompt')).toBe('');
      const { command } = (await place.json('raw', 'sh', '66616c73650d', '--wait', '--finished'))
        .wait;
      expect(command).toMatchObject({ number: 3, line: 'false', exit_code: 1, state: 'ended' });
    },
  );

  needs('bash')(
    'ends with --asks when the program waits for input, with the question',
    async () => {
      await place.ok('spawn', 'sh', '--env', 'PS1=$ ', '--', 'bash');
      await place.ok('wait', 'sh', '--prompt');
      const asks = ['-e', '--wait', '--asks'];
      const line = 'read -p "Your name? " name; read -s -p "Password: " word; echo; sleep 1.5';
      expect(await place.result(['send', 'sh', line, ...asks])).toMatchObject({
        status: 0,
        stdout: 'Your name?\n',
        stderr: '',
      });
      expect(await place.json('wait', 'sh', '--asks')).toMatchObject({
        outcome: 'awaiting_input',
        question: 'Your name?',
        timed_out: false,
      });
      expect(await place.result(['send', 'sh', 'Ada', ...asks])).toMatchObject({
        status: 0,
        stdout: 'Password:\n',
        stderr: 'vtr: session sh: the program awaits a password\n',
      });
      // The command works in silence before the prompt.
      const last = await place.json('send', 'sh', 'secret', ...asks);
      expect(last.wait).toMatchObject({ outcome: 'prompt', question: null });
      const keys = await place.json('key', 'sh', 'c', 'a', 't', 'enter', '--wait', '--asks');
      expect(keys.wait).toMatchObject({ outcome: 'awaiting_input', question: '' });
    },
  );

  needs('bash')('[S3.16] does not match the echo of the input', async () => {
    await place.ok('spawn', 'sh', '--env', 'PS1=$ ', '--', 'bash');
    await place.ok('wait', 'sh', '--prompt');
    const result = await place.result([
      'send',
      'sh',
      'sleep 0.5; echo DONE',
      '-e',
      '--wait',
      'DONE',
    ]);
    expect(result).toMatchObject({ status: 0, stdout: 'DONE\n', stderr: '' });
    const { mark } = await place.json('send', 'sh', 'sleep 0.5; echo AGAIN', '-e');
    expect(await place.ok('wait', 'sh', 'AGAIN', '--since', mark)).toBe('AGAIN\n');
    const only = ['send', 'sh', 'true DONE', '-e', '--wait', 'DONE', '--timeout', '500ms'];
    const late = await place.vtr(only);
    expect(late.status).toBe(9);
    expect(late.stderr).toContain('only the echo of the input matched');
    await place.ok('spawn', 'full', '--', 'sh', '-c', "printf '\\033[?1049hready'; exec cat");
    await place.sees('full', 'ready');
    const typed = await place.result(['send', 'full', 'hello', '--wait', 'hello']);
    expect(typed).toMatchObject({ status: 0, stdout: 'readyhello\n' });
    expect(typed.stderr).toContain('maybe in the echo of the input');
    expect((await place.json('send', 'full', 'more', '--wait', 'more')).wait.in_echo).toBe(true);
  });

  it('says at a timeout what was there before', async () => {
    const script = 'echo ready; read -p "Name? " x; exec sleep 60';
    await place.ok('spawn', 'one', '--', 'bash', '-c', script);
    await place.sees('one', 'Name');
    const wait = ['wait', 'one', 'ready', '--timeout', '400ms'];
    const late = await place.vtr(wait);
    expect(late.status).toBe(9);
    expect(late.stderr).toContain('line 0 matched before the wait began: see --since start');
    // The result is not delayed for the activity, which takes longer on a busy machine.
    const inJson = async () => JSON.parse((await place.result([...wait, '--json'])).stdout);
    await expect.poll(inJson).toMatchObject({
      outcome: 'timed_out',
      matched_before: true,
      activity: { state: expect.any(String), since: expect.any(String) },
    });
    expect(await place.ok('wait', 'one', 'ready', '--since', 'start')).toBe('ready\n');
  });

  const onLinux = provided(process.platform === 'linux', 'only on Linux: reads /proc');

  onLinux('names the program and its state at a timeout', async () => {
    const script = 'read -p "Name? " x; exec sleep 60';
    await place.ok('spawn', 'one', '--', 'bash', '-c', script);
    await place.sees('one', 'Name');
    const note = async () =>
      (await place.result(['wait', 'one', 'x y z', '--timeout', '100ms'])).stderr;
    await expect.poll(note).toMatch(/bash has been awaiting input for \S+: see --asks/);
    await place.ok('send', 'one', 'Ada', '-e');
    await expect.poll(note).toMatch(/timed out after 100ms; sleep has been running for \S+\n/);
  });

  needs('bash')('reports a command that ended, and that there is none', async () => {
    await place.ok('spawn', 'sh', '--env', 'PS1=$ ', '--', 'bash');
    await place.ok('wait', 'sh', '--prompt');
    const none = await place.result(['wait', 'sh', '--finished']);
    expect(none).toMatchObject({
      status: 0,
      stderr: 'vtr: session sh: the shell is at its prompt; there is no command to wait for\n',
    });
    await place.ok('send', 'sh', '(exit 3)', '-e', '--wait', '--prompt');
    const { outcome, command } = await place.json('wait', 'sh', '--finished');
    expect([outcome, command.number, command.exit_code]).toEqual(['finished', 1, 3]);
    const error = await place.json('send', 'sh', 'if then', '-e', '--wait', '--finished');
    expect(error.wait.outcome).toBe('prompt');
  });

  it('begins with the program: spawn --wait', async () => {
    const script = 'echo "listening on 80"; exec sleep 60';
    const wait = ['--wait', 'listening on (\\d+)'];
    const run = ['--', 'sh', '-c', script];
    const spawned = await place.result(['spawn', 'web', ...wait, ...run]);
    expect(spawned).toMatchObject({ status: 0, stdout: 'web\nlistening on 80\n', stderr: '' });
    const again = JSON.parse(await place.ok('spawn', 'web', '--reuse', '--json', ...wait, ...run));
    expect(again).toMatchObject({ name: 'web', reused: true, wait: { groups: ['80'] } });
    const bell = ['spawn', 'ring', '--wait', '--bell', '--', 'sh', '-c', "printf '\\a'; sleep 60"];
    expect(await place.vtr(bell)).toMatchObject({ status: 0, stdout: 'ring\n' });
    const stop = [
      '--wait',
      'never',
      '--stop',
      'no (\\w+)',
      '--',
      'sh',
      '-c',
      'echo no port; sleep 60',
    ];
    expect(await place.result(['spawn', 'bad', ...stop])).toMatchObject({
      status: 11,
      stdout: 'bad\n',
    });
    const gone = ['spawn', 'gone', '--wait', 'x', '--timeout', '10s', '--', 'sh', '-c', 'exit 3'];
    expect((await place.vtr(gone)).status).toBe(6);
    const wrong = await place.result(['spawn', 'none', '--wait', '(', ...run]);
    expect(wrong.status).toBe(2);
    expect((await place.result(['info', 'none'])).status).toBe(4);
    const flag = await place.result(['spawn', 'none', '--bell']);
    expect(flag.stderr).toContain('--bell needs --wait');
    const limit = await place.result(['spawn', 'none', '--timeout', '5s']);
    expect(limit.stderr).toContain('--timeout needs --wait; --max-run limits the program');
    expect((await place.result(['info', 'none'])).status).toBe(4);
  });

  it.each<[string, string[], string]>([
    ['an invalid pattern', ['wait', 'one', '(?=x)'], 'RE2'],
    [
      'an invalid pattern among several',
      ['wait', 'one', 'x', '--match', 'y', '--stop', '('],
      'RE2',
    ],
    ['a flag of --wait without it', ['send', 'one', 'x', '--idle', '1s'], '--idle needs --wait'],
    ['the same for keys', ['key', 'one', 'up', '--match', 'x'], '--match needs --wait'],
    ['the same for bytes', ['raw', 'one', '00', '--bell'], '--bell needs --wait'],
    ['half a line', ['wait', 'one', 'x', '--tail', '0.5'], '--tail 0.5: use a whole number'],
  ])('refuses %s, and sends nothing', async (_what, words, says) => {
    await place.ok('spawn', 'one', '--', 'cat');
    const { status, stdout, stderr } = await place.vtr(words);
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toContain(says);
    expect((await place.json('screen', 'one')).lines[0]).toBe('');
  });

  it('refuses a duration without a unit', async () => {
    const { status, stderr } = await place.result(['wait', 'x', 'y', '--timeout', '5']);
    expect(status).toBe(2);
    expect(stderr).toContain('500ms, 5s or 2m');
  });
});

describe('vtr idle', () => {
  it('[S3.17] ends after a time without change', async () => {
    await place.shell('one');
    const { outcome } = await place.json('idle', 'one', '--idle', '100ms', '--timeout', '30s');
    expect(outcome).toBe('idle');
  });

  it('times out while a program keeps writing', async () => {
    await place.ok('spawn', 'busy', '--', 'sh', '-c', 'while :; do echo x; done');
    const { status } = await place.result(['idle', 'busy', '--idle', '2s', '--timeout', '300ms']);
    expect(status).toBe(9);
    await place.ok('kill', 'busy', '-s', 'KILL');
    expect((await place.result(['idle', 'busy', '--idle', '10s', '--timeout', '20s'])).status).toBe(
      6,
    );
  });
});
