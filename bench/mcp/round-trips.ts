import { performance } from 'node:perf_hooks';
import { ServerProcess, type ToolResult } from './server-process.ts';
import { bareServer, type Place, vtrServer } from './servers.ts';

/** Elapsed ms, one per call. */
type Samples = number[];

export interface RoundTrips {
  readonly name: string;
  /** `terminal__list_sessions`, with one session. */
  readonly listMs: Samples;
  /** `terminal__send` of a line to a program that answers it, with a read that waits for the answer. */
  readonly sendMs: Samples;
}

interface Contestant extends RoundTrips {
  list(): Promise<unknown>;
  send(turn: number): Promise<unknown>;
  stop(): Promise<void>;
}

/** Calls before the measured ones. */
const warmUpTurns = 20;

/** Each call by each server, in rounds, which start with different servers. */
export async function measureRoundTrips(
  place: Place,
  turns: number,
): Promise<readonly RoundTrips[]> {
  const vtr = await startVtr('vtr mcp', place, []);
  const contestants = [
    await startBare(place, vtr.answers),
    vtr,
    await startVtr('vtr mcp --embedded', place, ['--embedded']),
  ];
  try {
    for (let turn = -Math.min(turns, warmUpTurns); turn < turns; turn++) {
      const first = Math.max(0, turn) % contestants.length;
      const order = [...contestants.slice(first), ...contestants.slice(0, first)];
      for (const each of order) {
        const listMs = await timed(() => each.list());
        const sendMs = await timed(() => each.send(turn));
        if (turn < 0) continue;
        each.listMs.push(listMs);
        each.sendMs.push(sendMs);
      }
    }
    return contestants.map(({ name, listMs, sendMs }) => ({ name, listMs, sendMs }));
  } finally {
    for (const each of contestants) await each.stop();
  }
}

async function timed(call: () => Promise<unknown>): Promise<number> {
  const begin = performance.now();
  await call();
  return performance.now() - begin;
}

/** Answers each line with another one: a wait does not match the echo of input. */
const script = "stty -echo; echo ready; exec sed -u 's/line/answer/'";

interface VtrContestant extends Contestant {
  /** Its answer. */
  readonly answers: { readonly list: ToolResult; readonly send: ToolResult };
}

async function startVtr(
  name: string,
  place: Place,
  flags: readonly string[],
): Promise<VtrContestant> {
  const server = await ServerProcess.start(vtrServer(place, flags));
  const spawn = { program: 'sh', args: ['-c', script] };
  const session = await server.call('terminal__create_session', spawn);
  const session_id = session.structuredContent?.['session_id'];
  await server.call('terminal__read', { session_id, wait_for: ['ready'] });
  const list = () => server.call('terminal__list_sessions', {});
  const send = (turn: number) => {
    const read = { view: 'new', wait_for: [`answer${turn}\\.$`] };
    return server.call('terminal__send', { session_id, text: `line${turn}.\n`, read });
  };
  const answers = { list: await list(), send: await send(-1_000) };
  const stop = async () => {
    await server.call('terminal__destroy_session', { session_id, force: true });
    await server.stop();
  };
  return { name, listMs: [], sendMs: [], list, send, answers, stop };
}

/** Returns the answers of vtr, without a terminal. */
async function startBare(
  place: Place,
  { list, send }: VtrContestant['answers'],
): Promise<Contestant> {
  const lister = await ServerProcess.start(bareServer(place, list));
  const sender = await ServerProcess.start(bareServer(place, send));
  return {
    name: 'the library, and a constant',
    listMs: [],
    sendMs: [],
    list: () => lister.call('constant', {}),
    send: () => sender.call('constant', {}),
    async stop() {
      await lister.stop();
      await sender.stop();
    },
  };
}
