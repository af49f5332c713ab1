import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { decodeUtf8 } from '#base';
import { Place } from '../../support/command/vtr-command.ts';
import { tree } from '../../support/tree.ts';
import { logIn, PageClient } from '../../support/web/page-client.ts';

const web = async (place: Place, ...flags: string[]): Promise<string> =>
  (await place.ok('web', ...flags)).trim();

describe('vtr web', () => {
  it('[S3.32] starts a daemon, and prints a link with which a page shows and drives a session', async () => {
    const place = new Place();
    const { url, port } = await place.json('web', '--port', '0');
    expect(url).toMatch(new RegExp(`^http://127\\.0\\.0\\.1:${port}/#t=[\\w-]{43}$`));
    await place.shell('one');
    const page = await PageClient.open(url);
    page.stream(1, 'WatchSessions', { frames: { sessions: [{ name: 'one' }] } });
    page.stream(2, 'Subscribe', { name: 'one', includeEvents: true, scrollbackLines: 0 });
    page.stream(3, 'View', { name: 'one', cols: 90, rows: 20, as: 'VIEW_AS_AUTO' });
    await page.message(1, ({ frame }) => frame !== undefined);
    const { json } = await page.message(3, ({ drives }) => drives === true);
    const { viewId: viewer } = json as { viewId: string };
    const answer = await page.call('SendText', { name: 'one', text: 'echo $((6*7))\r', viewer });
    expect(answer.result.mark).toEqual(expect.any(String));
    const [{ viewers, driver }] = (await place.json('ls')).sessions;
    expect([viewers, driver.name]).toEqual([[expect.objectContaining({ kind: 'web' })], 'web']);
    await page.message(2, (_json, { bytes }) => bytes !== null && /^42/m.test(decodeUtf8(bytes)));
    await place.sees('one', '42');
    expect(await page.call('StopDaemon')).toMatchObject({ error: { code: 'NOT_ALLOWED' } });
    // Another link, to the same port.
    expect(await web(place)).toMatch(new RegExp(`^http://127\\.0\\.0\\.1:${port}/#t=`));
    await web(place, '--port', '0', '--host', '127.0.0.1');
    expect((await place.result(['web', '--port', String(port + 1)])).status).toBe(2);
    expect((await place.result(['web', 'stauts'])).stderr).toContain(
      'did you mean vtr web status?',
    );
  });

  it('[S3.32] goes on at the same port, with the same login, when the daemon is replaced or killed', async () => {
    const place = new Place();
    await place.shell('one');
    const { origin, cookie } = await logIn(await web(place, '--port', '0'));
    const before = await PageClient.connect(origin, cookie);
    expect((await place.vtr(['serve', '--restart'])).status).toBe(0);
    expect([1012, 1006]).toContain(await before.closed);
    const after = await PageClient.connect(origin, cookie);
    expect((await after.call('List')).result.sessions).toMatchObject([{ name: 'one' }]);
    const { pid } = await place.json('serve', '--status');
    process.kill(pid, 'SIGKILL');
    await after.closed;
    await place.ok('ls');
    const again = await PageClient.connect(origin, cookie);
    expect((await again.call('Info', { name: 'one' })).result.session.name).toBe('one');
    const file = `${place.socket}.web`;
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, 'utf8')).not.toContain(cookie.split('=')[1]);
    await place.vtr(['serve', '--stop']);
    expect(existsSync(file)).toBe(false);
  });

  it('[S3.32] is not served to a network without encryption', async () => {
    const place = new Place();
    const refused = await place.result(['web', '--host', '0.0.0.0', '--port', '0']);
    expect(refused).toMatchObject({ status: 2, stdout: '' });
    expect(refused.stderr).toContain('--tls-cert');
    for (const words of [
      ['--tls-cert', 'x.pem'],
      ['--tls-cert', 'x.pem', '--tls-key', 'y.pem'],
      ['--behind-proxy', 'vtr.example'],
      ['--port', '70000'],
    ]) {
      expect((await place.result(['web', '--port', '0', ...words])).status).toBe(2);
    }
    const proxied = await web(place, '--behind-proxy', 'https://vtr.example', '--port', '0');
    expect(proxied).toMatch(/^https:\/\/vtr\.example\/#t=/);
  });

  it('reads only a regular file of some size as a certificate: others keep the daemon waiting', async () => {
    const place = new Place();
    const pipe = join(tree({ 'key.pem': 'x' }), 'pipe');
    execFileSync('mkfifo', [pipe]);
    await place.ok('spawn', 'one', '--', 'cat');
    for (const [file, why] of [
      [pipe, 'it is not a regular file'],
      ['/dev/zero', 'it is not a regular file'],
      [process.execPath, 'it has more than 1048576 bytes'],
    ] as const) {
      const words = ['--tls-cert', file, '--tls-key', join(dirname(pipe), 'key.pem')];
      const { status, stderr } = await place.vtr(['web', '--port', '0', ...words]);
      expect([status, stderr]).toEqual([2, `vtr: cannot read ${file}: ${why}\n`]);
    }
    expect(await place.ok('ls', '--names')).toBe('one\n');
  });

  it('[S3.32] opens a file that leads to the link with BROWSER, until the link is used', async () => {
    const place = new Place();
    const browser = join(
      tree({ browser: '#!/bin/sh\necho "$1" > "$0.new"; mv "$0.new" "$0.opened"\n' }),
      'browser',
    );
    chmodSync(browser, 0o755);
    const words = ['web', '--port', '0', '--open'];
    const { stdout } = await place.vtr(words, { env: { BROWSER: browser } });
    await expect.poll(() => existsSync(`${browser}.opened`)).toBe(true);
    const opened = fileURLToPath(readFileSync(`${browser}.opened`, 'utf8').trim());
    expect([dirname(opened), statSync(opened).mode & 0o777]).toEqual([place.directory, 0o600]);
    expect(readFileSync(opened, 'utf8')).toContain(`content="0; url=${stdout.trim()}"`);
    await logIn(stdout.trim());
    expect(existsSync(opened)).toBe(false);
  });

  it('[S3.32] leaves no file that leads to a link', async () => {
    const place = new Place();
    const files = () => readdirSync(place.directory).filter((name) => name.endsWith('.html'));
    const open = async () => {
      await place.vtr(['web', '--port', '0', '--open'], { env: { BROWSER: 'true' } });
      expect(files()).toHaveLength(1);
    };
    await open();
    await place.ok('web', 'stop');
    expect(files()).toEqual([]);
    await open();
    await place.vtr(['serve', '--restart']);
    expect(files()).toEqual([]);
    await open();
    const { pid } = await place.json('serve', '--status');
    process.kill(pid, 'SIGKILL');
    await place.vtr(['web', 'status']);
    await expect.poll(files).toEqual([]);
  });
});

