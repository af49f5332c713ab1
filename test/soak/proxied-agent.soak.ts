import { spawn } from 'node:child_process';
import { Readable, Writable } from 'node:stream';
import * as acp from '@agentclientprotocol/sdk';
import { describe, expect, onTestFinished } from 'vitest';
import { agentEnvironment, installedAgent, withNetwork } from '../support/acp/real-agent.ts';
import { exitOf } from '../support/command/running-daemon.ts';
import { Place, vtrFile } from '../support/command/vtr-command.ts';
import { ScriptedModel, type Step } from '../support/mcp/scripted-model.ts';

const bash = (command: string): ReturnType<Step> => ({
  name: 'mcp__acp__Bash',
  input: { command, timeout: 20_000, description: 'A step' },
});

const steps: readonly Step[] = [
  () => bash(String.raw`pwd; printf '\033[31mred\033[m\n'; exit 3`),
  () => bash('seq 1 20000'),
];

describe('a real agent behind vtr acp, whose editor has no terminals', () => {
  withNetwork(
    '[S2.01] runs its commands in sessions of vtr, and its editor sees text',
    async () => {
      const place = new Place();
      const { model, url } = await ScriptedModel.start(steps);
      const agent = [process.execPath, await installedAgent()];
      const proxy = spawn(process.execPath, [vtrFile, 'acp', '--', ...agent], {
        cwd: place.directory,
        env: { ...agentEnvironment(place.directory, url), ...place.env },
        stdio: ['pipe', 'pipe', 'ignore'],
      });
      onTestFinished(() => void proxy.kill('SIGKILL'));
      let output = '';
      const editor = acp
        .client({ name: 'editor' })
        .onNotification('session/update', ({ params }) => {
          output += `${JSON.stringify(params)}\n`;
        })
        .onRequest('session/request_permission', ({ params: { options } }) => {
          const { optionId = '' } = options.find(({ kind }) => kind === 'allow_once') ?? {};
          return { outcome: { outcome: 'selected', optionId } };
        });
      const stream = acp.ndJsonStream(
        Writable.toWeb(proxy.stdin),
        Readable.toWeb(proxy.stdout) as ReadableStream<Uint8Array>,
      );
      await editor.connectWith(stream, async (context) => {
        await context.request('initialize', { protocolVersion: acp.PROTOCOL_VERSION });
        const params: acp.NewSessionRequest = { cwd: place.directory, mcpServers: [] };
        const { sessionId } = await context.request('session/new', params);
        const prompt = [{ type: 'text' as const, text: 'Go' }];
        await context.request('session/prompt', { sessionId, prompt });
      });
      proxy.stdin.end();
      await exitOf(proxy);

      const [first, second] = model.answered;
      // It has no directory, so the directory of its conversation is used.
      expect(first).toMatch(new RegExp(`Exited with code 3\\..*\n\n${place.directory}\nred\n$`));
      expect(second).toMatch(/19999\n20000\n/);
      expect(output).not.toContain('"type":"terminal"');
      expect(output).toMatch(/red\\n```\\nexited 3 · `vtr screen term_\w{8}`/);
      expect(output).toMatch(/\.\.\. 19\d\d\d lines before\\n/);
      const { sessions } = await place.json('ls');
      expect(sessions.map(({ status }: { status: string }) => status)).toEqual([
        'exited',
        'exited',
      ]);
    },
  );
});
