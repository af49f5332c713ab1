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

it.each([
  ['bash', []],
  ['sh', ['-i']],
  ['python3', ['-q']],
])(
  'queues the runs of %s while a line of another caller runs, in the order of arrival',
  async (program, args) => {
    const coordinator = new LocalCoordinator();
    onTestFinished(() => coordinator.close());
    const env = { PS1: '$ ', HISTFILE: '/dev/null', ENV: '', PYTHON_BASIC_REPL: '1' };
    const { name } = await coordinator.spawn({ program, args, env });
    await coordinator.wait(name, { prompt: true });
    const isPython = program === 'python3';
    const [say, wait] = isPython
      ? [(word: string) => `print('${word}')`, 'import time; time.sleep(1.5)']
      : [(word: string) => `echo ${word}`, 'sleep 1.5'];
    const first = coordinator.run(name, { line: `${wait}; ${say('first')}`, inputId: 'first' });
    await typed(coordinator, name);
    const later = ['second', 'third', 'fourth'].map((word) =>
      coordinator.run(name, {
        line: `${isPython ? '' : 'sleep 0.2; '}${say(word)}`,
        inputId: word,
      }),
    );
    const late = errorOf(coordinator.run(name, { line: say('late'), timeoutMs: 300 }));
    const leaving = new AbortController();
    const left = errorOf(coordinator.run(name, { line: say('left'), signal: leaving.signal }));
    const waiting = async () => (await coordinator.activity(name)).waitingRuns;
    await expect.poll(waiting).toEqual(['second', 'third', 'fourth']);
    leaving.abort();
    expect(await left).toMatchObject({ code: 'CANCELLED' });
    expect(await late).toMatchObject({ code: 'NOT_AT_PROMPT' });
    const outputs = (await Promise.all([first, ...later])).map(({ output }) => output.tail);
    expect(outputs).toEqual(['first', 'second', 'third', 'fourth']);
    expect((await coordinator.activity(name)).waitingRuns ?? []).toEqual([]);
    const { text } = await coordinator.screen(name);
    expect(text.join('\n')).not.toMatch(/late|left/);
  },
);

/** The error of a call that fails, also if it fails before it is awaited. */
const errorOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => null,
    (error: unknown) => error,
  );

/** Waits until the first line has been typed. */
async function typed(coordinator: LocalCoordinator, name: string): Promise<void> {
  await expect.poll(async () => (await coordinator.activity(name)).waitingRuns ?? []).toEqual([]);
}

it('says within the timeout what runs, and that no prompt came', async () => {
  const coordinator = new LocalCoordinator();
  onTestFinished(() => coordinator.close());
  const { name } = await coordinator.spawn({ program: 'bash', env: { HISTFILE: '/dev/null' } });
  await coordinator.run(name, { line: 'sleep 60', detach: true });
  await expect(coordinator.run(name, { line: 'echo no', timeoutMs: 400 })).rejects.toMatchObject({
    code: 'NOT_AT_PROMPT',
    message: expect.stringMatching(
      /"sleep 60" has been running for \d+ s, and no prompt came within 400ms/,
    ),
  });
});

it('lets a call fail that waits while the line of another asks', async () => {
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