describe('vtr web stop', () => {
  it('[S3.32] ends the page and its logins', async () => {
    const place = new Place();
    await place.ok('web', 'stop');
    const { origin, cookie } = await logIn(await web(place, '--port', '0'));
    const page = await PageClient.connect(origin, cookie);
    await place.ok('web', 'stop');
    await page.closed;
    await expect(fetch(`${origin}/healthz`)).rejects.toThrow();
    await web(place, '--port', new URL(origin).port);
    expect((await fetch(`${origin}/healthz`)).status).toBe(204);
    expect((await fetch(`${origin}/me`, { headers: { cookie } })).status).toBe(401);
  });
});

describe('vtr web status', () => {
  it('[S3.32] has status 1 if the page is not served, and starts nothing', async () => {
    const place = new Place();
    const status = async () => {
      const { status: exit, stdout } = await place.result(['web', 'status', '--json']);
      return { exit, ...JSON.parse(stdout) };
    };
    const none = {
      exit: 1,
      running: false,
      port: null,
      viewers: 0,
      shares: 0,
      logins: 0,
      warnings: [],
    };
    expect([await status(), existsSync(place.socket)]).toEqual([none, false]);
    const { url, port } = await place.json('web', '--port', '0');
    await PageClient.open(url);
    expect(await status()).toEqual({
      exit: 0,
      running: true,
      port,
      viewers: 1,
      shares: 0,
      logins: 1,
      warnings: [],
    });
    expect(await place.ok('web', 'status')).toBe(
      `http://127.0.0.1:${port}, viewers: 1, shares: 0, logins: 1\n`,
    );
    await place.ok('web', 'stop');
    expect(await status()).toEqual(none);
  });

  it('[S3.32] tells that a link was used a second time, and so do the page and the trail', async () => {
    const place = new Place();
    const { url } = await place.json('web', '--port', '0');
    const { origin, cookie } = await logIn(url);
    await expect(logIn(url)).rejects.toThrow('login: 401');
    const result = await place.vtr(['web', 'status']);
    expect(result.stderr).toMatch(
      /^vtr: warning: .*: a login link was used a second time; the second try was refused\nvtr: if that was not you, end all logins with vtr web stop\n$/,
    );
    const { warnings } = await place.json('web', 'status');
    expect(warnings).toEqual([{ at: expect.any(String), again: true, uid: null }]);
    const me = await fetch(`${origin}/me`, { headers: { cookie } });
    expect(await me.json()).toMatchObject({ warnings: [{ again: true, uid: null }] });
    const { entries } = await place.json('log');
    expect(entries).toMatchObject([
      { action: 'web' },
      { action: 'web login' },
      { action: 'web refused', details: { used: true, lacks: 'token' } },
    ]);
    await place.ok('web', 'stop');
    expect((await place.json('web', '--port', '0')).url).toContain('#t=');
    expect((await place.json('web', 'status')).warnings).toEqual([]);
  });
});

