import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page, WebSocketRoute } from 'playwright-core';
import { describe, expect } from 'vitest';
import { Place } from '../support/command/vtr-command.ts';
import { inBrowser, openPage } from '../support/web/browser.ts';

const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
const tablet = { viewport: { width: 820, height: 1180 }, hasTouch: true, isMobile: true };

/** Returns what of the controls in a bar lies over another one. */
const overlapping = (page: Page, bar: string): Promise<string[]> =>
  page.evaluate(`{
    const all = [...document.querySelectorAll(${JSON.stringify(`${bar} :is(a, button, input, h1)`)})]
      .map((element) => ({ element, box: element.getBoundingClientRect() }))
      .filter(({ box }) => box.width > 1);
    const nameOf = (each) => each.getAttribute('aria-label') ?? each.textContent;
    all.flatMap(({ element, box }, at) =>
      all.slice(at + 1).flatMap(({ element: other, box: next }) => {
        if (element.contains(other) || other.contains(element)) return [];
        const wide = Math.min(box.right, next.right) - Math.max(box.left, next.left);
        const high = Math.min(box.bottom, next.bottom) - Math.max(box.top, next.top);
        return wide > 1 && high > 1 ? [nameOf(element) + ' and ' + nameOf(other)] : [];
      }),
    );
  }`);

describe('what is where on the page', () => {
  inBrowser('a lost connection is told in full above the header, and covers nothing', async () => {
    const place = new Place();
    await place.ok('spawn', 'one', '--', 'cat');
    const { page, show } = await openPage(place, phone);
    const sockets: WebSocketRoute[] = [];
    let isCut = false;
    await page.routeWebSocket(/\/ws$/, (socket) => {
      if (isCut) void socket.close();
      else {
        socket.connectToServer();
        sockets.push(socket);
      }
    });
    await page.reload();
    await expect.poll(() => sockets.length).toBe(1);
    await page.locator('[data-session]').waitFor();
    isCut = true;
    for (const socket of sockets) await socket.close();
    const alert = page.getByRole('alert').filter({ hasText: 'Reconnecting' });
    for (const path of ['#/', '#/s/one']) {
      await show(path);
      await alert.waitFor();
      await page.locator('header.bar').waitFor();
      const cut = await alert.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
      expect(cut, path).toBe(0);
      const bottom = await alert.evaluate((element) => element.getBoundingClientRect().bottom);
      const top = await page
        .locator('header.bar')
        .evaluate((element) => element.getBoundingClientRect().top);
      expect(top, path).toBeGreaterThanOrEqual(bottom);
    }
  });

  inBrowser('a program that has ended has a card, from which it starts again', async () => {
    const place = new Place();
    await place.ok('spawn', 'job', '--', 'sh', '-c', 'echo no such module; sleep 0.1; exit 3');
    await place.vtr(['wait', 'job', '--exit']);
    const { page, show } = await openPage(place);
    await show('#/s/job');
    const card = page.getByRole('region', { name: 'Ended' });
    await card.getByText('exited with status 3').waitFor();
    await card.getByText('no such module').waitFor();
    const before = (await place.json('info', 'job')).exited_at;
    await card.getByRole('button', { name: 'Start again' }).click();
    await expect.poll(async () => (await place.json('info', 'job')).exited_at).not.toBe(before);
    await card.getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('button', { name: 'Undo' }).waitFor();
  });

  inBrowser('on a tablet and a phone, no control of a bar lies over another one', async () => {
    const place = new Place();
    await place.ok('spawn', 'a-name-of-some-length', '--', 'sh', '-c', 'false; exec cat');
    for (const device of [tablet, phone, { ...phone, viewport: { width: 844, height: 390 } }]) {
      const { page, show } = await openPage(place, device);
      await page.locator('[data-session]').first().waitFor();
      const size = `${device.viewport.width}`;
      expect(await overlapping(page, '.header'), size).toEqual([]);
      await show('#/s/a-name-of-some-length');
      await page.getByText('Take over').waitFor();
      expect(await overlapping(page, '.focus > .bar'), size).toEqual([]);
    }
  });

  inBrowser('on a phone, the buttons of a session are in one row, also of an agent', async () => {
    const place = new Place();
    const program = "printf '\\033[?1049hA full screen'; exec cat";
    await place.ok('spawn', 'a-name-of-some-length', '--', 'sh', '-c', program);
    for (const width of [390, 320]) {
      const { page, show } = await openPage(place, { ...phone, viewport: { width, height: 568 } });
      await show('#/s/a-name-of-some-length');
      await page.locator('[data-row="0"]').filter({ hasText: 'A full' }).waitFor();
      const more = page.getByRole('button', { name: 'More', exact: true });
      const tops = [page.getByRole('link', { name: 'All sessions' }), more].map((each) =>
        each.boundingBox().then((box) => box?.y),
      );
      const [back, last] = await Promise.all(tops);
      expect(last, `${width}`).toBe(back);
      await more.click();
      await page.getByRole('menuitem', { name: 'Transcript' }).click();
      await page.getByRole('region', { name: 'Transcript' }).waitFor();
    }
  });

  inBrowser('on a phone, a replay has its search', async () => {
    const place = new Place();
    await place.ok('spawn', 'one', '--', 'sh', '-c', 'echo hello; exec cat');
    const { page, show } = await openPage(place, phone);
    await show('#/s/one/replay');
    await page.getByRole('searchbox', { name: 'Search' }).fill('hello');
    await expect.poll(() => page.locator('.search output').textContent()).toMatch(/\d/);
  });

  inBrowser('on a phone, menus are sheets at the bottom with rows for fingers', async () => {
    const place = new Place();
    await place.ok('spawn', 'one', '--', 'cat');
    const { page } = await openPage(place, phone);
    await page.locator('[data-session]').waitFor();
    const machine = await page.locator('.header h1').evaluate((title) => ({
      shown: title.clientWidth,
      whole: title.scrollWidth,
    }));
    expect(machine.shown).toBe(machine.whole);
    for (const open of ['More', 'Menu']) {
      await page.getByRole('button', { name: open, exact: true }).click();
      const box = await page.locator('.menu').boundingBox();
      expect(box, open).toMatchObject({ x: 0, width: 390 });
      expect((box?.y ?? 0) + (box?.height ?? 0), open).toBeGreaterThanOrEqual(843);
      const rows = page.locator('.menu :is(button, a)');
      const heights = await rows.evaluateAll((all) => all.map((each) => each.clientHeight));
      expect(Math.min(...heights), open).toBeGreaterThanOrEqual(44);
      await page.keyboard.press('Escape');
    }
  });

  inBrowser('the panel of commands has no scroll bar at its bottom', async () => {
    const place = new Place();
    await place.ok('spawn', 'sh', '--', 'bash', '-i');
    await place.ok('run', 'sh', '--', 'true');
    const { page, show } = await openPage(place, { viewport: { width: 1440, height: 900 } });
    await show('#/s/sh');
    const panel = page.getByRole('navigation', { name: 'Commands' });
    await panel.getByText('true').waitFor();
    const bar = await panel.evaluate(
      ({ offsetHeight, clientHeight }) => offsetHeight - clientHeight,
    );
    expect(bar).toBe(0);
  });
});

