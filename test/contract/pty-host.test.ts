import { createPtyHost } from '#pty';
import { inProcessHost } from '../support/pty/in-process-host.ts';
import { ptyHostContract } from './pty-host.ts';

ptyHostContract('createPtyHost', () => inProcessHost(createPtyHost()));
