import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import LongestFirst from './test/support/run/longest-first.ts';

/** Each test starts daemons or sessions, and mostly waits for them. They measure no time. */
const waitingTests = [
  'src/{pty,session,coordinator,app/ptyd}/**/*.test.ts',
  'test/e2e/**/*.test.ts',
  'test/contract/**/*.test.ts',
  'test/programs/**/*.test.ts',
];

/** Counts the threads and the open files of its own process, in which no other file may run. */
const countingTests = ['test/contract/pty-host.test.ts'];

/** Tests that take minutes or measure; `npm run soak` sets the variable. */
const soakTests = process.env['VTR_TEST_SOAK'] === '1' ? ['test/soak/**/*.soak.ts'] : [];

/**
 * More files than processors run at the same time: most of them wait. A file takes the next free
 * worker, and the longest begin first, so that the processors are busy until the end.
 */
const maxWorkers = availableParallelism() + 2;

const timeoutMs = Number(process.env['VTR_TEST_TIMEOUT_MS'] ?? 60_000);

/** Builds the command before the tests that run it. */
const globalSetup = './test/support/run/set-up.ts';

export default defineConfig({
  resolve: { conditions: ['vtr-source'] },
  ssr: { resolve: { conditions: ['vtr-source'] } },
  test: {
    // A PTY belongs to a process, and a crash of the native binding must be visible as one.
    pool: 'forks',
    // Nothing waits for this limit; the longest test runs a thousand programs.
    testTimeout: timeoutMs,
    // Hooks build, pack and install.
    hookTimeout: timeoutMs,
    slowTestThreshold: 5_000,
    setupFiles: ['./test/support/run/fast-check-setup.ts'],
    reporters: [['default', { summary: false }], './test/support/run/summary-reporter.ts'],
    // A condition holds later on a machine with other load.
    expect: { poll: { timeout: 10_000 } },
    maxWorkers,
    // Files of a project share their modules, which they do not mock: half the work of a short file.
    isolate: false,
    sequence: { sequencer: LongestFirst, groupOrder: 0 },
    projects: [
      {
        extends: true,
        test: {
          name: 'pure',
          include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: waitingTests,
        },
      },
      {
        extends: true,
        test: { name: 'waiting', include: waitingTests, exclude: countingTests, globalSetup },
      },
      {
        extends: true,
        test: { name: 'counting', include: countingTests, isolate: true, globalSetup },
      },
      {
        extends: true,
        test: {
          name: 'soak',
          include: soakTests,
          isolate: true,
          globalSetup,
          fileParallelism: false,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
