// The order of the tests in test/soak.

/**
 * Tests that measure no latency: they run at the same time, next to the tests of properties. They start in
 * this order. Each other test of test/soak runs alone after them, so that nothing disturbs its figures.
 */
export const together = [
  'test/soak/web.soak.ts',
  'test/soak/idle-connections.soak.ts',
  'test/soak/conformance.soak.ts',
  'test/soak/inspector.soak.ts',
  'test/soak/proxied-agent.soak.ts',
  'test/soak/real-agent.soak.ts',
  'test/soak/contracts.soak.ts',
  'test/soak/churn.soak.ts',
  'test/soak/chaos.soak.ts',
  'test/soak/restart.soak.ts',
];

/** How many of them run at a time: a page, a connection that waits, and one that is busy. */
export const workers = 3;

/** The limit of one of them, in minutes: one that hangs must leave time for the others. */
export const togetherMinutes = 25;

/** The same of a test that runs alone. */
export const aloneMinutes = 13;

/** Tests of properties, which use the seed. */
export const properties = ['src/vt', 'src/keys', 'test/fuzz', 'test/programs/tmux-agreement'];

/** Tests in which system calls fail. They run once, before those of properties. */
export const failing = ['test/faults'];

/** How long they fail calls of one operation, in seconds; there are about 50. To fail all takes an hour. */
export const operationSeconds = 12;

/** All of it must end within this time, in minutes. What has not ended by then is ended, and fails. */
export const limitMinutes = 60;
