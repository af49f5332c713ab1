import { describe, expect, onTestFinished } from 'vitest';
import { PromptedModel } from '../support/agents/prompted-model.ts';
import {
  installedAgents,
  newUser,
  type RealAgent,
  realAgents,
} from '../support/agents/real-agents.ts';
import { WalkedModel } from '../support/agents/walked-model.ts';
import { Place } from '../support/command/vtr-command.ts';
import { provided } from '../support/run/needs.ts';

const isWanted = process.env['VTR_TEST_NETWORK'] === '1';
const directory = isWanted ? await installedAgents() : null;
const withAgents = provided(
  directory !== null,
  'only with VTR_TEST_NETWORK=1: fetches Codex, Claude Code and Gemini CLI, 1.2 GB, from npm',
);

const kinds: Readonly<Record<string, string>> = {
  Codex: 'codex',
  'Claude Code': 'claude',
  'Gemini CLI': 'gemini',
};

const conversation = /^[0-9a-f]{8}-[0-9a-f-]{27}$/;
const session = 'agent';

/** Starts an agent whose hooks are installed in a HOME in which it has never run. */
async function start(place: Place, agent: RealAgent, kind: string, url: string): Promise<void> {
  const user = newUser(agent, directory ?? '', url);
  const installed = await place.vtr(['agents', 'install', kind, '--yes'], { env: user.env });
  expect(installed.status).toBe(0);
  const variables = Object.entries(user.env).flatMap(([name, value]) => [
    '--env',
    `${name}=${value}`,
  ]);
  const how = ['--size', '100x30', '--cwd', user.project, ...variables];
  // The hooks of its background server cannot tell which session they are of.
  const args = kind === 'codex' ? ['--no-daemon'] : [];
  await place.ok('spawn', session, ...how, '--', user.command, ...args);
  if (kind === 'codex') {
    // It asks once whether it may run new hooks.
    await place.vtr(['wait', session, '--screen', 'Hooks need review', '--timeout', '3m']);
    await place.ok('key', session, '2', 'enter');
  }
  const ready = await place.vtr(['wait', session, '--agent', 'idle', '--timeout', '3m']);
  expect(ready).toMatchObject({ status: 0 });
}

/** The states that were reported, in order; null for a conversation alone. */
async function reported(place: Place): Promise<readonly (string | null)[]> {
  const { entries } = await place.json('log', session);
  const reports = entries.filter(({ action }: { action: string }) => action === 'report');
  return reports.map(({ details }: { details?: { state?: string } }) => details?.state ?? null);
}

for (const agent of realAgents) {
  const kind = kinds[agent.name] ?? '';
  describe(`${agent.name}, with the hooks of vtr agents install`, () => {
    withAgents('reports its conversation, the beginning and the end of each turn', async () => {
      const { model, url } = await PromptedModel.start('say ');
      const place = new Place();
      await start(place, agent, kind, url);
      for (const text of ['say one', 'say two']) {
        await place.vtr(['send', session, text, '--submit', '--wait', '--agent', 'idle']);
        await expect.poll(() => model.prompts.at(-1), { timeout: 60_000 }).toBe(text);
      }
      await expect
        .poll(async () => (await reported(place)).filter((state) => state === 'done').length)
        .toBe(2);
      const states = (await reported(place)).filter((state) => state !== null);
      expect(states).toEqual(['busy', 'done', 'busy', 'done']);
      const info = await place.json('info', session);
      expect(info.agent).toMatchObject({ kind, state: 'idle' });
      expect(info.agent.conversation).toMatch(conversation);
    });
  });
}

/** Answers what the agent asks until its turn has ended. */
async function untilIdle(place: Place): Promise<void> {
  for (;;) {
    await place.vtr(['wait', session, '--agent', 'idle,asks', '--timeout', '1m']);
    const { agent } = await place.json('info', session);
    if (agent.state !== 'asks') return;
    await place.vtr(['answer', session, 'yes']);
  }
}

describe('Claude Code, with the hooks of vtr agents install', () => {
  withAgents('reports each command that it runs, with its status', async () => {
    const model = await WalkedModel.start();
    onTestFinished(() => model.dispose());
    const place = new Place();
    const claude = realAgents.find(({ name }) => name === 'Claude Code') as RealAgent;
    await start(place, claude, 'claude', model.url);
    for (const command of ['echo one', 'false', 'grep nothing README.md'])
      model.turns.push({ does: 'calls', tool: 'command', args: { command, description: 'x' } });
    await place.vtr(['send', session, 'walk: go', '--submit', '--wait', '--agent', 'idle,asks']);
    const ran = async () => (await place.json('commands', session)).agent_commands;
    await expect
      .poll(
        async () => {
          await untilIdle(place);
          return (await ran()).length;
        },
        { timeout: 120_000 },
      )
      .toBe(3);
    await expect.poll(ran).toMatchObject([
      { agent: 'claude', line: 'echo one', status: 'succeeded', exit_code: 0 },
      { agent: 'claude', line: 'false', status: 'failed', exit_code: 1 },
      { agent: 'claude', line: 'grep nothing README.md', status: 'succeeded', exit_code: null },
    ]);
  });
});
