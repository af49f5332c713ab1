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
import { inBrowser, openPage, openPageInTab } from '../support/web/browser.ts';
import { logIn } from '../support/web/page-client.ts';
import { agrees, screenOf, type } from '../support/web/shown-session.ts';

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

  inBrowser('keeps the focus at a session when the part of its tile that had it goes', async () => {
    await place.ok('spawn', 'ask', '--', 'bash', '-c', 'read -p "Go on? [y/N] " x; cat');
    const { page } = await openPageInTab(place);
    await page.getByRole('textbox', { name: 'Answer' }).focus();
    // At once: the list is drawn when a session changes, and that can be much later.
    const focused = await page.evaluate(`(async () => {
      document.querySelector('.answer-card').remove();
      await null;
      return document.activeElement.getAttribute('href');
    })()`);
    expect(focused).toBe('#/s/ask');
  });

  inBrowser(
    'has a menu that closes by a button that is pressed as soon as it is shown',
    async () => {
      await place.ok('spawn', 'one', '--', 'cat');
      const { page } = await openPageInTab(place);
      const tile = page.getByRole('link', { name: 'one' });
      await tile.waitFor();
      await page.evaluate(`{
      const menu = () => document.querySelector('.popup .menu');
      const changes = new MutationObserver(() => {
        if (menu() === null) return;
        changes.disconnect();
        [...menu().querySelectorAll('button')].find((each) => each.textContent === 'By directory').click();
        document.querySelector('.tile > a').focus();
      });
      changes.observe(document.body, { childList: true, subtree: true });
      document.querySelector('[aria-label=Menu]').click();
    }`);
      await expect.poll(() => page.locator('.popup .menu').count()).toBe(0);
      await expect.poll(() => page.locator('a[href="#/s/one"]:focus').count()).toBe(1);
    },
  );

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
      await shown.page
        .getByRole('button', { name: 'Copy 6 bytes from the program: secret' })
        .waitFor();
      // A page that waited for too long connects again.
      expect(new Set(sockets)).toEqual(new Set([`${shown.origin.replace('http', 'ws')}/ws`]));
      const tree = await shown.page.context().newCDPSession(shown.page);
      const { nodes } = await tree.send('Accessibility.getFullAXTree');
      expect(nodes.some(({ name }) => String(name?.value).includes('bad'))).toBe(true);
      expect(shown.requested.filter((url) => !url.startsWith(shown.origin))).toEqual([]);
      expect(shown.problems).toEqual([]);
    },
  );
});
