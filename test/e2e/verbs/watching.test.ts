import { describe, expect, it } from 'vitest';
import { Following } from '../../support/command/following.ts';
import { Place, vtrFile } from '../../support/command/vtr-command.ts';

const asking = `read -p 'Overwrite? ' answer`;

describe('vtr notify', () => {
  it('tells once, with vtr ls and vtr ls --watch, also across kill -9 of the daemon', async () => {
    const place = new Place();
    await place.ok('spawn', 'ask', '--', 'bash', '--norc');
    const list = new Following(place, 'ls', '--watch', 'a*');
    const notify = new Following(place, 'notify');
    await list.prints('"event":"session"');
    // What a session wants at the start of vtr notify is not told.
    const metrics = () => place.ok('metrics');
    await expect.poll(metrics).toMatch(/^vtr_connections\{.*\} 3$/m);
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

describe('a list that is followed', () => {
  it('paints over its table in a terminal, without lines too many', async () => {
    const place = new Place();
    const program = [process.execPath, vtrFile, 'ls', '--watch'];
    await place.ok('spawn', 'list', '--size', '90x6', '--', ...program);
    await place.sees('list', 'list');
    await place.ok('spawn', 'two', '--', 'cat');
    await place.ok('wait', 'list', '--screen', 'two .* input: cat');
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
