import { describe, expect, it } from 'vitest';
import type { AdoptedPty, PtyHost, Step } from '#pty';
import { CollectedOutput, collectOutput } from '../../support/pty/collect-output.ts';
import type { HostFixture } from '../pty-host.ts';

const unavailable = { code: 'UNAVAILABLE' };
const bytes = (text: string) => new Uint8Array(Buffer.from(text));
const text = (blob: Uint8Array | undefined) => Buffer.from(blob ?? []).toString();

export function survivingContract(fixture: HostFixture): void {
  /** Tests a host whose programs outlive their coordinator. */
  const hosted = (title: string, test: (next: () => Promise<PtyHost>) => Promise<void>) =>
    it(title, async ({ skip }) => {
      const { next } = fixture;
      if (next === null) return skip('the programs end with their coordinator');
      return test(next);
    });

  const onlyOf = (adopted: readonly AdoptedPty[]): AdoptedPty => {
    expect(adopted).toHaveLength(1);
    return adopted[0] as AdoptedPty;
  };

  describe('a coordinator that leaves', () => {
    it('fails, or leaves the programs running', async () => {
      const { pty } = await fixture.start('sleep', ['1000']);
      expect(pty.isSaved).toBe(fixture.next !== null);
      expect(await fixture.host.adopt()).toEqual([]);
      if (fixture.next === null) {
        await expect(fixture.host.detach()).rejects.toMatchObject(unavailable);
        pty.save({ facts: bytes('ignored') });
        return;
      }
      await fixture.host.detach();
      expect(() => process.kill(pty.pid, 0)).not.toThrow();
      await expect(pty.write(bytes('x'))).rejects.toMatchObject(unavailable);
      await expect(pty.end()).rejects.toMatchObject(unavailable);
      await expect(fixture.host.adopt()).rejects.toMatchObject(unavailable);
      await fixture.next();
    });

    hosted(
      'leaves programs with their output, to be read and written by the next',
      async (next) => {
        const first = await fixture.start('sh', ['-c', 'stty -echo; echo ready; exec cat']);
        await first.output.untilText('ready');
        await first.pty.write(bytes('one\n'));
        await first.output.untilText('one\r\n');
        await fixture.host.detach();
        const host = await next();
        const { pty, answeredTo, lastEnterAt, exited, outputEnd } = onlyOf(await host.adopt());
        expect([pty.pid, pty.program]).toEqual([first.pty.pid, first.pty.program]);
        expect([answeredTo, exited, outputEnd]).toEqual([0, null, first.output.bytes.length]);
        expect(lastEnterAt).toBe('ready\r\n'.length);
        expect(await host.adopt()).toEqual([]);
        const output = collectOutput(pty);
        await output.untilText('one\r\n');
        await pty.write(bytes('two\n'));
        await output.untilText('two\r\n');
        expect(output.text).toBe('ready\r\none\r\ntwo\r\n');
        await pty.end();
      },
    );

    hosted('leaves the exit of a program, its time, and what was saved', async (next) => {
      const facts = bytes('facts');
      const secrets = ['a secret'];
      const script = 'echo ready; read line; echo $line; exit 7';
      const { pty, output } = await fixture.start('sh', ['-c', script], { facts, secrets });
      await output.untilText('ready');
      const offset = output.bytes.length;
      const { stepsDelivered: steps } = pty;
      pty.save({ state: { offset, steps, bytes: bytes('state') } });
      const segment = (from: number, to: number) => ({ from, to, bytes: bytes(`${from}-${to}`) });
      pty.save({ segments: [segment(0, 5), segment(5, 9)] });
      pty.save({ replaceFrom: 5, segments: [segment(5, 7), segment(7, 20)], firstLine: 5 });
      const before = Date.now();
      await pty.write(bytes('last\n'), { answersTo: 4 });
      await fixture.host.detach();
      let adopted = onlyOf(await (await next()).adopt());
      const readopt = async () => {
        adopted = onlyOf(await (await next()).adopt());
        return adopted.exited?.status;
      };
      await expect.poll(readopt).toEqual({ code: 7, signal: null });
      expect(adopted.answeredTo).toBe(4);
      expect(text(adopted.saved.facts)).toBe('facts');
      expect(adopted.secrets).toEqual(secrets);
      expect(adopted.saved.state).toEqual({ offset, steps, bytes: bytes('state') });
      expect(adopted.saved.segments.map(({ bytes: each }) => text(each))).toEqual(['5-7', '7-20']);
      expect(adopted.pty.outputStart).toBe(offset);
      const after = new CollectedOutput();
      adopted.pty.readOutput(offset, (chunk) => after.take(chunk));
      expect(await adopted.pty.exit).toEqual({ code: 7, signal: null });
      expect(after.text).toBe('last\r\nlast\r\n');
      expect(adopted.pty.exitedAtMs).toBeGreaterThanOrEqual(before);
      expect(adopted.pty.exitedAtMs).toBeLessThanOrEqual(Date.now());
    });

    hosted('leaves the resizes and notes after the saved state', async (next) => {
      const { pty, output } = await fixture.start('sh', ['-c', 'echo ready; exec sleep 1000']);
      await output.untilText('ready');
      await pty.resize({ cols: 90, rows: 30 });
      const offset = output.bytes.length;
      const { stepsDelivered: steps } = pty;
      expect(steps).toBe(1);
      pty.note('frame_end');
      await pty.resize({ cols: 91, rows: 31 });
      // An older state, after which there are steps at its offset.
      pty.save({ state: { offset, steps, bytes: bytes('') } });
      await fixture.host.detach();
      const host = await next();
      const adopted = onlyOf(await host.adopt());
      const stepList: Step[] = [];
      adopted.pty.onStep((step) => stepList.push(step));
      expect(adopted.pty.stepsDelivered).toBe(1);
      adopted.pty.readOutput(offset, () => {});
      await expect.poll(() => stepList).toHaveLength(2);
      expect(stepList).toEqual([
        { type: 'note', offset, note: 'frame_end' },
        { type: 'resize', offset, size: { cols: 91, rows: 31 } },
      ]);
      expect(adopted.pty.stepsDelivered).toBe(3);
    });

    hosted('knows the ids of input of the one before', async (next) => {
      const script = 'stty raw -echo; printf ready; exec head -c 4';
      const { pty, output } = await fixture.start('sh', ['-c', script]);
      await output.untilText('ready');
      await pty.write(bytes('ab'), { inputId: 'first' });
      await fixture.host.detach();
      const host = await next();
      const adopted = onlyOf(await host.adopt());
      const later = collectOutput(adopted.pty);
      await adopted.pty.write(bytes('ab'), { inputId: 'first' });
      await adopted.pty.write(bytes('cd'), { inputId: 'second' });
      await adopted.pty.exit;
      expect(later.text).toBe('readyabcd');
    });
  });
}
