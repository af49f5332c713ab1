import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { describe, expect, onTestFinished } from 'vitest';
import { PromptedModel } from '../support/agents/prompted-model.ts';
import {
  type AgentUser,
  installedAgents,
  newUser,
  type RealAgent,
  realAgents,
} from '../support/agents/real-agents.ts';
import { Place } from '../support/command/vtr-command.ts';
import { McpHost } from '../support/mcp/mcp-client.ts';
import { provided } from '../support/run/needs.ts';

const isWanted = process.env['VTR_TEST_NETWORK'] === '1';
const directory = isWanted ? await installedAgents() : null;
const withAgents = provided(
  directory !== null,
  'only with VTR_TEST_NETWORK=1: fetches Codex, Claude Code and Gemini CLI, 1.2 GB, from npm',
);

const tries = 20;
/** An agent takes a prompt before it has started, which takes a minute at a load of 20. */
const reachesMs = 3 * 60_000;
/** Each prompt of these is the first of a session; the others follow in it. */
const perSession = 4;

/** One line of up to 400 characters each. */
const lines = Array.from(
  { length: tries },
  (_, at) => `say ${at} ${'pong '.repeat((at % 4) * 26)}end${at}`,
);
const words = Array.from({ length: 400 }, (_, at) => `w${at}`).join(' ');
const long = lines.map((_, at) => `say ${at} ${words} end${at}`);

type Send = (text: string) => Promise<unknown>;

interface Way {
  readonly texts: readonly string[];
  /** Whether the session is made by the tmux shim. */
  readonly isTmux?: boolean;
  begin(place: Place): Promise<Send>;
}

const session = 'agent';

const ways: Readonly<Record<string, Way>> = {
  'send --enter': {
    texts: lines,
    begin: async (place) => (text) => place.ok('send', session, text, '--enter'),
  },
  'send --paste --enter': {
    texts: lines,
    begin: async (place) => (text) => place.ok('send', session, text, '--paste', '--enter'),
  },
  'key … enter': {
    texts: lines,
    begin: async (place) => (text) => place.ok('key', session, ...text, 'enter'),
  },
  'terminal__send with text and key': {
    texts: lines,
    async begin(place) {
      const host = await McpHost.start(place);
      return (text) => host.call('send', { session_id: session, text, key: 'enter' });
    },
  },
  'terminal__send with a line end': {
    texts: lines,
    async begin(place) {
      const host = await McpHost.start(place);
      return (text) => host.call('send', { session_id: session, text: `${text}\n` });
    },
  },
  'tmux send-keys TEXT Enter': {
    texts: lines,
    isTmux: true,
    begin: async (place) => (text) => place.ok('tmux', 'send-keys', '-t', session, text, 'Enter'),
  },
  'send --submit': {
    texts: long,
    begin: async (place) => async (text) => {
      expect(await place.json('send', session, text, '--submit')).toMatchObject({
        submitted: true,
      });
    },
  },
};

/** How a session of an agent is spawned. */
const placeOf = ({ env, project }: AgentUser): string[] => [
  ...['--size', '100x30', '--cwd', project],
  ...Object.entries(env).flatMap(([name, value]) => ['--env', `${name}=${value}`]),
];

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** Starts an agent. @returns the name of its session */
async function start(
  place: Place,
  { ready }: RealAgent,
  user: AgentUser,
  isTmux: boolean,
): Promise<string> {
  const variables = Object.entries(user.env).map(([name, value]) => `${name}=${value}`);
  if (!isTmux) {
    const how = [...placeOf(user), '--timeout', '1m'];
    await place.ok('spawn', session, ...how, '--wait', '--screen', ready, '--', user.command);
    return session;
  }
  const line = `cd ${quoted(user.project)}; exec env ${variables.map(quoted).join(' ')} ${quoted(user.command)}`;
  await place.ok('tmux', 'new-session', '-d', '-s', session, '-x', '100', '-y', '30', line);
  const name = (await place.ok('tmux', 'list-panes', '-t', session, '-F', '#{vtr_session}')).trim();
  await place.ok('wait', name, '--screen', ready, '--timeout', '1m');
  return name;
}

/** Gives each prompt to a new session, right after its program was started, and returns what reached the model. */
async function giveAtStart(agent: RealAgent, { texts, begin }: Way): Promise<readonly string[]> {
  const { model, url } = await PromptedModel.start('say ');
  const place = new Place();
  const user = newUser(agent, directory ?? '', url);
  const send = await begin(place);
  for (const text of texts) {
    await place.ok('spawn', session, ...placeOf(user), '--', user.command);
    await send(text);
    await expect.poll(() => model.prompts.includes(text), { timeout: reachesMs }).toBe(true);
    await place.ok('rm', session, '--force');
  }
  return model.prompts;
}

/** Gives prompts to sessions of an agent, a new one for each {@link perSession}, and returns what reached the model. */
async function give(
  agent: RealAgent,
  { texts, isTmux = false, begin }: Way,
): Promise<readonly string[]> {
  const { model, url } = await PromptedModel.start('say ');
  const place = new Place();
  const user = newUser(agent, directory ?? '', url);
  const send = await begin(place);
  for (let at = 0; at < texts.length; at += perSession) {
    const name = await start(place, agent, user, isTmux);
    for (const text of texts.slice(at, at + perSession)) {
      await send(text);
      await expect.poll(() => model.prompts.includes(text), { timeout: reachesMs }).toBe(true);
      // The next prompt is given to a composer, not to an agent that works.
      await place.ok('wait', name, '--idle', '500ms', '--timeout', '1m');
    }
    await place.ok('rm', name, '--force');
  }
  return model.prompts;
}

for (const agent of realAgents) {
  describe(`${agent.name}, with a scripted model`, () => {
    for (const [name, way] of Object.entries(ways)) {
      withAgents(
        `${name}: ${tries} of ${tries} prompts reach the model once and whole`,
        async () => {
          expect(await give(agent, way)).toEqual(way.texts);
        },
      );
    }

    for (const name of [
      'terminal__send with a line end',
      'send --enter',
      'key … enter',
      'send --submit',
    ]) {
      withAgents(
        `${name}: ${tries} of ${tries} prompts that are given right after its start reach the model once and whole`,
        async () => {
          const way = { ...ways[name], texts: lines } as Way;
          expect(await giveAtStart(agent, way)).toEqual(lines);
        },
      );
    }

    withAgents(
      'its first prompt in a new HOME reaches the model, on a busy machine, too',
      async () => {
        const loops = Array.from({ length: 5 * availableParallelism() }, () =>
          spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }),
        );
        onTestFinished(() => void loops.map((each) => each.kill('SIGKILL')));
        for (const text of lines.slice(0, 3)) {
          const way = { ...ways['send --enter'], texts: [text] } as Way;
          expect(await give(agent, way)).toEqual([text]);
        }
      },
    );
  });
}