describe('the size of a session', () => {
  const desktop = { viewport: { width: 1440, height: 900 } };

  inBrowser('is told at its frame, with who gave it; Fit gives it that of the window', async () => {
    const place = new Place();
    await place.ok('spawn', 'one', '--size', '80x24', '--', 'cat');
    const { page, show } = await openPage(place, desktop);
    await show('#/s/one');
    const label = page.locator('.size');
    await expect.poll(() => label.textContent()).toBe('80×24 · Fit');
    const screen = await page.locator('.screen').boundingBox();
    const box = await label.boundingBox();
    expect(box?.y).toBeGreaterThanOrEqual((screen?.y ?? 0) + (screen?.height ?? 0));
    await place.ok('resize', 'one', '60x10');
    await expect.poll(() => label.textContent()).toBe('60×10 · sized by vtr resize · Fit');
    await label.getByRole('button', { name: 'Fit' }).click();
    await expect.poll(() => label.textContent()).toMatch(/^1\d\d×\d\d · sized by you$/);
    const scrolls = await page
      .locator('.terminal')
      .evaluate((all) => all.scrollWidth > all.clientWidth || all.scrollHeight > all.clientHeight);
    expect(scrolls).toBe(false);
    expect(await page.locator('.driver [role=status]').textContent()).toContain('Nobody drives');
  });

  inBrowser('is told in a window that is zoomed, which does not scroll', async () => {
    const place = new Place();
    await place.ok('spawn', 'one', '--size', '134x45', '--', 'cat');
    const { page, show } = await openPage(place, { viewport: { width: 720, height: 450 } });
    await show('#/s/one');
    await page.locator('.hint').getByRole('button', { name: 'Fit' }).waitFor();
    const size = 'document.documentElement.scrollHeight - innerHeight';
    expect(await page.evaluate(size)).toBe(0);
  });

  inBrowser('is not told by a view whose place another one has taken', async () => {
    const place = new Place();
    await place.ok('spawn', 'one', '--', 'cat');
    await place.ok('spawn', 'two', '--', 'cat');
    const { page, show } = await openPage(place, desktop);
    await show('#/s/one');
    await page.locator('[data-terminal=one] [data-row]').first().waitFor({ state: 'attached' });
    // A font is loaded as soon as the terminal is gone.
    await page.evaluate(`{
      const one = document.querySelector('[data-terminal=one]');
      globalThis.told = new Promise((done) => new MutationObserver((_, changes) => {
        if (one.isConnected) return;
        changes.disconnect();
        const fontfaces = [...document.fonts].filter(({ family }) => !family.includes('shapes-'));
        document.fonts.dispatchEvent(new FontFaceSetLoadEvent('loadingdone', { fontfaces }));
        done();
      }).observe(document.body, { childList: true, subtree: true }));
      location.hash = '#/s/two';
    }`);
    await page.evaluate('told');
    await page.locator('[data-terminal=two] [data-row]').first().waitFor({ state: 'attached' });
    await page.keyboard.type('x');
    await place.sees('two', 'x');
    expect(await page.locator('.notice').textContent()).toBe('');
  });

  inBrowser('is told beside the screen where lines above it take the room below', async () => {
    const place = new Place();
    await place.ok('spawn', 'one', '--size', '80x24', '--', 'sh', '-c', 'seq 200; exec cat');
    const { page, show } = await openPage(place, desktop);
    await show('#/s/one');
    const label = page.locator('.size[data-place=beside]');
    await label.waitFor();
    const screen = await page.locator('.screen').boundingBox();
    expect((await label.boundingBox())?.x).toBeGreaterThan((screen?.x ?? 0) + (screen?.width ?? 0));
  });
});

