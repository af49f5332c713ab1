import { keptTestPtyHost } from '../support/pty/hosted-pty-host.ts';
import { ptyHostContract } from './pty-host.ts';

// The host starts and reads programs by the code of createPtyHost, which repeats them all.
ptyHostContract('a host in a process of its own', keptTestPtyHost(), { repeats: 0.3 });
