import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { performance } from 'node:perf_hooks';
import { type ServerCommand, ServerProcess } from './server-process.ts';
import { bareServer, type Place, vtrServer } from './servers.ts';

export interface FirstAnswers {
  readonly name: string;
  /** From the start of the process to the answer to `tools/list`, in ms of elapsed time. */
  readonly ms: readonly number[];
}

/** Each in rounds, which start with different servers. */
export async function measureFirstAnswers(
  place: Place,
  turns: number,
): Promise<readonly FirstAnswers[]> {
  const contestants = [
    { name: 'node -e 0', run: runNothing, ms: [] as number[] },
    { name: 'the library, and a constant', run: untilListed(bareServer(place, {})), ms: [] },
    { name: 'vtr mcp', run: untilListed(vtrServer(place)), ms: [] },
  ];
  for (let turn = 0; turn < turns; turn++) {
    const first = turn % contestants.length;
    for (const { run, ms } of [...contestants.slice(first), ...contestants.slice(0, first)]) {
      ms.push(await run());
    }
  }
  return contestants.map(({ name, ms }) => ({ name, ms }));
}

async function runNothing(): Promise<number> {
  const { NODE_EXTRA_CA_CERTS: _bundle, ...env } = process.env;
  const begin = performance.now();
  await once(spawn(process.execPath, ['-e', '0'], { env, stdio: 'ignore' }), 'exit');
  return performance.now() - begin;
}

const untilListed = (command: ServerCommand) => async () => {
  const begin = performance.now();
  const server = await ServerProcess.start(command);
  await server.tools();
  const ms = performance.now() - begin;
  await server.stop();
  return ms;
};
