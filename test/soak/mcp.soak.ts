import { describe, expect, it } from 'vitest';
import { report } from '../support/command/measured-daemon.ts';
import { Place } from '../support/command/vtr-command.ts';
import { McpHost } from '../support/mcp/mcp-client.ts';
import {
  openFiles,
  processesWith,
  residentMb,
  threads,
  zombies,
} from '../support/pty/process-facts.ts';
import { shortened } from '../support/run/durations.ts';

const rounds = shortened(200, 10);
const atATime = 5;

/** Creates this many sessions of a shell, each of which runs a command and is destroyed. */
async function makeAndDestroy(host: McpHost, rounds: number): Promise<void> {
  const one = async () => {
    const args = ['-c', 'echo hello; sleep 1000 & exec cat'];
    const { session_id } = await host.call('create_session', { program: 'sh', args });
    const read = { view: 'screen', wait_for: ['hello'] };
    const { content } = await host.call('read', { session_id, ...read });
    expect(content).toContain('hello');
    await host.call('destroy_session', { session_id, force: true });
  };
  for (let round = 0; round < rounds; round++) {
    await Promise.all(Array.from({ length: atATime }, one));
  }
}

describe('a thousand sessions, created and destroyed by one MCP server', () => {
  it.each([[['--embedded']], [[]]])(
    '%j leave no file, thread, process or memory',
    async (flags) => {
      const place = new Place();
      const mark = { VTR_TEST_MARK: place.directory };
      const host = await McpHost.process(place, { flags, env: mark });
      const pid = host.pid ?? 0;
      // Creates the objects of the first use before the count.
      await makeAndDestroy(host, 10);
      const running = () => processesWith(`VTR_TEST_MARK=${place.directory}`).length;
      const facts = () => ({
        files: openFiles(pid),
        threads: threads(pid),
        zombies: zombies(pid),
        running: running(),
      });
      const before = facts();
      const beforeMb = residentMb(pid);
      const begin = performance.now();
      await makeAndDestroy(host, rounds);
      const seconds = (performance.now() - begin) / 1000;
      const growthMb = residentMb(pid) - beforeMb;
      report({ seconds, growthMb });
      expect(await host.call('list_sessions')).toEqual({ sessions: [], count: 0 });
      await expect.poll(facts, { timeout: 10_000 }).toEqual(before);
      // Allows for a late garbage collection; remaining sessions would take 150.
      expect(growthMb).toBeLessThan(64);
    },
  );
});
