import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { root } from '../../scripts/root.mjs';
import { run, runNode } from '../../scripts/steps/run.mjs';
import { tools } from '../../scripts/steps/tools.mjs';
import { testProgram } from '../support/pty/pty-request.ts';
import { provided } from '../support/run/needs.ts';
import { serveCoordinator } from '../support/service/served-coordinator.ts';

/** VTR_TEST_PYTHON names another Python, because packages are often not installed for the system's. */
const python = process.env['VTR_TEST_PYTHON'] ?? 'python3';
const hasGrpc = spawnSync(python, ['-c', 'import grpc, google.protobuf']).status === 0;

provided(hasGrpc, 'needs python3 with grpcio and protobuf')(
  '[S3.22] every RPC of the specification answers gRPC’s own implementation',
  async () => {
    const served = await serveCoordinator();
    const directory = mkdtempSync(join(tmpdir(), 'vtr-proto-'));
    try {
      const descriptors = join(directory, 'vtr.binpb');
      await runNode(tools.buf, ['build', 'test/proto', '-o', descriptors], { cwd: root });
      const args = [testProgram('spec_client.py'), served.socket, descriptors];
      const { status, output } = await run(python, args, { cwd: directory });
      expect([status, output]).toEqual([0, expect.stringMatching(/^DumpAsciinema$/m)]);
    } finally {
      rmSync(directory, { recursive: true });
      await served.end();
    }
  },
);
