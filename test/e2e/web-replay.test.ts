import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { Place } from '../support/command/vtr-command.ts';
import { inBrowser, openPage, openPageInTab, type WebPage } from '../support/web/browser.ts';

const moment = ({ page }: WebPage) => new URL(page.url()).hash.split('?')[1];

/** Presses a key while nothing has the focus. */
const press = async ({ page }: WebPage, ...keys: readonly string[]): Promise<void> => {
  await page.evaluate('document.activeElement.blur()');
  for (const key of keys) await page.keyboard.press(key);
};

describe('[S3.34] a replay', () => {
  const place = Place.forAll();

  /** Shows the replay of a shell that has run three commands. */
  async function replayed(name: string): Promise<WebPage> {
    await place.ok('spawn', name, '--', 'bash', '--norc');
    for (const each of ['one', 'two', 'three']) await place.ok('run', name, '--', `echo ${each}`);
    const shown = await openPageInTab(place);
    await shown.show(`#/s/${name}/replay`);
    await expect.poll(async () => (await shown.rows()).join()).toContain('three');
    return shown;
  }

  inBrowser('goes by keys wherever the focus is, and its list of markers follows', async () => {
    const shown = await replayed('keys');
    const current = shown.page
      .getByRole('navigation', { name: 'Markers' })
      .locator('[aria-current]');
    await expect.poll(() => current.textContent()).toContain('echo three');
    await press(shown, 'Home');
    await expect.poll(async () => (await shown.rows()).join('').trim()).toBe('');
    await expect.poll(() => current.count()).toBe(0);
    const label = async () => (await current.locator('code').allTextContents()).join();
    const labels = [''];
    while (labels.at(-1) !== 'echo three') {
      await press(shown, ']');
      // Of markers at the same time, the list shows the last.
      await expect.poll(label).not.toBe(labels.at(-1));
      labels.push(await label());
    }
    expect(labels).toEqual(expect.arrayContaining(['echo one', 'echo two', 'echo three']));
    await press(shown, '[');
    await expect.poll(label).not.toBe('echo three');
    await press(shown, 'End');
    await expect.poll(async () => (await shown.rows()).join()).toContain('three');
    const time = shown.page.getByRole('slider', { name: 'Time' });
    const end = await time.inputValue();
    await press(shown, ',');
    await expect.poll(async () => Number(await time.inputValue())).toBeLessThan(Number(end));
    await press(shown, '>', '>');
    const speed = shown.page.getByRole('combobox', { name: 'Speed' });
    await expect.poll(() => speed.inputValue()).toBe('4');
    await press(shown, 'Home', 'Space');
    await expect.poll(() => time.inputValue()).toBe(end);
    expect(shown.problems).toEqual([]);
  });

  inBrowser('finds when a text appears, and has an address for the moment', async () => {
    const shown = await replayed('find');
    await press(shown, '/');
    await shown.page.keyboard.type('two');
    const count = shown.page.locator('.search output');
    await expect.poll(() => count.textContent()).toMatch(/^\d$/);
    await shown.page.keyboard.press('Enter');
    await expect.poll(() => count.textContent()).toMatch(/^1 of \d$/);
    expect((await shown.rows()).join()).not.toContain('three');
    await expect.poll(() => shown.page.locator('.found').textContent()).toContain('two');
    await expect.poll(() => shown.page.locator('.ticks .match').count()).toBeGreaterThan(0);
    await expect.poll(() => moment(shown)).toMatch(/^t=\d{4}-\d\d-\d\dT/);
    const rows = await shown.rows();
    await shown.page.reload();
    await expect.poll(() => shown.rows()).toEqual(rows);
    await shown.page.getByRole('link', { name: 'Go live' }).click();
    await expect.poll(() => shown.page.url()).toMatch(/#\/s\/find$/);
    await expect.poll(async () => (await shown.rows()).join()).toContain('three');
    expect(shown.problems).toEqual([]);
  });

  inBrowser('plays with pauses or without', async () => {
    const file = join(place.directory, 'pauses.cast');
    await place.ok('spawn', 'pauses', '--', 'cat');
    await place.ok('record', 'start', 'pauses', '-o', file);
    await place.ok('record', 'stop', 'pauses');
    const events = ['[1,"o","one"]', '[60,"o",", two"]', '[1,"o",", three"]'];
    writeFileSync(file, ['{"version":3,"term":{"cols":60,"rows":4}}', ...events, ''].join('\n'));
    const shown = await openPage(place);
    await shown.show('#/f');
    await shown.page.getByRole('link', { name: 'pauses' }).click();
    await expect.poll(async () => (await shown.rows())[0]).toBe('one, two, three');
    const skip = shown.page.getByRole('button', { name: 'Skip idle' });
    expect(await skip.getAttribute('aria-pressed')).toBe('true');
    // From here on, time passes in the page only where the test says so.
    const { clock } = shown.page;
    await clock.install();
    await clock.pauseAt(Date.now() + 10_000);
    const rowAfter = async (ms: number) => {
      await clock.fastForward(ms);
      return (await shown.rows())[0];
    };
    await press(shown, 'Home', 'Space');
    expect(await rowAfter(990)).toBe('');
    expect(await rowAfter(20)).toBe('one');
    // Two seconds stand for the minute.
    expect(await rowAfter(1_980)).toBe('one');
    expect(await rowAfter(20)).toBe('one, two');
    await press(shown, 'Space');
    const time = shown.page.getByRole('slider', { name: 'Time' });
    const atMs = await time.inputValue();
    expect(Number(atMs)).toBe(61_010);
    await skip.click();
    await expect.poll(() => skip.getAttribute('aria-pressed')).toBe('false');
    expect(await time.inputValue()).toBe(atMs);
    await press(shown, 'Home', 'Space');
    expect(await rowAfter(60_990)).toBe('one');
    expect(await rowAfter(20)).toBe('one, two');
    expect(shown.problems).toEqual([]);
  });

  inBrowser('shows what happened, also from a file', async () => {
    await place.ok(
      'spawn',
      'past',
      '--',
      'sh',
      '-c',
      'echo first; read x; clear; echo second; cat',
    );
    await place.sees('past', 'first');
    await place.ok('send', 'past', '\r');
    await place.sees('past', 'second');
    const shown = await openPageInTab(place);
    await shown.show('#/r/past');
    await expect.poll(async () => (await shown.rows())[0]).toBe('second');
    const time = shown.page.getByRole('slider', { name: 'Time' });
    await time.focus();
    await shown.page.keyboard.press('Home');
    await expect.poll(async () => (await shown.rows())[0]).not.toBe('second');
    await shown.page.getByRole('combobox', { name: 'Speed' }).selectOption('16');
    await shown.page.getByRole('button', { name: 'Play' }).click();
    await expect.poll(async () => (await shown.rows())[0]).toBe('second');
    await place.ok('record', 'start', 'past');
    await place.ok('record', 'stop', 'past');
    await shown.show('#/f');
    await shown.page.getByRole('link', { name: 'past' }).click();
    await expect.poll(async () => (await shown.rows())[0]).toBe('second');
  });
});

describe('[S3.34] the list of recordings', () => {
  const place = Place.forAll();

  inBrowser('begins and stops recordings, and deletes them after a time for Undo', async () => {
    await place.ok('spawn', 'tape', '--', 'cat');
    const shown = await openPage(place);
    const { page } = shown;
    const states = async (): Promise<string[]> =>
      (await place.json('record', 'ls')).recordings.map(({ state }: { state: string }) => state);
    await shown.show('#/f');
    await page.getByRole('combobox', { name: 'Session' }).selectOption('tape');
    await page.getByRole('button', { name: 'Record', exact: true }).click();
    await page.getByRole('button', { name: 'Stop the recording of tape' }).waitFor();
    await page.getByRole('button', { name: 'Rename the recording of tape' }).click();
    const dialog = page.getByRole('dialog');
    const rename = dialog.getByRole('button', { name: 'Rename' });
    await dialog.getByRole('textbox', { name: 'Name' }).fill('a b');
    await rename.click();
    await expect
      .poll(() => dialog.getByRole('alert').textContent())
      .toContain('use 1 to 64 characters');
    await dialog.getByRole('textbox', { name: 'Name' }).fill('first');
    await rename.click();
    await expect.poll(() => page.getByRole('listitem').textContent()).toMatch(/^firsttape.*on/);
    await page.getByRole('button', { name: 'Stop first' }).click();
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download first' }).click(),
    ]);
    expect(file.suggestedFilename()).toBe('first.cast');
    const remove = page.getByRole('button', { name: 'Delete first' });
    await remove.click();
    await expect.poll(() => remove.count()).toBe(0);
    await page.getByRole('button', { name: 'Undo' }).click();
    await remove.waitFor();
    expect(await states()).toEqual(['ended']);
    await page.clock.install();
    await remove.click();
    await page.clock.fastForward(10_000);
    await expect.poll(states).toEqual([]);
    expect(shown.problems).toEqual([]);
  });
});
