import { createPtyHost } from '#pty';
import { ptyHostContract } from './pty-host.ts';

ptyHostContract('createPtyHost', () => ({ host: createPtyHost(), ownerPid: process.pid }));
