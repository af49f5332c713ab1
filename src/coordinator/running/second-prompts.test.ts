import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { LocalCoordinator } from '#coordinator';
import { needs, provided } from '../../../test/support/run/needs.ts';
import { tree } from '../../../test/support/tree.ts';

/** Only Linux reports which program reads the terminal. */
const using = (...programs: string[]) =>
  process.platform === 'linux' ? needs(...programs) : provided(false, 'only on Linux: reads /proc');

let coordinator: LocalCoordinator;
beforeAll(() => {
  coordinator = new LocalCoordinator();
});
afterAll(() => coordinator.close());

async function start(program: string, PS1: string): Promise<string> {
  const env = { PS1, ENV: '', HISTFILE: '/dev/null' };
  const { name } = await coordinator.spawn({ program, cwd: '/', env });
  return name;
}

const run = (name: string, line: string) => coordinator.run(name, { line, timeoutMs: 60_000 });

describe('run refuses to type a line into what a program continues', () => {
  for (const [program, args, begin, end] of [
    ['gdb', ['-q', '-nx'], 'define f', 'end'],
    ['ghci', [], ':{', ':}'],
    ['irb', ['-f'], 'def f', 'end'],
    ['lua', [], 'function f()', 'end'],
    ['R', ['-q', '--no-save'], 'f <- function() {', '}'],
    ['sqlite3', [], 'select', '1;'],
  ] as const) {
    using(program)(`of ${program}`, async () => {
      const { name } = await coordinator.spawn({ program, args: [...args], cwd: '/' });
      await coordinator.wait(name, { prompt: true, timeoutMs: 60_000 });
      const result = await run(name, begin);
      expect(result).toMatchObject({ outcome: 'awaiting_input', asksForRest: true });
      await expect(run(name, 'print 4')).rejects.toThrow('waits for the rest of a command');
      const wait = { prompt: true, timeoutMs: 60_000 };
      const { wait: ended } = await coordinator.sendText(name, `${end}\r`, { wait });
      expect(ended).toMatchObject({ outcome: 'prompt' });
    });
  }
});

describe('run ends at what a program asks that its line has started', () => {
  for (const [what, line, question] of [
    ['a question that looks like a prompt', `os.system("printf 'Q> '; read x")`, 'Q>'],
    ['the same prompt', 'os.system("python3 -q; :")', '>>>'],
  ] as const) {
    using('python3')(`with ${what}`, async () => {
      const { name } = await coordinator.spawn({ program: 'python3', args: ['-q'], cwd: '/' });
      expect(await run(name, 'import os')).toMatchObject({ outcome: 'prompt' });
      expect(await run(name, line)).toMatchObject({ outcome: 'awaiting_input', question });
    });
  }
});

describe('run in a shell whose prompt is that of the rest of a command', () => {
  using('dash')('runs lines', async () => {
    const name = await start('dash', '> ');
    for (const word of ['one', 'two']) {
      expect(await run(name, `echo ${word}`)).toMatchObject({
        outcome: 'prompt',
        output: { tail: word },
      });
    }
  });

  using('dash')('runs lines after the prompt is changed', async () => {
    const name = await start('dash', '$ ');
    expect(await run(name, 'PS1="> "')).toMatchObject({ outcome: 'prompt' });
    expect(await run(name, 'echo "a b"')).toMatchObject({
      outcome: 'prompt',
      output: { tail: 'a b' },
    });
  });

  using('dash')('does not claim that an open quote ran, and goes on after ctrl+c', async () => {
    const name = await start('dash', '> ');
    expect(await run(name, 'echo "open')).toMatchObject({ outcome: 'prompt', incomplete: true });
    await expect(run(name, 'echo no')).rejects.toMatchObject({ code: 'NOT_AT_PROMPT' });
    await coordinator.sendKeys(name, ['ctrl+c'], { wait: { prompt: true } });
    expect(await run(name, 'echo yes')).toMatchObject({
      outcome: 'prompt',
      output: { tail: 'yes' },
    });
  });
});

