import { defineConfig } from 'vitest/config';

export default defineConfig({
  resolve: { conditions: ['vtr-source'] },
  ssr: { resolve: { conditions: ['vtr-source'] } },
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    // PTYs belong to processes, and a crash of the native binding must be seen as one.
    pool: 'forks',
    testTimeout: 60_000,
  },
});
