import { spawn } from 'node:child_process';
import { Readable, Writable } from 'node:stream';
import * as acp from '@agentclientprotocol/sdk';
import { describe, expect, onTestFinished } from 'vitest';
import { LocalCoordinator } from '#coordinator';
import { mountTerminals, terminalCapabilities } from '#wire/acp';
import { agentEnvironment, installedAgent, withNetwork } from '../support/acp/real-agent.ts';
import { ScriptedModel, type Step } from '../support/mcp/scripted-model.ts';
import { tree } from '../support/tree.ts';

const bash = (input: object): ReturnType<Step> => ({
  name: 'mcp__acp__Bash',
  input: { timeout: 20_000, description: 'A step', ...input },
});

const backgroundId = (answered: string): string => /term_[a-z0-9]{8}/.exec(answered)?.[0] ?? '';
let background = '';

/** The steps of the model. */
const steps: readonly Step[] = [
  () => bash({ command: String.raw`pwd; printf '\033[31mred\033[m\n'; test -t 1 && exit 3` }),
  () => bash({ command: 'echo before; sleep 1000', timeout: 500 }),
  () => bash({ command: 'for i in 1 2 3; do echo part $i; done; cat', run_in_background: true }),
  (answered) => {
    background = backgroundId(answered);
    const input = { task_id: background, block: false, timeout: 1000 };
    return { name: 'mcp__acp__BashOutput', input };
  },
  () => ({ name: 'mcp__acp__KillShell', input: { shell_id: background } }),
  () => bash({ command: 'seq 1 100000' }),
];

describe('a real agent, with a scripted model', () => {
  withNetwork(
    '[S2.09] runs commands in terminals of vtr, with their output, time-outs and ends',
    async () => {
      const { model, url } = await ScriptedModel.start(steps);
      const home = tree();
      const agent = spawn(process.execPath, [await installedAgent()], {
        cwd: home,
        env: agentEnvironment(home, url),
        stdio: ['pipe', 'pipe', 'ignore'],
      });
      onTestFinished(() => void agent.kill('SIGKILL'));
      const coordinator = new LocalCoordinator();
      onTestFinished(() => coordinator.close());

      const embedded = new Set<string>();
      const editor = acp
        .client({ name: 'editor' })
        .onNotification('session/update', ({ params: { update } }) => {
          const { content } = update as { content?: unknown };
          for (const each of Array.isArray(content) ? content : []) {
            if (each.type === 'terminal') embedded.add(each.terminalId);
          }
        })
        .onRequest('session/request_permission', ({ params: { options } }) => {
          const { optionId = '' } = options.find(({ kind }) => kind === 'allow_once') ?? {};
          return { outcome: { outcome: 'selected', optionId } };
        });
      const terminals = mountTerminals(editor, { coordinator, cwd: () => home });
      const stream = acp.ndJsonStream(
        Writable.toWeb(agent.stdin),
        Readable.toWeb(agent.stdout) as ReadableStream<Uint8Array>,
      );
      const stopReason = await editor.connectWith(stream, async (context) => {
        await context.request('initialize', {
          protocolVersion: acp.PROTOCOL_VERSION,
          clientCapabilities: terminalCapabilities,
        });
        const { sessionId } = await context.request('session/new', { cwd: home, mcpServers: [] });
        const prompt = [{ type: 'text' as const, text: 'Go' }];
        const params: acp.PromptRequest = { sessionId, prompt };
        return (await context.request('session/prompt', params)).stopReason;
      });
      await terminals.ended();

      expect(stopReason).toBe('end_turn');
      const [line, timedOut, started, output, killed, long] = model.answered;
      expect(line).toMatch(new RegExp(`Exited with code 3\\..*\n\n${home}\nred\n$`));
      expect(timedOut).toMatch(/^Timed out\. .*\n\nbefore\n/);
      expect(started).toContain(background);
      expect(output).toMatch(/part 1\npart 2\npart 3\n/);
      expect(killed).toBe('Command killed successfully.');
      expect(long).toMatch(/99999\n100000\n/);
      const sessions = await coordinator.list();
      expect(sessions.map(({ name, state }) => [name, state])).toEqual(
        [...embedded].map((name) => [name, 'exited']),
      );
      expect(sessions).toHaveLength(4);
    },
  );
});
