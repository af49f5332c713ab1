import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { AcpPair } from '../support/acp/acp-pair.ts';
import { MeasuredDaemon, report } from '../support/command/measured-daemon.ts';
import { openFiles, residentMb, threads, zombies } from '../support/pty/process-facts.ts';

const rounds = 1000;
const atATime = 10;

const factsOf = (pid: number) => ({
  files: openFiles(pid),
  threads: threads(pid),
  zombies: zombies(pid),
});

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

/** The memory in use of this process, in MB of 1,048,576 bytes. */
function heldMb(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 2 ** 20;
}

describe('terminals of an agent, at a daemon', () => {
  it('keep the end of 100 MB within 1 MB, and cost the client and the daemon little memory', async () => {
    const daemon = await MeasuredDaemon.start();
    const pair = await AcpPair.connect({ coordinator: daemon.coordinator });
    const line = 'yes 0123456789abcde | head -c 100000000; echo end';
    const outputByteLimit = 1_000_000;
    const before = heldMb();
    let clientMb = before;
    const begin = performance.now();
    const daemonMb = await daemon.growthMb(async () => {
      const terminal = await pair.run(line, { outputByteLimit });
      let polls = 0;
      for (let isOver = false; !isOver; polls++) {
        const { output, truncated, exitStatus } = await pair.output(terminal);
        expect(Buffer.byteLength(output)).toBeLessThanOrEqual(outputByteLimit);
        isOver = exitStatus != null;
        if (isOver) expect([truncated, output.slice(-10)]).toEqual([true, 'abcde\nend\n']);
        clientMb = Math.max(clientMb, heldMb());
        if (!isOver) await new Promise((resolve) => setTimeout(resolve, 250));
      }
      report({ polls });
      await pair.release(terminal);
    });
    const growthMb = clientMb - before;
    report({ ms: performance.now() - begin, daemonMb, growthMb });
    expect(growthMb).toBeLessThan(20);
    expect(daemonMb).toBeLessThan(100);
    await pair.close();
  });

  it('are created and released a thousand times, and leave nothing in the client or the daemon', async () => {
    const daemon = await MeasuredDaemon.start();
    const { coordinator, pid } = daemon;
    const pair = await AcpPair.connect({ coordinator, keepReleasedMs: 0 });
    const turns = async (count: number) => {
      for (let round = 0; round < count; round += atATime) {
        const terminals = await Promise.all(
          Array.from({ length: atATime }, () => pair.run('echo text; exec cat')),
        );
        await Promise.all(terminals.map((each) => pair.release(each)));
      }
    };
    await turns(rounds / 10);
    const facts = () => ({ client: factsOf(process.pid), daemon: factsOf(pid) });
    const [before, clientMb, daemonMb] = [facts(), heldMb(), residentMb(pid)];
    const begin = performance.now();
    await turns(rounds);
    const ms = performance.now() - begin;
    report({ ms, clientMb: heldMb() - clientMb, daemonMb: residentMb(pid) - daemonMb });
    expect(await coordinator.list()).toEqual([]);
    await expect.poll(facts, { timeout: 10_000 }).toEqual(before);
    expect(heldMb() - clientMb).toBeLessThan(5);
    expect(residentMb(pid) - daemonMb).toBeLessThan(50);
    await pair.close();
  });
});
