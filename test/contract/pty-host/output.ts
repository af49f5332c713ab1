import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { CollectedOutput, collectOutput } from '../../support/pty/collect-output.ts';
import { isAlive } from '../../support/pty/process-facts.ts';
import type { HostFixture } from '../pty-host.ts';

const maxProgramBytes = 200_000;
const programs = 1_000;
/** Files that a paused program writes: more than fits into the kernel and a host. */
const pausedFiles = 20;
const atATime = 16;

/** Bytes whose position is unique among its neighbours; no control characters. */
function pattern(length: number): Buffer {
  const bytes = Buffer.alloc(length);
  for (let i = 0; i < length; i++) bytes[i] = 0x21 + ((i * 7 + (i >> 8)) % 94);
  return bytes;
}

/** From 0 to the maximum, mostly short, as the outputs of programs are. */
function sizeOf(index: number): number {
  return index % 10 === 0 ? (index * 200) % (maxProgramBytes + 1) : (index * 37) % 5_000;
}

export function outputContract(fixture: HostFixture): void {
  describe('output', () => {
    const everything = pattern(maxProgramBytes);
    let directory = '';
    let file = '';

    beforeAll(() => {
      directory = mkdtempSync(join(tmpdir(), 'vtr-output-'));
      file = join(directory, 'pattern');
      writeFileSync(file, everything);
    });
    afterAll(() => rmSync(directory, { recursive: true }));

    const print = (length: number) => fixture.start('head', ['-c', String(length), file]);

    it('is complete to the byte before the exit, a thousand times', async () => {
      const lost: string[] = [];
      let next = 0;
      const runOne = async () => {
        for (let index = next++; index < fixture.times(programs); index = next++) {
          const length = sizeOf((index * 7) % programs);
          const { pty, output } = await print(length);
          let atExit: Uint8Array = new Uint8Array(0);
          pty.onExit(() => {
            atExit = output.bytes;
          });
          await pty.exit;
          if (!everything.subarray(0, length).equals(atExit)) {
            lost.push(`program ${index}: ${atExit.length} of ${length}`);
          }
          await pty.end();
        }
      };
      await Promise.all(Array.from({ length: atATime }, runOne));
      expect(lost).toEqual([]);
      expect(next).toBeGreaterThanOrEqual(fixture.times(programs));
    }, 120_000);

    it('includes output from before the reader was added, without repeats', async () => {
      const { pty, output } = await fixture.start('sh', [
        '-c',
        'echo early; read -r _; echo late; exit 0',
      ]);
      await output.untilText('early');
      const second = collectOutput(pty);
      await pty.write(Buffer.from('\n'));
      await pty.exit;
      const third = collectOutput(pty);
      expect(second.bytes).toEqual(output.bytes);
      expect(third.bytes).toEqual(output.bytes);
      expect(output.text).toMatch(/early\r\n[\s\S]*late\r\n$/);
    });

    it('is addressed by absolute offset', async () => {
      const { pty, output } = await print(50_000);
      await pty.exit;
      const rest = collectOutput(pty, 30_001);
      expect(pty.outputEnd).toBe(50_000);
      expect(rest.start).toBe(30_001);
      expect(rest.bytes).toEqual(output.bytes.subarray(30_001));
      expect(collectOutput(pty, 50_000).start).toBeNull();
    });

    it('is kept up to the limit; the offset shows how much is dropped', async () => {
      const logBytes = 70_000;
      const { pty } = await fixture.start('cat', [file], { logBytes });
      await pty.exit;
      const late = collectOutput(pty, 0);
      expect(pty.outputStart).toBeGreaterThan(0);
      expect(late.start).toBe(pty.outputStart);
      expect(late.end).toBe(maxProgramBytes);
      expect(late.bytes.length).toBeGreaterThanOrEqual(logBytes);
      expect(late.bytes.length).toBeLessThan(logBytes + 2 * 64 * 1024);
      expect(late.bytes).toEqual(everything.subarray(pty.outputStart));
    });

    it('is kept up to the limit, even if less of it is at hand', async () => {
      const { pty } = await fixture.start('cat', [file, file, file, file]);
      await pty.exit;
      const all = Buffer.concat([everything, everything, everything, everything]);
      const chunks = await pty.keptOutput(10);
      expect(chunks[0]?.offset).toBe(10);
      expect(all.subarray(10).equals(Buffer.concat(chunks.map(({ bytes }) => bytes)))).toBe(true);
      expect(await pty.keptOutput(all.length)).toEqual([]);
      const last = await pty.keptOutput(all.length - 5);
      expect(last).toEqual([{ offset: all.length - 5, bytes: new Uint8Array(all.subarray(-5)) }]);
    });

    it('is kept while more arrives, without a gap', async () => {
      const { pty, output } = await fixture.start('yes');
      const from = 500_000;
      await output.untilLength(2 * from);
      const chunks = await pty.keptOutput(from);
      const first = chunks[0]?.offset ?? 0;
      const bytes = Buffer.concat(chunks.map((chunk) => chunk.bytes));
      for (const [at, chunk] of chunks.entries()) {
        const next = chunks[at + 1]?.offset ?? pty.outputEnd;
        expect(chunk.offset + chunk.bytes.length).toBe(next);
      }
      expect(first + bytes.length).toBe(pty.outputEnd);
      expect(bytes.equals(output.bytes.subarray(first, first + bytes.length))).toBe(true);
    });

    it('never changes a delivered chunk', async () => {
      const chunks: { offset: number; bytes: Uint8Array }[] = [];
      const { pty } = await fixture.start('cat', [file], { logBytes: 4_096 });
      pty.readOutput(0, (chunk) => chunks.push(chunk));
      await pty.exit;
      expect(Buffer.concat(chunks.map((chunk) => chunk.bytes))).toEqual(everything);
    });

    it('removes a reader that throws or is disposed, without effect on the others', async () => {
      const { pty, output } = await fixture.start('sh', ['-c', 'echo a; read -r _; echo b']);
      await output.untilText('a');
      let thrown = 0;
      pty.readOutput(0, () => {
        thrown++;
        throw new Error('reader');
      });
      let left = 0;
      const leaving = pty.readOutput(0, () => left++);
      leaving.dispose();
      const offset = left;
      await pty.write(Buffer.from('\n'));
      await pty.exit;
      expect(output.text).toContain('b\r\n');
      expect(thrown).toBe(1);
      expect(left).toBe(offset);
    });

    it('may be read, paused and resumed from within the listener', async () => {
      const { pty } = await print(100_000);
      const outer = new CollectedOutput();
      const inner = new CollectedOutput();
      let isAsked = false;
      pty.readOutput(0, (chunk) => {
        if (!isAsked) pty.readOutput(0, (again) => inner.take(again));
        isAsked = true;
        pty.pause();
        pty.resume();
        outer.take(chunk);
      });
      await pty.exit;
      expect(outer.bytes).toEqual(everything.subarray(0, 100_000));
      expect(inner.bytes).toEqual(everything.subarray(0, 100_000));
    });

    it('has a resize as a step at its offset: the program had the new size from there on', async () => {
      const script = `trap 'stty size' WINCH; echo ready; while :; do sleep 0.02; done`;
      const { pty, output } = await fixture.start('sh', ['-c', script]);
      const texts: string[] = [];
      pty.readOutput(0, ({ bytes }) => texts.push(Buffer.from(bytes).toString('latin1')));
      pty.onStep((step) => texts.push(JSON.stringify(step)));
      await output.untilText('ready\r\n');
      const offset = await pty.resize({ cols: 99, rows: 33 });
      await output.untilText('33 99\r\n');
      const step = JSON.stringify({ type: 'resize', offset, size: { cols: 99, rows: 33 } });
      const at = texts.indexOf(step);
      expect(texts.slice(0, at).join('')).toBe('ready\r\n');
      expect(texts.slice(at + 1).join('')).toBe('33 99\r\n');
      expect(offset).toBe(7);
    });

    it('stops while paused, except for output that the host has read, and continues after', async () => {
      const files = Array<string>(pausedFiles).fill(file);
      const { pty, output } = await fixture.start('cat', files);
      await output.untilLength(1);
      pty.pause();
      const before = output.end;
      const meanwhile = await fixture.start('sleep', ['0.3']);
      await meanwhile.pty.exit;
      expect(output.end).toBe(before);
      expect(pty.outputEnd).toBe(before);
      // What is at hand can be read meanwhile.
      const atHand = pty.outputAtHand(pty.outputStart);
      const length = atHand.reduce((sum, { bytes }) => sum + bytes.length, 0);
      expect(atHand[0]?.offset).toBe(pty.outputStart);
      expect(length).toBeGreaterThanOrEqual(before - pty.outputStart);
      expect(isAlive(pty.pid)).toBe(true);
      pty.resume();
      await pty.exit;
      expect(output.bytes.equals(Buffer.concat(files.map(() => everything)))).toBe(true);
    });

    describe('of a program that exits while the reader is paused', () => {
      const pausedAtExit = async () => {
        const args = ['-c', '8000', file];
        const { pty, output } = await fixture.start('head', args, { logBytes: 1_000 });
        pty.pause();
        await vi.waitFor(() => expect(isAlive(pty.pid)).toBe(false));
        await vi.waitFor(() => expect(pty.resize({ cols: 9, rows: 9 })).rejects.toThrow());
        return { pty, output };
      };

      it('is delivered after the reader resumes, and then the exit', async () => {
        const { pty, output } = await pausedAtExit();
        const order: string[] = [];
        pty.readOutput(0, () => order.push('output'));
        pty.onExit(() => order.push('exit'));
        expect(order).toEqual([]);
        pty.resume();
        await pty.exit;
        expect(output.bytes).toEqual(everything.subarray(0, 8_000));
        expect(order.at(-1)).toBe('exit');
        expect(order.filter((each) => each === 'exit')).toHaveLength(1);
      });

      it('is delivered in order to a reader that pauses and resumes at every chunk', async () => {
        const { pty } = await pausedAtExit();
        const output = new CollectedOutput();
        let endAtExit = -1;
        pty.onExit(() => {
          endAtExit = output.end;
        });
        pty.readOutput(0, (chunk) => {
          pty.pause();
          pty.resume();
          output.take(chunk);
        });
        pty.resume();
        await pty.exit;
        expect(endAtExit).toBe(8_000);
        expect(output.bytes).toEqual(everything.subarray(0, 8_000));
      });
    });
  });
}
