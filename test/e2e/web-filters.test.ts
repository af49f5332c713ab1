import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { Place } from '../support/command/vtr-command.ts';
import { inBrowser, openPageInTab } from '../support/web/browser.ts';

describe('[S3.32] the sessions of several machines', () => {
  const place = Place.forAll();

  inBrowser('are filtered by machine and directory, which the address keeps', async () => {
    const other = new Place();
    const print = (text: string) => ['--', 'sh', '-c', `echo ${text}; exec sleep 10000`];
    await other.ok('spawn', 'far', '--cwd', '/usr/bin', ...print('needle'));
    await other.ok('spawn', 'away', '--cwd', '/usr', ...print('hay'));
    await place.ok('spawn', 'near', '--cwd', '/usr', ...print('needle'));
    const socket = join(place.directory, 'gpu1.sock');
    symlinkSync(other.socket, socket);
    const config = join(place.directory, 'config/vtr');
    mkdirSync(config, { recursive: true });
    writeFileSync(join(config, 'config.toml'), `[[coordinators]]\npath = "${socket}"\n`);
    const shown = await openPageInTab(place);
    const { page, origin } = shown;
    const tiles = () =>
      page.locator('.tile > a').evaluateAll((all) => all.map((each) => each.ariaLabel).sort());
    const all = ['gpu1:away', 'gpu1:far', 'near'];
    await expect.poll(tiles).toEqual(all);
    const machines = page.getByRole('region', { name: 'Machines' });
    await machines.getByRole('button', { name: /^gpu1/ }).click();
    await expect.poll(tiles).toEqual(['gpu1:away', 'gpu1:far']);
    expect(page.url()).toBe(`${origin}/#/?q=machine%3Agpu1`);
    // The words for places choose what is searched, and are no part of the text.
    const filter = page.getByRole('searchbox', { name: 'Filter sessions' });
    await filter.fill('machine:gpu1 needle');
    const output = page.getByRole('region', { name: 'Output' });
    await expect
      .poll(() => output.getByRole('heading', { level: 3 }).allTextContents())
      .toEqual(['gpu1:far 1']);
    await expect.poll(tiles).toEqual(['gpu1:far']);
    await filter.fill('machine:gpu1 dir:/usr/bin');
    await expect.poll(tiles).toEqual(['gpu1:far']);
    await page.getByRole('button', { name: 'Menu' }).click();
    await page.getByRole('button', { name: 'By directory' }).click();
    const filtered = `${origin}/#/?q=machine%3Agpu1+dir%3A%2Fusr%2Fbin&by=directory`;
    expect(page.url()).toBe(filtered);
    const group = page.getByRole('region', { name: 'gpu1 · /usr/bin' });
    await group.getByRole('link', { name: 'gpu1:far' }).click();
    await page.locator('.terminal').waitFor();
    for (const way of ['goBack', 'reload'] as const) {
      await page[way]();
      expect(page.url()).toBe(filtered);
      await group.getByRole('link', { name: 'gpu1:far' }).waitFor();
      await expect.poll(tiles).toEqual(['gpu1:far']);
    }
    await machines.getByRole('button', { name: hostname() }).click();
    await expect.poll(tiles).toEqual([]);
    await page.goBack();
    await expect.poll(tiles).toEqual(['gpu1:far']);
    await filter.fill('');
    await expect.poll(tiles).toEqual(all);
    await page.keyboard.press('Control+k');
    const palette = page.getByRole('combobox', { name: 'Palette' });
    await palette.fill('gpu1');
    await page.getByRole('option', { name: 'gpu1', exact: true }).click();
    await expect.poll(tiles).toEqual(['gpu1:away', 'gpu1:far']);
    // From anywhere, the palette leads to the next question, also of another machine.
    await other.ok('spawn', 'ask', '--', 'bash', '-c', 'read -p "Go on? [y/N] " x');
    await expect.poll(tiles).toContain('gpu1:ask');
    await page.getByRole('region', { name: 'Needs you' }).waitFor();
    await shown.show('#/s/near');
    await page.locator('.terminal').waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('option', { name: 'Next that asks' }).click();
    await expect.poll(() => page.url()).toBe(`${origin}/#/s/gpu1:ask`);
    expect(shown.problems).toEqual([]);
  });
});
