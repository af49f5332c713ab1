import { startTestPtyHost } from '../support/pty/hosted-pty-host.ts';
import { ptyHostContract } from './pty-host.ts';

const start = async () => {
  const { pid, ...started } = await startTestPtyHost();
  return { ...started, ownerPid: pid };
};

// The host starts and reads programs by the code of createPtyHost, which repeats them all.
ptyHostContract('a host in a process of its own', start, 0.3);
