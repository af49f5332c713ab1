import { describe, expect, onTestFinished } from 'vitest';
import { Place } from '../support/command/vtr-command.ts';
import { inBrowser, openPage, openPageInTab } from '../support/web/browser.ts';
import { agrees, screenOf, status, type } from '../support/web/shown-session.ts';

describe('what a person types on the page', () => {
  const place = Place.forAll();

  inBrowser(
    'Tab goes through the page past a terminal, until something is typed in it',
    async () => {
      await place.ok('spawn', 'tabs', '--', 'sh', '-c', 'stty raw -echo; exec od -An -c -v -w1');
      const { page, show } = await openPageInTab(place);
      await show('#/s/tabs');
      const typed = async () => (await screenOf(place, 'tabs')).map((row) => row.trim()).join('');
      const isInTerminal = () => page.evaluate("document.activeElement.matches('.keys')");
      await page.locator('.keys').focus();
      await page.keyboard.type('x');
      await expect.poll(typed).toBe('x');
      await page.keyboard.press('Shift+Escape');
      for (let count = 0; count < 20 && !(await isInTerminal()); count++)
        await page.keyboard.press('Tab');
      expect(await isInTerminal()).toBe(true);
      await page.keyboard.press('Shift+Tab');
      expect(await isInTerminal()).toBe(false);
      await page.keyboard.press('Tab');
      expect(await isInTerminal()).toBe(true);
      await page.keyboard.type('y');
      await page.keyboard.press('Tab');
      await expect.poll(typed).toBe('xy\\t');
    },
  );

  inBrowser(
    'text that is dropped is pasted; a file beside a terminal is refused, and does not replace the page',
    async () => {
      await place.ok('spawn', 'drops', '--', 'cat');
      const { page, show } = await openPageInTab(place);
      await show('#/s/drops');
      await page.locator('[data-row]').first().waitFor({ state: 'attached' });
      const drop = (what: string, at: string) =>
        page.evaluate(`{
        const dataTransfer = new DataTransfer();
        dataTransfer.items.add(${what});
        ['dragover', 'drop'].map((type) => {
          const event = new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true });
          document.querySelector('${at}').dispatchEvent(event);
          return event.defaultPrevented;
        });
      }`);
      expect(await drop(`'dropped text', 'text/plain'`, '[data-row]')).toEqual([true, true]);
      await place.sees('drops', 'dropped text');
      const notice = page.locator('.notice');
      expect(await drop(`new File(['x'], 'picture.png')`, 'header.bar')).toEqual([true, true]);
      await expect
        .poll(() => notice.textContent())
        .toMatch(/^Not sent: drop files on the terminal/);
      expect(await screenOf(place, 'drops')).not.toContain('picture.png');
    },
  );

  inBrowser(
    '[S3.32] types into a shell, whose first key drives and whose window sizes it',
    async () => {
      await place.ok('spawn', 'one', '--env', 'PS1=$ ', '--', 'bash', '--norc');
      await place.sees('one', '$');
      const shown = await openPageInTab(place);
      await shown.show('#/s/one');
      await expect.poll(() => shown.page.locator(status).textContent()).toMatch(/^Nobody drives/);
      await type(shown, 'echo $((6*7)); echo ü漢 e;\n');
      const driving = async () => (await place.json('info', 'one')).driver;
      await expect
        .poll(driving)
        .toMatchObject({ kind: 'person', name: expect.stringMatching(/^Chrome on /) });
      await place.sees('one', '42');
      await agrees(place, shown, 'one');
      expect(await shown.rows()).toContain('ü漢 e');
      await expect.poll(() => shown.page.locator(status).textContent()).toMatch(/^You drive/);
      const { rows, viewers } = await place.json('info', 'one');
      expect(viewers).toMatchObject([{ kind: 'web' }]);
      expect(rows).toBeGreaterThan(24);
      const command = shown.page.getByRole('button', { name: /^0 echo/ });
      await command.click();
      const matches = shown.page.locator('.found');
      await expect.poll(() => matches.allTextContents()).toEqual(['$ echo $((6*7)); echo ü漢 e;']);
      await shown.page.setViewportSize({ width: 500, height: 500 });
      await expect.poll(async () => (await place.json('info', 'one')).cols).toBeLessThan(80);
      // Keys of the terminal are not those of the page, and Shift+Escape leaves it.
      await shown.page.locator('.keys').focus();
      await shown.page.keyboard.press('Shift+Escape');
      await expect.poll(() => shown.page.locator('.back:focus').count()).toBe(1);
      expect(shown.problems).toEqual([]);
    },
  );

  inBrowser('takes the keys that are pressed before the view is there', async () => {
    await place.ok('spawn', 'early', '--', 'cat');
    const { page, origin, problems } = await openPage(place, {
      serviceWorkers: 'block',
    });
    const release: (() => void)[] = [];
    const gate = { pattern: '' };
    await page.route(
      (url) => gate.pattern !== '' && url.pathname.includes(gate.pattern),
      async (route) => {
        await new Promise<void>((resolve) => release.push(resolve));
        await route.continue();
      },
    );
    /** What a keyboard of the test cannot press. */
    const events: Readonly<Record<string, string>> = {
      AltGr: `new KeyboardEvent('keydown', { key: '@', code: 'KeyQ', ctrlKey: true, altKey: true,
        modifierAltGraph: true, bubbles: true, cancelable: true })`,
      Paste: `(() => {
        const clipboardData = new DataTransfer();
        clipboardData.setData('text/plain', 'Pasted');
        return new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true });
      })()`,
    };
    /** Loads a view without one of its requests, types, and lets the request go on. */
    const early = async (path: string, pattern: string, keys: readonly string[]) => {
      gate.pattern = pattern;
      await page.goto('about:blank');
      await page.goto(`${origin}/${path}`, { waitUntil: 'commit' });
      await expect.poll(() => release.length).toBeGreaterThan(0);
      for (const key of keys) {
        if (key in events) await page.evaluate(`document.body.dispatchEvent(${events[key]})`);
        else await page.keyboard.press(key);
      }
      gate.pattern = '';
      for (const go of release.splice(0)) go();
    };
    await early('#/s/early', 'on-demand', [...'hi', 'Enter']);
    await expect.poll(() => place.ok('screen', 'early')).toMatch(/^hi\nhi\n/);
    await early('#/s/early', '/me', [...'yo', 'Enter']);
    await expect.poll(() => place.ok('screen', 'early')).toMatch(/^hi\nhi\nyo\nyo\n/);
    await early('#/s/early', '.js', ['a', 'AltGr', 'Control+c', 'Paste', 'z', 'Enter']);
    await expect.poll(() => place.ok('screen', 'early')).toMatch(/yo\na@Pastedz\na@Pastedz\n/);
    await early('', '.js', [...'/earl', 'Backspace', 'Paste']);
    await expect.poll(() => page.getByLabel('Filter sessions').inputValue()).toBe('earPasted');
    await early('', '/me', [...'/earl', 'Backspace', ...'x']);
    await expect.poll(() => page.getByLabel('Filter sessions').inputValue()).toBe('earx');
    // Later keys are not taken from the page.
    await page.keyboard.press('y');
    expect(await page.getByLabel('Filter sessions').inputValue()).toBe('earxy');
    expect(problems).toEqual([]);
  });

  inBrowser('types nothing later into a daemon that was suspended, and says so', async () => {
    await place.ok('spawn', 'stop', '--', 'cat');
    const shown = await openPageInTab(place);
    await shown.show('#/s/stop');
    await type(shown, 'before\n');
    const screen = async () => (await place.ok('screen', 'stop')).trimEnd();
    await expect.poll(screen).toBe('before\nbefore');
    const { pid } = await place.json('serve', '--status');
    process.kill(pid, 'SIGSTOP');
    try {
      await type(shown, 'while it hangs\n');
      const notice = shown.page.locator('.notice');
      await expect
        .poll(() => notice.textContent(), { timeout: 60_000 })
        .toBe('Not sent: vtr does not respond');
    } finally {
      process.kill(pid, 'SIGCONT');
    }
    const lost = shown.page.locator('.lost');
    await expect.poll(() => lost.count(), { timeout: 60_000 }).toBe(0);
    await type(shown, 'after\n');
    await expect.poll(screen).toMatch(/after\nafter$/);
    expect(await screen()).toBe('before\nbefore\nafter\nafter');
  });

  inBrowser('[S3.32] shows what vim draws, and all keys reach it', async () => {
    await place.ok('spawn', 'edit', '--', 'vim', '-u', 'NONE', '-N');
    const shown = await openPageInTab(place);
    await shown.show('#/s/edit');
    await shown.page.locator('.keys').focus();
    await shown.page.keyboard.press('i');
    await shown.page.keyboard.type('one two');
    await shown.page.keyboard.press('Enter');
    await shown.page.keyboard.type('three');
    await shown.page.keyboard.press('Escape');
    await shown.page.keyboard.type(':set number');
    await shown.page.keyboard.press('Enter');
    await place.sees('edit', '  2 three');
    await agrees(place, shown, 'edit');
  });

  inBrowser('[S3.32] takes text of input methods and of phones', async () => {
    await place.ok('spawn', 'in', '--', 'cat');
    const shown = await openPageInTab(place);
    await shown.show('#/s/in');
    await shown.page.locator('.keys').focus();
    const browser = await shown.page.context().newCDPSession(shown.page);
    await browser.send('Input.imeSetComposition', {
      text: 'にほ',
      selectionStart: 2,
      selectionEnd: 2,
    });
    await browser.send('Input.imeSetComposition', {
      text: 'にほん',
      selectionStart: 3,
      selectionEnd: 3,
    });
    // The person sees at the cursor what is composed.
    const composed = shown.page.locator('.composed');
    await expect.poll(() => composed.isVisible()).toBe(true);
    await expect.poll(() => composed.textContent()).toBe('にほん');
    await browser.send('Input.insertText', { text: '日本' });
    await expect.poll(() => composed.isVisible()).toBe(false);
    // The keyboard of a phone inserts text without a key, and deletes what it finds.
    await browser.send('Input.insertText', { text: 'swiped ' });
    await shown.page.keyboard.press('Enter');
    // The echo, and then what cat prints.
    await expect
      .poll(async () => (await screenOf(place, 'in')).slice(0, 3))
      .toEqual(['日本swiped', '日本swiped', '']);
  });

  inBrowser('[S3.32] gives the mouse to a program that asks for it', async () => {
    const modes = "printf '\\033[?1002h\\033[?1006h'; stty raw -echo; echo ready; cat -v";
    await place.ok('spawn', 'mouse', '--', 'sh', '-c', modes);
    await place.sees('mouse', 'ready');
    const shown = await openPageInTab(place);
    await shown.show('#/s/mouse');
    await shown.page.getByRole('button', { name: 'Take over' }).click();
    await expect.poll(() => shown.page.locator(status).textContent()).toMatch(/^You drive/);
    // Rows move until the session has the size of the window with the buttons of a driver.
    const hasSize = `document.querySelectorAll('[data-row]').length === Math.floor(
      (document.querySelector('.terminal').clientHeight - 8) /
      document.querySelector('[data-row]').getBoundingClientRect().height)`;
    await expect.poll(() => shown.page.evaluate(hasSize)).toBe(true);
    const { x, y } = (await shown.page.locator('[data-row="3"]').boundingBox()) ?? { x: 0, y: 0 };
    await shown.page.mouse.move(x + 2, y + 2);
    await shown.page.mouse.down();
    await shown.page.mouse.move(x + 40, y + 2);
    await shown.page.mouse.up();
    await expect
      .poll(async () => (await screenOf(place, 'mouse')).join(''))
      .toMatch(/\^\[\[<0;1;4M\^\[\[<32;\d+;4M\^\[\[<0;\d+;4m/);
  });

  inBrowser('[S3.32] takes over from an agent, and gives back with a note', async () => {
    await place.shell('one');
    const { mark: _, ...body } = await place.json('send', 'one', 'true\\r');
    expect(body).toBeDefined();
    const shown = await openPageInTab(place);
    await shown.show('#/s/one');
    await expect.poll(() => shown.page.locator(status).textContent()).toMatch(/drives$/);
    await shown.page.getByRole('button', { name: 'Take over' }).click();
    await expect.poll(() => shown.page.locator(status).textContent()).toMatch(/^You drive/);
    await expect.poll(async () => (await place.json('info', 'one')).rows).toBeGreaterThan(24);
    expect((await place.vtr(['send', 'one', 'x'])).status).toBe(14);
    await shown.page.getByRole('button', { name: 'Add a note' }).click();
    await shown.page.getByRole('textbox', { name: 'Note' }).fill('I fixed it');
    await shown.page.keyboard.press('Enter');
    await expect.poll(async () => (await place.json('info', 'one')).driver).toBe(null);
    // The session has the size that it had before.
    await expect.poll(async () => (await place.json('info', 'one')).rows).toBe(24);
    const stale = await place.vtr(['send', 'one', 'x', '--epoch', '1']);
    expect(stale.stderr).toContain('I fixed it');
  });

  inBrowser('[S3.32] leaves a watched session as it is by keys that type nothing', async () => {
    await place.ok('spawn', 'watched', '--', 'sh', '-c', 'seq 300; stty raw -echo; cat -vT');
    const shown = await openPageInTab(place);
    await shown.show('#/s/watched');
    await agrees(place, shown, 'watched');
    const field = shown.page.locator('.keys');
    const { keyboard } = shown.page;
    const isFocused = async (selector: string) =>
      (await shown.page.locator(`${selector}:focus`).count()) === 1;
    await field.focus();
    await keyboard.press('Control+f');
    await expect.poll(() => isFocused('.search input')).toBe(true);
    await field.focus();
    await keyboard.press('Shift+PageUp');
    const last = shown.page.locator('[data-row="23"]');
    await expect.poll(async () => ((await last.boundingBox())?.y ?? 0) > 640).toBe(true);
    await keyboard.press('ArrowUp');
    const notice = shown.page.locator('.notice');
    await expect.poll(() => notice.textContent()).toMatch(/^Not sent: type a letter/);
    await keyboard.press('Tab');
    expect(await isFocused('.keys')).toBe(false);
    const { driver, cols, rows } = await place.json('info', 'watched');
    expect({ driver, cols, rows }).toEqual({ driver: null, cols: 80, rows: 24 });
    // From the first character on, all keys are those of the program.
    await type(shown, 'y');
    await keyboard.press('Tab');
    await keyboard.press('Control+f');
    await place.sees('watched', 'y^I^F');
  });

  inBrowser('[S3.32] says that a visitor of a read-only share only watches', async () => {
    await place.ok('spawn', 'shared', '--', 'cat');
    const { id, url } = await place.json('web', 'share', 'shared');
    onTestFinished(async () => void (await place.ok('web', 'unshare', id)));
    const shown = await openPageInTab(place, url);
    await expect.poll(() => shown.page.getByText('Read-only: you watch').count()).toBe(1);
    await type(shown, 'x');
    const notice = shown.page.locator('.notice');
    await expect
      .poll(() => notice.textContent())
      .toBe('Not sent: this link only shows the session');
    expect(await shown.page.getByRole('button', { name: 'Take over' }).count()).toBe(0);
  });

  inBrowser('goes on driving a session that gets another name', async () => {
    await place.ok('spawn', 'before', '--', 'cat');
    const shown = await openPageInTab(place);
    await shown.show('#/s/before');
    await type(shown, 'one ');
    await place.sees('before', 'one');
    await place.ok('rename', 'before', 'after');
    await expect.poll(() => shown.page.locator('h1').textContent()).toBe('after');
    await expect.poll(() => shown.page.locator('[data-terminal=after]').count()).toBe(1);
    await expect.poll(() => shown.page.locator(status).textContent()).toMatch(/^You drive/);
    await shown.page.keyboard.type('two');
    const driver = async () => (await place.json('info', 'after')).driver;
    await expect
      .poll(driver)
      .toMatchObject({ kind: 'person', name: expect.stringMatching(/^Chrome on /) });
    await place.sees('after', 'one two');
  });

  inBrowser(
    '[S3.32] has keys and a line for a phone, which never sizes a session by itself',
    async () => {
      await place.ok('spawn', 'one', '--', 'cat', '-v');
      const phone = { viewport: { width: 390, height: 700 }, hasTouch: true, isMobile: true };
      const shown = await openPage(place, phone);
      await shown.show('#/s/one');
      const line = shown.page.getByRole('textbox', { name: 'Line' });
      await line.fill('dictated');
      // The card of a question has such a button, too.
      await shown.page.locator('form', { has: line }).getByRole('button', { name: 'Send' }).click();
      await place.sees('one', 'dictated');
      await shown.page.getByRole('button', { name: 'Esc' }).click();
      await shown.page.getByRole('button', { name: '↑' }).click();
      await expect.poll(async () => (await screenOf(place, 'one'))[2]).toBe('^[^[[A');
      // Ctrl holds for the next key of the phone's own keyboard.
      await shown.page.getByRole('button', { name: 'Ctrl' }).click();
      await shown.page.locator('.keys').focus();
      await shown.page.keyboard.insertText('g');
      await shown.page.keyboard.insertText('g');
      await expect.poll(async () => (await screenOf(place, 'one'))[2]).toBe('^[^[[A^Gg');
      expect(await place.json('info', 'one')).toMatchObject({ cols: 80, rows: 24 });
      await shown.page.getByRole('button', { name: 'Fit' }).click();
      await expect.poll(async () => (await place.json('info', 'one')).cols).toBeLessThan(80);
      // A finger scrolls in a full-screen program.
      const full = "printf '\\033[?1049h'; stty raw -echo; echo ready; cat -v";
      await place.ok('spawn', 'full', '--', 'sh', '-c', full);
      await place.sees('full', 'ready');
      await shown.show('#/s/full');
      await shown.page.getByRole('button', { name: 'Take over' }).tap();
      await expect.poll(() => shown.page.locator(status).textContent()).toMatch(/^You drive/);
      const browser = await shown.page.context().newCDPSession(shown.page);
      const touch = (type: 'touchStart' | 'touchMove', y: number) =>
        browser.send('Input.dispatchTouchEvent', { type, touchPoints: [{ x: 100, y }] });
      await touch('touchStart', 400);
      for (let y = 390; y >= 300; y -= 10) await touch('touchMove', y);
      await browser.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
      await expect
        .poll(async () => (await screenOf(place, 'full')).join(''))
        .toMatch(/ready *(\^\[\[B)+$/);
    },
  );
});
