import { afterEach, beforeEach, describe, expect } from 'vitest';
import type { Coordinator } from '#model';
import type { TerminalOptions } from '#wire/acp';
import { AcpPair } from '../support/acp/acp-pair.ts';
import { hasProc, processesWith } from '../support/pty/process-facts.ts';
import type { CoordinatorUnderTest } from './coordinator.ts';
import { creatingContract } from './terminals/creating.ts';
import { failingContract } from './terminals/failing.ts';
import { guardingContract } from './terminals/guarding.ts';
import { outputContract } from './terminals/output.ts';
import { releasingContract } from './terminals/releasing.ts';
import { waitingContract } from './terminals/waiting.ts';

/** A new client and agent for every test. */
export interface TerminalsFixture {
  readonly coordinator: Coordinator;
  readonly pair: AcpPair;
  /** Another pair for this test. */
  another(options?: TerminalOptions): Promise<AcpPair>;
}

/** In the environment of every program of a test. */
const marker = 'VTR_TEST_TERMINALS';
let tests = 0;

/**
 * The client's side of `terminal/*` passes this on every coordinator, against an agent that is written
 * with the SDK. After each test nothing that it started may be left.
 */
export function terminalsContract(name: string, start: () => Promise<CoordinatorUnderTest>): void {
  describe(`terminals of ${name}`, () => {
    let underTest: CoordinatorUnderTest;
    let pairs: AcpPair[];
    let env: Readonly<Record<string, string>>;
    const another = async (options: TerminalOptions = {}): Promise<AcpPair> => {
      const { coordinator } = underTest;
      const pair = await AcpPair.connect({ coordinator, env, ...options });
      pairs.push(pair);
      return pair;
    };
    const fixture: { coordinator: Coordinator; pair: AcpPair; another: typeof another } = {
      coordinator: null as never,
      pair: null as never,
      another,
    };

    beforeEach(async () => {
      underTest = await start();
      tests += 1;
      env = { [marker]: `${process.pid}-${tests}` };
      pairs = [];
      fixture.coordinator = underTest.coordinator;
      fixture.pair = await another();
    });

    afterEach(async () => {
      await Promise.all(pairs.map((pair) => pair.close()));
      const left = hasProc ? processesWith(`${marker}=${process.pid}-${tests}`) : [];
      await underTest.end();
      expect(left).toEqual([]);
    });

    creatingContract(fixture);
    outputContract(fixture);
    waitingContract(fixture);
    releasingContract(fixture);
    guardingContract(fixture);
    failingContract(fixture);
  });
}
