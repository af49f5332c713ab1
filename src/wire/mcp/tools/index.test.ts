import { describe, expect, it } from 'vitest';
import * as z from 'zod/v4';
import type { Tool } from '../tool.ts';
import { terminalTools } from './index.ts';

/** What a model searches for that needs a terminal. */
const queries = [
  'terminal session',
  'start a terminal session',
  'pty',
  'interactive terminal program',
  'tmux',
  'terminal multiplexer tmux session',
  'send keys to terminal',
  'type text into a running program',
  'press enter or ctrl+c',
  'read terminal screen',
  'get terminal output',
  'run shell command',
  'run a command and get its exit code',
  'wait for output of a process',
  'REPL python interactive',
  'persistent shell',
  'answer a prompt of an interactive command',
  'TUI screen scrape',
  'run vim or htop',
  'ssh login with password prompt',
];

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[a-z0-9]+/g) ?? [];

interface Schema {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
}

const parameterText = ({ properties = {} }: Schema): string =>
  Object.entries(properties)
    .map(([name, schema]) => `${name} ${schema.description ?? ''} ${parameterText(schema)}`)
    .join(' ');

const textOf = ({ name, description, input }: Tool): string =>
  `${name} ${description} ${parameterText(z.toJSONSchema(input) as Schema)}`;

const listed = terminalTools.filter(({ isUnlisted }) => !isUnlisted);
const texts = listed.map((tool) => ({ name: tool.name, words: wordsOf(textOf(tool)) }));
const meanLength = texts.reduce((sum, { words }) => sum + words.length, 0) / texts.length;

/** BM25, by which Codex ranks tools; it returns eight. */
function ranked(query: string): string[] {
  const [k1, b, limit] = [1.2, 0.75, 8];
  const scoreOf = (words: readonly string[]) =>
    [...new Set(wordsOf(query))].reduce((sum, word) => {
      const count = words.filter((each) => each === word).length;
      const inTexts = texts.filter((each) => each.words.includes(word)).length;
      const weight = Math.log(1 + (texts.length - inTexts + 0.5) / (inTexts + 0.5));
      const length = 1 - b + (b * words.length) / meanLength;
      return sum + (weight * count * (k1 + 1)) / (count + k1 * length);
    }, 0);
  return texts
    .map(({ name, words }) => ({ name, score: scoreOf(words) }))
    .filter(({ score }) => score > 0)
    .sort((a, z) => z.score - a.score)
    .slice(0, limit)
    .map(({ name }) => name);
}

describe('a search among the tools', () => {
  it.each(queries)('finds those that type and read: %s', (query) => {
    expect(ranked(query)).toEqual(expect.arrayContaining(['terminal__send', 'terminal__read']));
  });

  it('has room for all of them', () => {
    expect(listed.length).toBeLessThanOrEqual(8);
  });
});