describe('run of the beginning of a command', () => {
  for (const [program, line, args] of [
    ['bash', 'cat <<X', []],
    ['bash', 'for i in 1 2; do', ['--norc', '--noprofile']],
    ['zsh', 'echo "open', ['-f']],
    ['fish', 'if true', []],
    ['dash', 'echo "open', []],
    ['python3', 'for i in 1, 2:', ['-q']],
    ['sqlite3', 'select', []],
  ] as const) {
    using(program)(`says that ${program} waits for the rest: ${line}`, async () => {
      const env = { PS1: '$ ', ENV: '', HISTFILE: '/dev/null', PYTHON_BASIC_REPL: '1' };
      const { name } = await coordinator.spawn({ program, args: [...args], cwd: '/', env });
      await coordinator.wait(name, { prompt: true });
      expect(await run(name, line)).toMatchObject({ outcome: 'awaiting_input', asksForRest: true });
      await expect(run(name, 'no')).rejects.toMatchObject({
        code: 'NOT_AT_PROMPT',
        message: expect.stringMatching(
          /(waits for the rest of a command|text is already typed).* ctrl\+c/,
        ),
      });
    });
  }

  using('bash', 'python3')(
    'does not say it of a question, or of a program that it starts',
    async () => {
      const name = await start('bash', '$ ');
      const question = await run(name, 'read -p "name> " x');
      expect(question).toMatchObject({ outcome: 'awaiting_input', question: 'name>' });
      expect(question.asksForRest).toBeUndefined();
      await coordinator.sendKeys(name, ['enter'], { wait: { prompt: true } });
      expect((await run(name, 'PYTHON_BASIC_REPL=1 python3 -q')).asksForRest).toBeUndefined();
    },
  );
});

describe('run in a shell behind whose prompt a background program has printed', () => {
  for (const [program, args] of [
    ['dash', []],
    ['bash', ['--norc', '--noprofile']],
    ['mksh', []],
  ] as const) {
    using(program)(`finds the prompt of ${program} again`, async () => {
      const env = { PS1: '$ ', ENV: '', HISTFILE: '/dev/null', PROMPT_COMMAND: '' };
      const shellIntegration = false;
      const args_ = [...args];
      const cwd = tree({});
      const goes = join(cwd, 'goes');
      execFileSync('mkfifo', [goes]);
      const { name } = await coordinator.spawn({
        program,
        args: args_,
        cwd,
        env,
        shellIntegration,
      });
      expect((await coordinator.wait(name, { prompt: true })).outcome).toBe('prompt');
      await run(name, '{ read x <goes; echo done; } &');
      await writeFile(goes, '\n');
      // mksh has another prompt for root.
      const done = { match: ['^([$#] )?done$'], since: 'start' } as const;
      expect((await coordinator.wait(name, done)).outcome).toBe('matched');
      expect((await run(name, 'echo after')).output.tail).toMatch(/^after$/m);
      const more = await run(name, 'echo more');
      expect([more.output.tail, more.incomplete ?? false]).toEqual(['more', false]);
      expect((await coordinator.screen(name)).text.join('\n')).toMatch(/^after$[\s\S]*^more$/m);
    });
  }

  using('dash')('sends nothing to a builtin that reads, and names the remedy', async () => {
    const name = await start('dash', '$ ');
    await coordinator.wait(name, { prompt: true });
    await run(name, 'true');
    await coordinator.sendText(name, 'read x; echo "<$x>"\r', { wait: { asks: true } });
    await expect(run(name, 'echo no')).rejects.toMatchObject({
      code: 'NOT_AT_PROMPT',
      message: expect.stringContaining('press the key enter'),
    });
    expect((await coordinator.read(name)).text.tail).not.toContain('<>');
  });
});

describe('run of a line that ends the shell', () => {
  for (const program of ['bash', 'zsh', 'fish'] as const) {
    using(program)(`says so in ${program}`, async () => {
      const { name } = await coordinator.spawn({ program, cwd: '/' });
      const result = await run(name, 'exit 9');
      expect(result).toMatchObject({ outcome: 'exited', exitStatus: { code: 9, signal: null } });
    });
  }
});