describe('vtr web share', () => {
  it('[S3.32] lets visitors see one session, whom its driver sees', async () => {
    const place = new Place();
    await place.shell('one');
    await place.shell('two');
    await web(place, '--port', '0');
    const { url, id } = await place.json('web', 'share', 'one');
    expect(id).toMatch(/^[\w-]{8}$/);
    const [visitor] = await Promise.all([PageClient.open(url), PageClient.open(url)]);
    await expect.poll(async () => (await place.json('info', 'one')).viewers.length).toBe(2);
    visitor.stream(1, 'Subscribe', { name: 'two', includeEvents: true });
    const { bytes } = await visitor.message(1, ({ state }) => state !== undefined);
    expect(decodeUtf8(bytes ?? new Uint8Array())).toContain('$ ');
    expect((await visitor.call('Info', { name: 'two' })).result.session.name).toBe('one');
    visitor.stream(2, 'WatchSessions');
    const { json } = await visitor.message(2, ({ sessions }) => sessions !== undefined);
    expect(json).toMatchObject({ sessions: { sessions: [{ name: 'one' }] } });
    visitor.stream(3, 'View', { cols: 80, rows: 24, as: 'VIEW_AS_FORCE' });
    const message = (await visitor.message(3, ({ viewId }) => viewId !== undefined)).json;
    const { viewId, drives = false } = message as { viewId: string; drives?: boolean };
    expect(drives).toBe(false);
    const typed = await visitor.call('SendText', { text: 'x', viewer: viewId });
    expect(typed.error.code).toBe('NOT_ALLOWED');
  });

  it('[S3.32] shows nothing from before the share, nor secrets, unless it says so', async () => {
    const place = new Place();
    await place.ok('spawn', 'one', '--', 'bash', '--norc');
    await place.ok('run', 'one', '--', 'echo HUNTER2; seq 50');
    await place.ok('run', 'one', '--', "printf '\\033[H\\033[2J\\033[3J'");
    await place.ok('run', 'one', '--', 'echo on the screen');
    await web(place, '--port', '0');
    const links = await Promise.all([
      place.json('web', 'share', 'one'),
      place.json('web', 'share', 'one', '--with-history', '--no-redact'),
    ]);
    const [visitor, trusted] = await Promise.all(
      links.map(({ url }) => PageClient.open(url as string)),
    );
    if (visitor === undefined || trusted === undefined) throw new Error('no pages');
    const { session } = (await visitor.call('Info')).result;
    // A mark that nobody gave.
    const since = `r1-${session.id.slice(0, 8)}-0-0-0-0-0`;
    visitor.stream(1, 'Subscribe', { includeEvents: true, since });
    await visitor.message(1, ({ code }) => code === 'NOT_ALLOWED');
    visitor.stream(2, 'Subscribe', { includeEvents: true, scrollbackLines: 1000 });
    await visitor.message(2, ({ state }) => state !== undefined);
    const calls: readonly (readonly [method: string, body: object])[] = [
      ['ReadLines', {}],
      ['ReadLines', { from: 0, to: 60 }],
      ['ReadLines', { at: 'command:1' }],
      ['ReadLines', { at: '-60s' }],
      ['ListCommands', {}],
      ['GetCommandOutput', {}],
      ['GetCommandOutput', { command: { number: 1 } }],
      ['Grep', { pattern: 'HUNTER', contextBefore: 50 }],
      ['Grep', { pattern: 'echo', command: { number: 1 } }],
    ];
    for (const [method, body] of calls) {
      expect(JSON.stringify(await visitor.call(method, body)), method).not.toContain('HUNTER');
    }
    const key = 'AKIAQ3EGRFZ7VN5XK2TD';
    await place.ok('run', 'one', '--', `echo later ${key}; seq 60`);
    const { commands } = (await visitor.call('ListCommands')).result;
    expect(commands).toMatchObject([
      { number: 4, line: 'echo later AKIA••••••••••••••••; seq 60' },
    ]);
    const output = await visitor.call('GetCommandOutput', { command: { number: 4 } });
    const lines = await visitor.call('ReadLines', { from: 0 });
    for (const answer of [output, lines]) {
      expect(JSON.stringify(answer)).toContain('later AKIA••••••••••••••••');
    }
    expect(JSON.stringify(lines)).toContain('on the screen');
    expect(JSON.stringify(lines)).not.toContain('HUNTER');
    const shown = () =>
      Buffer.concat(visitor.page.of(2).flatMap(({ bytes }) => bytes ?? [])).toString();
    await expect.poll(shown).toMatch(/^60/m);
    expect(shown()).toContain('later AKIA••••••••••••••••');
    expect(shown() + JSON.stringify(visitor.page.texts)).not.toContain(key.slice(4, 10));
    expect(shown()).not.toContain('HUNTER');

    const before = await trusted.call('GetCommandOutput', { command: { number: 1 } });
    expect(JSON.stringify(before)).toContain('HUNTER2');
    expect(JSON.stringify(await trusted.call('ReadLines'))).toContain(key);
    expect(await place.ok('web', 'shares')).toMatch(/read-only, with history, with secrets/);
  });

  it('[S3.32] says for how long the link is good', async () => {
    const place = new Place();
    await place.shell('one');
    await web(place, '--port', '0');
    const { stderr } = await place.vtr(['web', 'share', 'one', '--for', '2h']);
    expect(stderr).toContain('good for 2h;');
  });

  it('[S3.32] with --write lets them type', async () => {
    const place = new Place();
    await place.shell('one');
    await web(place, '--port', '0');
    const { url } = await place.json('web', 'share', 'one', '--write', '--for', '8h');
    const visitor = await PageClient.open(url);
    visitor.stream(1, 'View', { cols: 80, rows: 24, as: 'VIEW_AS_TAKE' });
    const { json } = await visitor.message(1, ({ drives }) => drives === true);
    const { viewId } = json as { viewId: string };
    await visitor.call('SendText', { text: 'echo hello\r', viewer: viewId });
    await place.sees('one', 'hello');
  });
});

