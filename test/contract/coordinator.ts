import { afterEach, beforeEach, describe, expect } from 'vitest';
import type { Coordinator } from '#model';
import type { ScrollbackLimits } from '#vt';
import { SessionDriver } from '../support/command/session-driver.ts';
import { hasProc, marked } from '../support/pty/process-facts.ts';
import { closingContract } from './coordinator/closing.ts';
import { commandsContract } from './coordinator/commands.ts';
import { drivingContract } from './coordinator/driving.ts';
import { endingContract } from './coordinator/ending.ts';
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
import { removingContract } from './coordinator/removing.ts';
import { renamingContract } from './coordinator/renaming.ts';
import { repliesContract } from './coordinator/replies.ts';
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

/**
 * The contract that every {@link Coordinator} passes. The parts use only the port. After each test,
 * no process of its sessions may be left.
 */
export function coordinatorContract(
  name: string,
  make: (options: CoordinatorOptions) => Promise<CoordinatorUnderTest>,
): void {
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
      const sessions = started.flatMap((each) => each.driver.spawned);
      if (hasProc) expect(sessions.flatMap(({ id }) => marked(id))).toEqual([]);
    });

    spawningContract(fixture);
    namesContract(fixture);
    listingContract(fixture);
    labelsContract(fixture);
    renamingContract(fixture);
    reusingContract(fixture);
    revivingContract(fixture);
    inputContract(fixture);
    inputOrderContract(fixture);
    keysContract(fixture);
    resizingContract(fixture);
    screenContract(fixture);
    linesContract(fixture);
    searchingContract(fixture);
    recordingContract(fixture);
    drivingContract(fixture);
    endingContract(fixture);
    removingContract(fixture);
    lifetimesContract(fixture);
    leasesContract(fixture);
    limitsContract(fixture);
    waitForTextContract(fixture);
    waitForIdleContract(fixture);
    waitForExitContract(fixture);
    waitingContract(fixture);
    readingContract(fixture);
    commandsContract(fixture);
    publishingContract(fixture);
    subscribingContract(fixture);
    watchingContract(fixture);
    repliesContract(fixture);
    isolationContract(fixture);
    closingContract(fixture);
  });
}
