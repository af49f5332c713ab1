import { startTestPtyHost } from '../support/pty/hosted-pty-host.ts';
import { ptyHostContract } from './pty-host.ts';

ptyHostContract('a host in a process of its own', async () => {
  const { pid, ...started } = await startTestPtyHost();
  return { ...started, ownerPid: pid };
});
