import { spawnSync } from 'node:child_process';
import { performance } from 'node:perf_hooks';
import { type Coordinator, LocalCoordinator } from 'vtr';
import { TmuxServer } from '../tasks/tmux-server.ts';

const program = 'cat';
const size = { cols: 80, rows: 24 };

/** How long each spawn took, in ms. */
export interface SpawnTimes {
  readonly inProcess: readonly number[];
  readonly overSocket: readonly number[];
  /** Null without tmux. */
  readonly tmux: readonly number[] | null;
}

/**
 * Starts sessions one after the other, in turns in this process, over a socket, and in tmux. All
 * sessions run until the end, so each has as many as the others.
 *
 * @param remote the coordinator over the socket
 */
export async function measureSpawns(remote: Coordinator, count: number): Promise<SpawnTimes> {
  const local = new LocalCoordinator();
  const hasTmux = spawnSync('tmux', ['-V']).status === 0;
  const tmux = hasTmux ? await TmuxServer.start(size) : null;
  const times = { inProcess: [] as number[], overSocket: [] as number[], tmux: [] as number[] };
  try {
    for (let done = 0; done < count; done++) {
      times.inProcess.push(await milliseconds(() => local.spawn({ program, size })));
      times.overSocket.push(await milliseconds(() => remote.spawn({ program, size })));
      if (tmux !== null) times.tmux.push(await milliseconds(() => tmux.newWindow(program)));
    }
  } finally {
    await local.close();
    await tmux?.stop();
  }
  return hasTmux ? times : { ...times, tmux: null };
}

async function milliseconds(work: () => Promise<unknown>): Promise<number> {
  const begin = performance.now();
  await work();
  return performance.now() - begin;
}
