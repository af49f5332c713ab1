import { keptTestPtyHost } from '../support/pty/hosted-pty-host.ts';
import { ptyHostContract } from './pty-host.ts';

const name = 'a host behind a proxy that splits, stalls and drips';

// The same host without a proxy passes the rest, and repeats more often what finds races.
ptyHostContract(name, keptTestPtyHost('mangled'), {
  repeats: 0.1,
  parts: ['output', 'exit', 'input', 'isolation', 'surviving'],
});
