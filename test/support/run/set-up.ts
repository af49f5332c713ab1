import type { TestProject } from 'vitest/node';
import { setUp } from '../../../scripts/setup.mjs';

/** Sources whose tests start no built program. */
const unbuilt = /\/src\/(?!pty\/|session\/|coordinator\/|app\/ptyd\/)/;

/** Builds the command once per run, before the tests that use it. */
export default async ({ vitest }: TestProject): Promise<void> => {
  const paths = vitest.state.getPaths();
  if (paths.length === 0 || paths.some((path) => !unbuilt.test(path))) await setUp();
};
