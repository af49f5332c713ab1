import { LocalCoordinator } from '#coordinator';
import { coordinatorContract } from './coordinator.ts';

coordinatorContract('LocalCoordinator', async ({ maxSessions, ...defaults }) => {
  const coordinator = new LocalCoordinator({
    defaults,
    ...(maxSessions === undefined ? {} : { maxSessions }),
  });
  return { coordinator, end: () => coordinator.close() };
});
