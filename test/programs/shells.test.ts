import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { needs } from '../support/run/needs.ts';
import {
  type CommandRow,
  ShellSession,
  type ShellSetup,
} from '../support/session/shell-session.ts';

const start = ShellSession.atPrompt;

const settings: Readonly<Record<string, ShellSetup>> = {
  bash: { files: { '.bashrc': "PS1='$ '\nHISTCONTROL=ignoreboth\n" } },
  zsh: {
    files: { '.zshrc': "PS1='$ '\nHISTSIZE=100\nsetopt hist_ignore_space hist_ignore_dups\n" },
  },
  fish: { files: { '.config/fish/config.fish': "function fish_prompt; echo -n '$ '; end\n" } },
};

const isFish = (program: string) => program === 'fish';
const long = 'x'.repeat(200);

interface Step {
  readonly typed: string | ((program: string) => string);
  /** Null when the text is not a command. */
  readonly row: CommandRow | ((program: string) => CommandRow) | null;
}

const steps: Readonly<Record<string, Step>> = {
  'a command': { typed: 'echo hi\r', row: ['echo hi', 0, 'hi'] },
  'one that fails': { typed: 'false\r', row: ['false', 1, ''] },
  'the same again, which no history takes': { typed: 'false\r', row: ['false', 1, ''] },
  'one that no history takes for its space': { typed: ' echo hid\r', row: [' echo hid', 0, 'hid'] },
  'a pipeline': {
    typed: "printf 'a\\nb\\n' | grep b\r",
    row: ["printf 'a\\nb\\n' | grep b", 0, 'b'],
  },
  'output without a line end': { typed: 'printf abc\r', row: ['printf abc', 0, 'abc'] },
  'what has to be encoded': {
    typed: `printf %s 'a;b%41  "ä€😀\\c'\r`,
    row: [`printf %s 'a;b%41  "ä€😀\\c'`, 0, 'a;b%41  "ä€😀\\c'],
  },
  'a line of several rows': { typed: `echo ${long}\r`, row: [`echo ${long}`, 0, long] },
  'a loop of two lines': {
    typed: (program) =>
      isFish(program) ? 'for i in 1 2\recho $i; end\r' : 'for i in 1 2; do\recho $i; done\r',
    row: (program) =>
      isFish(program)
        ? ['for i in 1 2\necho $i; end', 0, '1\n2']
        : ['for i in 1 2; do\necho $i; done', 0, '1\n2'],
  },
  'an exit code': { typed: "sh -c 'exit 7'\r", row: ["sh -c 'exit 7'", 7, ''] },
  'a program that is not there': {
    typed: 'no-such-program 2>/dev/null\r',
    row: ['no-such-program 2>/dev/null', 127, expect.stringMatching(/^$|^fish: Unknown/)],
  },
  'an empty Enter': { typed: '\r', row: null },
  'a background job': { typed: 'true & wait\r', row: ['true & wait', 0, expect.any(String)] },
  'what takes the whole screen': {
    typed: "printf '\\033[?1049h\\033[Hfull\\033[?1049l'\r",
    row: ["printf '\\033[?1049h\\033[Hfull\\033[?1049l'", 0, ''],
  },
  'what forges marks': {
    typed: "printf '\\033]133;D;0\\a\\033]133;A\\a\\033]133;C;cmdline=x\\a'; false\r",
    row: ["printf '\\033]133;D;0\\a\\033]133;A\\a\\033]133;C;cmdline=x\\a'; false", 1, ''],
  },
  clear: { typed: 'clear\r', row: ['clear', 0, ''] },
  'a command after it': { typed: 'echo again\r', row: ['echo again', 0, 'again'] },
};

const of = <T>(value: T | ((program: string) => T), program: string): T =>
  value instanceof Function ? value(program) : value;

describe.each(Object.keys(settings))('%s', (program) => {
  const test = needs(program);

  test('tells line, exit code and output of each command', async () => {
    const shell = await start(program, settings[program]);
    for (const [about, { typed, row }] of Object.entries(steps)) {
      const before = shell.commands.length;
      await shell.type(of(typed, program));
      const expected = row === null ? [] : [of(row, program)];
      expect.soft([about, shell.rows.slice(before)]).toEqual([about, expected]);
    }
    expect(shell.session.view.commands.integration).toBe('integrated');
    const { commands } = shell;
    // Its whole output, including the marks.
    writeFileSync(
      join(shell.home, 'log'),
      Buffer.concat(shell.session.view.rawOutput(0).map(({ bytes }) => bytes)),
    );
    await shell.type('cat log; cat log; false\r');
    expect(shell.commands.slice(0, -1)).toEqual(commands);
    expect(shell.commands.at(-1)).toMatchObject({ line: 'cat log; cat log; false', exitCode: 1 });
  });
});
