import { describe, expect, it } from 'vitest';
import type { WaitOutcome, WaitResult } from '#model';
import { newOutput } from './send-and-print.ts';

const ended = (outcome: WaitOutcome, tail: string, more: Partial<WaitResult> = {}): WaitResult => ({
  outcome,
  exitStatus: null,
  mark: 'r1',
  revision: 1,
  timeoutMs: 1,
  elapsedMs: 1,
  output: { head: '', tail, omitted: null, tokens: 1 },
  ...more,
});
const printed = (typed: string, ...end: Parameters<typeof ended>) =>
  newOutput(ended(...end), typed);

describe('the new output after an input', () => {
  it('is without the echo of a line', () => {
    expect(printed('seq 2', 'finished', 'seq 2\n1\n2\n')).toBe('1\n2');
    expect(printed('seq  2 ', 'finished', 'seq  2\n1\n2')).toBe('1\n2');
    expect(printed('', 'finished', '^C\nended')).toBe('ended');
  });

  it('is without the echo of several lines, behind the prompts of the program', () => {
    const typed = 'for i in range(2):\n  print(i)\n';
    const output = 'for i in range(2):\n...   print(i)\n... \n0\n1\n>>> ';
    expect(printed(typed, 'prompt', output)).toBe('0\n1');
    expect(printed('echo a\necho b', 'finished', 'echo a\n> echo b\na\nb')).toBe('a\nb');
  });

  it('is whole where the input was not echoed', () => {
    expect(printed('sesame', 'finished', '\nwelcome')).toBe('\nwelcome');
    expect(printed('one', 'idle', 'another')).toBe('another');
  });

  it('keeps the blanks of its first line where nothing was typed', () => {
    expect(printed('', 'idle', '    first\n  second')).toBe('    first\n  second');
    expect(printed('\r', 'idle', '    first\n  second')).toBe('    first\n  second');
  });

  it('is whole where the text only begins like the input', () => {
    expect(printed('y', 'finished', 'yes, done')).toBe('yes, done');
    expect(printed('y', 'finished', 'y and the rest')).toBe('and the rest');
  });

  it('is without the prompt that follows, and without the question', () => {
    expect(printed('2+2', 'prompt', '2+2\n4\n>>> ')).toBe('4');
    expect(printed('go', 'awaiting_input', 'go\nready\nage? ', { question: 'age? ' })).toBe(
      'ready',
    );
    const menu = { title: 'Pick', options: ['a', 'b'], selected: 0, multiple: false, keys: '' };
    const question = 'Pick: a | b';
    const output = 'go\nready\nPick\n> a\n  b';
    expect(printed('go', 'awaiting_input', output, { question, menu })).toBe('ready');
    const select = { ...menu, title: '#?', options: ['1) a', '2) b'] };
    const below = 'go\nready\n1) a\n2) b\n#? ';
    expect(printed('go', 'awaiting_input', below, { question, menu: select })).toBe('ready');
  });

  it('is not printed where a line matched', () => {
    expect(printed('go', 'matched', 'go\nready')).toBe('');
  });

  it('has no echo where only its end is known', () => {
    const omitted = { lines: 9, bytes: 90, fromLine: 0, toLine: 9 };
    const output = { head: '', tail: 'seq 9\n9', omitted, tokens: 1 };
    expect(newOutput(ended('finished', '', { output }), 'seq 9')).toBe('seq 9\n9');
  });
});
