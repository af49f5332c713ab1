import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it, onTestFinished } from 'vitest';
import { AcpEditor, type Step } from '../support/acp/acp-editor.ts';
import { report } from '../support/command/measured-daemon.ts';
import { Place, vtrFile } from '../support/command/vtr-command.ts';
import { openFiles, residentMb, threads } from '../support/pty/process-facts.ts';

const rounds = 40;
const atATime = 10;

/** Each is created, shown in a tool call, awaited and released. */
function terminals(round: number): Step[] {
  return Array.from({ length: atATime }, (_, index): Step[] => {
    const params = { terminalId: `$${index * 4}.terminalId` };
    const toolCallId = `call-${round}-${index}`;
    const content = [{ type: 'terminal', ...params }];
    const update = { sessionUpdate: 'tool_call', toolCallId, title: 'x', content };
    return [
      { request: 'terminal/create', params: { command: 'seq', args: ['50'] } },
      { notify: 'session/update', params: { update } },
      { request: 'terminal/wait_for_exit', params },
      { request: 'terminal/release', params },
    ];
  }).flat();
}

describe('vtr acp', () => {
  it('creates, shows and releases hundreds of terminals, and keeps none', async () => {
    const place = new Place();
    const editor = await AcpEditor.start(place);
    const pid = editor.child.pid ?? 0;
    const facts = () => ({ files: openFiles(pid), threads: threads(pid) });
    for (let round = 0; round < 10; round++) await editor.prompt(...terminals(round));
    const [before, beforeMb] = [facts(), residentMb(pid)];
    const begin = performance.now();
    for (let round = 10; round < rounds; round++) {
      const answers = await editor.prompt(...terminals(round));
      expect(answers.filter((answer) => answer?.error)).toEqual([]);
      editor.updates.splice(0, editor.updates.length - 100);
    }
    const growthMb = residentMb(pid) - beforeMb;
    const each = (performance.now() - begin) / ((rounds - 10) * atATime);
    report({ msEach: each, growthMb });
    expect(facts()).toEqual(before);
    expect(growthMb).toBeLessThan(40);
    const shown = editor.updates.at(-1).content[0].content.text;
    expect(shown).toContain('\n50\n```\nexited 0');
    const { sessions } = await place.json('ls');
    expect(sessions.length).toBeLessThanOrEqual(20);
  });

  it('keeps little of the output that an editor does not read, and loses nothing', async () => {
    const place = new Place();
    const line = `{"method":"_flood","params":"${'x'.repeat(1000)}"}`;
    const agent = ['sh', '-c', `yes '${line}' | head -n 100000`];
    const proxy = spawn(process.execPath, [vtrFile, 'acp', '--', ...agent], {
      env: place.env,
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    onTestFinished(() => void proxy.kill('SIGKILL'));
    // Some output has arrived, and nothing is read for two seconds.
    await once(proxy.stdout, 'readable');
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    const heldMb = residentMb(proxy.pid ?? 0);
    let bytes = 0;
    const begin = performance.now();
    for await (const chunk of proxy.stdout) bytes += (chunk as Buffer).length;
    report({ heldMb, mbPerSecond: bytes / 1000 / (performance.now() - begin) });
    expect(bytes).toBe(100_000 * (line.length + 1));
    expect(heldMb).toBeLessThan(150);
  });
});
