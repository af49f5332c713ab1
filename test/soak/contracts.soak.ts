import { createPtyHost } from '#pty';
import { NodePtyBinding } from '../../src/pty/start/node-pty-binding.ts';
import { coordinatorContract } from '../contract/coordinator.ts';
import { ptyHostContract } from '../contract/pty-host.ts';
import { keptTestPtyHost } from '../support/pty/hosted-pty-host.ts';
import { inProcessHost } from '../support/pty/in-process-host.ts';
import { startLocalCoordinator } from '../support/session/local-coordinator.ts';

// The whole contracts for what `npm run verify` tries only where it differs from what users have.
coordinatorContract('LocalCoordinator', startLocalCoordinator);
ptyHostContract('a host behind a proxy that splits, stalls and drips', keptTestPtyHost('mangled'));
ptyHostContract('createPtyHost with node-pty', () =>
  inProcessHost(createPtyHost({}, () => new NodePtyBinding())),
);
