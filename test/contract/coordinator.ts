import { afterEach, beforeEach, describe, expect } from 'vitest';
import type { Coordinator } from '#model';
import type { ScrollbackLimits } from '#vt';
import { SessionDriver } from '../support/command/session-driver.ts';
import { hasProc, marked } from '../support/pty/process-facts.ts';
import { closingContract } from './coordinator/closing.ts';
import { commandsContract } from './coordinator/commands.ts';
import { drivingContract } from './coordinator/driving.ts';
import { endingContract } from './coordinator/ending.ts';
import { followingContract } from './coordinator/following.ts';
import { inputContract } from './coordinator/input.ts';
import { inputOrderContract } from './coordinator/input-order.ts';
import { isolationContract } from './coordinator/isolation.ts';
import { keysContract } from './coordinator/keys.ts';
import { labelsContract } from './coordinator/labels.ts';
import { leasesContract } from './coordinator/leases.ts';
import { lifetimesContract } from './coordinator/lifetimes.ts';
import { limitsContract } from './coordinator/limits.ts';
import { linesContract } from './coordinator/lines.ts';
import { listingContract } from './coordinator/listing.ts';
import { namesContract } from './coordinator/names.ts';
import { publishingContract } from './coordinator/publishing.ts';
import { readingContract } from './coordinator/reading.ts';
import { recordingContract } from './coordinator/recording.ts';
import { redactingContract } from './coordinator/redacting.ts';
import { removingContract } from './coordinator/removing.ts';
import { renamingContract } from './coordinator/renaming.ts';
import { repliesContract } from './coordinator/replies.ts';
import { reportingContract } from './coordinator/reporting.ts';
import { resizingContract } from './coordinator/resizing.ts';
import { reusingContract } from './coordinator/reusing.ts';
import { revivingContract } from './coordinator/reviving.ts';
import { screenContract } from './coordinator/screen.ts';
import { searchingContract } from './coordinator/searching.ts';
import { spawningContract } from './coordinator/spawning.ts';
import { subscribingContract } from './coordinator/subscribing.ts';
import { waitForExitContract } from './coordinator/wait-for-exit.ts';
import { waitForIdleContract } from './coordinator/wait-for-idle.ts';
import { waitForTextContract } from './coordinator/wait-for-text.ts';
import { waitingContract } from './coordinator/waiting.ts';
import { watchingContract } from './coordinator/watching.ts';

/** The options of the coordinator under test, local or remote. */
export interface CoordinatorOptions {
  readonly maxSessions?: number;
  readonly maxKeptExited?: number;
  readonly scrollback?: ScrollbackLimits;
  /** The working directory of programs. */
  readonly cwd?: string;
  /** The default program. */
  readonly shell?: string;
  /** The environment that programs inherit. */
  readonly environment?: Readonly<Record<string, string>>;
}

export interface CoordinatorUnderTest {
  readonly coordinator: Coordinator;
  /** Ends the coordinator and its sessions, even if `coordinator` is a client that is closed. */
  end(): Promise<void>;
}

/** The fixture of the parts of the contract: a new coordinator for each test. */
export interface CoordinatorFixture {
  readonly coordinator: Coordinator;
  readonly driver: SessionDriver;
  /** Starts another coordinator for this test. */
  another(options: CoordinatorOptions): Promise<SessionDriver>;
}

type Make = (options: CoordinatorOptions) => Promise<CoordinatorUnderTest>;
type Part = (fixture: CoordinatorFixture) => void;

/** Sessions: their start and end, names and limits, and what is done to them. */
const sessionParts: readonly Part[] = [
  spawningContract,
  namesContract,
  listingContract,
  labelsContract,
  reportingContract,
  renamingContract,
  reusingContract,
  revivingContract,
  inputContract,
  inputOrderContract,
  keysContract,
  resizingContract,
  drivingContract,
  endingContract,
  removingContract,
  lifetimesContract,
  leasesContract,
  limitsContract,
  isolationContract,
  closingContract,
];

/** Output: reads, searches, waits and events. */
const outputParts: readonly Part[] = [
  screenContract,
  linesContract,
  followingContract,
  searchingContract,
  recordingContract,
  waitForTextContract,
  waitForIdleContract,
  waitForExitContract,
  waitingContract,
  readingContract,
  redactingContract,
  commandsContract,
  publishingContract,
  subscribingContract,
  watchingContract,
  repliesContract,
];

/** Programs: their start, input, output and end, and what they leave. */
const programParts: readonly Part[] = [
  spawningContract,
  revivingContract,
  inputContract,
  inputOrderContract,
  resizingContract,
  endingContract,
  removingContract,
  leasesContract,
  limitsContract,
  isolationContract,
  closingContract,
  waitForExitContract,
  subscribingContract,
  repliesContract,
];

/**
 * The contract that every {@link Coordinator} passes. The parts use only the port. After each test,
 * no process of its sessions may be left.
 */
export function coordinatorContract(name: string, make: Make): void {
  coordinatorSessionsContract(name, make);
  coordinatorOutputContract(name, make);
}

/**
 * The part of the contract that depends on who reads the terminals, and on the process in which that happens. A
 * coordinator that differs from another one only there passes it; `npm run soak` tries the whole contract.
 */
export const coordinatorProgramsContract = (name: string, make: Make): void =>
  contractOf(name, make, programParts);

/** The part of the contract about sessions. */
export const coordinatorSessionsContract = (name: string, make: Make): void =>
  contractOf(name, make, sessionParts);

/** The part of the contract about output. */
export const coordinatorOutputContract = (name: string, make: Make): void =>
  contractOf(name, make, outputParts);

function contractOf(name: string, make: Make, parts: readonly Part[]): void {
  describe(`${name} as a Coordinator`, () => {
    let started: { underTest: CoordinatorUnderTest; driver: SessionDriver }[] = [];

    const start = async (options: CoordinatorOptions) => {
      const underTest = await make(options);
      const driver = new SessionDriver(underTest.coordinator);
      started.push({ underTest, driver });
      return driver;
    };

    let driver: SessionDriver;
    const fixture: CoordinatorFixture = {
      get coordinator() {
        return driver.coordinator;
      },
      get driver() {
        return driver;
      },
      another: start,
    };

    beforeEach(async () => {
      started = [];
      driver = await start({});
    });
    afterEach(async () => {
      await Promise.all(started.map(({ underTest }) => underTest.end()));
      const ids = started.flatMap((each) => each.driver.spawned).map(({ id }) => id);
      if (hasProc) expect(marked(...ids)).toEqual([]);
    });

    for (const part of parts) part(fixture);
  });
}
