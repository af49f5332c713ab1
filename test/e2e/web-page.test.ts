import {
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { root } from '../../scripts/root.mjs';
import { Place } from '../support/command/vtr-command.ts';
import { inBrowser, openPage, openPageInTab, type WebPage } from '../support/web/browser.ts';
import { logIn } from '../support/web/page-client.ts';

/** The screen as the command shows it, without blanks at the ends of rows. */
async function screenOf(place: Place, name: string): Promise<string[]> {
  const text = await place.ok('screen', name);
  return text.split('\n').map((row) => row.trimEnd());
}

/** Waits until the page shows what the session shows. */
async function agrees(place: Place, shown: WebPage, name: string): Promise<void> {
  const rowsOf = (rows: readonly string[]) => rows.join('\n').trimEnd();
  const both = async () => [rowsOf(await shown.rows()), rowsOf(await screenOf(place, name))];
  let last: readonly string[] = [];
  await expect
    .poll(async () => {
      last = await both();
      return last[0] === last[1];
    })
    .toBe(true)
    .catch(() => expect(last[0]).toBe(last[1]));
}

/** Types into the terminal in view, as its driver. */
async function type(shown: WebPage, text: string): Promise<void> {
  await shown.page.locator('.keys').focus();
  await shown.page.keyboard.type(text);
}

/** Returns what the browser would copy: a headless one has no clipboard that a test may read. */
const copied = (page: WebPage['page']): Promise<string> =>
  page.evaluate(`{
    const clipboardData = new DataTransfer();
    const event = new ClipboardEvent('copy', { clipboardData, bubbles: true, cancelable: true });
    document.querySelector('.terminal').dispatchEvent(event);
    event.defaultPrevented ? clipboardData.getData('text/plain') : getSelection().toString();
  }`);

const status = '.driver [role=status]';

describe('the file that vtr web --open gives to a browser', () => {
  inBrowser('[S3.32] leads to the page, which tells when the link is used again', async () => {
    const place = new Place();
    await place.ok('spawn', 'one', '--', 'cat');
    const link = (await place.vtr(['web', '--port', '0', '--open'], { env: { BROWSER: 'true' } }))
      .stdout;
    const [file = ''] = readdirSync(place.directory).filter((name) => name.endsWith('.html'));
    const { page, problems } = await openPage(place, {
      url: pathToFileURL(join(place.directory, file)).href,
    });
    const { origin } = new URL(link);
    await expect.poll(() => page.url()).toBe(`${origin}/#/`);
    await expect.poll(() => page.locator('main').textContent()).toContain('one');
    expect(problems).toEqual([]);
    await expect(logIn(link.trim())).rejects.toThrow('login: 401 the link was used before');
    await page.reload();
    const alert = page.locator('[role=alert]');
    await expect.poll(() => alert.textContent()).toContain('a login link was used a second time');
    expect(await alert.textContent()).toContain(
      'If that was not you, end all logins with vtr web stop.',
    );
  });
});

describe('[S3.32] the size of the page, compressed with gzip, in KB of 1,024 bytes', () => {
  const directory = join(root, 'dist/web');
  const files = readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.gz'))
    .map((path) => path.slice(0, -'.gz'.length));
  const html = readFileSync(join(directory, 'index.html'), 'utf8');
  const later = files.filter((path) => path.startsWith('assets/') && !html.includes(path));
  const sizeOf = (paths: readonly string[]) =>
    paths.reduce((sum, path) => sum + statSync(join(directory, `${path}.gz`)).size, 0) / 1024;

  it('is at most 140 for all that the first view loads: what index.html names, and the worker', () => {
    const first = files.filter((path) => !later.includes(path));
    expect(first.length).toBeGreaterThanOrEqual(6);
    expect(sizeOf(first)).toBeLessThanOrEqual(140);
  });

  it('is at most 180 with what the page loads on demand', () => {
    expect(later).toEqual([expect.stringMatching(/^assets\/on-demand\.\w+\.js$/)]);
    expect(sizeOf(files)).toBeLessThanOrEqual(180);
  });

  it('leaves nothing out of what the worker keeps for a page without a connection', () => {
    const worker = readFileSync(join(directory, 'worker.js'), 'utf8');
    expect(later.filter((path) => !worker.includes(`/${path}`))).toEqual([]);
  });
});

describe('the page in a browser', () => {
  const place = Place.forAll();

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
      await expect.poll(driving).toMatchObject({ kind: 'person', name: 'web' });
      await place.sees('one', '42');
      await agrees(place, shown, 'one');
      expect(await shown.rows()).toContain('ü漢 e');
      await expect.poll(() => shown.page.locator(status).textContent()).toBe('You drive');
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

  inBrowser('[S3.32] blinks without an animation, in whose frames output would wait', async () => {
    const line = "printf '\\033[5mALARM\\033[0m \\033[1 q'; exec cat";
    await place.ok('spawn', 'blinks', '--', 'sh', '-c', line);
    const shown = await openPageInTab(place);
    await shown.show('#/s/blinks');
    await shown.page.locator('.keys').focus();
    for (const name of ['.blink', '.cursor.blinking']) {
      await shown.page.locator(name).waitFor({ state: 'attached' });
      const style = `getComputedStyle(document.querySelector('${name}'))`;
      const opacity = () => shown.page.evaluate(`${style}.opacity`);
      await expect.poll(opacity).toBe('0');
      await expect.poll(opacity).not.toBe('0');
    }
    expect(await shown.page.evaluate('document.getAnimations().length')).toBe(0);
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

  inBrowser('[S3.32] gives the mouse to a program that asks for it', async () => {
    const modes = "printf '\\033[?1002h\\033[?1006h'; stty raw -echo; echo ready; cat -v";
    await place.ok('spawn', 'mouse', '--', 'sh', '-c', modes);
    await place.sees('mouse', 'ready');
    const shown = await openPageInTab(place);
    await shown.show('#/s/mouse');
    await shown.page.getByRole('button', { name: 'Take over' }).click();
    await expect.poll(() => shown.page.locator(status).textContent()).toBe('You drive');
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
    await expect.poll(() => shown.page.locator(status).textContent()).toBe('You drive');
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

  inBrowser('shows how a program ended, and all buttons, beside long names', async () => {
    const name = 'a-session-with-a-name-of-fifty-characters-or-so-on';
    const script = 'echo "a program with arguments that do not fit into a tile"; exit 3';
    await place.ok('spawn', name, '--', 'sh', '-c', script);
    await place.sees(name, 'a program');
    const shown = await openPageInTab(place);
    const how = shown.page.getByText('exited with status 3', { exact: false }).last();
    const within = async (box: { x: number; width: number } | null, outer: number) =>
      box !== null && box.width > 0 && box.x + box.width <= outer;
    const tile = await shown.page.locator('.tile', { hasText: name }).boundingBox();
    expect(await within(await how.boundingBox(), (tile?.x ?? 0) + (tile?.width ?? 0))).toBe(true);
    await shown.show(`#/s/${name}`);
    const replay = shown.page.getByRole('link', { name: 'Replay' });
    // Who has seen how it ended is told no more than that.
    const end = shown.page.locator('.bar .state', { hasText: /^exited/ });
    for (const part of [replay, end]) {
      expect(await within(await part.boundingBox(), 1000)).toBe(true);
    }
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
    await expect.poll(() => shown.page.locator(status).textContent()).toBe('You drive');
    await shown.page.keyboard.type('two');
    const driver = async () => (await place.json('info', 'after')).driver;
    await expect.poll(driver).toMatchObject({ kind: 'person', name: 'web' });
    await place.sees('after', 'one two');
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
    const print = "printf '❯ 1. Yes\n  ⎿ Read 214 lines\n│ 日本 │\n'; cat";
    await place.ok('spawn', 'words', '--', 'sh', '-c', print);
    await place.sees('words', '❯ 1. Yes');
    const shown = await openPageInTab(place);
    await shown.show('#/s/words');
    await agrees(place, shown, 'words');
    const html = await shown.page.locator('[data-row="0"]').innerHTML();
    expect(html).toBe('<span class="w1">❯</span> 1. Yes');
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

  inBrowser('[S3.32] shows how far a program says that it is', async () => {
    const tell =
      "printf '\\033]7501;state=working:progress=40:msg=Y29weWluZw==\\007'; exec sleep 1000";
    await place.ok('spawn', 'told', '--', 'sh', '-c', tell);
    const shown = await openPageInTab(place);
    const tile = shown.page.locator('.tile', { hasText: 'told' });
    await expect.poll(() => tile.getByRole('progressbar').getAttribute('value')).toBe('40');
    await expect.poll(() => tile.textContent()).toContain('copying');
  });

  inBrowser('[S3.32] answers a question from its tile', async () => {
    const script = 'read -p "Go on? [y/N] " x; echo "got $x"; cat';
    await place.ok('spawn', 'ask', '--', 'bash', '-c', script);
    await place.ok('spawn', 'first', '--cwd', '/', '--', 'sleep', '1000');
    const shown = await openPageInTab(place);
    const tile = shown.page.getByRole('link', { name: 'ask' });
    expect(await tile.getAttribute('href')).toBe('#/s/ask');
    const names = shown.page.locator('.tile a');
    const order = () => names.evaluateAll((all) => all.map((each) => each.ariaLabel));
    await expect.poll(order).toEqual(['ask', 'first']);
    await shown.page.getByRole('button', { name: 'Menu' }).click();
    await shown.page.getByRole('button', { name: 'By directory' }).click();
    const other = shown.page.getByRole('region', { name: '/', exact: true });
    await expect.poll(() => other.getByRole('link').count()).toBe(1);
    const answer = shown.page.getByRole('textbox', { name: 'Answer' });
    await answer.fill('y');
    await answer.press('Enter');
    await place.sees('ask', 'got y');
    await expect.poll(() => shown.page.locator('a[href="#/s/ask"]:focus').count()).toBe(1);
    await shown.page.keyboard.press('/');
    await shown.page.keyboard.type('nothing');
    await expect.poll(() => tile.count()).toBe(0);
    // The address keeps the filter, also behind a session.
    expect(shown.page.url()).toBe(`${shown.origin}/#/?q=nothing&by=directory`);
    await shown.show('#/s/ask');
    await shown.page.getByRole('link', { name: 'All sessions' }).click();
    const filter = shown.page.getByRole('searchbox', { name: 'Filter sessions' });
    await expect.poll(() => filter.inputValue()).toBe('nothing');
  });

  inBrowser('[S3.32] has a button for each choice, which answers only what it shows', async () => {
    const log = join(place.directory, 'answers');
    // As an agent asks: of each question one key is read, and Enter takes the choice with the pointer.
    const ask = `ask() {
      printf '%s\n❯ 1. Yes\n  2. No\n' "$1"
      until IFS= read -rsn1 x && [[ $x == [12] || -z $x ]]; do :; done
      echo "$1 \${x:-1}" >> ${log}; echo "took \${x:-1}"; echo; echo
    }; ask 'Run pytest?'; ask 'Push by force?'; cat`;
    await place.ok('spawn', 'menu', '--', 'bash', '-c', ask);
    const shown = await openPageInTab(place);
    const tile = shown.page.locator('.tile', { hasText: 'menu' });
    const question = (text: string) => tile.locator('.asked', { hasText: text });
    await question('Run pytest?').waitFor();
    expect(await tile.getByRole('textbox').count()).toBe(0);
    await tile.getByRole('button', { name: '1 Yes' }).click();
    await question('Push by force?').waitFor();
    expect(readFileSync(log, 'utf8')).toBe('Run pytest? 1\n');
    await tile.getByRole('button', { name: '2 No' }).click();
    await expect.poll(() => readFileSync(log, 'utf8')).toBe('Run pytest? 1\nPush by force? 2\n');
    await expect.poll(() => tile.getByRole('button', { name: /^[12] / }).count()).toBe(0);
  });

  describe('[S3.34] a replay', () => {
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

  inBrowser(
    '[S3.32] notifies once of a session that wants somebody, while it is hidden',
    async () => {
      const shown = await openPage(place);
      // chromium-headless-shell 156 denies every site its notifications.
      await shown.page.addInitScript(`
        Object.defineProperty(Notification, 'permission', { value: 'granted' });
        globalThis.notified = [];
        ServiceWorkerRegistration.prototype.showNotification = async (title, { body }) => {
          notified.push(title + ': ' + body);
        };`);
      await shown.page.reload();
      await shown.page.getByText('No sessions').waitFor();
      await shown.page.evaluate("Object.defineProperty(document, 'hidden', { value: true })");
      await place.ok('spawn', 'wants', '--', 'sh', '-c', 'printf "Go on? [y/N] "; read x; cat');
      const notified = () => shown.page.evaluate('notified');
      await expect.poll(notified).toEqual(['wants: Go on? [y/N]']);
      expect(shown.problems).toEqual([]);
    },
  );

  inBrowser(
    '[S3.32] continues after a restart of the daemon, and types nothing twice',
    async () => {
      const own = new Place();
      await own.ok('spawn', 'one', '--', 'cat');
      const shown = await openPageInTab(own);
      await shown.show('#/s/one');
      await type(shown, 'before\n');
      await own.sees('one', 'before');
      expect((await own.vtr(['serve', '--restart'])).status).toBe(0);
      let typed = 0;
      const shownLine = async () => (await screenOf(own, 'one'))[2] ?? '';
      await expect
        .poll(async () => {
          await type(shown, 'x');
          typed++;
          return shownLine();
        })
        .toMatch(/^x+$/);
      await type(shown, '.');
      await expect.poll(shownLine).toMatch(/^x+\.$/);
      expect((await shownLine()).length).toBeLessThanOrEqual(typed + 1);
      await agrees(own, shown, 'one');
      expect(shown.problems.filter((each) => !each.includes('ERR_CONNECTION'))).toEqual([]);
    },
  );

  inBrowser('[S3.32] takes a new link in the same tab, when it is logged out', async () => {
    const shown = await openPageInTab(place);
    await place.ok('web', 'stop');
    const empty = shown.page.locator('.empty');
    const { url } = await place.json('web', '--port', new URL(shown.origin).port);
    await expect.poll(() => empty.textContent()).toMatch(/^You are not logged in/);
    await shown.page.goto(url);
    await expect.poll(() => shown.page.locator('main.grid').count()).toBe(1);
    expect(shown.page.url()).toBe(`${shown.origin}/#/`);
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

  inBrowser(
    '[S3.32] goes on with a session that is renamed, and says that one is gone',
    async () => {
      await place.ok('spawn', 'old', '--', 'cat');
      const { url } = await place.json('web', 'share', 'old', '--write');
      const shown = await openPageInTab(place, url);
      expect(shown.page.url()).toBe(`${shown.origin}/#/s/old`);
      await type(shown, 'typed\n');
      await place.sees('old', 'typed');
      expect((await place.json('info', 'old')).viewers).toMatchObject([{ name: 'visitor' }]);
      await place.ok('rename', 'old', 'new');
      await expect.poll(() => shown.page.url()).toBe(`${shown.origin}/#/s/new`);
      expect((await place.json('web', 'shares')).shares).toMatchObject([{ session: 'new' }]);
      await shown.page.reload();
      await agrees(place, shown, 'new');
      expect(await shown.page.getByRole('link', { name: 'Replay' }).count()).toBe(0);
      await place.ok('rm', 'new', '--force');
      const gone = shown.page.locator('.empty');
      await expect.poll(() => gone.textContent()).toMatch(/^There is no session new/);
    },
  );

  inBrowser('[S3.32] shows the sessions of other coordinators', async () => {
    const other = new Place();
    await other.shell('far');
    await place.ok('spawn', 'near', '--', 'cat');
    const work = join(place.directory, 'work.sock');
    symlinkSync(other.socket, work);
    const config = join(place.directory, 'config/vtr');
    mkdirSync(config, { recursive: true });
    writeFileSync(join(config, 'config.toml'), `[[coordinators]]\npath = "${work}"\n`);
    onTestFinished(() => rmSync(join(config, 'config.toml')));
    const shown = await openPageInTab(place);
    const group = shown.page.getByRole('region', { name: 'work' });
    await group.getByRole('link', { name: 'work:far' }).click();
    expect(shown.page.url()).toBe(`${shown.origin}/#/s/work:far`);
    await type(shown, 'echo $((6*7))\n');
    await other.sees('far', '42');
    await agrees(other, shown, 'far');
    expect((await other.json('info', 'far')).viewers).toMatchObject([{ kind: 'web' }]);
    await shown.show('#/s/nobody:far');
    const empty = shown.page.locator('.empty');
    await expect.poll(() => empty.textContent()).toMatch(/knows no coordinator/);
    await shown.show('#/s/near');
    await expect.poll(() => shown.page.locator('h1').textContent()).toBe('near');
    expect((await other.vtr(['serve', '--stop'])).status).toBe(0);
    await shown.show('#/');
    const heading = shown.page.getByRole('heading', { name: 'work' });
    await expect.poll(() => heading.textContent()).toBe('work · does not answer');
    expect(shown.problems).toEqual([]);
  });

  inBrowser('[S3.32] tells screen readers what is new', async () => {
    await place.ok('spawn', 'say', '--', 'cat');
    const shown = await openPageInTab(place);
    await shown.show('#/s/say');
    await type(shown, 'spoken\n');
    const log = shown.page.getByRole('log');
    await expect.poll(() => log.textContent()).toBe('spoken');
    const hidden = shown.page.locator('[aria-hidden=true] textarea');
    expect(await hidden.count()).toBe(0);
  });

  inBrowser(
    '[S3.32] shows hostile titles, links and names as text, and requests nothing elsewhere',
    async () => {
      const title = '<img src=x onerror=alert(1)>';
      const output = `\\033]2;${title}\\007\\033]8;;javascript:alert(1)\\007bad\\033]8;;\\007 \\033]8;;https://example.org/\\007good\\033]8;;\\007\\n`;
      const clipboard = "printf '\\033]52;c;c2VjcmV0\\007'";
      const script = `printf '${output}'; read x; ${clipboard}; cat`;
      await place.ok('spawn', 'evil', '--', 'sh', '-c', script);
      const shown = await openPageInTab(place);
      const sockets: string[] = [];
      shown.page.on('websocket', (socket) => sockets.push(socket.url()));
      await shown.page.reload();
      await shown.show('#/s/evil');
      await expect.poll(async () => (await shown.rows())[0]).toBe('bad good');
      expect(await shown.page.locator('[data-href]').allTextContents()).toEqual(['good']);
      expect(await shown.page.locator('img').count()).toBe(0);
      // What a program sets is copied only by a person.
      await place.ok('send', 'evil', '\r');
      await shown.page.getByRole('button', { name: 'Copy 6 bytes' }).waitFor();
      // A page that waited for too long connects again.
      expect(new Set(sockets)).toEqual(new Set([`${shown.origin.replace('http', 'ws')}/ws`]));
      const tree = await shown.page.context().newCDPSession(shown.page);
      const { nodes } = await tree.send('Accessibility.getFullAXTree');
      expect(nodes.some(({ name }) => String(name?.value).includes('bad'))).toBe(true);
      expect(shown.requested.filter((url) => !url.startsWith(shown.origin))).toEqual([]);
      expect(shown.problems).toEqual([]);
    },
  );

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
      await expect.poll(() => shown.page.locator(status).textContent()).toBe('You drive');
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
