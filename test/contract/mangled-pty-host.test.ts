import { startTestPtyHost } from '../support/pty/hosted-pty-host.ts';
import { ptyHostContract } from './pty-host.ts';

const name = 'a host behind a proxy that splits, stalls and drips';

const start = async () => {
  const { pid, ...started } = await startTestPtyHost('mangled');
  return { ...started, ownerPid: pid };
};

// The same host without a proxy repeats them more often.
ptyHostContract(name, start, 0.1);
