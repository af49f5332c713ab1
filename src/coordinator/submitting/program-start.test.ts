import { expect, it } from 'vitest';
import type { Session } from '#session';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';
import { areText, isTyped, whenStarted } from './program-start.ts';

const idle = { readingTerminal: false, alsoWaits: false, canonical: true };
const readsKeys = { readingTerminal: true, alsoWaits: false, canonical: false };
const readsLines = { ...readsKeys, canonical: true };
const unknown = { readingTerminal: null, alsoWaits: null, canonical: null };

/** A session whose program has just been started, and what its inputs do. */
function begun(program = 'codex') {
  const clock = new VirtualClock();
  const state = { evidence: idle as object, cpuMs: 0, program };
  const view = {
    inputCount: 0,
    exitStatus: null,
    commands: { prompt: null },
    lastOutputAtMs: null as number | null,
    silentMs: () => clock.wallMs() - (view.lastOutputAtMs ?? 0),
  };
  /** The program prints. */
  const drawn = () => {
    view.lastOutputAtMs = clock.wallMs();
  };
  const session = {
    view,
    createdAtMs: clock.wallMs(),
    info: () => ({ program: state.program, args: [] }),
    activity: async () => ({ state: 'running', evidence: state.evidence }),
    processes: { usage: async () => ({ cpuMs: state.cpuMs }) },
  };
  const inputs: string[] = [];
  const send = (text: string, isText = true) =>
    whenStarted(session as unknown as Session, clock, isText, async () => {
      inputs.push(text);
      view.inputCount++;
    });
  /** Lets time pass in which the program works, if it does. */
  const pass = async (ms: number, works: boolean) => {
    for (let at = 0; at < ms; at += 50) {
      if (works) state.cpuMs += 10;
      clock.advance(50);
      for (let turn = 0; turn < 10; turn++) await Promise.resolve();
    }
  };
  return { clock, state, view, drawn, sent: inputs, send, pass };
}

it('the first text waits until the program reads keys and has drawn its screen', async () => {
  const { state, drawn, sent, send, pass } = begun();
  const first = send('one');
  await pass(4_000, true);
  state.evidence = readsKeys;
  drawn();
  const second = send('two');
  await pass(250, true);
  // It computes for a moment.
  state.evidence = idle;
  await pass(100, true);
  state.evidence = readsKeys;
  await pass(250, true);
  expect(sent).toEqual([]);
  await pass(150, true);
  await Promise.all([first, second]);
  expect(sent).toEqual(['one', 'two']);
  await send('three');
  expect(sent).toEqual(['one', 'two', 'three']);
});

it.each([
  ['reads lines', readsLines],
  ['may read, which the system does not report', unknown],
])('text does not wait for a program that %s', async (_what, evidence) => {
  const { state, sent, send } = begun();
  state.evidence = evidence;
  await send('one');
  expect(sent).toEqual(['one']);
});

it('text does not wait for a shell', async () => {
  const { sent, send } = begun('/bin/bash');
  const sending = send('one');
  expect(sent).toEqual(['one']);
  await sending;
});

it('text does not wait for long for a program that waits for something else', async () => {
  const { sent, send, pass } = begun();
  const sending = send('one');
  await pass(1_400, false);
  expect(sent).toEqual([]);
  await pass(200, false);
  await sending;
  expect(sent).toEqual(['one']);
});

it('text waits for 10 s of work, and 3 s for a program that repaints', async () => {
  const busy = begun();
  busy.state.cpuMs = 9_000;
  const first = busy.send('one');
  await busy.pass(4_900, true);
  expect(busy.sent).toEqual([]);
  await busy.pass(250, true);
  await first;
  const spinner = begun();
  spinner.state.evidence = readsKeys;
  const second = spinner.send('one');
  for (let at = 0; at < 2_900; at += 50) {
    spinner.drawn();
    await spinner.pass(50, true);
  }
  expect(spinner.sent).toEqual([]);
  await spinner.pass(200, true);
  await second;
  expect(spinner.sent).toEqual(['one']);
});

it('a key such as ctrl+c is sent at once, after the text before it', async () => {
  const { sent, send } = begun();
  const sending = send('one');
  await send('ctrl+c', false);
  await sending;
  expect(sent).toEqual(['one', 'ctrl+c']);
});

it('tells text from keys', () => {
  expect(['a', '\r', 'a\x03'].map(isTyped)).toEqual([true, true, true]);
  expect(['\x03', '\x1b', ''].map(isTyped)).toEqual([false, false, false]);
  expect([['a', 'enter'], ['enter'], [{ key: 'a' }]].map(areText)).toEqual([true, true, true]);
  const ctrlC = { key: 'c', ctrl: true };
  expect([['ctrl+c'], ['escape'], ['a', 'up'], [ctrlC]].map(areText)).toEqual([
    ...[false, false, false, false],
  ]);
});
