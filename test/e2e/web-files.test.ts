import {
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { Place } from '../support/command/vtr-command.ts';
import { tree } from '../support/tree.ts';
import { inBrowser, openPage, openPageInTab, type WebPage } from '../support/web/browser.ts';
import { PageClient } from '../support/web/page-client.ts';

/** A place whose programs put temporary files into a directory of the test. */
function placeWithFiles(): { readonly place: Place; readonly files: string } {
  const files = tree({}, afterAll);
  return { place: new Place(undefined, { TMPDIR: files }), files };
}

/** Gives the terminal in view files, as the browser does. @param files expressions of File */
const give = (page: WebPage['page'], how: 'paste' | 'drop', ...files: string[]) =>
  page.evaluate(`{
    const data = new DataTransfer();
    for (const each of [${files.join()}]) data.items.add(each);
    const options = { bubbles: true, cancelable: true };
    const event = ${JSON.stringify(how)} === 'paste'
      ? new ClipboardEvent('paste', { ...options, clipboardData: data })
      : new DragEvent('drop', { ...options, dataTransfer: data });
    document.querySelector('.keys').dispatchEvent(event);
    event.defaultPrevented;
  }`);

/** What the trail says about files of the page. */
const sentFiles = async (place: Place) =>
  (await place.json('log')).entries.filter(
    ({ action }: { readonly action: string }) => action === 'web file',
  );

/** A program that shows the bytes that it reads. */
const reader = (mode = '') => ['sh', '-c', `stty raw -echo; printf '${mode}ready'; exec cat -v`];

/** Clicks Cancel as soon as the page shows it. */
const clickCancel = `new Promise((resolve) => {
  const observer = new MutationObserver(() => {
    const button = document.querySelector('.pasting button');
    if (button === null) return;
    observer.disconnect();
    button.click();
    resolve();
  });
  observer.observe(document.body, { subtree: true, childList: true });
})`;

/** Waits until the reader in the session has read what matches. */
const reads = (place: Place, pattern: string) =>
  place.ok('wait', 'one', pattern, '--since', 'start');

describe('[S3.32] files that a person gives the page', () => {
  inBrowser(
    'are pasted, dropped or chosen; the program reads the path of a file of the same bytes',
    async () => {
      const { place, files } = placeWithFiles();
      await place.ok('spawn', 'one', '--', ...reader('\\033[?2004h'));
      const shown = await openPageInTab(place);
      const { page } = shown;
      await shown.show('#/s/one');
      await expect.poll(async () => (await shown.rows())[0]).toBe('ready');
      // A screenshot, in more than one part.
      const bytes = Buffer.from(Array.from({ length: 100_000 }, (_none, at) => (at * 7) & 0xff));
      const picture = `new File(
        [Uint8Array.from({ length: 100_000 }, (_none, at) => at * 7)], 'image.png', { type: 'image/png' },
      )`;
      expect(await give(page, 'paste', picture)).toBe(true);
      await reads(
        place,
        `ready\\^\\[\\[200~${files}/vtr-file-[0-9a-f]{16}-\\w+/image.png\\^\\[\\[201~`,
      );
      const paths = () =>
        readdirSync(files, { recursive: true, encoding: 'utf8' }).filter((each) => /\//.test(each));
      const [path = ''] = paths().map((each) => join(files, each));
      expect(readFileSync(path).equals(bytes)).toBe(true);
      expect([path, dirname(path)].map((each) => statSync(each).mode & 0o777)).toEqual([
        0o600, 0o700,
      ]);
      // Two files, of which one is empty, with the names of another system.
      expect(
        await give(page, 'drop', `new File(['log'], 'my $(log).txt')`, `new File([], 'empty')`),
      ).toBe(true);
      await reads(place, 'my-log-.txt\\^\\[\\[201~\\^\\[\\[200~ /.*/empty\\^\\[\\[201~$');
      const chosen = join(place.directory, 'chosen.log');
      writeFileSync(chosen, 'chosen');
      await page.getByRole('button', { name: 'More', exact: true }).click();
      const [chooser] = await Promise.all([
        page.waitForEvent('filechooser'),
        page.getByRole('menuitem', { name: 'Send a file…' }).click(),
      ]);
      expect(chooser.isMultiple()).toBe(true);
      await chooser.setFiles(chosen);
      // Without what the page adds, the output may be taken for an echo.
      await reads(place, '/chosen.log\\^\\[\\[201~');
      const texts = Object.fromEntries(
        paths().map((each) => [each.replace(/.*\//, ''), statSync(join(files, each)).size]),
      );
      expect(texts).toEqual({ 'image.png': 100_000, 'my-log-.txt': 3, empty: 0, 'chosen.log': 6 });
      // No session remains of it, and the trail says who sent what.
      expect((await place.json('ls')).sessions.map(({ name }: { name: string }) => name)).toEqual([
        'one',
      ]);
      const entries = await sentFiles(place);
      expect(entries).toMatchObject([
        { session: 'one', details: { name: 'image.png', bytes: 100_000, path } },
        { details: { name: 'my $(log).txt', bytes: 3 } },
        { details: { name: 'empty', bytes: 0 } },
        { details: { name: 'chosen.log', bytes: 6 } },
      ]);
      expect(shown.problems).toEqual([]);
    },
  );

  inBrowser('are refused with a reason, and can be cancelled', async () => {
    const { place, files } = placeWithFiles();
    await place.ok('spawn', 'one', '--', ...reader());
    const { page, show, rows } = await openPage(place);
    await show('#/s/one');
    await expect.poll(async () => (await rows())[0]).toBe('ready');
    const notice = page.locator('.notice');
    const large = `new File([new Uint8Array(8 * 1024 * 1024 + 1)], 'large.bin')`;
    await give(page, 'drop', large);
    await expect
      .poll(() => notice.textContent())
      .toBe('Not sent: large.bin: a file has at most 8 MiB; copy a larger one by scp');
    await give(page, 'drop', ...Array.from({ length: 21 }, () => `new File([], 'a')`));
    await expect.poll(() => notice.textContent()).toContain('at most 20 files');
    // It is sent while the page shows how far it is.
    const cancelling = page.evaluate(clickCancel);
    await give(page, 'drop', `new File([new Uint8Array(8 * 1024 * 1024)], 'whole.bin')`);
    await cancelling;
    const progress = page.getByRole('progressbar', { name: 'Sending whole.bin' });
    await expect.poll(() => progress.isVisible()).toBe(false);
    await expect.poll(() => readdirSync(files)).toEqual([]);
    await place.ok('take', 'one', '--note', 'mine');
    await give(page, 'paste', `new File(['x'], 'image.png')`);
    await expect.poll(() => notice.textContent()).toMatch(/^Not sent: .* holds the session$/);
    expect((await place.ok('screen', 'one')).trim()).toBe('ready');
  });

  inBrowser('reach the machine of another coordinator', async () => {
    const { place, files } = placeWithFiles();
    const far = placeWithFiles();
    await far.place.ok('spawn', 'one', '--', ...reader());
    await place.ok('spawn', 'near', '--', 'cat');
    const work = join(place.directory, 'work.sock');
    symlinkSync(far.place.socket, work);
    const config = join(place.directory, 'config/vtr');
    mkdirSync(config, { recursive: true });
    writeFileSync(join(config, 'config.toml'), `[[coordinators]]\npath = "${work}"\n`);
    const { page, show, rows } = await openPage(place);
    await show('#/s/work:one');
    await expect.poll(async () => (await rows())[0]).toBe('ready');
    await give(page, 'paste', `new File(['far'], 'image.png')`);
    await reads(far.place, `ready${far.files}/vtr-file-[0-9a-f]{16}-\\w+/image.png`);
    expect(readdirSync(files)).toEqual([]);
  });
});

describe('[S3.32] SendFile', () => {
  const part = (bytes: number, data = '') => ({
    id: 'a',
    file: { sessionId: '', name: 'a', bytes },
    data: Buffer.from(data).toString('base64'),
  });

  it('is for visitors who may type, in their session', async () => {
    const { place, files } = placeWithFiles();
    await place.shell('one');
    await place.ok('web', '--port', '0');
    const { url: watch } = await place.json('web', 'share', 'one');
    const watcher = await PageClient.open(watch);
    expect((await watcher.call('SendFile', part(1, 'x'))).error.code).toBe('NOT_ALLOWED');
    expect(readdirSync(files)).toEqual([]);
    const { url: write } = await place.json('web', 'share', 'one', '--write');
    const writer = await PageClient.open(write);
    const { path } = (await writer.call('SendFile', part(1, 'x'))).result;
    expect(readFileSync(path, 'utf8')).toBe('x');
    const entries = await sentFiles(place);
    expect(entries).toMatchObject([
      { session: 'one', client: 'share', details: { name: 'a', bytes: 1, path } },
    ]);
  });

  it('takes parts before it has answered those before, in their order, and removes the file with its session', async () => {
    const { place, files } = placeWithFiles();
    await place.shell('one');
    await place.shell('other');
    const { url } = await place.json('web', '--port', '0');
    const page = await PageClient.open(url);
    const { id: sessionId } = await place.json('info', 'one');
    const { id: otherId } = await place.json('info', 'other');
    const texts = Array.from({ length: 20 }, (_none, at) => `${at}`.padStart(30_000, 'x'));
    const bytes = Buffer.byteLength(texts.join(''));
    const answers = await Promise.all(
      texts.map((text, at) =>
        page.call('SendFile', {
          id: 'a',
          data: Buffer.from(text).toString('base64'),
          ...(at === 0 && { file: { sessionId, name: 'a', bytes } }),
        }),
      ),
    );
    const { path } = answers.pop().result;
    expect(answers.map(({ result }) => result)).toEqual(answers.map(() => ({})));
    expect(readFileSync(path, 'utf8')).toBe(texts.join(''));
    const other = (
      await page.call('SendFile', {
        ...part(1, 'x'),
        file: { sessionId: otherId, name: 'b', bytes: 1 },
      })
    ).result.path;
    // As long as there is the session, also if its daemon is replaced.
    expect((await place.vtr(['serve', '--restart'])).status).toBe(0);
    await place.ok('info', 'one');
    expect(readdirSync(files)).toHaveLength(2);
    const exit = ['send', 'one', 'exit', '--enter', '--wait', '--exit'];
    expect((await place.vtr(exit)).status).toBe(0);
    expect(readdirSync(files)).toHaveLength(2);
    await place.ok('rm', 'one');
    await expect.poll(() => readdirSync(files)).toHaveLength(1);
    expect(readFileSync(other, 'utf8')).toBe('x');
    expect((await place.vtr(['serve', '--stop'])).status).toBe(0);
    expect(readdirSync(files)).toEqual([]);
  });

  it('cancels a file of which parts are under way', async () => {
    const { place, files } = placeWithFiles();
    await place.shell('one');
    const { url } = await place.json('web', '--port', '0');
    const page = await PageClient.open(url);
    const { id: sessionId } = await place.json('info', 'one');
    const data = Buffer.alloc(90_000).toString('base64');
    const file = { sessionId, name: 'a', bytes: 1_000_000 };
    const parts = [{ file }, {}, {}].map((first) =>
      page.call('SendFile', { id: 'a', data, ...first }),
    );
    expect((await page.call('SendFile', { id: 'a', isCancelled: true })).result).toEqual({});
    await Promise.all(parts);
    expect(readdirSync(files)).toEqual([]);
    expect((await place.json('ls')).sessions).toHaveLength(1);
    expect((await page.call('SendFile', { id: 'a', data })).error.message).toContain(
      'not being sent',
    );
  });

  it('leaves nothing of a file that is not complete, and takes no more bytes than it was told', async () => {
    const { place, files } = placeWithFiles();
    await place.shell('one');
    const { url } = await place.json('web', '--port', '0');
    const page = await PageClient.open(url);
    const { id } = await place.json('info', 'one');
    const request = (bytes: number, data?: string) => {
      const whole = part(bytes, data);
      return { ...whole, file: { ...whole.file, sessionId: id } };
    };
    for (const [body, problem] of [
      [request(1, 'xy'), 'more bytes than'],
      [request(8 * 1024 * 1024 + 1, 'x'), 'at most 8 MiB'],
      [request(-1), 'at most 8 MiB'],
      [{ ...request(1), data: '?' }, 'base64'],
      [{ id: 'b', data: '' }, 'not being sent'],
      [{ ...request(1), id: 7 }, 'id is not'],
      [{ ...request(1), file: { bytes: 1 } }, 'file has'],
    ] as const) {
      expect((await page.call('SendFile', body)).error.message).toContain(problem);
    }
    await expect.poll(() => readdirSync(files)).toEqual([]);
    for (const name of ['first', 'second']) {
      expect((await page.call('SendFile', { ...request(2, 'x'), id: name })).result).toEqual({});
    }
    const third = await page.call('SendFile', request(2, 'x'));
    expect(third.error.message).toContain('2 files are being sent');
    expect(readdirSync(files)).toHaveLength(2);
    page.socket.terminate();
    await expect.poll(() => readdirSync(files)).toEqual([]);
    await expect.poll(async () => (await place.json('ls')).sessions.length).toBe(1);
  });
});
