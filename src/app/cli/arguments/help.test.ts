import { describe, expect, it } from 'vitest';
import { allVerbs, verbGroups } from '../verbs/index.ts';
import { firstLines, helpWidth, overview, verbHelp } from './help.ts';

const tooLong = (text: string, wide: number): string[] =>
  text.split('\n').filter((line) => line.length > wide);

describe('help', () => {
  it.each([
    [null, 80],
    [200, 80],
    [40, 40],
    [5, 20],
  ])('in a terminal of %s columns is %d wide', (columns, wide) => {
    expect(helpWidth(columns)).toBe(wide);
  });

  it.each([80, 60, 59, 40])('of the command fits into %d columns', async (wide) => {
    expect(tooLong(overview(await verbGroups(), wide), wide)).toEqual([]);
    expect(tooLong(firstLines('0.1.0', wide), wide)).toEqual([]);
  });

  it('of a verb wraps all but what one types', async () => {
    for (const verb of await allVerbs()) {
      const [usage = '', ...lines] = verbHelp(verb, 40).split('\n');
      expect(usage).toMatch(/^usage: /);
      const typed = /^ {2}\S/;
      const long = lines.filter((line) => line.length > 40 && !typed.test(line));
      expect([verb.name, long.filter((line) => line.trim().includes(' '))]).toEqual([
        verb.name,
        [],
      ]);
    }
  });
});
