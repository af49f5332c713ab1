import { expect, test } from 'vitest';
import { expectScreen, terminal } from 'vtr/test';

test('select shows a menu', async () => {
  await using shell = await terminal({ size: { cols: 60, rows: 8 } });
  await shell.type('select fruit in apple pear; do break; done\r');
  await expectScreen(shell).toMatch(/2\) pear/);
  await expectScreen(shell).toMatch('menu', { mask: [/#\?/], styles: true });
  await shell.type('2\r');
  await shell.wait({ prompt: true });
  expect((await shell.run('echo $fruit')).output).toBe('pear');
});
