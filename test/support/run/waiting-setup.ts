import { vi } from 'vitest';
import { conditionMs } from './condition-ms.ts';

const { waitFor } = vi;

// Its own limit of a second is too short for a process of a busy machine.
vi.waitFor = (condition, options) =>
  waitFor(condition, typeof options === 'number' ? options : { timeout: conditionMs, ...options });
