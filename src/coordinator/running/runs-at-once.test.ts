import { expect, it, onTestFinished } from 'vitest';
import { LocalCoordinator } from '#coordinator';

it.each([
  ['bash', ['--norc', '-i']],
  ['sh', ['-i']],
])('runs lines of several calls one after the other in %s', async (program, args) => {
  const coordinator = new LocalCoordinator();
  onTestFinished(() => coordinator.close());
  const env = { PROMPT_COMMAND: '', PS1: '$ ', HISTFILE: '/dev/null', ENV: '' };
  const { name } = await coordinator.spawn({ program, args, env });
  await coordinator.wait(name, { prompt: true });
  const words = Array.from({ length: 8 }, (_, at) => `out-${at}`);
  const runs = words.map((word) => coordinator.run(name, { line: `sleep 0.05; echo ${word}` }));
  const outputs = (await Promise.all(runs)).map(({ output }) => output.tail);
  expect(outputs).toEqual(words);
});

it('lets a call fail that waits while the line of another runs', async () => {
  const coordinator = new LocalCoordinator();
  onTestFinished(() => coordinator.close());
  const env = { PROMPT_COMMAND: '', PS1: '$ ', HISTFILE: '/dev/null' };
  const { name } = await coordinator.spawn({ program: 'bash', args: ['--norc', '-i'], env });
  await coordinator.wait(name, { prompt: true });
  const first = coordinator.run(name, { line: 'read -r word; echo $word', asks: false });
  const second = coordinator.run(name, { line: 'echo other' });
  await expect(second).rejects.toMatchObject({ code: 'NOT_AT_PROMPT' });
  await coordinator.sendText(name, 'own\r');
  expect((await first).output.tail).toContain('own');
});
