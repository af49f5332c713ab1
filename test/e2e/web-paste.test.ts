import { describe, expect } from 'vitest';
import { Place } from '../support/command/vtr-command.ts';
import { inBrowser, openPage, openPageInTab, type WebPage } from '../support/web/browser.ts';

/** Pastes a text into the terminal in view, as the browser does. */
const paste = (page: WebPage['page'], text: string): Promise<void> =>
  page.evaluate(`{
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', ${JSON.stringify(text)});
    const field = document.querySelector('.keys');
    field.focus();
    field.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
  }`);

describe('[S3.32] a paste of several lines', () => {
  const place = Place.forAll();

  inBrowser('is asked about, unless the program takes pastes in one piece', async () => {
    // It shows what it reads, as \\r for the end of a line.
    const read = (mode: string) => [
      'sh',
      '-c',
      `stty raw -echo; printf '${mode}ready'; exec cat -v`,
    ];
    await place.ok('spawn', 'old', '--', ...read(''));
    await place.ok('spawn', 'new', '--', ...read('\\033[?2004h'));
    const shown = await openPageInTab(place);
    const { page } = shown;
    await shown.show('#/s/old');
    await expect.poll(async () => (await shown.rows())[0]).toBe('ready');
    const question = page.getByRole('dialog', { name: 'Paste 3 lines?' });
    await paste(page, 'one\ntwo\n three\n');
    expect(await question.locator('pre').textContent()).toBe('one\ntwo\n three');
    await question.getByRole('button', { name: 'Cancel' }).click();
    // The keys go to the terminal again.
    await page.keyboard.type(',');
    await place.sees('old', 'ready,');
    await paste(page, 'one\ntwo\nthree\n');
    await question.getByRole('button', { name: 'Paste as one line' }).click();
    await place.sees('old', 'ready,one two three');
    await paste(page, 'a line\n');
    const before = 'ready,one two threea line^M';
    await place.sees('old', before);
    await paste(page, '1\n2\n3');
    // The button that pastes has the focus.
    await question.waitFor();
    await page.keyboard.press('Enter');
    await place.sees('old', `${before}1^M2^M3`);
    await paste(page, '4\n5\n6');
    await question.getByRole('checkbox', { name: 'Do not ask again' }).check();
    await question.getByRole('button', { name: 'Paste', exact: true }).click();
    await place.sees('old', `${before}1^M2^M34^M5^M6`);
    await page.reload();
    await expect.poll(async () => (await shown.rows())[0]).toContain('6');
    await paste(page, '7\n8\n9');
    await place.sees('old', `${before}1^M2^M34^M5^M67^M8^M9`);
    // The settings have it, too, and undo it.
    await page.keyboard.press('Control+Shift+k');
    await page.keyboard.type('Settings');
    await page.keyboard.press('Enter');
    await page.getByRole('checkbox', { name: 'Ask before a paste of several lines' }).check();
    await page.getByRole('button', { name: 'Done' }).click();
    await shown.show('#/s/new');
    await expect.poll(async () => (await shown.rows())[0]).toBe('ready');
    await paste(page, '1\n2');
    await place.sees('new', 'ready^[[200~1^M2^[[201~');
    await paste(page, 'x\n'.repeat(1_000));
    await page.getByRole('dialog', { name: 'Paste 1,000 lines?' }).waitFor();
    expect(shown.problems).toEqual([]);
  });

  inBrowser('is told where the notice does not cover the line of the prompt', async () => {
    const prompt = ['--env', 'PS1=$ ', '--', 'bash', '--norc'];
    await place.ok('spawn', 'shell', ...prompt);
    await place.ok('send', 'shell', 'seq 100', '-e', '--wait', '100');
    const shown = await openPageInTab(place);
    const { page } = shown;
    await shown.show('#/s/shell');
    await expect.poll(async () => (await shown.rows()).join('\n')).toContain('100');
    // A key that nobody gets is told.
    const boxes = async () => {
      await page.locator('.keys').focus();
      await page.keyboard.press('ArrowUp');
      const notice = page.locator('.notice');
      await notice.waitFor();
      const [box, cursor] = [
        await notice.boundingBox(),
        await page.locator('.cursor').boundingBox(),
      ];
      if (box === null || cursor === null) throw new Error('nothing is shown');
      return { box, cursor };
    };
    const low = await boxes();
    expect(low.cursor.y).toBeGreaterThan(low.box.y + low.box.height);
    await place.ok('send', 'shell', 'clear', '-e');
    await expect.poll(async () => (await shown.rows())[1]).toBe('');
    await expect.poll(() => page.locator('.notice').isHidden()).toBe(true);
    const high = await boxes();
    expect(high.box.y).toBeGreaterThan(high.cursor.y + high.cursor.height);
  });
});

describe('[S3.32] Paste in the key bar of a phone', () => {
  inBrowser('pastes what is in the clipboard, which the page lets itself read', async () => {
    const place = new Place();
    await place.ok('spawn', 'one', '--', 'cat');
    const permissions = ['clipboard-read', 'clipboard-write'];
    const { page, show } = await openPage(place, { hasTouch: true, isMobile: true, permissions });
    await show('#/s/one');
    await page.getByRole('toolbar', { name: 'Keys' }).waitFor();
    await page.evaluate("navigator.clipboard.writeText('from the clipboard')");
    await page.getByRole('button', { name: 'Paste' }).click();
    await place.sees('one', 'from the clipboard');
  });
});
