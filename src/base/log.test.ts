import { expect, it } from 'vitest';
import { logLevels, logUpTo } from './log.ts';

it.each([
  ['error', 1],
  ['warn', 2],
  ['info', 3],
  ['debug', 4],
] as const)('up to %s, %i levels are logged', (level, count) => {
  const said: string[] = [];
  const log = logUpTo(level, (line) => said.push(line));
  for (const each of logLevels) log(each, each);
  expect(said).toEqual(logLevels.slice(0, count));
});
