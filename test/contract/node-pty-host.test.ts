import { createPtyHost } from '#pty';
import { NodePtyBinding } from '../../src/pty/start/node-pty-binding.ts';
import { inProcessHost } from '../support/pty/in-process-host.ts';
import { ptyHostContract } from './pty-host.ts';

// The bindings differ in how they start a program, and in how they learn of its end.
ptyHostContract(
  'createPtyHost with node-pty',
  () => inProcessHost(createPtyHost({}, () => new NodePtyBinding())),
  { repeats: 0.2, parts: ['spawn', 'output', 'exit', 'ending'] },
);
