import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LocalCoordinator } from '#coordinator';
import { ServedPtyd } from '../../test/support/pty/served-ptyd.ts';

describe('a run with an id', () => {
  let served: ServedPtyd;
  let coordinator: LocalCoordinator;

  const begin = async () => {
    const ptyHost = await served.connect({ survival: { again: null } });
    coordinator = new LocalCoordinator({ ptyHost, defaults: { cwd: '/' } });
    await coordinator.adopt();
  };

  beforeEach(async () => {
    served = await ServedPtyd.start();
    await begin();
  });
  afterEach(async () => {
    await coordinator.close();
    await served.dispose();
  });

  it('is typed once, also if its coordinator is replaced before it is typed', async () => {
    const { name } = await coordinator.spawn({ program: 'bash', args: ['--norc'] });
    await coordinator.wait(name, { prompt: true });
    for (let round = 0; round < 5; round++) {
      const request = { line: `echo out ${round}; (exit ${round})`, inputId: `run-${round}` };
      coordinator.run(name, request).catch(() => {});
      for (let turn = 0; turn < round; turn++) await new Promise(setImmediate);
      await coordinator.detach();
      await begin();
      const result = await coordinator.run(name, request);
      expect(result).toMatchObject({ outcome: 'finished', exitCode: round });
      expect(result.output.tail).toBe(`out ${round}`);
    }
    const { commands } = await coordinator.commands(name);
    expect(commands.map(({ exitCode }) => exitCode)).toEqual([0, 1, 2, 3, 4]);
  });

  it('is not taken for the program at whose prompt it was typed', async () => {
    const { name } = await coordinator.spawn({ program: 'bash', args: ['--norc'] });
    await coordinator.wait(name, { prompt: true });
    await coordinator.run(name, { line: 'sh' });
    const request = { line: 'echo in; read x', inputId: 'run' };
    coordinator.run(name, request).catch(() => {});
    await coordinator.detach();
    await begin();
    await expect(coordinator.run(name, request)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });
});
