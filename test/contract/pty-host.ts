import { afterEach, beforeEach, describe } from 'vitest';
import type { Pty, PtyHost, PtySpawnRequest } from '#pty';
import { type CollectedOutput, collectOutput } from '../support/pty/collect-output.ts';
import { ptyRequest } from '../support/pty/pty-request.ts';
import { endingContract } from './pty-host/ending.ts';
import { exitContract } from './pty-host/exit.ts';
import { foregroundContract } from './pty-host/foreground.ts';
import { inputContract } from './pty-host/input.ts';
import { isolationContract } from './pty-host/isolation.ts';
import { limitingContract } from './pty-host/limiting.ts';
import { outputContract } from './pty-host/output.ts';
import { spawnContract } from './pty-host/spawn.ts';
import { survivingContract } from './pty-host/surviving.ts';

export interface PtyHostUnderTest {
  readonly host: PtyHost;
  /** The process that owns the pseudo-terminals. */
  readonly ownerPid: number;
  /** Connects another coordinator to the host; null if its programs end with the coordinator. */
  readonly next: (() => Promise<PtyHost>) | null;
  /** Moves the host's clock, forwards or backwards. */
  shiftClock(ms: number): void;
  /** Ends what a test has left, and the host unless the next test has it, too. */
  dispose(): Promise<void>;
}

export interface Started {
  readonly pty: Pty;
  readonly output: CollectedOutput;
}

/** The fixture of all parts of the contract: for every test a host without programs. */
export interface HostFixture {
  readonly host: PtyHost;
  readonly ownerPid: number;
  readonly next: (() => Promise<PtyHost>) | null;
  shiftClock(ms: number): void;
  /** How often a test repeats something, of the given number. */
  times(count: number): number;
  /** Starts a program and collects its output from the first byte on. */
  start(
    program: string,
    args?: readonly string[],
    more?: Partial<PtySpawnRequest>,
  ): Promise<Started>;
}

/** The parts of the contract. */
const all = {
  spawn: spawnContract,
  output: outputContract,
  exit: exitContract,
  input: inputContract,
  isolation: isolationContract,
  ending: endingContract,
  foreground: foregroundContract,
  limiting: limitingContract,
  surviving: survivingContract,
};

interface ContractOptions {
  /** The share of the repetitions that find races between programs, default 1. */
  readonly repeats?: number;
  /**
   * The parts that depend on how this host differs from one that passes them all; default: all. `npm run soak`
   * tries the others, too.
   */
  readonly parts?: readonly (keyof typeof all)[];
}

/** Every implementation of {@link PtyHost} must pass these tests. */
export function ptyHostContract(
  name: string,
  makeHost: () => PtyHostUnderTest | Promise<PtyHostUnderTest>,
  { repeats = 1, parts = Object.keys(all) as (keyof typeof all)[] }: ContractOptions = {},
): void {
  describe(`${name} as a PtyHost`, () => {
    let current: PtyHostUnderTest;
    const others: PtyHost[] = [];
    const fixture: HostFixture = {
      get host() {
        return current.host;
      },
      get ownerPid() {
        return current.ownerPid;
      },
      get next() {
        const { next } = current;
        if (next === null) return null;
        return async () => {
          const host = await next();
          others.push(host);
          return host;
        };
      },
      shiftClock: (ms) => current.shiftClock(ms),
      times: (count) => Math.ceil(count * repeats),
      async start(program, args, more) {
        const pty = await current.host.spawn(ptyRequest(program, args, more));
        return { pty, output: collectOutput(pty) };
      },
    };

    beforeEach(async () => {
      current = await makeHost();
    });
    afterEach(async () => {
      for (const host of others.splice(0)) await host.close({ force: true });
      await current.dispose();
    });

    for (const part of parts) all[part](fixture);
  });
}
