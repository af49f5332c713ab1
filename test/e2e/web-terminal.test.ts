import { describe, expect } from 'vitest';
import { Place } from '../support/command/vtr-command.ts';
import { inBrowser, openPageInTab, type WebPage } from '../support/web/browser.ts';
import { agrees, screenOf, type } from '../support/web/shown-session.ts';

/** Returns what the browser would copy: a headless one has no clipboard that a test may read. */
const copied = (page: WebPage['page']): Promise<string> =>
  page.evaluate(`{
    const clipboardData = new DataTransfer();
    const event = new ClipboardEvent('copy', { clipboardData, bubbles: true, cancelable: true });
    document.querySelector('.terminal').dispatchEvent(event);
    event.defaultPrevented ? clipboardData.getData('text/plain') : getSelection().toString();
  }`);

describe('the terminal of the page', () => {
  const place = Place.forAll();

  inBrowser('[S3.32] blinks without an animation, in whose frames output would wait', async () => {
    const line = "printf '\\033[5mALARM\\033[0m \\033[1 q'; exec cat";
    await place.ok('spawn', 'blinks', '--', 'sh', '-c', line);
    const shown = await openPageInTab(place);
    await shown.show('#/s/blinks');
    await shown.page.locator('.keys').focus();
    for (const [name, property, off] of [
      ['.blink', 'color', 'rgba(0, 0, 0, 0)'],
      ['.cursor.blinking', 'opacity', '0'],
    ]) {
      await shown.page.locator(String(name)).waitFor({ state: 'attached' });
      const style = `getComputedStyle(document.querySelector('${name}'))`;
      const shownNow = () => shown.page.evaluate(`${style}.${property}`);
      await expect.poll(shownNow).toBe(off);
      await expect.poll(shownNow).not.toBe(off);
    }
    expect(await shown.page.evaluate('document.getAnimations().length')).toBe(0);
  });

  inBrowser('keeps the background of text that is faint, blinks or is concealed', async () => {
    const parts = ['2mfaint', '5mblinks', '8mhides', '2;31mred', '2;7mturned'];
    const line = parts.map((part) => `\\033[0;44;${part}`).join('');
    await place.ok('spawn', 'faint', '--', 'sh', '-c', `printf '${line}'; exec cat`);
    const shown = await openPageInTab(place);
    await shown.show('#/s/faint');
    await agrees(place, shown, 'faint');
    const opacities = `[...document.querySelectorAll('[data-row="0"] span')].map(
      (span) => [span.textContent, getComputedStyle(span).opacity])`;
    expect(await shown.page.evaluate(opacities)).toEqual(
      ['faint', 'blinks', 'hides', 'red', 'turned'].map((text) => [text, '1']),
    );
    const colorOf = (text: string) =>
      shown.page.evaluate(`getComputedStyle([...document.querySelectorAll('[data-row] span')]
        .find(({ textContent }) => textContent === '${text}')).color`);
    expect(await colorOf('hides')).toBe('rgba(0, 0, 0, 0)');
    for (const text of ['faint', 'red', 'turned'])
      expect(await colorOf(text)).toMatch(/ \/ 0\.65\)$/);
  });

  inBrowser('[S3.32] reads back, searches, selects and copies', async () => {
    await place.ok('spawn', 'lines', '--', 'sh', '-c', 'seq -f "line %g" 5000; cat');
    await place.sees('lines', 'line 5000');
    const shown = await openPageInTab(place);
    await shown.show('#/s/lines');
    await agrees(place, shown, 'lines');
    const search = shown.page.getByRole('searchbox', { name: 'Search' });
    await search.fill('line 12\\d4');
    await search.press('Enter');
    await expect.poll(() => shown.page.locator('.search output').textContent()).toBe('10 of 10');
    const matches = shown.page.locator('[data-line].found');
    await expect.poll(() => matches.textContent()).toBe('line 1294');
    await search.press('Enter');
    await expect.poll(() => matches.last().textContent()).toBe('line 1284');
    const line = shown.page.locator('[data-line="1283"]');
    await line.selectText();
    expect(await shown.page.evaluate('getSelection().toString().trim()')).toBe('line 1284');
    // Lines above are loaded when they are needed.
    await expect
      .poll(async () => {
        await shown.page.evaluate("document.querySelector('.terminal').scrollTop = 0");
        return shown.page.locator('[data-line="700"]').count();
      })
      .toBe(1);
    await search.press('Escape');
    await agrees(place, shown, 'lines');
    await search.fill('line 4999');
    await search.press('Enter');
    const onScreen = shown.page.locator('[data-row].found');
    await expect.poll(() => onScreen.allTextContents()).toEqual(['line 4999']);
    // What is printed later is found, too.
    const counted = () => shown.page.locator('.search output').textContent();
    await search.fill('^late');
    await search.press('Enter');
    await expect.poll(counted).toBe('no match');
    for (const text of ['late one', 'late two']) await place.ok('send', 'lines', text, '--enter');
    // Its echo, and what cat prints.
    const late = async () => (await screenOf(place, 'lines')).filter((row) => row === 'late two');
    await expect.poll(late).toHaveLength(2);
    for (const count of ['4 of 4', '3 of 4', '2 of 4', '1 of 4', '4 of 4']) {
      await search.press('Enter');
      await expect.poll(counted).toBe(count);
    }
    await search.press('Shift+Enter');
    await expect.poll(counted).toBe('1 of 4');
    await expect.poll(() => onScreen.allTextContents()).toEqual(['late one']);
    // Of the line, what was found is marked.
    const marked = () => shown.page.evaluate("[...CSS.highlights.get('found')].join()");
    await expect.poll(marked).toBe('late');
  });

  inBrowser('[S3.32] goes back over all lines by the wheel, and never forward', async () => {
    await place.ok('spawn', 'wheel', '--', 'sh', '-c', 'seq -f "line %g" 2000; cat');
    await place.sees('wheel', 'line 2000');
    const shown = await openPageInTab(place);
    await shown.show('#/s/wheel');
    await agrees(place, shown, 'wheel');
    const { x, y } = (await shown.page.locator('.terminal').boundingBox()) ?? { x: 0, y: 0 };
    await shown.page.mouse.move(x + 40, y + 40);
    /** The first line in view, when the browser has scrolled and drawn; 2000 for one on the screen. */
    const first = async (): Promise<number> =>
      Number(
        await shown.page.evaluate(`(async () => {
          for (let frame = 0; frame < 3; frame++) await new Promise(requestAnimationFrame);
          const row = document.elementFromPoint(${x + 40}, ${y + 12})?.closest('.row');
          return row?.dataset.line ?? 2000;
        })()`),
      );
    const lines = [await first()];
    while (lines.at(-1) !== 0 && lines.length < 1_000) {
      await shown.page.mouse.wheel(0, -240);
      lines.push(await first());
    }
    expect(lines.at(-1)).toBe(0);
    expect(lines.filter((line, at) => line > (lines[at - 1] ?? line))).toEqual([]);
  });

  inBrowser('[S3.32] keeps what is selected while output arrives', async () => {
    await place.ok('spawn', 'held', '--', 'sh', '-c', 'seq -f "line %g" 100; cat');
    await place.sees('held', 'line 100');
    const shown = await openPageInTab(place);
    await shown.show('#/s/held');
    await agrees(place, shown, 'held');
    const row = shown.page.locator('[data-row]', { hasText: /^line 90$/ });
    const box = (await row.boundingBox()) ?? { x: 0, y: 0, height: 0 };
    const middle = box.y + box.height / 2;
    await shown.page.mouse.move(box.x + 1, middle);
    await shown.page.mouse.down();
    await shown.page.mouse.move(box.x + 200, middle, { steps: 4 });
    await shown.page.mouse.up();
    const selected = () => shown.page.evaluate('getSelection().toString()');
    await expect.poll(() => selected()).toBe('line 90');
    await place.ok('send', 'held', 'new', '--enter');
    const goOn = shown.page.getByRole('button', { name: /^Held while text is selected/ });
    await goOn.waitFor();
    expect([await selected(), await copied(shown.page)]).toEqual(['line 90', 'line 90']);
    await goOn.click();
    await agrees(place, shown, 'held');
    await expect.poll(() => selected()).toBe('');
  });

  inBrowser('[S3.32] has no scroll bars in a session that has the size of the window', async () => {
    await place.ok('spawn', 'bars', '--', 'sh', '-c', "printf '\\033[?1049h'; cat");
    const shown = await openPageInTab(place);
    await shown.show('#/s/bars');
    await type(shown, 'x');
    await place.sees('bars', 'x');
    for (const [width, height] of [
      [1366, 768],
      [1440, 900],
      [1536, 864],
      [1000, 640],
    ] as const) {
      await shown.page.setViewportSize({ width, height });
      const measures = async () => {
        const { cols, rows } = await place.json('info', 'bars');
        const fits = await shown.page.evaluate(`{
          const terminal = document.querySelector('.terminal');
          const { clientWidth, scrollWidth, clientHeight, scrollHeight } = terminal;
          scrollWidth <= clientWidth && scrollHeight <= clientHeight;
        }`);
        const shownRows = await shown.page.locator('[data-row]').count();
        return { fits, isSized: shownRows === rows && cols > 150 === width > 1000 };
      };
      await expect.poll(measures).toEqual({ fits: true, isSized: true });
    }
  });

  inBrowser('[S3.32] shows the beginning of a line that is partly above the screen', async () => {
    const print = "printf '%0400d\\n' 7; seq 1 21; cat";
    await place.ok('spawn', 'part', '--', 'sh', '-c', print);
    await place.sees('part', '21');
    const shown = await openPageInTab(place);
    await shown.show('#/s/part');
    await agrees(place, shown, 'part');
    const above = async () => (await shown.page.locator('.history').textContent())?.length;
    await expect.poll(above).toBe(240);
    await shown.page.evaluate(
      "getSelection().selectAllChildren(document.querySelector('.terminal'))",
    );
    expect(await copied(shown.page)).toMatch(/^0{399}7\n1\n2\n/);
    await place.ok('send', 'part', 'more', '--enter');
    await place.sees('part', 'more');
    await expect.poll(above).toBe(400);
  });

  inBrowser('[S3.32] copies a line as one, also where the screen wraps it', async () => {
    const print = "printf '%078dab  cd\\n\\ntext\\n'; cat";
    await place.ok('spawn', 'wrapped', '--', 'sh', '-c', print);
    await place.sees('wrapped', 'text');
    const shown = await openPageInTab(place);
    await shown.show('#/s/wrapped');
    await agrees(place, shown, 'wrapped');
    const select = `{
      const rows = document.querySelectorAll('[data-row]');
      getSelection().setBaseAndExtent(rows[0].firstChild, 76, rows[3].firstChild, 2);
    }`;
    await shown.page.evaluate(select);
    expect(await copied(shown.page)).toBe('00ab  cd\n\nte');
    await shown.page.evaluate(
      "getSelection().selectAllChildren(document.querySelector('.terminal'))",
    );
    expect(await copied(shown.page)).toMatch(/^0{78}ab {2}cd\n\ntext\n/);
  });

  inBrowser('opens no list over the terminal in a narrow window', async () => {
    await place.ok('spawn', 'narrow', '--', 'cat');
    const shown = await openPageInTab(place);
    await shown.page.setViewportSize({ width: 600, height: 500 });
    await shown.show('#/s/narrow');
    await agrees(place, shown, 'narrow');
    const list = shown.page.getByRole('navigation', { name: 'Commands' });
    await expect.poll(() => shown.page.locator('.terminal').count()).toBe(1);
    expect(await list.count()).toBe(0);
    await shown.page.getByRole('button', { name: 'Commands' }).click();
    await expect.poll(() => list.count()).toBe(1);
  });

  inBrowser('leaves no gaps between rows of one background', async () => {
    const fill = "printf '\\033[44m%-80s\\n%-80s\\n' a b; cat";
    await place.ok('spawn', 'filled', '--', 'sh', '-c', fill);
    await place.sees('filled', 'b');
    const shown = await openPageInTab(place);
    await shown.show('#/s/filled');
    await agrees(place, shown, 'filled');
    const gap = `{
      const [a, b] = [...document.querySelectorAll('[data-row] > span')].map((span) =>
        span.getBoundingClientRect());
      b.top - a.bottom;
    }`;
    expect(await shown.page.evaluate(gap)).toBeLessThan(0.1);
  });

  inBrowser('[S3.32] keeps words whole beside characters whose width fonts dispute', async () => {
    const print = "printf '✻ 1. Yes\n  ⎿ Read 214 lines\n│ 日本 │\n'; cat";
    await place.ok('spawn', 'words', '--', 'sh', '-c', print);
    await place.sees('words', '✻ 1. Yes');
    const shown = await openPageInTab(place);
    await shown.show('#/s/words');
    await agrees(place, shown, 'words');
    const html = await shown.page.locator('[data-row="0"]').innerHTML();
    expect(html).toBe('<span class="w1">✻</span> 1. Yes');
    const tree = await shown.page.context().newCDPSession(shown.page);
    const { nodes } = await tree.send('Accessibility.getFullAXTree');
    const names = nodes.map(({ name }) => String(name?.value ?? ''));
    expect(names.some((name) => name.includes('Read 214 lines'))).toBe(true);
  });

  inBrowser('[S3.32] shows what a full-screen program has drawn so far, as text', async () => {
    // As an agent draws: rows scroll off the alternate screen, which has no lines above it.
    const draw = `stty -echo; printf '\\033[?1049h\\033[2J\\033[H'
      while read -r last; do seq -f 'row %g' $((last - 9)) $last; done`;
    await place.ok('spawn', 'drawn', '--', 'sh', '-c', draw);
    for (let last = 10; last <= 60; last += 10) {
      await place.ok('send', 'drawn', `${last}`, '--enter');
      await place.sees('drawn', `row ${last}`);
    }
    const shown = await openPageInTab(place);
    await shown.show('#/s/drawn');
    await shown.page.getByRole('button', { name: 'Transcript' }).click();
    const transcript = shown.page.getByRole('region', { name: 'Transcript' });
    const lines = async () => (await transcript.locator('.lines').innerText()).split('\n');
    await expect.poll(lines).toContain('row 1');
    expect((await lines()).filter((line) => /^row \d+$/.test(line))).toEqual(
      Array.from({ length: 60 }, (_, index) => `row ${index + 1}`),
    );
    const search = transcript.getByRole('searchbox');
    await search.fill('row 12');
    await search.press('Enter');
    await expect.poll(() => transcript.locator('.found').textContent()).toBe('row 12');
    await search.press('Escape');
    await expect.poll(() => transcript.count()).toBe(0);
    await agrees(place, shown, 'drawn');
  });

  inBrowser(
    '[S3.32] shows the end of the output in a window that is too small for it',
    async () => {
      await place.ok('spawn', 'tall', '--rows', '60', '--', 'sh', '-c', 'echo first; cat');
      await place.sees('tall', 'first');
      const shown = await openPageInTab(place);
      await shown.page.setViewportSize({ width: 800, height: 300 });
      await shown.show('#/s/tall');
      const isInView = async (row: number) => {
        const box = await shown.page.locator(`[data-row="${row}"]`).boundingBox();
        return box !== null && box.y > 0 && box.y + box.height < 300;
      };
      await expect.poll(async () => (await shown.rows())[0]).toBe('first');
      await expect.poll(() => isInView(0)).toBe(true);
      await place.ok('send', 'tall', '\r'.repeat(40));
      await expect.poll(() => isInView(41)).toBe(true);
    },
  );
});
