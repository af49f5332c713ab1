import { defined } from '#base';
import { LocalCoordinator } from '#coordinator';
import type { CoordinatorOptions, CoordinatorUnderTest } from '../../contract/coordinator.ts';

/** A coordinator whose terminals are in this process, as a program that embeds vtr has it. */
export async function startLocalCoordinator(
  options: CoordinatorOptions,
): Promise<CoordinatorUnderTest> {
  const { maxSessions, maxKeptExited, ...defaults } = options;
  const coordinator = new LocalCoordinator({
    defaults,
    ...defined({ maxSessions, maxKeptExited }),
  });
  return { coordinator, end: () => coordinator.close() };
}
