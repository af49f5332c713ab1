import { LocalCoordinator } from '#coordinator';
import { terminalsContract } from './terminals.ts';

terminalsContract('LocalCoordinator', async () => {
  const coordinator = new LocalCoordinator();
  return { coordinator, end: () => coordinator.close() };
});
