import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, TestRunner } from 'vitest';
import type { Coordinator } from '#model';
import { connect } from '#wire/service';
import { nodeArgs } from '../../../src/app/client/start-daemon.ts';
import { residentMb } from '../pty/process-facts.ts';
import { testProgram } from '../pty/pty-request.ts';
import { conditionMs } from '../run/condition-ms.ts';
import { slowness } from '../run/slowness.ts';
import { tree } from '../tree.ts';
import { Control, type EchoTimes, Times } from './echo-times.ts';
import { servedBy } from './running-daemon.ts';
import { Place, vtrFile } from './vtr-command.ts';

declare module 'vitest' {
  interface TaskMeta {
    figures?: Readonly<Record<string, number>>;
  }
}

const echoScript = 'stty raw -echo; echo ready; exec cat';
const probe = Uint8Array.of(0x2e);

/** A daemon in its own process, whose use of memory and time is measured. */
export class MeasuredDaemon {
  readonly pid: number;
  readonly place: Place;
  readonly coordinator: Coordinator;
  /** What it has written to stderr, its log, since it serves. */
  loggedBytes = 0;

  /**
   * @param settings content of its server.toml
   * @param env variables that it has, too
   */
  static async start(
    settings = '',
    env: Readonly<Record<string, string>> = {},
  ): Promise<MeasuredDaemon> {
    const place = new Place(onTestFinished, env);
    const config = join(place.directory, 'server.toml');
    writeFileSync(config, settings);
    // As a daemon that a command starts.
    const program = [process.execPath, ...nodeArgs, vtrFile];
    const { pid = 0, stderr } = await servedBy(place, [...program, 'serve', '--config', config]);
    const daemon = new MeasuredDaemon(pid, place, await connect({ socket: place.socket }));
    stderr?.on('data', (text: string) => {
      daemon.loggedBytes += Buffer.byteLength(text);
    });
    onTestFinished(() => daemon.coordinator.close());
    return daemon;
  }

  private constructor(pid: number, place: Place, coordinator: Coordinator) {
    this.pid = pid;
    this.place = place;
    this.coordinator = coordinator;
  }

  /** Another client, with its own connection. */
  async connect(): Promise<Coordinator> {
    const other = await connect({ socket: this.place.socket });
    onTestFinished(() => other.close());
    return other;
  }

  /** Starts one of which {@link keptMb} tells what it keeps. */
  static startCollectable(settings: string): Promise<MeasuredDaemon> {
    return MeasuredDaemon.start(settings, {
      NODE_OPTIONS: `--import="${testProgram('kept-memory-on-usr2.mjs')}"`,
      VTR_TEST_MEMORY: join(tree(), 'memory'),
    });
  }

  /** What the daemon or its PTY host has, in MB, after all garbage was collected. */
  async keptMb(pid: number): Promise<number> {
    const file = `${this.place.env['VTR_TEST_MEMORY']}.${pid}`;
    rmSync(file, { force: true });
    process.kill(pid, 'SIGUSR2');
    await expect.poll(() => existsSync(file), { timeout: conditionMs }).toBe(true);
    return Number(readFileSync(file, 'utf8')) / 2 ** 20;
  }

  /** The greatest growth of resident memory during `work`, in MB. */
  async growthMb(work: () => Promise<unknown>): Promise<number> {
    const before = residentMb(this.pid);
    let most = before;
    const watch = setInterval(() => {
      most = Math.max(most, residentMb(this.pid));
    }, 100);
    try {
      await work();
    } finally {
      clearInterval(watch);
    }
    return Math.max(most, residentMb(this.pid)) - before;
  }

  /** Sends single bytes to a program that echoes them, for this time. */
  async echoes(durationMs: number): Promise<EchoTimes> {
    const { coordinator } = this;
    const session = await coordinator.spawn({ program: 'sh', args: ['-c', echoScript] });
    const events = (await coordinator.subscribe(session))[Symbol.asyncIterator]();
    const output = async () => {
      for (;;) if ((await events.next()).value?.type === 'output') return;
    };
    // Output arrives in any case: the program prints `ready` or echoes this byte.
    await Promise.all([coordinator.sendBytes(session, probe), output()]);
    await coordinator.wait(session, { quietMs: 300 });
    const [times, control] = [new Times(), new Control()];
    const echo = () => Promise.all([coordinator.sendBytes(session, probe), output()]);
    for (const end = performance.now() + durationMs; performance.now() < end; ) {
      await times.measure(echo);
      await control.measure();
    }
    control.end();
    await coordinator.remove(session, { force: true });
    return { ...times.sorted(), ...control.figures() };
  }
}

/**
 * A bound in time for this machine. Bounds are for an idle machine with two processors; on a busy one
 * they grow with the duration of a reference task. Call it while the tested programs are idle.
 */
export const allowedMs = (promisedMs: number): number => promisedMs * slowness();

/**
 * A bound in time for echoes. An echo of a session wakes four processes, an echo through pipes wakes
 * two; each wake-up waits equally long for a processor.
 */
export const allowedEchoMs = (promisedMs: number, { controlMs }: EchoTimes): number =>
  Math.max(promisedMs, 6 * controlMs);

/** Prints figures of the test that runs, and keeps them for the table of `npm run soak`. */
export function report(figures: Readonly<Record<string, number>>): void {
  const test = TestRunner.getCurrentTest();
  if (test !== undefined) test.meta.figures = { ...test.meta.figures, ...figures };
  const words = Object.entries(figures).map(([what, value]) => `${what} ${value.toFixed(1)}`);
  process.stdout.write(`    ${words.join(', ')}\n`);
}
