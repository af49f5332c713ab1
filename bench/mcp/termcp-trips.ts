import { performance } from 'node:perf_hooks';
import { type IPty, spawn } from '@lydell/node-pty';
import { ServerProcess } from './server-process.ts';
import { bareServer, type Place, termcpServer } from './servers.ts';

/** Elapsed ms, one per repetition. */
export interface TermcpTrips {
  readonly name: string;
  /** Until 1 KB is accepted. */
  readonly writeMs: number[];
  /** Until 1 KB is accepted, echoed by the program and read. */
  readonly echoMs: number[];
}

interface Contestant extends TermcpTrips {
  write(): Promise<unknown>;
  echo(): Promise<unknown>;
  stop(): Promise<void>;
}

/** 1 KB in lines. */
const text = `${'x'.repeat(63)}\n`.repeat(16);
const warmUpTurns = 20;
/** A raw terminal does not change it to a carriage return. */
const ready = 'ready\n';

/** Programs that read their input unchanged: one discards it, the other echoes it. */
const sink = ['-c', 'stty raw -echo; echo ready; exec cat > /dev/null'];
const mirror = ['-c', 'stty raw -echo; echo ready; exec cat'];

/** Each by each contestant, in rounds, which start with different contestants. */
export async function measureTermcp(place: Place, turns: number): Promise<readonly TermcpTrips[]> {
  const contestants = [await startNodePty(), await startBare(place), await startTermcp(place)];
  try {
    for (let turn = -Math.min(turns, warmUpTurns); turn < turns; turn++) {
      const first = Math.max(0, turn) % contestants.length;
      for (const each of [...contestants.slice(first), ...contestants.slice(0, first)]) {
        const writeMs = await timed(() => each.write());
        const echoMs = await timed(() => each.echo());
        if (turn < 0) continue;
        each.writeMs.push(writeMs);
        each.echoMs.push(echoMs);
      }
    }
    return contestants.map(({ name, writeMs, echoMs }) => ({ name, writeMs, echoMs }));
  } finally {
    for (const each of contestants) await each.stop();
  }
}

async function timed(call: () => Promise<unknown>): Promise<number> {
  const begin = performance.now();
  await call();
  return performance.now() - begin;
}

/** The binding alone, in this process: the least time on this machine. */
async function startNodePty(): Promise<Contestant> {
  const ptys = { sink: spawn('sh', sink, {}), mirror: spawn('sh', mirror, {}) };
  // At once, because output without a listener is lost.
  await Promise.all(Object.values(ptys).map((pty) => heard(pty, ready.length)));
  return {
    name: 'node-pty alone',
    writeMs: [],
    echoMs: [],
    // It does not report when the kernel has accepted it.
    write: async () => ptys.sink.write(text),
    async echo() {
      const back = heard(ptys.mirror, text.length);
      ptys.mirror.write(text);
      await back;
    },
    async stop() {
      for (const pty of Object.values(ptys)) pty.kill('SIGKILL');
    },
  };
}

/** Resolves when this many characters have arrived. */
function heard(pty: IPty, count: number): Promise<void> {
  return new Promise((resolve) => {
    let position = 0;
    const listening = pty.onData((data) => {
      position += data.length;
      if (position < count) return;
      listening.dispose();
      resolve();
    });
  });
}

/** The time of the protocol and its library, without a terminal. */
async function startBare(place: Place): Promise<Contestant> {
  const writer = await ServerProcess.start(
    bareServer(place, { structuredContent: { sent: true } }),
  );
  const reader = await ServerProcess.start(bareServer(place, { structuredContent: { text } }));
  return {
    name: 'the library, and a constant',
    writeMs: [],
    echoMs: [],
    write: () => writer.call('constant', { text }),
    async echo() {
      await writer.call('constant', { text });
      await reader.call('constant', {});
    },
    async stop() {
      await writer.stop();
      await reader.stop();
    },
  };
}

async function startTermcp(place: Place): Promise<Contestant> {
  const servers = {
    sink: await ServerProcess.start(termcpServer(place, ['sh', ...sink])),
    mirror: await ServerProcess.start(termcpServer(place, ['sh', ...mirror])),
  };
  const session_id = 'default';
  const read = async (count: number) => {
    for (let position = 0; position < count; ) {
      const args = { session_id, timeout_ms: 0 };
      const { structuredContent } = await servers.mirror.call('read_output', args);
      position += String(structuredContent?.['output'] ?? '').length;
    }
  };
  await servers.sink.call('read_output', { session_id });
  await read(ready.length);
  return {
    name: 'termcp',
    writeMs: [],
    echoMs: [],
    write: () => servers.sink.call('write_stdin', { session_id, text }),
    async echo() {
      await servers.mirror.call('write_stdin', { session_id, text });
      await read(text.length);
    },
    async stop() {
      await servers.sink.stop();
      await servers.mirror.stop();
    },
  };
}
