import { afterAll, beforeAll, describe, expect } from 'vitest';
import { LocalCoordinator } from '#coordinator';
import { needs, provided } from '../../../test/support/run/needs.ts';

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

describe('run of a line that ends the shell', () => {
  for (const program of ['bash', 'zsh', 'fish'] as const) {
    using(program)(`says so in ${program}`, async () => {
      const { name } = await coordinator.spawn({ program, cwd: '/' });
      const result = await run(name, 'exit 9');
      expect(result).toMatchObject({ outcome: 'exited', exitStatus: { code: 9, signal: null } });
    });
  }
});
