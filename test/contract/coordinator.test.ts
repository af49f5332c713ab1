import { LocalCoordinator } from '#coordinator';
import { coordinatorContract } from './coordinator.ts';

coordinatorContract('LocalCoordinator', async ({ maxSessions, maxKeptExited, ...defaults }) => {
  const coordinator = new LocalCoordinator({
    defaults,
    ...(maxSessions === undefined ? {} : { maxSessions }),
    ...(maxKeptExited === undefined ? {} : { maxKeptExited }),
  });
  return { coordinator, end: () => coordinator.close() };
});
