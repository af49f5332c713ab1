import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { connect } from '#app/client';
import { type Coordinator, isVtrError, startMark } from '#model';
import { defaultScrollback, Terminal } from '#vt';
import { inspect } from '#vt/checks';
import { root } from '../../scripts/root.mjs';
import { report } from '../support/command/measured-daemon.ts';
import { Place } from '../support/command/vtr-command.ts';
import { isAlive } from '../support/pty/process-facts.ts';
import { testProgram } from '../support/pty/pty-request.ts';
import { shortened } from '../support/run/durations.ts';
import { type Random, randomFrom } from '../support/run/random-from.ts';
import { SubscribedTerminal } from '../support/service/subscribed-terminal.ts';

const kills = shortened(50, 9);
const size = { cols: 80, rows: 24 };
const kinds = ['flood', 'screen', 'lines'];

/** The processes that claim the socket: the daemon, and those that start. */
const daemons = ({ directory }: Place): readonly number[] =>
  readdirSync(directory)
    .map((name) => Number(/\.(\d+)-\d+\.claim$/.exec(name)?.[1] ?? 0))
    .filter((pid) => pid > 0 && isAlive(pid));

/** Kills the daemon, and sometimes its successor while it starts. */
async function kill(place: Place, random: Random): Promise<void> {
  for (let left = 1 + random(2); left > 0; left--) {
    await expect.poll(() => daemons(place).length, { interval: 5, timeout: 20_000 }).not.toBe(0);
    await delay(random(200));
    for (const pid of daemons(place)) process.kill(pid, 'SIGKILL');
  }
}

/** Replaces the daemon by that of a copy of the package. */
async function upgrade(place: Place, number: number): Promise<void> {
  const copy = join(place.directory, `package-${number}`);
  cpSync(join(root, 'dist'), join(copy, 'dist'), { recursive: true });
  cpSync(join(root, 'package.json'), join(copy, 'package.json'));
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  const child = spawn(process.execPath, [join(copy, 'dist/vtr.cjs'), 'serve', '--restart'], {
    cwd: place.directory,
    env: place.env,
    stdio: 'inherit',
  });
  expect(await once(child, 'exit')).toEqual([0, null]);
}

/** Repeats a call that failed because daemons were killed one after the other. */
async function persist<T>(call: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (!(isVtrError(error) && error.details['restarting'] === true)) throw error;
    }
  }
}

/** The sessions; a busy machine may take longer to start a daemon than a command waits for it. */
async function listed(place: Place): Promise<readonly unknown[]> {
  for (;;) {
    const { status, stdout, stderr } = await place.result(['ls', '--json']);
    if (status === 0) return JSON.parse(stdout).sessions;
    expect(stderr).toContain('its sessions continue; try again');
  }
}

/** What a client does until the test ends it. */
type Until = () => boolean;

/** Sends numbered messages one after the other, and returns all of them. */
async function typeNumbers(coordinator: Coordinator, name: string, until: Until): Promise<string> {
  let input = '';
  for (let number = 0; !until(); number++) {
    const options = { inputId: `typed-${number}` };
    await persist(() => coordinator.sendText(name, `${number};`, options));
    input += `${number};`;
    await delay(5);
  }
  await persist(() => coordinator.sendText(name, '~', { inputId: 'typed-end' }));
  return input;
}

/** Runs numbered commands one after the other, and returns how many. */
async function runNumbers(coordinator: Coordinator, name: string, file: string, until: Until) {
  let number = 0;
  for (; !until(); number++) {
    const line = `echo ${number} >> ${file}; echo out ${number}; (exit ${number % 5})`;
    const request = { line, inputId: `ran-${number}` };
    const { exitCode, output } = await persist(() => coordinator.run(name, request));
    expect([exitCode, output.tail]).toEqual([number % 5, `out ${number}`]);
    await delay(20);
  }
  return number;
}

/** Reads what is new, again and again, and returns all of it. */
async function readNew(coordinator: Coordinator, name: string, until: Until): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let since = startMark;
  for (let isLast = false; ; isLast = until()) {
    const request = { since, format: 'raw' } as const;
    const { raw, gap, mark } = await persist(() => coordinator.read(name, request));
    expect(gap).toEqual({ lines: 0, bytes: 0 });
    if (raw !== undefined) parts.push(raw.bytes);
    since = mark;
    if (isLast) return Buffer.concat(parts);
    await delay(100);
  }
}

