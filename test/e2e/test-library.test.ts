import { existsSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { expectScreen, ScreenMismatch, terminal } from '#app/test/library';
import { vtrFile } from '../support/command/vtr-command.ts';
import { commandOf, hasProc, processesNaming } from '../support/pty/process-facts.ts';
import { needs, provided } from '../support/run/needs.ts';
import { tree } from '../support/tree.ts';

it('drives a shell, and ends it', async () => {
  let home = '';
  {
    await using shell = await terminal({ size: { cols: 60, rows: 10 }, env: { NAME: 'vtr' } });
    expect(await shell.run('echo $NAME; pwd >&2; false')).toMatchObject({ exitCode: 1 });
    home = (await shell.run('echo $HOME')).output;
    await shell.type('stty size\r');
    await expectScreen(shell).toMatch(/^10 60$/m);
    await shell.resize({ cols: 50, rows: 8 });
    expect((await shell.run('stty size')).output).toBe('8 50');
    // The child is in the foreground when it prints; before that, the shell would get the signal.
    await shell.type(`sh -c 'echo started; exec sleep 100'\r`);
    await shell.wait(/^started$/m);
    await shell.press('ctrl+c');
    await shell.wait(/\^C/);
    expect((await shell.wait({ prompt: true })).outcome).toBe('prompt');
    expect(existsSync(home)).toBe(true);
  }
  expect(existsSync(home)).toBe(false);
});

provided(hasProc, 'only where /proc tells of all processes')(
  'ends the daemon that a program has started',
  async () => {
    let home = '';
    {
      await using shell = await terminal();
      home = (await shell.run('echo $HOME')).output;
      const vtr = `"${process.execPath}" "${vtrFile}"`;
      expect(await shell.run(`${vtr} spawn one`, { timeoutMs: 60_000 })).toMatchObject({
        exitCode: 0,
        output: 'one',
      });
    }
    expect([existsSync(home), processesNaming(home).map(commandOf)]).toEqual([false, []]);
  },
);

it('compares with goldens beside the test, and shows the difference', async () => {
  const directory = tree();
  const file = join(directory, 'menu.test.ts');
  await using program = await terminal({
    program: 'sh',
    args: [
      '-c',
      `printf '\\033[1mmenu\\033[m at %s' "$(date)"; read x; printf '\\033[2Jmenu 2'; read x`,
    ],
  });
  const options = { file, styles: true, mask: [/at .*/], timeoutMs: 200 };
  await expect(expectScreen(program).toMatch('menu', options)).rejects.toThrow(/VTR_TEST_UPDATE=1/);
  vi.stubEnv('VTR_TEST_UPDATE', '1');
  await expectScreen(program).toMatch('menu', { ...options, timeoutMs: 10_000 });
  vi.unstubAllEnvs();
  const golden = readFileSync(join(directory, '__goldens__/menu.test.ts.menu.txt'), 'utf8');
  expect(golden).toMatch(/^vtr 80x24 cursor 0,\d+\nmenu \[\.\.\]\n--- styles\n0: 0-3 bold\n$/);
  await expectScreen(program).toMatch('menu', options);
  await program.press('enter');
  await expectScreen(program).toMatch(/menu 2/);
  const mismatch = await expectScreen(program)
    .toMatch('menu', options)
    .catch((error: unknown) => error);
  expect(mismatch).toBeInstanceOf(ScreenMismatch);
  expect((mismatch as ScreenMismatch).message).toContain('- menu [..]');
  const left = (mismatch as ScreenMismatch).files.map((path) => extname(path));
  expect(left).toEqual(['.txt', '.png', '.png', '.png', '.cast']);
  await expectScreen(program).notToMatch(/at/);
  await expect(expectScreen(program).toMatch(/never/, { timeoutMs: 50 })).rejects.toThrow(
    /\/never\/ was not shown for 50 ms; the screen was:/,
  );
});

needs('vim')('clicks where the program uses the mouse', async () => {
  const args = ['-Nu', 'NONE', '-n', '-c', 'set mouse=a', '-c', 'call setline(1, "red green")'];
  await using vim = await terminal({ program: 'vim', args });
  await vim.click('green');
  await vim.type('x');
  await expectScreen(vim).toMatch(/^red gren$/m);
  await vim.click({ row: 0, col: 0 });
  await vim.type('x');
  await expectScreen(vim).toMatch(/^ed gren$/m);
});
