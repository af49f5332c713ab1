import { LocalCoordinator } from '#coordinator';
import { startTestPtyHost } from '../support/pty/hosted-pty-host.ts';
import { coordinatorContract } from './coordinator.ts';

coordinatorContract('a LocalCoordinator with a PTY host', async (options) => {
  const { maxSessions, maxKeptExited, ...defaults } = options;
  const { host: ptyHost, dispose } = await startTestPtyHost();
  const coordinator = new LocalCoordinator({
    ptyHost,
    defaults,
    ...(maxSessions === undefined ? {} : { maxSessions }),
    ...(maxKeptExited === undefined ? {} : { maxKeptExited }),
  });
  const end = async () => {
    await coordinator.close();
    dispose();
  };
  return { coordinator, end };
});
