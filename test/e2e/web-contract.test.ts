import { describe, expect } from 'vitest';
import { Place } from '../support/command/vtr-command.ts';
import { inBrowser, openPageInTab, type WebPage } from '../support/web/browser.ts';

// What docs/web.md promises to programs that drive the page: names and roles of its controls, and its keys.

/** Chooses something in the menu of the session in view, or of a tile. */
async function more({ page }: WebPage, name: string, within = 'main'): Promise<void> {
  await page.locator(within).getByRole('button', { name: 'More', exact: true }).click();
  await page.getByRole('menuitem', { name, exact: true }).click();
}

describe('the contract of the page', () => {
  const place = Place.forAll();

  inBrowser('[S3.32] starts, renames, labels, kills and removes a session, with Undo', async () => {
    await place.ok('spawn', 'first', '--', 'cat');
    const shown = await openPageInTab(place);
    const { page } = shown;
    await shown.show('#/');
    await page.getByRole('button', { name: 'New', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Program').fill('cat');
    await dialog.getByLabel('Name').fill('made');
    await dialog.getByLabel('Directory').fill(`${place.directory.slice(0, -1)}`);
    await expect
      .poll(() =>
        page.evaluate(
          `[...document.querySelectorAll('#directories option')].map((each) => each.value)`,
        ),
      )
      .toContain(place.directory);
    await dialog.getByLabel('Directory').fill('~');
    await dialog.getByLabel('Label').fill('team=api');
    await page.keyboard.press('Enter');
    await expect
      .poll(() => page.locator('[data-terminal]').getAttribute('data-terminal'))
      .toBe('made');
    const info = (name: string) => place.json('info', name);
    expect(await info('made')).toMatchObject({ cwd: place.directory, labels: { team: 'api' } });
    await more(shown, 'Rename');
    await page.getByLabel('Name').fill('named');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.url()).toContain('#/s/named');
    await more(shown, 'Label');
    expect(await page.getByLabel('Label').inputValue()).toBe('team=api');
    await page.getByLabel('Label').fill('env=dev, task=two words');
    await page.keyboard.press('Enter');
    await expect
      .poll(async () => (await info('named')).labels)
      .toEqual({ env: 'dev', task: 'two words' });
    await more(shown, 'Kill');
    await expect.poll(async () => (await info('named')).status).toBe('exited');
    await more(shown, 'Remove');
    await expect.poll(() => page.url()).toMatch(/#\/$/);
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => page.url()).toContain('#/s/named');
    expect((await info('named')).status).toBe('exited');
    expect(shown.problems).toEqual([]);
  });

  inBrowser('opens a palette of sessions and actions, which a terminal does not lose', async () => {
    await place.ok('spawn', 'shell', '--env', 'PS1=$ ', '--', 'bash', '--norc');
    await place.sees('shell', '$');
    const shown = await openPageInTab(place);
    const { page } = shown;
    await shown.show('#/');
    await page.locator('[data-session=shell]').waitFor();
    await page.keyboard.press('Control+k');
    const palette = page.getByRole('dialog', { name: 'Palette' });
    await palette.getByRole('combobox').waitFor();
    await page.keyboard.type('shell');
    await palette.getByRole('option', { name: 'shell' }).first().waitFor();
    await page.keyboard.press('Enter');
    await expect.poll(() => page.url()).toContain('#/s/shell');
    // Ctrl+K is the shell's own: it deletes to the end of the line.
    await page.locator('.keys').focus();
    await page.keyboard.type('echo abc');
    await page.keyboard.press('Control+a');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('echo $((6*7))\n');
    await place.sees('shell', '42');
    expect(await palette.count()).toBe(0);
    await page.keyboard.press('Control+Shift+K');
    await page.keyboard.type('rename shell');
    await page.keyboard.press('Enter');
    await page.getByLabel('Name').fill('shell2');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.url()).toContain('#/s/shell2');
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
    await page.keyboard.press('Shift+Escape');
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    await page.keyboard.press('Escape');
    expect(shown.problems).toEqual([]);
  });

  inBrowser(
    '[S3.32] shows the line and the command of an address, also after a reload',
    async () => {
      await place.ok('spawn', 'long', '--env', 'PS1=$ ', '--', 'bash', '--norc');
      await place.ok('wait', 'long', '--prompt');
      await place.ok('run', 'long', '--', 'seq 1 500');
      const shown = await openPageInTab(place);
      const { page } = shown;
      const marked = () => page.locator('.found').allTextContents();
      await shown.show('#/s/long?line=123');
      await expect.poll(marked).toEqual(['123']);
      await page.reload();
      await expect.poll(marked).toEqual(['123']);
      // Another theme paints all lines anew, also those that were read from the session.
      await page.emulateMedia({ colorScheme: 'light' });
      await expect
        .poll(() => page.evaluate('matchMedia("(prefers-color-scheme: light)").matches'))
        .toBe(true);
      await expect.poll(marked).toEqual(['123']);
      expect(await page.locator('.found').isVisible()).toBe(true);
      await shown.show('#/s/long?command=1');
      await expect.poll(marked).toEqual(['$ seq 1 500']);
      await page.goBack();
      await expect.poll(marked).toEqual(['123']);
      expect(shown.problems).toEqual([]);
    },
  );

  inBrowser('[S3.32] / searches the output of all sessions, and leads to the line', async () => {
    for (const name of ['s1', 's2', 's3']) await place.ok('spawn', name, '--', 'cat');
    await place.ok('spawn', 'logs', '--', 'sh', '-c', 'seq 1 300; echo a needle.1; seq 1 90; cat');
    await place.ok(
      'spawn',
      'more',
      '--',
      'sh',
      '-c',
      'echo before; echo Needle/1; echo after; cat',
    );
    await place.sees('more', 'after');
    const shown = await openPageInTab(place);
    const { page } = shown;
    await shown.show('#/');
    await page.locator('[data-session=logs]').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('needle');
    const output = page.getByRole('region', { name: 'Output' });
    await expect
      .poll(() => output.getByRole('status').textContent())
      .toBe('2 matches in 2 sessions');
    const match = output.getByRole('region', { name: 'more' }).getByRole('link').nth(1);
    expect(await match.innerText()).toBe('before\nNeedle/1\nafter');
    await output.getByRole('button', { name: 'Match case' }).click();
    await expect.poll(() => output.getByRole('status').textContent()).toBe('1 match in 1 session');
    expect(page.url()).toBe(`${shown.origin}/#/?q=needle&case=1`);
    await page.getByRole('searchbox').press('Enter');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.locator('.found').allTextContents()).toEqual(['a needle.1']);
    await page.goBack();
    await expect.poll(() => output.getByRole('status').textContent()).toBe('1 match in 1 session');
    // In the session: found while one types, as text; as a pattern only if it does not occur.
    await shown.show('#/s/logs');
    const search = page.getByRole('searchbox', { name: 'Search' });
    const count = () => page.locator('.search output').textContent();
    await search.fill('e.1');
    await expect.poll(count).toBe('1 of 1');
    await search.fill('^29\\d$');
    await expect.poll(count).toBe('10 of 10');
    await search.press('Enter');
    await search.press('Enter');
    await expect.poll(count).toBe('9 of 10');
    await page.getByRole('button', { name: 'Next match' }).click();
    await page.getByRole('button', { name: 'Previous match' }).click();
    await expect.poll(count).toBe('9 of 10');
    await expect.poll(() => page.locator('.found').allTextContents()).toEqual(['298']);
    await expect
      .poll(() => page.locator('.scroll-marks .match, .scroll-marks .here').count())
      .toBeGreaterThan(0);
    expect(shown.problems).toEqual([]);
  });

  inBrowser(
    '[S3.32] shows sessions side by side, of which the one with the focus is driven',
    async () => {
      for (const name of ['p1', 'p2', 'p3'])
        await place.ok('spawn', name, '--env', 'PS1=$ ', '--', 'bash', '--norc');
      const shown = await openPageInTab(place);
      const { page } = shown;
      await shown.show('#/s/p1');
      await more(shown, 'Split');
      await expect.poll(() => page.url()).toContain('#/split/p1');
      await page.getByRole('button', { name: /^p2/ }).click();
      await expect.poll(() => page.url()).toContain('#/split/p1,p2');
      const inPane = (name: string) => page.locator(`[data-terminal=${name}]`);
      await inPane('p1').click();
      await page.keyboard.type('echo $((40+1))\n');
      await place.sees('p1', '41');
      await page.keyboard.press('Control+Alt+ArrowRight');
      await page.keyboard.type('echo $((40+2))\n');
      await place.sees('p2', '42');
      const driver = async (name: string) => (await place.json('info', name)).driver?.name ?? null;
      await expect.poll(() => page.locator('.typing').count()).toBe(1);
      await expect.poll(() => driver('p1')).toBe(null);
      expect(await driver('p2')).toMatch(/^Chrome on /);
      const { cols } = await place.json('info', 'p2');
      expect(cols).toBeLessThan(80);
      await page.getByRole('separator').first().focus();
      for (let at = 0; at < 4; at++) await page.keyboard.press('ArrowLeft');
      await inPane('p2').click();
      await page.keyboard.type('echo $((40+3))\n');
      await place.sees('p2', '43');
      await expect.poll(async () => (await place.json('info', 'p2')).cols).toBeGreaterThan(cols);
      // A tile's link that is dropped is added; the address keeps the sessions.
      await page.evaluate(`{
      const dataTransfer = new DataTransfer();
      dataTransfer.setData('text/uri-list', location.origin + '/#/s/p3');
      const event = new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true });
      document.querySelector('.split-rows').dispatchEvent(event);
    }`);
      await expect.poll(() => page.url()).toContain('#/split/p1,p2,p3');
      await page.reload();
      await expect.poll(() => page.locator('[data-terminal]').count()).toBe(3);
      await page.goBack();
      await expect.poll(() => page.locator('[data-terminal]').count()).toBe(2);
      expect(shown.problems).toEqual([]);
    },
  );

  inBrowser('[S3.32] counts what asks in its title, and n goes to it', async () => {
    await place.ok('spawn', 'asker', '--', 'sh', '-c', "printf 'Your name: '; read name; cat");
    const shown = await openPageInTab(place);
    const { page } = shown;
    await shown.show('#/');
    await expect.poll(() => page.title()).toMatch(/^\(\d+\) /);
    await page.keyboard.press('/');
    await page.keyboard.type('asker');
    await expect.poll(() => page.url()).toBe(`${shown.origin}/#/?q=asker`);
    await page.reload();
    const filter = page.getByRole('searchbox');
    await expect.poll(() => filter.inputValue()).toBe('asker');
    await filter.fill('');
    await page.locator('h1').click();
    await page.keyboard.press('n');
    await expect.poll(() => page.locator('[data-terminal]').count()).toBe(1);
    expect(shown.problems).toEqual([]);
  });
});
