import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Following } from '../../support/command/following.ts';
import { Place, vtrFile } from '../../support/command/vtr-command.ts';
import { servedOnLoopback } from '../../support/loopback-server.ts';

const asking = `read -p 'Overwrite? ' answer`;

/** Waits until `vtr notify` has listed the sessions of the daemon: what they want from then on is reported. */
const follows = (place: Place) =>
  expect
    .poll(async () => (await place.vtr(['notify', '--status'])).stdout)
    .toContain('follows default\n');

describe('vtr notify', () => {
  it('tells once, with vtr ls and vtr ls --watch, also across kill -9 of the daemon', async () => {
    const place = new Place();
    await place.ok('spawn', 'ask', '--', 'bash', '--norc');
    const list = new Following(place, 'ls', '--watch', 'a*');
    const notify = new Following(place, 'notify');
    await list.prints('"event":"session"');
    // What a session wants at the start of vtr notify is not told.
    await follows(place);
    await place.ok('wait', 'ask', '--prompt');
    await place.ok('send', 'ask', `${asking}\r`);
    await notify.prints('ask waits for input: Overwrite?\n');
    const { sessions } = await place.json('ls');
    const attention = {
      kind: 'input',
      since: expect.stringMatching(/Z$/),
      evidence: 'Overwrite?',
      guess: false,
    };
    expect(sessions).toMatchObject([{ name: 'ask', attention }]);
    await list.prints('"evidence":"Overwrite?"');

    process.kill((await place.json('serve', '--status')).pid, 'SIGKILL');
    // The next daemon continues its session, and both commands follow it.
    await place.ok('send', 'ask', 'y\r');
    await place.ok('wait', 'ask', '--prompt');
    await list.prints(/"attention":\{.*\n.*"attention":null/);
    await place.ok('send', 'ask', 'sh -c "exit 3"\r');
    await notify.prints('ask failed: sh -c "exit 3": exited with status 3\n');
    await place.ok('spawn', 'other', '--', 'cat');
    await place.ok('rm', 'ask');
    await list.prints('"event":"removed","coordinator":"default"');
    expect(list.stdout).not.toContain('"name":"other"');
    expect(notify.stdout.match(/Overwrite/g)).toHaveLength(1);
    expect(await Promise.all([list.stop(), notify.stop()])).toEqual([143, 143]);
    expect((await place.vtr(['notify', '--osc', '--desktop'])).status).toBe(2);
    expect((await place.vtr(['ls', '--watch', '--names'])).status).toBe(2);
  });
});

describe('after it did not run, vtr notify', () => {
  it('tells what has begun meanwhile, once; with --since, what was told after a mark', async () => {
    const place = new Place();
    await place.ok('spawn', 'ask', '--', 'bash', '--norc');
    await place.ok('wait', 'ask', '--prompt');
    const first = new Following(place, 'notify');
    await follows(place);
    await first.stop();
    await place.ok('send', 'ask', `${asking}\r`);
    await expect.poll(() => place.ok('ls', '--waiting')).toContain('Overwrite?');

    const second = new Following(place, 'notify', '--json');
    await second.prints('ask waits for input');
    const event = JSON.parse(second.stdout);
    expect(event).toMatchObject({
      title: 'ask waits for input',
      text: 'Overwrite?',
      session: 'ask',
      kind: 'input',
      since: expect.stringMatching(/Z$/),
      missed: true,
      mark: expect.stringMatching(/^n1-/),
    });
    await second.stop();

    const third = new Following(place, 'notify', '--json');
    await follows(place);
    await place.ok('send', 'ask', 'y\r');
    await place.ok('wait', 'ask', '--prompt');
    await place.ok('send', 'ask', 'sh -c "exit 3"\r');
    await third.prints('"kind":"failed"');
    expect(third.stdout).not.toContain('Overwrite');
    expect(JSON.parse(third.stdout)).toMatchObject({ missed: false });
    await third.stop();

    const fourth = new Following(place, 'notify', '--since', event.mark);
    await fourth.prints(/^ask failed: sh -c "exit 3": exited with status 3 \(.* ago\)\n$/);
    await fourth.stop();
    expect((await place.vtr(['notify', '--since', 'n1-!'])).status).toBe(2);
  });
});

describe('where it cannot deliver, vtr notify', () => {
  const rung = async (place: Place) => {
    await follows(place);
    await place.ok('send', 'bell', `printf '\\a'`, '--enter');
  };
  const status = async (place: Place) => (await place.vtr(['notify', '--status'])).stdout;

  it('tries again, and counts what the server has accepted', async () => {
    const place = new Place();
    await place.shell('bell');
    // The second attempt is answered when the status has been read.
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const got: { readonly title: string | undefined; readonly body: string }[] = [];
    const url = await servedOnLoopback(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += String(chunk);
      got.push({ title: String(request.headers['title']), body });
      const isFirst = got.length === 1;
      if (!isFirst) await released;
      response.writeHead(isFirst ? 503 : 200).end();
    });
    const { host } = new URL(url);
    const words = ['--webhook', `${url}/secret-topic`, '--webhook-format', 'ntfy'];
    const notify = new Following(place, 'notify', ...words);
    await rung(place);
    await expect.poll(() => status(place)).toContain('1 notification to be tried again');
    const failed = await status(place);
    expect(failed).toContain(`could not notify`);
    expect(failed).toContain(`the webhook at ${host}: status 503`);
    expect(failed).not.toMatch(/accepted|secret-topic/);
    release();
    const accepted = `1 notification accepted by the webhook at ${host}, the last`;
    await expect.poll(() => status(place), { timeout: 20_000 }).toContain(accepted);
    expect(got[1]?.body).toContain('rang the bell');
    const [, base64 = ''] = /^=\?UTF-8\?B\?(.*)\?=$/.exec(got[1]?.title ?? '') ?? [];
    expect(Buffer.from(base64, 'base64').toString()).toBe('bell rang the bell');
    await notify.stop();
    const ended = await place.vtr(['notify', '--status', '--json']);
    expect(JSON.parse(ended.stdout)).toMatchObject({ pid: null, told: 1, lost: 0, waiting: 0 });
  });

  it('does not follow a redirection, and gives up what a server refuses', async () => {
    const place = new Place();
    await place.shell('bell');
    const paths: (string | undefined)[] = [];
    const url = await servedOnLoopback((request, response) => {
      paths.push(request.url);
      response.writeHead(302, { location: '/login' }).end();
    });
    const notify = new Following(place, 'notify', '--webhook', url);
    await rung(place);
    await expect.poll(() => status(place)).toContain('1 notification given up');
    expect(await status(place)).not.toContain('accepted');
    expect(paths).toEqual(['/']);
    await notify.stop();
    for (const words of [
      ['--webhook', 'ftp://x'],
      ['--webhook', 'nothing'],
    ]) {
      const refused = await place.vtr(['notify', ...words]);
      expect([refused.status, refused.stderr]).toEqual([2, expect.stringContaining('not a URL')]);
    }
  });

  it('gives a command the event on its stdin, and no secrets; its status tells whether it was delivered', async () => {
    const place = new Place();
    await place.shell('bell');
    const key = 'AKIAQ3EGRFZ7VN5XK2TD';
    const person = { directory: place.directory, env: { ...place.env, MY_TOKEN: key } };
    const line = 'env >env; cat >event; test -e good';
    const notify = new Following(person, 'notify', '--exec', line);
    await rung(place);
    await expect.poll(() => status(place)).toContain('--exec: exited with status 1');
    expect(await status(place)).not.toContain('accepted');
    const read = (file: string) => readFileSync(join(place.directory, file), 'utf8');
    expect(JSON.parse(read('event'))).toMatchObject({
      title: 'bell rang the bell',
      session: 'bell',
      kind: 'bell',
    });
    expect(read('env')).toMatch(/^PATH=/m);
    expect(read('env')).not.toContain(key);
    writeFileSync(join(place.directory, 'good'), '');
    const accepted = '1 notification accepted by the command of --exec';
    await expect.poll(() => status(place), { timeout: 20_000 }).toContain(accepted);
    await notify.stop();
    expect(await place.vtr(['notify', '--status', '--json'])).toMatchObject({ status: 1 });
    expect(await status(place)).toContain('vtr notify does not run');
  });
});

describe('a list that is followed', () => {
  it('paints over its table in a terminal, without lines too many', async () => {
    const place = new Place();
    const program = [process.execPath, vtrFile, 'ls', '--watch'];
    await place.ok('spawn', 'list', '--size', '90x6', '--', ...program);
    await place.sees('list', 'list');
    await place.ok('spawn', 'two', '--', 'bash', '-c', 'read -rp "Go on? " _');
    await place.ok('wait', 'list', '--screen', 'two .* input: Go on');
    const rows = await place.sees('list', 'two');
    expect(rows[0]).toMatch(/^SESSION +STATE +FOR/);
    expect(rows.filter((row) => row.startsWith('SESSION'))).toHaveLength(1);
    for (const name of ['three', 'four', 'five', 'six']) await place.ok('spawn', name, '--', 'cat');
    expect((await place.sees('list', '… 3 more'))[5]).toBe('');
    await place.ok('rm', 'four', 'five', 'six');
    await place.sees('list', 'three');
    await place.ok('key', 'list', 'ctrl+c');
    await place.vtr(['wait', 'list', '--exit']);
    expect(await place.json('info', 'list')).toMatchObject({ exit_code: 130 });
  });
});
