import { keptTestPtyHost } from '../support/pty/hosted-pty-host.ts';
import { ptyHostContract } from './pty-host.ts';

const name = 'a host behind a proxy that splits, stalls and drips';

// The same host without a proxy repeats them more often.
ptyHostContract(name, keptTestPtyHost('mangled'), 0.1);
