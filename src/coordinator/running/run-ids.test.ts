import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ignored } from '#base';
import type { LocalCoordinator } from '#coordinator';
import { ReplacedCoordinator } from '../../../test/support/pty/replaced-coordinator.ts';

describe('a run with an id', () => {
  let replaced: ReplacedCoordinator;
  let coordinator: LocalCoordinator;

  beforeEach(async () => {
    replaced = await ReplacedCoordinator.start();
    coordinator = replaced.current;
  });
  afterEach(() => replaced.dispose());

  it('is typed once, also if its coordinator is replaced before it is typed', async () => {
    const { name } = await coordinator.spawn({ program: 'bash', args: ['--norc'] });
    await coordinator.wait(name, { prompt: true });
    for (let round = 0; round < 5; round++) {
      const request = { line: `echo out ${round}; (exit ${round})`, inputId: `run-${round}` };
      ignored(coordinator.run(name, request), 'its coordinator is replaced');
      for (let turn = 0; turn < round; turn++) await new Promise(setImmediate);
      coordinator = await replaced.replace();
      const result = await coordinator.run(name, request);
      expect(result).toMatchObject({ outcome: 'finished', exitCode: round });
      expect(result.output.tail).toBe(`out ${round}`);
    }
    const { commands } = await coordinator.commands(name);
    expect(commands.map(({ exitCode }) => exitCode)).toEqual([0, 1, 2, 3, 4]);
  });

  const inCat = async () => {
    const { name } = await coordinator.spawn({ program: 'bash', args: ['--norc'] });
    await coordinator.wait(name, { prompt: true });
    await coordinator.run(name, { line: 'cat', detach: true });
    return name;
  };
  const request = { line: 'echo in', inputId: 'run' };
  const notAtPrompt = { code: 'NOT_AT_PROMPT' };
  const linesOf = async (name: string) => (await coordinator.read(name)).text.tail.split('\n');

  it('is not typed into a program if its coordinator is replaced before it is typed', async () => {
    const name = await inCat();
    ignored(coordinator.run(name, request), 'its coordinator is replaced');
    coordinator = await replaced.replace();
    await expect(coordinator.run(name, request)).rejects.toMatchObject(notAtPrompt);
    expect(await linesOf(name)).toHaveLength(1);
  });

  it('is run by a repeat if it was cancelled before it was typed', async () => {
    const name = await inCat();
    const cancelled = async () => {
      const controller = new AbortController();
      const run = coordinator.run(name, { ...request, signal: controller.signal });
      controller.abort();
      await expect(run).rejects.toMatchObject({ code: 'CANCELLED' });
    };
    await cancelled();
    await expect(coordinator.run(name, request)).rejects.toMatchObject(notAtPrompt);
    expect(await linesOf(name)).toHaveLength(1);
    await coordinator.sendKeys(name, ['ctrl+d'], { wait: { prompt: true } });
    await cancelled();
    const repeats = [coordinator.run(name, request), coordinator.run(name, request)];
    for (const result of await Promise.all(repeats)) {
      expect(result.output.tail).toBe('in');
    }
    const { commands } = await coordinator.commands(name);
    expect(commands.map(({ line }) => line)).toEqual(['cat', 'echo in']);
  });

  it('is not taken for the command of another one, for which it waited when its coordinator was replaced', async () => {
    const { name } = await coordinator.spawn({ program: 'bash', args: ['--norc'] });
    await coordinator.wait(name, { prompt: true });
    const lines = ['sleep 1; echo one', 'echo two', 'echo three'];
    const requests = lines.map((line, at) => ({ line, inputId: `run-${at}` }));
    for (const each of requests)
      ignored(coordinator.run(name, each), 'its coordinator is replaced');
    const waiting = ['run-1', 'run-2'];
    await expect.poll(async () => (await coordinator.activity(name)).waitingRuns).toEqual(waiting);
    const state = async () => (await coordinator.commands(name)).commands.at(-1)?.state;
    await expect.poll(state).toBe('running');
    coordinator = await replaced.replace();
    const results = requests.map((each) => coordinator.run(name, each));
    const outputs = (await Promise.all(results)).map(({ output }) => output.tail);
    expect(outputs).toEqual(['one', 'two', 'three']);
    const { commands } = await coordinator.commands(name);
    expect(commands.map(({ line }) => line)).toEqual(lines);
  });

  it('is not typed again by a repeat while more runs wait than are remembered', async () => {
    const { name } = await coordinator.spawn({ program: 'bash', args: ['--norc'] });
    await coordinator.wait(name, { prompt: true });
    const lines = ['sleep 2; echo first', ...Array.from({ length: 20 }, (_, at) => `echo ${at}`)];
    const requests = lines.map((line, at) => ({ line, inputId: `run-${at}` }));
    const runs = requests.map((each) => coordinator.run(name, each));
    const waiting = async () => (await coordinator.activity(name)).waitingRuns;
    await expect.poll(waiting).toEqual(requests.slice(1).map(({ inputId }) => inputId));
    const repeats = requests.slice(0, 2).map((each) => coordinator.run(name, each));
    await Promise.all([...runs, ...repeats]);
    const { commands } = await coordinator.commands(name);
    expect(commands.map(({ line }) => line)).toEqual(lines);
  });

  it('has its own output for a repeat that came while it waited, if it is cancelled then', async () => {
    const { name } = await coordinator.spawn({ program: 'bash', args: ['--norc'] });
    await coordinator.wait(name, { prompt: true });
    const controller = new AbortController();
    const other = coordinator.run(name, { line: 'echo other' });
    const request = { line: 'sleep 1; echo own', inputId: 'run' };
    const first = coordinator.run(name, { ...request, signal: controller.signal });
    const repeat = coordinator.run(name, request);
    await other;
    const running = async () => (await coordinator.commands(name)).commands.at(-1);
    await expect.poll(running).toMatchObject({ line: request.line, state: 'running' });
    controller.abort();
    await expect(first).rejects.toMatchObject({ code: 'CANCELLED' });
    expect((await repeat).command?.line).toBe(request.line);
  });

  it('is not taken for the program at whose prompt it was typed', async () => {
    const { name } = await coordinator.spawn({ program: 'bash', args: ['--norc'] });
    await coordinator.wait(name, { prompt: true });
    await coordinator.run(name, { line: 'sh' });
    const request = { line: 'echo in; read x', inputId: 'run' };
    ignored(coordinator.run(name, request), 'its coordinator is replaced');
    await expect.poll(async () => (await coordinator.screen(name)).text).toContain('in');
    coordinator = await replaced.replace();
    await expect(coordinator.run(name, request)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });
});
