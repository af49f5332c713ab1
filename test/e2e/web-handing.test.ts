import { readdirSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { Place } from '../support/command/vtr-command.ts';
import { inBrowser, openPage, type WebPage } from '../support/web/browser.ts';

const driverOf = async (place: Place, name: string) => (await place.json('info', name)).driver;
const viewersOf = async (place: Place, name: string): Promise<string[]> =>
  (await place.json('info', name)).viewers.map((each: { name: string }) => each.name);

/** A browser of a person with a name, which shows a session. */
async function browserOf(
  place: Place,
  person: string,
  session: string,
  options: Parameters<typeof openPage>[1] = {},
): Promise<WebPage> {
  const shown = await openPage(place, options);
  const status = await shown.page.evaluate<number>(`(async () => {
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ name: ${JSON.stringify(person)} });
    return (await fetch('/name', { method: 'POST', headers, body })).status;
  })()`);
  expect(status).toBe(204);
  await shown.show(`#/s/${session}`);
  await expect.poll(() => viewersOf(place, session)).toContain(person);
  return shown;
}

const chip = (page: Page) => page.locator('.driver [role=status]').textContent();
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

/** Types where the page has the focus. */
const type = ({ page }: WebPage, text: string) => page.keyboard.type(text);

/** Hands the session in view to a person. */
async function hand(page: Page, to: string, note: string): Promise<void> {
  await button(page, 'Add a note, or hand over').click();
  await page.getByRole('textbox', { name: 'Note' }).fill(note);
  await page.getByRole('button', { name: `Hand to ${to}` }).click();
}

describe('[S3.32] a session that is handed from page to page', () => {
  inBrowser(
    'is driven at once, in the other window, also after the daemon was killed',
    async () => {
      const place = new Place();
      await place.shell('one');
      const ann = await browserOf(place, 'Ann', 'one');
      const bo = await browserOf(place, 'Bo', 'one', { viewport: { width: 1280, height: 800 } });
      await button(ann.page, 'Take over').click();
      await expect.poll(() => chip(ann.page)).toMatch(/^You drive/);
      await expect.poll(() => chip(bo.page)).toBe('Ann holds it');
      await button(ann.page, 'Also here: Bo (watching)').click();
      await ann.page.getByText('watches · on the page').waitFor();
      await ann.page.keyboard.press('Escape');
      const { cols: before } = await place.json('info', 'one');
      await hand(ann.page, 'Bo', 'merge it, please');
      await expect.poll(() => chip(bo.page)).toBe('Ann handed it to youmerge it, please');
      await bo.page.getByText('Ann handed one to you: merge it, please').waitFor();
      await expect.poll(() => chip(ann.page)).toBe('Bo holds it, from Annmerge it, please');
      await expect.poll(async () => (await place.json('info', 'one')).cols).toBeGreaterThan(before);
      await bo.page.bringToFront();
      await type(bo, 'echo a""b\n');
      await place.sees('one', 'ab');
      expect(await driverOf(place, 'one')).toMatchObject({ name: 'Bo', handed_by: 'Ann' });
      // An agent is told who holds it, and the note.
      const refused = await place.vtr(['send', 'one', 'x']);
      expect(refused.stderr).toContain('(note: merge it, please)');
      const notice = () => bo.page.locator('.notice').textContent();
      await expect.poll(notice, { timeout: 30_000 }).not.toContain('handed');
      const claim = readdirSync(place.directory).find((file) => file.endsWith('.claim'));
      process.kill(Number(/\.(\d+)-\d+\.claim$/.exec(claim ?? '')?.[1]), 'SIGKILL');
      await bo.page.locator('.lost').waitFor();
      await bo.page.locator('.lost').waitFor({ state: 'detached' });
      expect(await chip(bo.page)).toBe('Ann handed it to youmerge it, please');
      expect(await notice()).not.toContain('handed');
      expect(await driverOf(place, 'one')).toMatchObject({ name: 'Bo', handed_by: 'Ann' });
      await button(bo.page, 'Give back').click();
      await expect.poll(() => driverOf(place, 'one')).toBe(null);
      await expect.poll(() => chip(ann.page)).toBe('Nobody drives: type to begin');
      expect((await place.ok('log', 'one')).match(/ give .*to=Bo/)).not.toBe(null);
    },
  );

  inBrowser('goes back to who was forced out; a visitor cannot get it', async () => {
    const place = new Place();
    await place.ok('spawn', 'two', '--', 'cat');
    const ann = await browserOf(place, 'Ann', 'two');
    const bo = await browserOf(place, 'Bo', 'two');
    const { url } = await place.json('web', 'share', 'two');
    const visitor = await openPage(place, { url });
    await visitor.page.getByText('Read-only: you watch').waitFor();
    // Nothing leads away from the session, whatever the address is.
    expect(await visitor.page.getByRole('link', { name: 'All sessions' }).count()).toBe(0);
    await visitor.show('#/');
    await visitor.page.locator('[data-terminal=two]').waitFor();
    await button(ann.page, 'Take over').click();
    await expect.poll(() => chip(bo.page)).toBe('Ann holds it');
    await button(bo.page, 'Ask for it').waitFor();
    const take = button(bo.page, 'Take over');
    expect(await take.getAttribute('class')).not.toBe('danger');
    await take.click();
    await ann.page.getByText('Bo took it over from you').waitFor();
    await button(bo.page, 'Add a note, or hand over').click();
    const receivers = bo.page.getByRole('button', { name: /^Hand to/ });
    await expect.poll(() => receivers.allTextContents()).toEqual(['Hand to Annon the page']);
    await bo.page.getByRole('textbox', { name: 'Note' }).fill('done');
    await bo.page.keyboard.press('Enter');
    await expect.poll(() => chip(ann.page)).toBe('Bo handed it to youdone');
    await ann.page.bringToFront();
    await ann.page.locator('.keys').focus();
    await type(ann, 'mine');
    await place.sees('two', 'mine');
    const refused = await place.vtr(['give', 'two', '--to', 'visitor']);
    expect(refused).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/visitor can only watch; here are: .*Ann \(on the page for /),
    });
    expect(await driverOf(place, 'two')).toMatchObject({ name: 'Ann' });
  });
});
