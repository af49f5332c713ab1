import { onTestFinished } from 'vitest';
import type { Coordinator } from '#model';
import { connect } from '#wire/service';
import { residentMb } from '../pty/process-facts.ts';
import { slowness } from '../run/slowness.ts';
import { Control, type EchoTimes, Times } from './echo-times.ts';
import { served } from './running-daemon.ts';
import { Place } from './vtr-command.ts';

const echoScript = 'stty raw -echo; echo ready; exec cat';
const probe = Uint8Array.of(0x2e);

/** A daemon in a process of its own, whose use of the machine is looked at. */
export class MeasuredDaemon {
  readonly pid: number;
  readonly place: Place;
  readonly coordinator: Coordinator;

  static async start(...flags: readonly string[]): Promise<MeasuredDaemon> {
    const place = new Place();
    const { pid = 0 } = await served(place, ...flags);
    const daemon = new MeasuredDaemon(pid, place, await connect({ socket: place.socket }));
    onTestFinished(() => daemon.coordinator.close());
    return daemon;
  }

  private constructor(pid: number, place: Place, coordinator: Coordinator) {
    this.pid = pid;
    this.place = place;
    this.coordinator = coordinator;
  }

  /** Another client, on a connection of its own. */
  async connect(): Promise<Coordinator> {
    const other = await connect({ socket: this.place.socket });
    onTestFinished(() => other.close());
    return other;
  }

  /** What `work` adds to what is in memory, in MB: the most that was seen while it went on. */
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

  /** Bytes sent to a program that writes them back, one after the other, for so long. */
  async echoes(durationMs: number): Promise<EchoTimes> {
    const { coordinator } = this;
    const session = await coordinator.spawn({ program: 'sh', args: ['-c', echoScript] });
    const events = (await coordinator.subscribe(session))[Symbol.asyncIterator]();
    const output = async () => {
      for (;;) if ((await events.next()).value?.type === 'output') return;
    };
    // The program says that it is ready; where that has been before, it echoes this.
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
    return { ...times.sorted(), controlMs: control.p99Ms() };
  }
}

/**
 * Bounds in time hold on a machine of two processors that does nothing else; where it does, they are
 * longer by as much as work of a known size takes longer. Call it when nothing of ours runs.
 */
export const allowedMs = (promisedMs: number): number => promisedMs * slowness();

/**
 * The same for echoes: a byte to a session and back wakes four processes, one to a program without a
 * terminal wakes two, and waits for a processor as long each time.
 */
export const allowedEchoMs = (promisedMs: number, { controlMs }: EchoTimes): number =>
  Math.max(promisedMs, 6 * controlMs);

/** Prints what was measured: who runs a soak wants to see more than that it passed. */
export function report(figures: Readonly<Record<string, number>>): void {
  const words = Object.entries(figures).map(([what, value]) => `${what} ${value.toFixed(1)}`);
  process.stdout.write(`    ${words.join(', ')}\n`);
}
