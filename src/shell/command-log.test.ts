import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { CommandRecord } from '#model';
import { runs } from '../../test/support/run/runs.ts';
import { CommandLog } from './command-log.ts';

const command = (number: number, length: number): CommandRecord => ({
  number,
  line: 'x'.repeat(length),
  cwd: null,
  state: 'ended',
  exitCode: 0,
  durationMs: 0,
  startedAtMs: 0,
  endedAtMs: 0,
  startRevision: 0,
  from: { line: null, col: 0, offset: number * 10 },
  to: { line: null, col: 0, offset: number * 10 + 5 },
});

it('[law] has the newest commands within its limits, whatever is read in between', () => {
  const limits = { maxCommands: 5, maxCharacters: 12 };
  const property = fc.property(
    fc.array(fc.record({ length: fc.nat(13), reads: fc.boolean() }), { maxLength: 40 }),
    (added) => {
      const log = new CommandLog(limits);
      const commands: CommandRecord[] = [];
      let dropped = 0;
      for (const [at, { length, reads }] of added.entries()) {
        const each = command(at + 1, length);
        log.add(each);
        commands.push(each);
        const characters = () => commands.reduce((sum, { line }) => sum + (line?.length ?? 0), 0);
        while (commands.length > limits.maxCommands || characters() > limits.maxCharacters) {
          commands.shift();
          dropped++;
        }
        if (reads) expect(log.all()).toEqual(commands);
        expect([log.newest, log.dropped]).toEqual([commands.at(-1) ?? null, dropped]);
        for (let number = 0; number < at + 3; number++) {
          expect(log.find(number)).toBe(
            commands.find((command) => command.number === number) ?? null,
          );
          const after = commands.find(({ to }) => (to?.offset ?? 0) >= number * 10) ?? null;
          expect(log.endedAfter(number * 10)).toBe(after);
        }
      }
    },
  );
  fc.assert(property, runs(50));
});