/** The state of a terminal that a viewer makes of a snapshot. */
async function shown(coordinator: Coordinator, name: string) {
  const events = await coordinator.subscribe(name);
  const viewer = new SubscribedTerminal(events);
  await viewer.take(1);
  return inspect(viewer.terminal);
}

/** The same of a terminal that got all output. */
function expected(bytes: Uint8Array) {
  const original = new Terminal({ size, scrollback: defaultScrollback });
  original.feed(bytes);
  const { firstLine, endLine } = original;
  const copy = new Terminal({ size, scrollback: defaultScrollback, firstLine });
  copy.feed(original.dump());
  return { firstLine, endLine, state: inspect(copy) };
}

describe('a daemon that is killed, replaced and upgraded', () => {
  it('loses no output, input, mark or command', async () => {
    const place = new Place();
    const stop = join(place.directory, 'stop');
    const copyOf = (name: string) => join(place.directory, `${name}.bytes`);
    const random = randomFrom(Number(process.env['VTR_TEST_SEED'] ?? 1));
    await place.ok('spawn', 'still', '--', 'sh', '-c', 'echo here; exec sleep 10000');
    const coordinator = await connect({ socket: place.socket });
    onTestFinished(() => coordinator.close());
    const names = kinds.flatMap((kind) => [`${kind}-1`, `${kind}-2`]);
    for (const [index, name] of names.entries()) {
      const [kind = ''] = name.split('-');
      const program = [process.execPath, testProgram('told-output.mjs'), kind, `${index + 1}`];
      const words = [...program, stop, copyOf(name)].map((word) => `'${word}'`);
      const args = ['-c', `stty -opost -echo; exec ${words.join(' ')}`];
      await coordinator.spawn({ name, program: 'sh', args, size });
    }
    const args = [testProgram('record-input.mjs')];
    await coordinator.spawn({ name: 'typed', program: process.execPath, args });
    await coordinator.wait('typed', { match: ['^ready'], since: startMark });
    await coordinator.spawn({ name: 'shell', program: 'bash', args: ['--norc'], size });
    const numbers = join(place.directory, 'numbers');

    let isOver = false;
    const until = () => isOver;
    const clients = Promise.all([
      typeNumbers(coordinator, 'typed', until),
      runNumbers(coordinator, 'shell', numbers, until),
      readNew(coordinator, 'lines-1', until),
    ]);
    // A failure is reported below; the loop need not go on.
    clients.catch(() => {
      isOver = true;
    });
    const sessions = names.length + 3;
    const answerMs: number[] = [];
    for (let round = 0; round < kills && !isOver; round++) {
      await delay(random(1_500));
      if (round % 8 === 7) await upgrade(place, round);
      await kill(place, random);
      const begin = performance.now();
      expect(await listed(place)).toHaveLength(sessions);
      answerMs.push(performance.now() - begin);
    }
    isOver = true;
    writeFileSync(stop, '');
    const [typed, ran, read] = await clients;
    report({ slowestListMs: Math.max(...answerMs), typed: typed.length, ran });

    for (const name of names) {
      expect((await coordinator.wait(name, {})).outcome, name).toBe('exited');
      const { exitStatus } = await coordinator.info(name);
      const wrong = exitStatus?.code === 8 ? readFileSync(`${copyOf(name)}.answers`, 'utf8') : '';
      expect([name, exitStatus?.code, wrong.slice(0, 200)]).toEqual([name, 7, '']);
      const { firstLine, endLine, state } = expected(readFileSync(copyOf(name)));
      const ends = await coordinator.readLines(name, { from: endLine - 1 });
      expect([name, ends.firstLine, ends.endLine]).toEqual([name, firstLine, endLine]);
      expect((await coordinator.info(name)).restored, name).toBe('exactly');
      expect(await shown(coordinator, name), name).toEqual(state);
    }
    expect(readFileSync(copyOf('lines-1')).subarray(0, read.length)).toEqual(read);
    await coordinator.wait('typed', {});
    const { tail } = (await coordinator.read('typed', {})).text;
    expect(tail.replaceAll('\n', '')).toContain(`ready${typed}`);
    const inOrder = Array.from({ length: ran }, (_, number) => `${number}\n`).join('');
    expect(readFileSync(numbers, 'utf8')).toBe(inOrder);
    const { commands } = await coordinator.commands('shell', { last: 1_000 });
    const statuses = commands.map(({ exitCode }) => exitCode);
    expect(statuses).toEqual(Array.from({ length: ran }, (_, number) => number % 5).slice(-1_000));
  });
});
