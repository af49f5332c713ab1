import { defineConfig } from 'vitest/config';

/**
 * What clients see, of the built command and of coordinators, each test with daemons or sessions of
 * its own: much waiting and no measuring.
 */
const clientTests = ['test/e2e/**/*.test.ts', 'test/contract/**/!(pty-host).test.ts'];

/**
 * Where tests start programs in terminals of their own, and some of them measure what that costs.
 * They run after the others and one file at a time, so that nothing of ours takes their processor.
 */
const programTests = [
  'src/{pty,session,coordinator}/**/*.test.ts',
  'test/programs/**/*.test.ts',
  'test/contract/pty-host.test.ts',
];

/** What takes minutes, or measures: `npm run soak` says that it is wanted. */
const soakTests = process.env['VTR_TEST_SOAK'] === '1' ? ['test/soak/**/*.soak.ts'] : [];

const timeoutMs = Number(process.env['VTR_TEST_TIMEOUT_MS'] ?? 60_000);

export default defineConfig({
  resolve: { conditions: ['vtr-source'] },
  ssr: { resolve: { conditions: ['vtr-source'] } },
  test: {
    // PTYs belong to processes, and a crash of the native binding must be seen as one.
    pool: 'forks',
    // The longest honest test is a contract of a thousand programs; nothing waits for this limit.
    testTimeout: timeoutMs,
    // Hooks build, pack and install.
    hookTimeout: timeoutMs,
    slowTestThreshold: 5_000,
    setupFiles: ['./test/support/run/fast-check-setup.ts'],
    maxWorkers: 2,
    reporters: [['default', { summary: false }], './test/support/run/summary-reporter.ts'],
    projects: [
      {
        extends: true,
        test: {
          name: 'pure',
          include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: [...clientTests, ...programTests],
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'clients',
          include: clientTests,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: 'programs',
          include: programTests,
          fileParallelism: false,
          sequence: { groupOrder: 2 },
        },
      },
      {
        extends: true,
        test: {
          name: 'soak',
          include: soakTests,
          fileParallelism: false,
          sequence: { groupOrder: 3 },
        },
      },
    ],
  },
});
