import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { conditionMs } from './test/support/run/condition-ms.ts';
import LongestFirst from './test/support/run/longest-first.ts';

/**
 * What takes long and rarely fails alone: the gates, the scripts, the demo, the page in a browser, the packages, the
 * documents, views for people, menus and shells of other programs, coding agents and those that are revived, an editor's
 * proxy, tapes, the benchmarks, the bounds on hostile output and on memory, the laws of the engine, agreement with other
 * terminals, tmux and termcp, other machines, daemons and PTY hosts that are killed, replaced, hang or lack resources, and
 * the contracts of implementations that share their code with the ones that users have. Only `npm run verify` and a run
 * that names their path run them.
 */
const verifyTests = [
  'src/coordinator/running/{lines-as-they-are,relayed-shells,return-from-ssh,run-programs}.test.ts',
  'src/coordinator/starting/killed-revivals.test.ts',
  'src/vt/{hostile,laws,saving/saving,xterm-agreement}.test.ts',
  'src/vt/editing/resizing-agreement.test.ts',
  'src/vt/state/memory.test.ts',
  // A remote coordinator with a PTY host passes the same contract, so do a PTY host of its own process and a daemon.
  'test/contract/{coordinator,mangled-pty-host,node-pty-host,pty-host,terminals}.test.ts',
  'test/contract/tmux/**/*.test.ts',
  'test/fuzz/**/*.test.ts',
  'test/{gates,house}/**/*.test.ts',
  'test/gates.test.ts',
  'test/programs/{bench,echo,limits,record-golden,termcp,tmux-agreement}.test.ts',
  'test/e2e/{attach-terminals,composers,demo,document-scripts,documents,package,release,selected-coordinators,slow-terminals,start-up,web-*}.test.ts',
  'test/e2e/{agents,completion,surroundings,trust}.test.ts',
  'test/e2e/acp/proxy.test.ts',
  'test/e2e/verbs/{attach,attach-ways,new,ui,watching,web}.test.ts',
  'test/e2e/verbs/{agents,prompting,report,revived-agents,skill}.test.ts',
  'test/e2e/verbs/{quick,record-files,test}.test.ts',
  'test/e2e/{containers,fleet-examples,forwarded-socket,man,other-machines}.test.ts',
  'test/e2e/{hostile-coordinator,interrupted-calls,limits,pty-host,silent-daemon}.test.ts',
  'test/e2e/{restart,restart-versions,saved-sessions,trail}.test.ts',
  'test/e2e/mcp/{bundle,dying-hosts,http,load,termcp,termcp-command,termcp-scenarios}.test.ts',
  'test/e2e/verbs/install.test.ts',
];

/** Tests in which the functions of Node fail. */
const failingTests = 'test/faults/**/*.test.ts';

/** Tests that take minutes or measure; `npm run soak` sets the variable. */
const soakTests = process.env['VTR_TEST_SOAK'] === '1' ? ['test/soak/**/*.soak.ts'] : [];

const timeoutMs = Number(process.env['VTR_TEST_TIMEOUT_MS'] ?? 180_000);

/** Builds the command before tests that run it. */
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
    sequence: { sequencer: LongestFirst },
    setupFiles: ['./test/support/run/fast-check-setup.ts', './test/support/run/waiting-setup.ts'],
    expect: { poll: { timeout: conditionMs } },
    reporters: [
      ['default', { summary: false }],
      './test/support/run/summary-reporter.ts',
      './test/support/run/figures-reporter.ts',
      './test/support/run/silence-reporter.ts',
    ],
    projects: [
      {
        extends: true,
        test: {
          name: 'usual',
          include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: [...verifyTests, failingTests],
          globalSetup,
          // They share their modules, which they do not mock: a third less work.
          isolate: false,
          // Most start daemons or sessions, and wait for them; those that compute run meanwhile. They measure no time.
          maxWorkers: 5 * availableParallelism(),
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'failing',
          include: [failingTests],
          setupFiles: './test/support/faults/set-up.ts',
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: 'verify',
          include: verifyTests,
          globalSetup,
          // As above.
          isolate: false,
          // Compilers, browsers and benchmarks use whole processors; most of the others wait.
          maxWorkers: 4 * availableParallelism(),
          sequence: { groupOrder: 2 },
        },
      },
      {
        extends: true,
        test: {
          name: 'soak',
          include: soakTests,
          globalSetup,
          // Soaks that measure no latency run together.
          maxWorkers: Number(process.env['VTR_TEST_WORKERS'] ?? 1),
          sequence: { groupOrder: 3 },
        },
      },
    ],
  },
});