describe('lines above the screen', () => {
  inBrowser('are wrapped after the same cell as on the screen, also after a blank', async () => {
    const place = new Place();
    const line = 'ab '.repeat(40);
    const program = `for i in $(seq 60); do printf '%s\\n' '${line}'; done; exec cat`;
    await place.ok('spawn', 'one', '--size', '50x10', '--', 'sh', '-c', program);
    const { page, show } = await openPage(place, { viewport: { width: 1440, height: 900 } });
    await show('#/s/one');
    await page.locator('[data-line]').last().waitFor();
    const height = (selector: string) =>
      page.locator(selector).evaluateAll((all) => all.map((each) => each.clientHeight));
    const [row = 0] = await height('[data-row]');
    // 120 cells, in rows of 50.
    for (const line of await height('[data-line]')) expect(line).toBe(3 * row);
  });
});

describe('ligatures', () => {
  inBrowser('are drawn if they are wanted, in the same cells', async () => {
    const place = new Place();
    await place.ok('spawn', 'one', '--', 'sh', '-c', 'echo "a => b != c"; exec cat');
    const { page, show } = await openPage(place);
    await show('#/s/one');
    const row = page.locator('[data-row]').filter({ hasText: '=>' });
    const shown = async () => {
      await row.waitFor();
      await page.evaluate('document.fonts.ready.then(() => undefined)');
      const width = await row.evaluate(`(element) => {
        const range = document.createRange();
        range.selectNodeContents(element);
        return range.getBoundingClientRect().width;
      }`);
      return { width, picture: (await row.screenshot()).toString('base64') };
    };
    const before = await shown();
    await page.evaluate(`localStorage.setItem('vtr.settings', '{"ligatures":true}')`);
    await page.reload();
    await expect
      .poll(() =>
        page.evaluate(`[...document.fonts].some(
        ({ family, status }) => family.includes('ligatures') && status === 'loaded')`),
      )
      .toBe(true);
    await expect.poll(async () => (await shown()).picture).not.toBe(before.picture);
    expect((await shown()).width).toBe(before.width);
  });
});

describe('the colour scheme of the configuration', () => {
  inBrowser('is that of the page, until the person chooses one; a wrong one is told', async () => {
    const place = new Place();
    const file = join(place.directory, 'theme');
    const colors = Array.from({ length: 16 }, (_, at) => {
      const part = at.toString(16).repeat(2);
      return `palette = ${at}=#${part}8080`;
    });
    writeFileSync(file, [...colors, 'background = #102030', 'foreground = #e0e0e0'].join('\n'));
    mkdirSync(join(place.directory, 'config/vtr'), { recursive: true });
    const config = join(place.directory, 'config/vtr/server.toml');
    writeFileSync(config, `web_theme = ${JSON.stringify(file)}\n`);
    await place.ok('spawn', 'one', '--', 'cat');
    const { page } = await openPage(place);
    await page.locator('[data-session]').waitFor();
    const back = () => page.evaluate(`getComputedStyle(document.body).backgroundColor`);
    expect(await back()).toBe('rgb(16, 32, 48)');
    writeFileSync(file, 'background = #102030\n');
    await page.reload();
    await page.getByText('web_theme: the scheme has no colour 0, 1').waitFor();
    rmSync(file);
    await page.reload();
    await page.getByText(`web_theme: cannot read ${file}: ENOENT`).waitFor();
  });
});
