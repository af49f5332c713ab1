import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LocalCoordinator } from '#coordinator';
import { VtrError } from '#model';

describe('runLine', () => {
  let coordinator: LocalCoordinator;
  beforeEach(() => {
    coordinator = new LocalCoordinator();
  });
  afterEach(() => coordinator.close());

  async function markedShell(): Promise<string> {
    const env = { PROMPT_COMMAND: '', PS1: '$ ', HISTFILE: '/dev/null' };
    const { name } = await coordinator.spawn({ program: 'bash', args: ['--norc', '-i'], env });
    await coordinator.wait(name, { prompt: true });
    return name;
  }

  it('types a line with an id that was not typed before its first call failed, once', async () => {
    const name = await markedShell();
    const count = async () => (await coordinator.commands(name)).commands.length;
    const before = await count();
    const request = { line: 'echo once; exit_code() { return 4; }; exit_code', inputId: 'one' };
    const cancelled = AbortSignal.abort();
    await expect(coordinator.run(name, { ...request, signal: cancelled })).rejects.toMatchObject({
      code: 'CANCELLED',
    });
    for (let repeats = 0; repeats < 2; repeats++) {
      const result = await coordinator.run(name, request);
      expect(result).toMatchObject({ outcome: 'finished', exitCode: 4, output: { tail: 'once' } });
    }
    expect(await count()).toBe(before + 1);
  });

  it('types nothing if that is not wanted any more when the prompt is shown', async () => {
    // Its first prompt is waited for: it is late on any machine.
    const env = { PS1: '$ ', PROMPT_COMMAND: 'sleep 0.5' };
    const { name } = await coordinator.spawn({ program: 'bash', args: ['--norc', '-i'], env });
    const beforeTyping = async () => {
      throw new VtrError('CANCELLED', 'the client has gone');
    };
    const run = coordinator.run(name, { line: 'echo typed', beforeTyping });
    await expect(run).rejects.toMatchObject({ code: 'CANCELLED' });
    expect((await coordinator.screen(name)).text).not.toContain('typed');
  });

  const window = { name: 'ann', kind: 'attach', size: { cols: 80, rows: 24 } } as const;

  it('says who typed while the line ran, and from which mark that is read', async () => {
    const name = await markedShell();
    const viewing = await coordinator.view(name, window);
    const line = 'read -r answer; echo "got $answer"';
    const running = coordinator.run(name, { line, asks: false });
    await coordinator.wait(name, { asks: true });
    await coordinator.sendText(name, 'typed\r', { viewer: viewing.id });
    const { person, ...result } = await running;
    expect(result).toMatchObject({ outcome: 'finished', exitCode: 0 });
    expect(person).toMatchObject({ name: 'ann', sinceMs: expect.any(Number) });
    const { text } = await coordinator.read(name, { since: person?.mark ?? '' });
    expect(text.tail).toContain('got typed');
    await viewing.dispose();
    expect(await coordinator.run(name, { line: 'echo alone' })).not.toHaveProperty('person');
  });

  it('types no more of a line when a person types, and says that it is not whole', async () => {
    const { name } = await coordinator.spawn({ program: 'sh', env: { PS1: '$ ' } });
    await coordinator.wait(name, { prompt: true });
    const viewing = await coordinator.view(name, window);
    const running = coordinator.run(name, { line: 'sleep 0.5 # first\necho second' });
    await coordinator.wait(name, { screen: ['first'] });
    await coordinator.sendText(name, '# mine', { viewer: viewing.id });
    expect(await running).toMatchObject({ outcome: 'interrupted', person: { name: 'ann' } });
    const { text } = await coordinator.screen(name);
    expect(text.join('\n')).not.toContain('second');
  });

  it.each([
    ['an error of the shell', 'if )', 2],
    ['the same for several lines, also if the last one is empty', 'if true\nthen )\n', 2],
    ['nothing for a comment', '# comment', null],
  ])('returns %s without the prompt below, which has several lines', async (_, line, exitCode) => {
    const env = { PROMPT_COMMAND: 'echo hook', PS1: '\\n\\w main\\n$ ', HISTFILE: '/dev/null' };
    const { name } = await coordinator.spawn({ program: 'bash', args: ['--norc', '-i'], env });
    const result = await coordinator.run(name, { line });
    const tail = exitCode === null ? '' : expect.stringMatching(/^bash: syntax error .*$/);
    expect(result).toMatchObject({ outcome: 'prompt', exitCode, output: { tail } });
  });

  it('runs several lines as one command without bracketed paste, too, which bash before 5.1 lacks', async () => {
    const name = await markedShell();
    await coordinator.run(name, { line: "bind 'set enable-bracketed-paste off'" });
    for (const [line, exitCode, tail] of [
      ['echo one\nread -t 0 && echo typed ahead\nsh -c "exit 3"', 3, 'one'],
      ['for i in 1 2; do\r\n\techo "$i\t."\ndone', 0, '1\t.\n2\t.'],
      ['cat <<E\n$((1+1))\nE', 0, '2'],
    ] as const) {
      const result = await coordinator.run(name, { line });
      expect(result).toMatchObject({ outcome: 'finished', exitCode, output: { tail } });
    }
    expect((await coordinator.commands(name)).commands).toHaveLength(4);
  });

  it('counts no command where the history expansion of a typed line failed', async () => {
    const name = await markedShell();
    await coordinator.run(name, { line: '(exit 42)' });
    for (let repeats = 0; repeats < 2; repeats++) {
      const wait = { match: ['event not found'], timeoutMs: 20_000 };
      const { wait: end } = await coordinator.sendText(name, 'echo a!b\r', { wait });
      expect(end?.outcome).toBe('matched');
    }
    const { exitCode, command } = await coordinator.run(name, { line: 'echo a' });
    expect([exitCode, command?.line, command?.number]).toEqual([0, 'echo a', 2]);
  });

  it.each<[string, string, number, string, boolean]>([
    ['its output', 'echo hello', 0, 'hello', false],
    ['its exit code', 'sh -c "exit 7"', 7, '', true],
    ['output without a line end', 'printf abc', 0, 'abc', true],
    ['several lines', 'printf "1\\n\\n3\\n"', 0, '1\n\n3', false],
    ['the output from before and after a clear', 'echo a; clear; echo b', 0, 'a\nb', false],
    [
      'all of that output, even if it exceeds the screen',
      'seq 30; clear; seq 100 130',
      0,
      [
        ...Array.from({ length: 30 }, (_, at) => at + 1),
        ...Array.from({ length: 31 }, (_, at) => at + 100),
      ].join('\n'),
      false,
    ],
    ['output as wide as the screen', 'printf %080d 1', 0, '1'.padStart(80, '0'), true],
    ['a line of several', 'for i in 1 2; do\necho $i\ndone', 0, '1\n2', false],
    ['a document that it is given', 'cat <<E\n$((1+1))\nE', 0, '2', false],
    [
      'more than the screen holds',
      'seq 200',
      0,
      Array.from({ length: 200 }, (_, i) => i + 1).join('\n'),
      false,
    ],
  ])('returns the result of %s', async (_what, line, exitCode, output, openEnd) => {
    const name = await markedShell();
    const result = await coordinator.run(name, { line });
    expect(result).toMatchObject({
      outcome: 'finished',
      exitCode,
      openEnd,
      output: { tail: output },
    });
  });

  it('fails while a command runs, and if text is typed at the prompt', async () => {
    const name = await markedShell();
    await coordinator.sendText(name, 'echo beg""un; cat\r', { wait: { match: ['^begun'] } });
    await expect(coordinator.run(name, { line: 'ls' })).rejects.toMatchObject({
      code: 'NOT_AT_PROMPT',
    });
    await coordinator.sendKeys(name, ['ctrl+d'], { wait: { prompt: true } });
    await coordinator.sendText(name, 'half', { wait: { screen: ['half'] } });
    await expect(coordinator.run(name, { line: 'ls' })).rejects.toMatchObject({
      code: 'NOT_AT_PROMPT',
      message: expect.stringContaining('typed'),
    });
  });

  it('leaves a command running after the timeout', async () => {
    const name = await markedShell();
    const line = 'echo begun; cat';
    const result = await coordinator.run(name, { line, asks: false, timeoutMs: 500 });
    expect(result).toMatchObject({
      outcome: 'timed_out',
      exitCode: null,
      output: { tail: 'begun' },
    });
    const done = await coordinator.sendKeys(name, ['ctrl+d'], { wait: { finished: true } });
    expect(done.wait).toMatchObject({ outcome: 'finished', command: { exitCode: 0 } });
  });

  it('reports the exit of the shell', async () => {
    const name = await markedShell();
    const result = await coordinator.run(name, { line: 'exit 3' });
    expect(result).toMatchObject({ outcome: 'exited', exitStatus: { code: 3, signal: null } });
  });

  it('asks a shell without marks for the exit code', async () => {
    const { name } = await coordinator.spawn({ program: 'sh', env: { PS1: '$ ' } });
    const result = await coordinator.run(name, { line: 'printf "a\\nb\\n"; false' });
    expect(result).toMatchObject({
      outcome: 'prompt',
      exitCode: 1,
      statusFrom: 'query',
      command: null,
      output: { tail: 'a\nb' },
    });
  });

  it('rejects an empty line', async () => {
    const name = await markedShell();
    await expect(coordinator.run(name, { line: ' ' })).rejects.toMatchObject({ code: 'NO_INPUT' });
    await expect(coordinator.run(name, { line: 'echo a\0b' })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
    });
  });

  it('works on the alternate screen', async () => {
    const { name } = await coordinator.spawn({ program: 'bash', env: { HOME: '/nonexistent' } });
    const codes: (number | null)[] = [];
    for (const line of ["printf '\\e[?1049h'", '(exit 4)', "printf '\\e[?1049l'", '(exit 5)']) {
      codes.push((await coordinator.run(name, { line })).exitCode);
    }
    expect(codes).toEqual([0, 4, 0, 5]);
  });

  it('works below output of a background program', async () => {
    const { name } = await coordinator.spawn({ program: 'bash', env: { HOME: '/nonexistent' } });
    await coordinator.run(name, { line: '(while printf "noise\\n"; do sleep 0.02; done) &' });
    await coordinator.wait(name, { match: ['noise'] });
    const result = await coordinator.run(name, { line: 'echo here' });
    expect(result.exitCode).toBe(0);
    expect(result.output.tail).toContain('here');
  });
});
