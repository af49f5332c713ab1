import { expect, it } from 'vitest';
import type { FakePty } from '../../test/support/pty/fake-pty.ts';
import { FakePtyHost } from '../../test/support/pty/fake-pty-host.ts';
import { VirtualClock } from '../../test/support/virtual-clock.ts';
import { LocalCoordinator } from './local-coordinator.ts';

type Foreground = FakePty['facts']['foreground'];

const waiting: Foreground = {
  program: { pid: 4711, name: 'sed' },
  isLeader: true,
  readsTerminal: true,
  alsoWaits: false,
};

/** A session whose system is asked about its program; `answers` has what it said each time. */
async function started() {
  const host = new FakePtyHost();
  const coordinator = new LocalCoordinator({ ptyHost: host, clock: new VirtualClock() });
  const session = await coordinator.spawn({ program: '/bin/fake' });
  const pty = host.pty(session.id);
  const answers: Foreground[] = [];
  let answer = waiting;
  pty.foreground = async () => {
    answers.push(answer);
    return answer;
  };
  const programIs = (facts: Partial<Foreground>) => {
    answer = { ...waiting, ...facts };
  };
  return { coordinator, session, pty, answers, programIs };
}

it('the system is asked what the program does when the wait ends, before its result is made', async () => {
  const { coordinator, session, pty, answers, programIs } = await started();
  programIs({ readsTerminal: false });
  const waiting = coordinator.wait(session, { match: ['two'], read: {} });
  pty.output('one\r\n');
  expect(answers).toEqual([]);
  programIs({});
  pty.output('two\r\n');
  expect(answers).toHaveLength(1);
  const { activity, read } = await waiting;
  expect(activity?.evidence.readingTerminal).toBe(true);
  expect(read).toMatchObject({ kind: 'lines' });
  expect(answers).toHaveLength(1);
  await coordinator.close();
});

it('what is printed while the system is asked is in the activity and in what is read', async () => {
  const { coordinator, session, pty, answers } = await started();
  const waiting = coordinator.wait(session, { match: ['two'], read: {} });
  pty.foreground = async () => {
    answers.push({ ...(answers[0] as Foreground) });
    if (answers.length === 1) pty.output('name: ');
    return {
      program: { pid: 4711, name: 'sed' },
      isLeader: true,
      readsTerminal: true,
      alsoWaits: false,
    };
  };
  pty.output('two\r\n');
  const { activity, read } = await waiting;
  expect(answers).toHaveLength(2);
  expect(activity?.evidence.unfinishedLine).toBe(true);
  expect(JSON.stringify(read)).toContain('name: ');
  await coordinator.close();
});

it('the activity is that of the text, whenever more is printed', async () => {
  const { coordinator, session, pty } = await started();
  let shown = 0;
  for (let microtasks = 0; microtasks < 60; microtasks++) {
    const waiting = coordinator.wait(session, { match: ['two'], read: {} });
    pty.output('two\r\n');
    for (let each = 0; each < microtasks; each++) await Promise.resolve();
    pty.output('name: ');
    const { activity, read } = await waiting;
    const isShown = JSON.stringify(read).includes('name: ');
    shown += isShown ? 1 : 0;
    expect([microtasks, activity?.evidence.unfinishedLine]).toEqual([microtasks, isShown]);
    pty.output('\r\x1b[K');
  }
  expect(shown).toBeGreaterThan(0);
  expect(shown).toBeLessThan(60);
  await coordinator.close();
});

it('the system is not asked for a wait that tells what the program does, nor for one without a read', async () => {
  const { coordinator, session, pty, answers } = await started();
  const plain = coordinator.wait(session, { match: ['two'] });
  pty.output('two\r\n');
  expect((await plain).activity).toBeUndefined();
  const exit = coordinator.wait(session, { match: ['three'], read: {} });
  pty.announceExit({ code: 0, signal: null });
  expect(await exit).toMatchObject({ outcome: 'exited' });
  expect(answers).toEqual([]);
  await coordinator.close();
});