describe('the QR code of vtr web', () => {
  it('[S3.32] prints a QR code, and says that a phone does not reach this address', async () => {
    const place = new Place();
    await place.shell('one');
    for (const words of [
      ['web', '--port', '0', '--qr'],
      ['web', 'share', 'one', '--qr'],
    ]) {
      const { stdout, stderr } = await place.vtr(words);
      const [url = '', ...code] = stdout.trimEnd().split('\n');
      expect(url).toMatch(/^http:.*#t=/);
      // 33 modules or more, and the quiet zone.
      expect(code.length).toBeGreaterThanOrEqual(20);
      expect(new Set(code.map((line) => line.length)).size).toBe(1);
      expect(code.join('')).toMatch(/^[ ▀▄█]+$/);
      expect(stderr).toContain('a phone does not reach this address');
    }
  });
});

describe('vtr web shares', () => {
  it('[S3.32] lists what is shared, also after a restart', async () => {
    const place = new Place();
    expect(await place.json('web', 'shares')).toEqual({ shares: [] });
    await place.shell('one');
    await web(place, '--port', '0');
    const { id, url } = await place.json('web', 'share', 'one', '--write');
    await place.vtr(['serve', '--restart']);
    await PageClient.open(url);
    const { shares } = await place.json('web', 'shares');
    expect(shares).toEqual([
      {
        id,
        session: 'one',
        write: true,
        alis: false,
        viewers: 1,
        with_history: false,
        redact: true,
        since: expect.any(String),
        until: expect.any(String),
      },
    ]);
    expect(await place.ok('web', 'shares')).toMatch(
      new RegExp(`^${id} +one +may type +1h +1$`, 'm'),
    );
  });
});

describe('vtr web unshare', () => {
  it('[S3.32] ends a share at once, and its visitors lose the session', async () => {
    const place = new Place();
    await place.shell('one');
    await web(place, '--port', '0');
    const { url, id } = await place.json('web', 'share', 'one');
    const visitor = await PageClient.open(url);
    await place.ok('web', 'unshare', id);
    expect(await visitor.closed).toBe(4001);
    await expect(PageClient.open(url)).rejects.toThrow('login: 401');
    expect(await place.result(['web', 'unshare', id])).toMatchObject({ status: 4 });
  });
});

describe('vtr web logins', () => {
  it('[S3.32] lists the browsers that are logged in, and shows them to nobody else', async () => {
    const place = new Place();
    expect(await place.json('web', 'logins')).toEqual({ logins: [] });
    await place.shell('one');
    const page = await PageClient.open(await web(place, '--port', '0'));
    const { url, id: share } = await place.json('web', 'share', 'one');
    const visitor = await PageClient.open(url);
    const { logins } = await place.json('web', 'logins');
    const unnamed = { name: '', named: false, pages: 1, notified: false };
    const login = { ...unnamed, used: expect.any(String) };
    const facts = { ...login, id: expect.any(String), since: expect.any(String) };
    expect(logins).toHaveLength(2);
    expect(logins).toEqual(
      expect.arrayContaining([
        { ...facts, share: null },
        { ...facts, share },
      ]),
    );
    expect(await place.ok('web', 'logins')).toContain(`share ${share}`);
    expect((await page.call('ListLogins')).result.logins).toHaveLength(2);
    expect(await visitor.call('ListLogins')).toMatchObject({ error: { code: 'NOT_ALLOWED' } });
  });
});

describe('vtr web logout', () => {
  it('[S3.32] ends one login and its pages, also for the next daemon', async () => {
    const place = new Place();
    const { origin, cookie } = await logIn(await web(place, '--port', '0'));
    const page = await PageClient.connect(origin, cookie);
    const [{ id }] = (await place.json('web', 'logins')).logins;
    const other = await PageClient.open(await web(place));
    await place.ok('web', 'logout', id);
    expect(await page.closed).toBe(1001);
    expect((await other.call('List')).result).toBeDefined();
    expect(await place.result(['web', 'logout', id])).toMatchObject({ status: 4 });
    await place.vtr(['serve', '--restart']);
    await expect(PageClient.connect(origin, cookie)).rejects.toThrow();
    expect((await place.json('web', 'logins')).logins).toHaveLength(1);
  });
});
