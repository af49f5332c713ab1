import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { Place } from '../support/command/vtr-command.ts';
import { inBrowser, openPage, type WebPage } from '../support/web/browser.ts';
import { agrees, screenOf, type } from '../support/web/shown-session.ts';

/** What a page receives, which a test can hold back: a connection on which each echo takes long. */
class HeldLine {
  #messages: (() => void)[] | null = null;

  async connect(page: Page): Promise<void> {
    await page.routeWebSocket(/\/ws$/, (socket) => {
      socket.connectToServer().onMessage((message) => {
        const send = () => socket.send(message);
        if (this.#messages === null) send();
        else this.#messages.push(send);
      });
    });
  }

  hold(): void {
    this.#messages = [];
  }

  release(): void {
    for (const send of this.#messages?.splice(0) ?? []) send();
    this.#messages = null;
  }
}

/** Opens a session on a page that shows what is typed before its echo in any case, or as the settings say. */
async function openHeld(place: Place, name: string, predict = 'always') {
  const shown = await openPage(place);
  const line = new HeldLine();
  await line.connect(shown.page);
  const settings = JSON.stringify(JSON.stringify({ predict }));
  await shown.page.evaluate(`localStorage.setItem('vtr.settings', ${settings})`);
  await shown.page.reload();
  await shown.page.locator('[data-session]').first().waitFor();
  // The help is in the script that has the guesses, too.
  await shown.page.keyboard.press('?');
  await shown.page.getByRole('dialog').waitFor();
  await shown.page.keyboard.press('Escape');
  await shown.show(`#/s/${name}`);
  return { shown, line };
}

const lastRow = async (shown: WebPage): Promise<string> => {
  const rows = (await shown.rows()).map((row) => row.trimEnd());
  return rows.findLast((row) => row !== '') ?? '';
};

/** The text that is underlined, as guesses are. */
const underlined = ({ page }: WebPage): Promise<string> =>
  page.evaluate(`[...document.querySelectorAll('[data-row] span')]
    .filter((span) => getComputedStyle(span).textDecorationLine.includes('underline'))
    .map((span) => span.textContent)
    .join('')`);

/** Types until the page shows a key before the echo of it, which proves that it has learnt that keys are echoed. */
async function learns(shown: WebPage, line: HeldLine): Promise<void> {
  await type(shown, 'ec');
  await expect.poll(() => lastRow(shown)).toBe('$ ec');
  await expect.poll(() => underlined(shown)).toBe('');
  line.hold();
}

describe('what a person types over a slow connection', () => {
  const place = Place.forAll();

  inBrowser('is shown, underlined, before its echo, and is then the screen', async () => {
    await place.ok('spawn', 'slow', '--env', 'PS1=$ ', '--', 'bash', '--norc');
    await place.sees('slow', '$');
    const { shown, line } = await openHeld(place, 'slow');
    // The first key begins it.
    await type(shown, 'x');
    await expect.poll(() => lastRow(shown)).toBe('$ x');
    await shown.page.keyboard.press('Backspace');
    await expect.poll(() => lastRow(shown)).toBe('$');
    await learns(shown, line);
    await type(shown, 'hp');
    await expect.poll(() => lastRow(shown)).toBe('$ echp');
    expect(await underlined(shown)).toBe('hp');
    await shown.page.keyboard.press('Backspace');
    await expect.poll(() => lastRow(shown)).toBe('$ ech');
    await type(shown, 'o hi');
    await expect.poll(() => lastRow(shown)).toBe('$ echo hi');
    line.release();
    await expect.poll(() => underlined(shown)).toBe('');
    expect(await lastRow(shown)).toBe('$ echo hi');
    await shown.page.keyboard.press('Enter');
    await place.sees('slow', 'hi');
    await agrees(place, shown, 'slow');
    expect(shown.problems).toEqual([]);
  });

  inBrowser('is never shown where the program does not echo: at a password', async () => {
    await place.ok('spawn', 'pass', '--env', 'PS1=$ ', '--', 'bash', '--norc');
    await place.sees('pass', '$');
    const { shown, line } = await openHeld(place, 'pass');
    await type(shown, 'read -rs word\n');
    await expect.poll(async () => (await screenOf(place, 'pass')).join('\n')).toContain('read -rs');
    await agrees(place, shown, 'pass');
    line.hold();
    await type(shown, 'hunter2');
    expect(await shown.page.locator('[data-terminal]').innerText()).not.toContain('hunter2');
    line.release();
    await type(shown, '\necho "[$word]"\n');
    await place.sees('pass', '[hunter2]');
    await agrees(place, shown, 'pass');
  });

  inBrowser('is shown by the program alone, if the person wants that', async () => {
    await place.ok('spawn', 'never', '--env', 'PS1=$ ', '--', 'bash', '--norc');
    await place.sees('never', '$');
    const { shown, line } = await openHeld(place, 'never', 'never');
    await learns(shown, line);
    await type(shown, 'ho');
    await place.sees('never', '$ echo');
    expect(await lastRow(shown)).toBe('$ ec');
    line.release();
    await expect.poll(() => lastRow(shown)).toBe('$ echo');
  });
});
