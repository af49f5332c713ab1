import { describe, expect } from 'vitest';
import { Place } from '../support/command/vtr-command.ts';
import { inBrowser, openPageInTab, type WebPage } from '../support/web/browser.ts';

const viewport = { width: 1200, height: 640 };
/** What the page copies: a headless browser has no clipboard that a test may read. */
const keepCopies = `
  globalThis.copies = [];
  navigator.clipboard.writeText = async (text) => void copies.push(text);`;

/** A shell that reports its commands. */
async function spawnShell(place: Place, name: string): Promise<void> {
  await place.ok('spawn', name, '--env', 'PS1=$ ', '--', 'bash', '--norc');
  await place.sees(name, '$');
}

async function openSession(place: Place, name: string): Promise<WebPage> {
  const shown = await openPageInTab(place);
  await shown.page.setViewportSize(viewport);
  await shown.show(`#/s/${name}`);
  return shown;
}

describe('[S3.32] the commands of a session in the page', () => {
  const place = Place.forAll();

  inBrowser('have their status, are copied, found and run again', async () => {
    await spawnShell(place, 'build');
    for (const line of ['seq 300', 'ls /nowhere', 'echo one; echo two'])
      await place.vtr(['run', 'build', '--', line]);
    const shown = await openSession(place, 'build');
    const { page } = shown;
    await page.evaluate(keepCopies);
    const rows = page.getByRole('navigation', { name: 'Commands' }).getByRole('listitem');
    await expect.poll(() => rows.count()).toBe(3);
    const [newest, failed, oldest] = [rows.nth(0), rows.nth(1), rows.nth(2)];
    await expect.poll(() => failed.innerText()).toMatch(/^✗\s*2/);
    await expect.poll(() => newest.innerText()).toMatch(/^✓/);
    await newest.getByRole('button', { name: 'Copy output' }).click();
    await newest.getByRole('button', { name: 'Copy command' }).click();
    const copies = () => page.evaluate('copies.join("|").trimEnd()');
    await expect.poll(copies).toBe('one\ntwo|echo one; echo two');
    // Its marks are beside the scroll bar, too.
    const mark = page.locator('.scroll-marks .bad');
    await expect.poll(() => mark.count()).toBe(1);
    await mark.click();
    await expect.poll(() => page.locator('.found').textContent()).toMatch(/ls \/nowhere$/);
    await oldest.getByRole('button', { name: /^0 seq 300/ }).click();
    await expect.poll(() => page.locator('.found').textContent()).toMatch(/seq 300$/);
    await newest.getByRole('button', { name: 'Run again' }).click();
    await expect.poll(() => rows.count()).toBe(4);
    const screen = () => place.ok('screen', 'build');
    await expect.poll(screen).toMatch(/echo two\none\ntwo\n.*echo two\none\ntwo\n\$/);
    expect(shown.problems).toEqual([]);
  });

  inBrowser('are also those that a coding agent reports', async () => {
    await place.ok('spawn', 'agent', '--label', 'agent=claude', '--', 'cat');
    const report = (...words: readonly string[]) =>
      place.ok('report', 'agent', '--agent', 'claude', '--command', ...words);
    await report('make test');
    const shown = await openSession(place, 'agent');
    const { page } = shown;
    await page.evaluate(keepCopies);
    const rows = page.getByRole('navigation', { name: 'Commands' }).getByRole('listitem');
    await expect.poll(() => rows.count()).toBe(1);
    const first = rows.last();
    expect(await first.innerText()).toMatch(/^…\s*…\s*make test\s*claude/);
    await report('make test', '--exit-status', '2');
    await expect.poll(() => first.innerText()).toMatch(/^✗\s*2\s*make test\s*claude, \d+m?s · /);
    await report('ls -l');
    await expect.poll(() => rows.count()).toBe(2);
    await rows.first().getByRole('button', { name: 'Copy command' }).click();
    await expect.poll(() => page.evaluate('copies.join("|")')).toBe('ls -l');
    // Its output is in the agent, and the session has no shell.
    for (const name of ['Copy output', 'Copy link', 'Run again'])
      expect(await page.getByRole('button', { name }).count()).toBe(0);
    await report('ls -l', '--exit-status', '0');
    await expect.poll(() => rows.first().innerText()).toMatch(/^✓/);
    expect(shown.problems).toEqual([]);
  });

  inBrowser('show the one whose output is in view above it', async () => {
    await spawnShell(place, 'long');
    await place.ok('run', 'long', '--', 'seq 500');
    const { page } = await openSession(place, 'long');
    await page.locator('.command').first().waitFor();
    const sticky = page.locator('.sticky-command');
    expect(await sticky.count()).toBe(0);
    await page.locator('.keys').focus();
    await page.keyboard.press('Shift+PageUp');
    await expect.poll(() => sticky.innerText()).toMatch(/seq 500/);
    await expect.poll(() => page.locator('.command[aria-current]').count()).toBe(1);
    await sticky.getByRole('button', { name: /seq 500/ }).click();
    await expect.poll(() => sticky.count()).toBe(0);
  });

  inBrowser('are closed where there are none, and stay as a person left them', async () => {
    await place.ok('spawn', 'bare', '--', 'cat');
    await spawnShell(place, 'kept');
    await place.ok('run', 'kept', '--', 'true');
    const shown = await openSession(place, 'bare');
    const list = shown.page.getByRole('navigation', { name: 'Commands' });
    const toggle = shown.page.getByRole('button', { name: 'Commands', exact: true });
    await toggle.waitFor();
    expect([await list.count(), await toggle.getAttribute('aria-pressed')]).toEqual([0, 'false']);
    await shown.show('#/s/kept');
    await list.waitFor();
    const width = async () => (await list.boundingBox())?.width;
    await expect.poll(() => width()).toBe(320);
    const divider = shown.page.getByRole('separator');
    await divider.focus();
    await shown.page.keyboard.press('ArrowLeft');
    await expect.poll(() => width()).toBe(340);
    const { x, y } = (await divider.boundingBox()) ?? { x: 0, y: 0 };
    await shown.page.mouse.move(x + 2, y + 100);
    await shown.page.mouse.down();
    await shown.page.mouse.move(x - 78, y + 100);
    await shown.page.mouse.up();
    await expect.poll(() => width()).toBe(420);
    await shown.page.reload();
    await expect.poll(width).toBe(420);
    await toggle.click();
    await shown.page.reload();
    await toggle.waitFor();
    await shown.page.locator('[data-row]').first().waitFor();
    expect(await list.count()).toBe(0);
  });
});
