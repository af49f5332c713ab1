import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { LocalCoordinator } from '#coordinator';
import { makeFishHome } from '../../../test/support/pty/fish-home.ts';
import { needs } from '../../../test/support/run/needs.ts';

// fish prints nothing for ctrl+c at a prompt at which nothing is typed; bash and zsh show a new prompt.

for (const [program, ...args] of [['bash', '--norc'], ['zsh'], ['fish']] as const) {
  needs(program)(
    `ctrl+c at an empty prompt of ${program} ends at the prompt, and run goes on`,
    async () => {
      const home = mkdtempSync(join(tmpdir(), 'vtr-interrupted-'));
      makeFishHome(home);
      const coordinator = new LocalCoordinator();
      onTestFinished(async () => {
        await coordinator.close();
        rmSync(home, { recursive: true, force: true });
      });
      const env = { HOME: home, HISTFILE: '/dev/null', LC_ALL: 'C.UTF-8' };
      const { name } = await coordinator.spawn({ program, args, env, cwd: home });
      await coordinator.wait(name, { prompt: true });
      // bash loses a ctrl+c that arrives before it reads at its new prompt.
      const reads = async () => {
        const { evidence } = await coordinator.activity(name);
        return evidence.readingTerminal;
      };
      for (const by of ['prompt', 'finished'] as const) {
        await expect.poll(reads, { timeout: 20_000 }).toBe(true);
        const wait = { [by]: true, timeoutMs: 20_000 };
        const pressed = await coordinator.sendKeys(name, ['ctrl+c'], { wait });
        expect([by, pressed.wait?.outcome]).toEqual([by, 'prompt']);
      }
      const run = async (line: string) => {
        const { outcome, exitCode, output } = await coordinator.run(name, { line });
        return [outcome, exitCode, output.tail];
      };
      expect(await run('echo one')).toEqual(['finished', 0, 'one']);
      await expect.poll(reads, { timeout: 20_000 }).toBe(true);
      await coordinator.sendKeys(name, ['escape'], {});
      await coordinator.sendKeys(name, ['ctrl+c'], {});
      expect(await run("sh -c 'echo two; exit 3'")).toEqual(['finished', 3, 'two']);
    },
  );
}
