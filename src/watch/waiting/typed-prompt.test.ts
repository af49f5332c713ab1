import { describe, expect, it } from 'vitest';
import { defaultPromptPattern } from '#model';
import { Pattern } from '../searching/pattern.ts';
import { TypedPrompt } from './typed-prompt.ts';

const usual = new Pattern(defaultPromptPattern);
const own = { pid: 100, startedAt: 50 };
const at = (text: string, pattern = usual, isOwn = false) =>
  new TypedPrompt(text, own, pattern, isOwn);

describe('TypedPrompt', () => {
  it.each([
    ['$ ', '$ '],
    ['host:~$ ', 'host:/tmp$ '],
    ['$ ', 'nonl$ '],
    ['nonl$ ', '$ '],
    ['(Pdb) ', '(Pdb) '],
    ['(gdb) ', '(gdb) '],
    ['In [9]: ', 'In [10]: '],
    ['irb(main):001:0> ', 'irb(main):002:0> '],
    ['sqlite> ', 'sqlite> '],
    ['mysql> ', 'mysql> '],
    ['MariaDB [(none)]> ', 'MariaDB [test]> '],
    ['postgres=# ', 'postgres=*# '],
    ['Prelude> ', 'Prelude Data.List> '],
    ['host:~# ', '$ '],
    ['help> ', '>>> '],
    ['(Pdb) ', '>>> '],
  ])('at %j: %j is the prompt again', (prompt, text) => {
    expect(at(prompt).isShownAgain(text, own)).toBe(true);
  });

  it.each([
    ['$ ', '> '],
    ['host> ', '> '],
    ['>>> ', '... '],
    ['> ', '... '],
    ['sqlite> ', '   ...> '],
    ['mysql> ', '    -> '],
    ['postgres=# ', 'postgres-# '],
    ['postgres=# ', "postgres'# "],
    ['In [1]: ', '   ...: '],
    ['irb(main):001:0> ', 'irb(main):002:1* '],
    ['(gdb) ', 'Quit anyway? (y or n) '],
    ['>>> ', 'name? '],
    ['$ ', ''],
    ['iex(1)> ', '...(1)> '],
    ['sqlite> ', '(x1...> '],
    ['hive> ', '    > '],
  ])('at %j: %j is not', (prompt, text) => {
    expect(at(prompt).isShownAgain(text, own)).toBe(false);
  });

  it('knows the prompts for the rest of a command by the name of the program', () => {
    const gnuplot = { ...own, name: 'gnuplot' };
    expect(at('gnuplot> ').isShownAgain('more> ', gnuplot)).toBe(false);
    expect(at('less> ').isShownAgain('more> ', own)).toBe(true);
  });

  it.each([
    ['a program that the line started shows it', '>>> ', { pid: 101, startedAt: 50 }, false],
    ['one with a pid that was used before', '>>> ', { pid: 7, startedAt: 51 }, false],
    ['the program in which this one ran shows it', 'host$ ', { pid: 99, startedAt: 50 }, true],
    ['that program, after the pids began again', 'host$ ', { pid: 32_000, startedAt: 49 }, true],
    ['one whose start is unknown', '>>> ', { pid: 101 }, false],
    ['a program that it runs in its group shows it', '>>> ', { ...own, reader: 'sh' }, false],
    ['that program asks', 'name? ', { pid: 99, startedAt: 50 }, false],
    ['the program is unknown', '>>> ', null, true],
  ])('if %s', (_, text, shownBy, isShown) => {
    expect(at('>>> ').isShownAgain(text, shownBy)).toBe(isShown);
  });

  it.each<
    [
      prompt: string,
      text: string,
      isPasting: [before: boolean, now: boolean],
      quietMs: number,
      boolean,
    ]
  >([
    ['there$ ', 'there$ ', [false, false], 100, true],
    ['there$ ', 'abcthere$ ', [false, false], 100, true],
    ['root@vm:~# ', 'root@vm:/tmp# ', [false, false], 100, true],
    ['[me@vm ~]$ ', '[me@vm src]$ ', [false, false], 100, true],
    ['~ # ', '/etc # ', [false, false], 100, true],
    ['abcthere$ ', 'there$ ', [false, false], 100, true],
    ['there$ ', 'Checking host $ ', [false, false], 100, false],
    ['$ ', 'Checking host $ ', [false, false], 1_000, false],
    ['$ ', 'abc$ ', [false, false], 4_000, true],
    ['there$ ', 'there$ ', [true, false], 60_000, false],
    ['$ ', 'Checking host $ ', [true, false], 60_000, false],
    ['$ ', 'other> ', [true, true], 100, true],
    ['$ ', '> ', [true, true], 100, false],
  ])(
    'at %j, if no reads are reported: %j, pastes %j, after %i ms is the prompt: %s',
    (prompt, text, [before, now], quietMs, isShown) => {
      const typed = new TypedPrompt(prompt, own, usual, false, before);
      expect(typed.isSurelyShownAgain(text, own, now, quietMs)).toBe(isShown);
    },
  );

  it('takes linear time for a long number', () => {
    const digits = '1'.repeat(250_000);
    expect(at('12:30 ok ').outputBefore(digits)).toBe('');
    expect(at('12:30 ok ').isShownAgain(digits, own)).toBe(false);
  });

  it('follows the pattern of the caller only', () => {
    const ready = at('ready: ', new Pattern('ready: $'), true);
    expect(ready.isShownAgain('> ', own)).toBe(false);
    expect(ready.isShownAgain('ready: ', { pid: 101 })).toBe(true);
  });

  it.each([
    ['$ ', 'nonl$ ', 'nonl'],
    ['$ ', '$ ', ''],
    ['In [9]: ', 'xIn [10]: ', 'x'],
    ['host:~$ ', 'host:/tmp$ ', ''],
  ])('at %j: the output in %j is %j', (prompt, text, output) => {
    expect(at(prompt).outputBefore(text)).toBe(output);
  });

  it('finds the output before the pattern of the caller', () => {
    expect(at('1 ok> ', new Pattern('\\d+ ok> $'), true).outputBefore('abc 2 ok> ')).toBe('abc ');
  });
});
