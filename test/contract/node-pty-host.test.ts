import { createPtyHost } from '#pty';
import { NodePtyBinding } from '../../src/pty/start/node-pty-binding.ts';
import { inProcessHost } from '../support/pty/in-process-host.ts';
import { ptyHostContract } from './pty-host.ts';

// The repetitions that find races in what both bindings share are those of pty-host.test.ts.
ptyHostContract(
  'createPtyHost with node-pty',
  () => inProcessHost(createPtyHost({}, () => new NodePtyBinding())),
  0.2,
);
