import { describe, expect, it } from 'vitest';
import { findShell } from './find-shell.ts';

describe('findShell', () => {
  it.each<[string, string, object, string]>([
    ['bash', 'bash', {}, 'NEW'],
    ['/bin/zsh -l', '/bin/zsh -l', {}, 'NEW'],
    ['/usr/bin/env bash', 'bash', {}, 'bash NEW'],
    ['env A=1 B= /bin/bash -i', '/bin/bash -i', { A: '1', B: '' }, 'A=1 B= /bin/bash NEW'],
    [
      'env -u A --unset=B -uC -C / fish',
      'fish',
      { A: null, B: null, C: null },
      '-u A --unset=B -uC -C / fish NEW',
    ],
    ['env -- A=1 bash', 'bash', { A: '1' }, '-- A=1 bash NEW'],
    ['nice bash', 'bash', {}, 'bash NEW'],
    ['nice -n 5 zsh', 'zsh', {}, '-n 5 zsh NEW'],
    ['nice -n5 zsh', 'zsh', {}, '-n5 zsh NEW'],
    ['nice -5 --adjustment=3 zsh', 'zsh', {}, '-5 --adjustment=3 zsh NEW'],
    ['timeout 10 bash -l', 'bash -l', {}, '10 bash NEW'],
    [
      'timeout --foreground -k 1 -s INT 9m bash',
      'bash',
      {},
      '--foreground -k 1 -s INT 9m bash NEW',
    ],
    ['stdbuf -oL -e 0 --input=0 bash', 'bash', {}, '-oL -e 0 --input=0 bash NEW'],
    [
      'env A=1 nice -n 1 timeout 5 env B=2 bash',
      'bash',
      { A: '1', B: '2' },
      'A=1 nice -n 1 timeout 5 env B=2 bash NEW',
    ],
  ])('%s starts %s', (line, shell, variables, args) => {
    const [program = '', ...words] = line.split(' ');
    const result = findShell(program, words);
    if ('reason' in result) throw new Error(result.reason);
    expect([result.program, ...result.args].join(' ')).toBe(shell);
    expect(result.variables).toEqual(variables);
    expect(result.withArgs(['NEW']).join(' ')).toBe(args);
  });

  it.each([
    ['sh', 'bash', "bash 'a b'"],
    ['/bin/bash', ' exec  -a other bash -i ', "exec -a other bash 'a b'"],
    ['dash', 'exec bash', "exec bash 'a b'"],
    ['sh', 'command bash', "command bash 'a b'"],
    ['sh', 'A=1 exec env B=2 /bin/bash', "A=1 exec env B=2 /bin/bash 'a b'"],
    ['zsh', 'exec bash', "exec bash 'a b'"],
    ['fish', 'exec zsh', "exec zsh 'a b'"],
  ])('finds it in a simple line: %s -c %j', (program, line, changed) => {
    const shell = findShell(program, ['-c', line]);
    if ('reason' in shell) throw new Error(shell.reason);
    expect(shell.withArgs(['a b'])).toEqual(['-c', changed]);
  });

  it.each<[string[], string]>([
    [['vim', 'x'], 'vim is not bash, zsh or fish'],
    [['/bin/sh'], 'sh is not bash, zsh or fish'],
    [['python3', '-c', 'bash'], 'python3 is not bash, zsh or fish'],
    [['env'], 'env is not bash, zsh or fish'],
    [['env', 'A=1', 'vim'], 'vim is not bash, zsh or fish'],
    [['env', '-i', 'bash'], 'env was started with -i'],
    [['env', '-', 'bash'], 'env was started with -'],
    [['env', '-S', 'bash'], 'env was started with -S'],
    [['nice', '--help', 'bash'], 'nice was started with --help'],
    [
      ['sudo', '-u', 'me', 'bash'],
      'sudo removes the variables of shell integration from the environment',
    ],
    [
      ['env', 'sudo', 'bash'],
      'sudo removes the variables of shell integration from the environment',
    ],
    [['nohup', 'bash'], 'nohup redirects the input and output of the shell'],
    [['setsid', '-w', 'bash'], 'setsid starts the shell in another session of the system'],
    [['sh', '-c', 'make'], 'sh was started with -c'],
    [['sh', '-c', ''], 'sh was started with -c'],
    [
      ['sh', '-c', 'sudo bash'],
      'sudo removes the variables of shell integration from the environment',
    ],
    [['bash', '-c', 'cd /; bash'], 'bash was started with -c'],
    [['bash', '-c', 'bash "$X"'], 'bash was started with -c'],
    [['bash', '-c', 'exec -a -bash bash'], 'bash was started with -c'],
    [['bash', '-c', 'exec -l bash'], 'bash was started with -c'],
    [['zsh', '-c', 'exec zsh'], 'zsh was started with -c'],
  ])('does not find it in %j', ([program = '', ...args], reason) => {
    expect(findShell(program, args)).toEqual({ reason });
  });
});
