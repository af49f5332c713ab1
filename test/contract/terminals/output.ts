import { describe, expect, it } from 'vitest';
import type { TerminalsFixture } from '../terminals.ts';

/** Output needs a moment to reach the client. */

export function outputContract(fixture: TerminalsFixture): void {
  describe('terminal/output', () => {
    it('[S2.04] is the output so far, with the exit status only after the exit', async () => {
      const { pair, coordinator } = fixture;
      const terminal = await pair.run('echo first; read line; echo second; exit 3');
      const first = { output: 'first\n', truncated: false };
      await expect.poll(() => pair.output(terminal)).toEqual(first);
      await coordinator.sendText(terminal, 'typed\r');
      await pair.waitForExit(terminal);
      expect(await pair.output(terminal)).toEqual({
        output: 'first\ntyped\nsecond\n',
        truncated: false,
        exitStatus: { exitCode: 3, signal: null },
      });
    });

    it('[S2.04] has all output from before the exit as soon as it reports the exit', async () => {
      const { pair } = fixture;
      const ends = Array.from({ length: 20 }, async (_, n) => {
        const terminal = await pair.run(`seq 1 ${1000 + n}; printf last`);
        for (;;) {
          const { output, exitStatus } = await pair.output(terminal);
          if (exitStatus) return output.slice(-9);
        }
      });
      expect(await Promise.all(ends)).toEqual(ends.map((_, n) => `${1000 + n}\nlast`.slice(-9)));
    });

    it('[S2.04] is text: line ends are line feeds; colours and titles are removed', async () => {
      const { pair } = fixture;
      const line = String.raw`printf '\033]0;title\007\033[1;31mred\033[m\n10%%\r20%%\r\nä€😀\n'`;
      expect(await pair.outputOf(line)).toMatchObject({ output: 'red\n10%\r20%\nä€😀\n' });
    });

    it('[S2.04] keeps control functions if the client requests them', async () => {
      const pair = await fixture.another({ escapes: 'keep' });
      const { output } = await pair.outputOf(String.raw`printf '\033[1;31mred\033[m\n'`);
      expect(output).toBe('\x1b[1;31mred\x1b[m\n');
    });

    it('[S2.04] is the beginning of later output, however often it is requested', async () => {
      const { pair } = fixture;
      const line = String.raw`for i in $(seq 1 300); do printf '%s\r\033[K' "working ä $i"; printf '€%s\n' $i; done`;
      const terminal = await pair.run(line);
      let last = '';
      for (let isOver = false; !isOver; ) {
        const { output, exitStatus } = await pair.output(terminal);
        expect(output.startsWith(last)).toBe(true);
        last = output;
        isOver = exitStatus != null;
      }
      expect(last).toMatch(/€300\n$/);
    });

    it('[S2.03] keeps the end within the limit, truncated between two characters', async () => {
      const { pair } = fixture;
      const line = "printf 'a€😀b'";
      const texts = ['', 'b', 'b', 'b', 'b', '😀b', '😀b', '😀b', '€😀b', 'a€😀b', 'a€😀b'];
      for (const [outputByteLimit, output] of texts.entries()) {
        expect(await pair.outputOf(line, { outputByteLimit })).toMatchObject({
          output,
          truncated: outputByteLimit < 9,
        });
      }
    });

    it('[S2.03] never exceeds the limit, and reports truncation only then', async () => {
      const { pair } = fixture;
      const terminal = await pair.run('yes ä | head -n 20000', { outputByteLimit: 10_001 });
      let wasCut = false;
      for (let isOver = false; !isOver; ) {
        const { output, truncated, exitStatus } = await pair.output(terminal);
        expect(Buffer.byteLength(output)).toBeLessThanOrEqual(10_001);
        expect(output).toMatch(/^(ä?\n)?(ä\n)*ä?$/);
        if (wasCut) expect(truncated).toBe(true);
        wasCut = truncated;
        isOver = exitStatus != null;
      }
      const { output, truncated } = await pair.output(terminal);
      expect([Buffer.byteLength(output), truncated]).toEqual([10_000, true]);
    });

    it('[S2.03] has a default limit, and an upper bound for all agents', async () => {
      const pair = await fixture.another({ outputBytes: 10, maxOutputBytes: 20 });
      const line = 'seq 10 30';
      const lengthOf = async (outputByteLimit: number | null) =>
        (await pair.outputOf(line, { outputByteLimit })).output.length;
      expect(await Promise.all([null, 15, 1e6, Number.MAX_SAFE_INTEGER].map(lengthOf))).toEqual([
        10, 15, 20, 20,
      ]);
    });

    it('keeps all output of a fast program', async () => {
      const { pair } = fixture;
      const read = await pair.outputOf('seq 1 150000', { outputByteLimit: 4_000_000 });
      expect(read.truncated).toBe(false);
      expect(read.output).toBe(
        Array.from({ length: 150_000 }, (_, index) => `${index + 1}\n`).join(''),
      );
    });
  });
}
