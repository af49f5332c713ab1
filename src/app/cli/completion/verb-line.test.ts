import { expect, it } from 'vitest';
import { allVerbs } from '../verbs/index.ts';
import { completions, lineVerbs, withSession } from './verb-line.ts';
import { type CompletedVerb, completedVerbs } from './words.ts';

// As a process prints them.
const verbs: CompletedVerb[] = JSON.parse(JSON.stringify(completedVerbs(await allVerbs())));
const sessions = ['api', 'build'];

it.each([
  [
    ['info', ''],
    ['api', 'build'],
  ],
  [['send', 'api', ''], []],
  [
    ['web', ''],
    ['share', 'status'],
  ],
  [
    ['record', 'st'],
    ['start', 'stop'],
  ],
  [
    ['record', 'start', ''],
    ['api', 'build'],
  ],
  [
    ['ls', '--sort', ''],
    ['need', 'age', 'name', 'active'],
  ],
  [['info', '--js'], ['--json']],
  [['wait', 'api', '--timeout', '5s', '--pro'], ['--prompt']],
  [
    ['kill', 'api', ''],
    ['api', 'build'],
  ],
  [['nonsense', ''], []],
])('%j goes on with %j', (words, some) => {
  expect(completions(verbs, words, sessions)).toEqual(expect.arrayContaining(some));
  if (some.length === 0) expect(completions(verbs, words, sessions)).toEqual([]);
});

it.each([
  ['info', 'info work'],
  ['info --json', 'info work --json'],
  ['info api', 'info api'],
  ['info gone', 'info gone'],
  ['send ls --enter', 'send work ls --enter'],
  ['send api ls', 'send api ls'],
  ['send gpu:train ls', 'send gpu:train ls'],
  ['wait --idle 1s', 'wait work --idle 1s'],
  ['run -- make', 'run work -- make'],
  ['record start', 'record start work'],
  // These are for several sessions, or for all.
  ['kill gone', 'kill gone'],
  ['ls', 'ls'],
  ['nonsense', 'nonsense'],
])('%s is %s', (line, run) => {
  const place = { session: 'work', sessions };
  expect(withSession(verbs, line.split(' '), place).join(' ')).toBe(run);
});

it('offers the verbs that need no terminal', () => {
  const names = lineVerbs(verbs);
  expect(names).toEqual(expect.arrayContaining(['info', 'record', 'ls']));
  for (const name of ['attach', 'ui', 'mcp', 'connect']) expect(names).not.toContain(name);
});
