import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { needs } from '../../support/run/needs.ts';
import { tree } from '../../support/tree.ts';
import type { TerminalsFixture } from '../terminals.ts';

export function creatingContract(fixture: TerminalsFixture): void {
  describe('terminal/create', () => {
    it('[S2.01] needs a client that announces terminals', () => {
      expect(fixture.pair.initialized?.clientCapabilities).toMatchObject({ terminal: true });
    });

    it('follows the schema of the protocol, as all other methods do', async () => {
      const { pair } = fixture;
      const terminal = await pair.create({
        command: 'sh',
        args: ['-c', 'cat'],
        env: [{ name: 'A', value: 'b' }],
        cwd: '/',
        outputByteLimit: 1000,
      });
      await pair.output(terminal);
      await pair.kill(terminal);
      await pair.waitForExit(terminal);
      await pair.output(terminal);
      await pair.release(terminal);
      const checked = [
        'CreateTerminal',
        'TerminalOutput',
        'WaitForTerminalExit',
        'KillTerminal',
        'ReleaseTerminal',
      ].flatMap((name) => [`${name}Request`, `${name}Response`]);
      expect([...pair.checker.counts.keys()]).toEqual(expect.arrayContaining(checked));
    });

    it('[S2.02] answers while the program runs, with the name of a session', async () => {
      const { pair, coordinator } = fixture;
      const terminal = await pair.create({ command: 'cat' });
      expect(terminal).toMatch(/^term_[a-z0-9]{8}$/);
      expect(await coordinator.info(terminal)).toMatchObject({ name: terminal, state: 'running' });
      expect(await pair.output(terminal)).toEqual({ output: '', truncated: false });
    });

    it('[S2.02] runs a program with unchanged arguments, without a shell', async () => {
      const { pair } = fixture;
      const terminal = await pair.create({
        command: 'printf',
        args: ['<%s>\n', 'two words', '$HOME', '*', '', 'ä'],
      });
      await pair.waitForExit(terminal);
      const { output } = await pair.output(terminal);
      expect(output).toBe('<two words>\n<$HOME>\n<*>\n<>\n<ä>\n');
    });

    it("[S2.02] sets the agent's environment variables, with any name", async () => {
      const { pair } = fixture;
      const env = [
        { name: 'TERM', value: 'dumb' },
        { name: 'NO_COLOR', value: '1' },
        { name: 'MY_TOKEN', value: 'a=b c' },
        { name: '__proto__', value: 'odd' },
        { name: 'EMPTY', value: '' },
        { name: 'TWICE', value: 'first' },
        { name: 'TWICE', value: 'last' },
      ];
      const { output } = await pair.outputOf('env', { env });
      const lines = output.split('\n');
      expect(lines).toEqual(
        expect.arrayContaining([
          'TERM=dumb',
          'NO_COLOR=1',
          'MY_TOKEN=a=b c',
          '__proto__=odd',
          'EMPTY=',
          'TWICE=last',
        ]),
      );
      expect(lines).not.toContain('TWICE=first');
    });

    it('[S2.02] provides a real terminal, and by default no pager that would hang', async () => {
      const pair = await fixture.another({ env: undefined as never });
      const { output } = await pair.outputOf(
        'test -t 0 && test -t 1 && echo "$TERM $PAGER $GIT_PAGER"',
      );
      expect(output).toBe('xterm-256color cat cat\n');
    });

    it('[S2.02] starts in cwd, or in the directory of the conversation', async () => {
      const [own, text] = [tree(), tree()];
      const pair = await fixture.another({
        cwd: (id) => (id === 'conversation' ? own : undefined),
      });
      expect(await pair.outputOf('pwd')).toMatchObject({ output: `${own}\n` });
      expect(await pair.outputOf('pwd', { cwd: text })).toMatchObject({ output: `${text}\n` });
      expect(await pair.outputOf('pwd', { cwd: null })).toMatchObject({ output: `${own}\n` });
      pair.sessionId = 'another';
      expect(await pair.outputOf('pwd')).toMatchObject({ output: `${process.cwd()}\n` });
    });

    it.each([
      ['a line with words', 'echo "a  b" && exit 3', 'a  b\n', 3],
      ['a line without blanks', 'true;echo', '\n', 0],
      ['variables and lines', 'a=1\nb=2\necho $((a+b))', '3\n', 0],
      ['a program that the shell does not find', 'no-such-program --help', /not found\n$/, 127],
    ])(
      '[S2.02] runs %s in a shell, if there are no arguments',
      async (_what, command, output, exitCode) => {
        const { pair } = fixture;
        for (const more of [{}, { args: [] }]) {
          const terminal = await pair.create({ command, ...more });
          expect(await pair.waitForExit(terminal)).toEqual({ exitCode, signal: null });
          const read = await pair.output(terminal);
          if (typeof output === 'string') expect(read.output).toBe(output);
          else expect(read.output).toMatch(output);
        }
      },
    );

    needs('bash')('[S2.02] runs lines in bash if it exists', async () => {
      const { pair } = fixture;
      const terminal = await pair.create({
        command: '[[ abc == a* ]] && echo bash || echo none',
      });
      await pair.waitForExit(terminal);
      expect(await pair.output(terminal)).toMatchObject({ output: 'bash\n' });
    });

    it('[S2.02] runs an executable file whose path has spaces without a shell', async () => {
      const file = join(
        tree({ 'my tools/say it': '#!/bin/sh\necho "said $#"\n' }),
        'my tools/say it',
      );
      chmodSync(file, 0o755);
      const { pair } = fixture;
      const terminal = await pair.create({ command: file });
      await pair.waitForExit(terminal);
      expect(await pair.output(terminal)).toMatchObject({ output: 'said 0\n' });
    });

    it('[S2.02] creates a hundred terminals at once, without mixing them up', async () => {
      const { pair } = fixture;
      const numbers = Array.from({ length: 100 }, (_, index) => index);
      const terminals = await Promise.all(numbers.map((n) => pair.run(`echo I am ${n}; cat`)));
      expect(new Set(terminals).size).toBe(100);
      const outputs = async () =>
        (await Promise.all(terminals.map((each) => pair.output(each)))).map(({ output }) => output);
      const expected = numbers.map((n) => `I am ${n}\n`);
      await expect.poll(outputs).toEqual(expected);
      await Promise.all(terminals.map((each) => pair.release(each)));
    });
  });
}
