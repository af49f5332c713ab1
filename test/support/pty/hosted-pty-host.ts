import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, vi } from 'vitest';
import type { Disposable } from '#base';
import type { EndOptions } from '#model';
import type { Pty, PtyHost, PtySpawnRequest } from '#pty';
import { connectPtyHost, startPtyHost } from '#pty/hosted';
import type { PtyHostUnderTest } from '../../contract/pty-host.ts';
import { conditionMs } from '../run/condition-ms.ts';
import { isAlive } from './process-facts.ts';
import { testProgram } from './pty-request.ts';

const script = fileURLToPath(new URL('../../../dist/vtr-ptyd.cjs', import.meta.url));

/** Nobody is started in place of a coordinator that is gone. */
const survival = { again: null };

export interface TestPtyHost {
  readonly host: PtyHost;
  readonly pid: number;
  /** Connects another coordinator. The programs outlive it, as they outlive the first. */
  next(): Promise<PtyHost>;
  /** Moves the host's clocks, also the time of day. */
  shiftClock(ms: number): void;
  /** Must be called after the host was closed. Resolves when its process has ended. */
  dispose(): Promise<void>;
}

/** How the proxy between coordinator and host passes bytes on. */
type Transport = 'direct' | 'mangled';

/** Starts a PTY host in a process of its own. */
export async function startTestPtyHost(transport: Transport = 'direct'): Promise<TestPtyHost> {
  const directory = mkdtempSync(join(tmpdir(), 'vtr-ptyd-'));
  const at = (name: string) => join(directory, name);
  const proxy = transport === 'mangled' ? await mangler(at('proxy'), at('host')) : null;
  const { host, pid } = await startPtyHost({
    script,
    socket: at('host'),
    version: 'test',
    log: 'inherit',
    survival,
    ...(proxy === null ? {} : { reachedAt: at('proxy') }),
    nodeArgs: ['--import', testProgram('shift-clock.mjs')],
    env: { ...process.env, VTR_TEST_CLOCK: at('clock') },
  });
  const clock = connect(at('clock'));
  clock.on('error', () => {});
  clock.unref();
  return {
    host,
    pid,
    next: () =>
      connectPtyHost({ socket: at(proxy === null ? 'host' : 'proxy'), version: 'test', survival }),
    shiftClock: (ms) => void clock.write(`${ms}\n`),
    async dispose() {
      clock.destroy();
      proxy?.close();
      // A host listens again when its socket was removed, in a new directory.
      await vi.waitFor(() => expect(isAlive(pid)).toBe(false), { timeout: conditionMs });
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/**
 * Returns what gives each test of a file a PTY host in a process of its own. Tests share one, because each
 * takes 0.13 s of processor time to start; after a test that has closed or left the host, or has moved its
 * clock, there is a new one.
 */
export function keptTestPtyHost(transport?: Transport): () => Promise<PtyHostUnderTest> {
  let sharedHost: TestPtyHost | null = null;

  const end = async (): Promise<void> => {
    const last = sharedHost;
    sharedHost = null;
    if (last === null) return;
    await last.host.close({ force: true });
    await last.dispose();
  };
  afterAll(end);

  return async () => {
    sharedHost ??= await startTestPtyHost(transport);
    const { host, pid: ownerPid, next, shiftClock } = sharedHost;
    const watched = new WatchedPtyHost(host);
    return {
      host: watched,
      ownerPid,
      next,
      shiftClock(ms) {
        watched.isChanged = true;
        shiftClock(ms);
      },
      async dispose() {
        const isFree = !watched.isChanged && (await watched.endStarted());
        if (!isFree) await end();
      },
    };
  };
}

/** A host that knows what a test has done with it. */
class WatchedPtyHost implements PtyHost {
  readonly #host: PtyHost;
  readonly #started: Promise<Pty>[] = [];
  /** Whether it was closed or left, or has another clock. */
  isChanged = false;

  constructor(host: PtyHost) {
    this.#host = host;
  }

  /** Ends the programs that were started. Returns whether all have ended, and the host has forgotten them. */
  async endStarted(): Promise<boolean> {
    const started = await Promise.allSettled(this.#started);
    const ends = await Promise.allSettled(
      started.map(async (each) => each.status === 'fulfilled' && each.value.end({ force: true })),
    );
    return ends.every(({ status }) => status === 'fulfilled');
  }

  spawn(request: PtySpawnRequest): Promise<Pty> {
    const started = this.#host.spawn(request);
    this.#started.push(started);
    return started;
  }

  listProcesses(): ReturnType<PtyHost['listProcesses']> {
    return this.#host.listProcesses();
  }

  adopt(): ReturnType<PtyHost['adopt']> {
    return this.#host.adopt();
  }

  detach(): Promise<void> {
    this.isChanged = true;
    return this.#host.detach();
  }

  onDeprived(...listener: Parameters<PtyHost['onDeprived']>): Disposable {
    return this.#host.onDeprived(...listener);
  }

  close(options?: EndOptions): Promise<void> {
    this.isChanged = true;
    return this.#host.close(options);
  }
}

/** Listens at a path, and passes bytes on to another in other pieces: splits, stalls and drips. */
async function mangler(from: string, to: string): Promise<Server> {
  let seed = 1;
  const random = (below: number) => {
    // Numerical Recipes, ranqd1: the same sequence in every run.
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((seed / 2 ** 32) * below);
  };
  const server = createServer((near) => {
    const far = connect(to);
    passOn(near, far, random);
    passOn(far, near, random);
  });
  await new Promise<void>((resolve) => server.listen(from, resolve));
  server.unref();
  return server;
}

async function passOn(from: Socket, to: Socket, random: (below: number) => number): Promise<void> {
  from.on('error', () => {});
  try {
    for await (const chunk of from) {
      for await (const piece of pieces(chunk as Buffer, random)) {
        if (!to.write(piece)) await new Promise((resolve) => to.once('drain', resolve));
      }
    }
  } catch {
    // The end of either side ends both.
  }
  to.destroy();
}

async function* pieces(chunk: Buffer, random: (below: number) => number): AsyncGenerator<Buffer> {
  const way = random(100);
  const dripped = way < 10 ? Math.min(chunk.length, 1 + random(40)) : 0;
  for (let at = 0; at < dripped; at++) {
    yield chunk.subarray(at, at + 1);
    await nextTurn();
  }
  if (way >= 10 && way < 15) await delay(1 + random(5));
  for (let at = dripped; at < chunk.length; ) {
    const length = way < 60 ? 1 + random(Math.min(chunk.length, 20_000)) : chunk.length;
    yield chunk.subarray(at, at + length);
    at += length;
    if (way < 40) await nextTurn();
  }
}
