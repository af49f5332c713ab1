import { spawnSync } from 'node:child_process';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Place, vtrFile } from '../../support/command/vtr-command.ts';
import { AttachedTerminal } from '../../support/tui/attached-terminal.ts';

/** The variables of somebody who does not know that the caller of the other commands drives. */
const others = ({ directory }: Place) => ({ XDG_STATE_HOME: join(directory, 'others') });

/** A session with a shell, which ends with the test. */
async function shell(): Promise<Place> {
  const place = new Place();
  await place.shell('one');
  return place;
}

describe('vtr take', () => {
  it('prints the epoch with which commands type and resize, and refuses others with 14', async () => {
    const place = await shell();
    const epoch = await place.ok('take', 'one', '--note', 'merging');
    expect(epoch).toBe('2\n');
    const { driver, driver_epoch } = await place.json('info', 'one');
    const since = expect.stringMatching(/^\d{4}-.*Z$/);
    const name = expect.any(String);
    expect(driver).toEqual({
      kind: 'person',
      name,
      since,
      epoch: 2,
      holds: true,
      handed_by: null,
    });
    expect(driver_epoch).toBe(2);
    for (const args of [
      ['send', 'one', 'lost', '-e'],
      ['key', 'one', 'enter'],
      ['raw', 'one', '0d'],
      ['run', 'one', '--', 'echo', 'lost'],
      ['resize', 'one', '50', '20'],
      ['send', 'one', 'lost', '--epoch', '1'],
      ['take', 'one'],
    ]) {
      const { status, stderr } = await place.vtr(args, { env: others(place) });
      expect(status, args.join(' ')).toBe(14);
      expect(stderr).toMatch(/\(note: merging\); .*\n.*vtr wait one --driver\n/);
    }
    await place.ok('resize', 'one', '50', '20', '--epoch', '2');
    const run = await place.result(['run', 'one', '--epoch', '2', '--', 'stty size']);
    expect(run.stdout).toBe('20 50\n');
    expect(await place.json('take', 'one', '--force')).toMatchObject({ epoch: 3 });
    await place.ok('give', 'one');
    const left = { cols: 50, rows: 20, driver: null, viewers: [] };
    expect(await place.json('info', 'one')).toMatchObject(left);
    expect(await place.ok('screen', 'one')).not.toContain('lost');
  });
});

describe('a person who takes a session in a terminal', () => {
  it('says whose the session is, and what the number is', async () => {
    const place = await shell();
    const shown = await place.ok('exec', '--', process.execPath, vtrFile, 'take', 'one');
    expect(shown).toBe('2\nvtr: you hold one until vtr give; its epoch is above\n');
  });
});

describe('the caller of vtr take', () => {
  it('types, clicks and runs lines without --epoch; others do not', async () => {
    const place = await shell();
    const script = [
      `vtr() { "${process.execPath}" "${vtrFile}" "$@"; }`,
      'vtr take one',
      "vtr run one -- 'echo ran'",
      `vtr send one "printf '\\\\033[?1000h\\\\033[?1006h[done]\\\\n'" -e --wait '^.done'`,
      "vtr mouse one click --text '^.done'",
      'echo "mouse $?"',
      // The parent of this one is another process.
      'sh -c \'"$0" "$1" key one enter; echo "other $?"\' "$NODE" "$VTR"',
    ].join('\n');
    const env = { ...place.env, NODE: process.execPath, VTR: vtrFile };
    const { stdout } = spawnSync('sh', ['-c', script], { env, encoding: 'utf8' });
    expect(stdout).toBe('2\nran\n[done]\nmouse 0\nother 14\n');
    expect((await place.vtr(['key', 'one', 'enter'])).status).toBe(14);
    // The trail has no refusal but those that a caller was told.
    const { entries } = await place.json('log', 'one');
    const refused = entries.filter((entry: { refused?: string }) => entry.refused);
    expect(refused.map(({ action }: { action: string }) => action)).toEqual(['key', 'key']);
  });
});

describe('a session of another coordinator', () => {
  it('is named by the hints about a person who drives', async () => {
    const place = await shell();
    const socket = join(place.directory, 'other.sock');
    const elsewhere = { env: { VTR_SOCKET: socket } };
    try {
      await place.vtr(['spawn', 'one', '--', 'cat'], elsewhere);
      await place.ok('take', 'one', '--coordinator', socket);
      const send = ['send', 'one', 'x', '--coordinator', socket];
      const { status, stderr } = await place.vtr(send, { env: others(place) });
      expect(status).toBe(14);
      expect(stderr).toContain(`wait for the end: vtr wait one --driver --coordinator ${socket}\n`);
      expect(stderr).toMatch(
        new RegExp(`see what was done: vtr read one --since \\S+ --coordinator ${socket}\n`),
      );
    } finally {
      await place.vtr(['serve', '--stop'], elsewhere);
    }
  });
});

describe('vtr give', () => {
  it('--to hands a session to a person by name, or says who is there', async () => {
    const place = await shell();
    const alone = await place.vtr(['give', 'one', '--to', 'ann']);
    expect(alone).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('nobody who views it is called "ann"; nobody else is here'),
    });
    const person = await AttachedTerminal.start(place, ['attach', 'one'], {});
    const viewers = async () => (await place.json('info', 'one')).viewers.length;
    await expect.poll(viewers).toBe(1);
    const { username } = userInfo();
    expect(await place.ok('info', 'one', '--viewers')).toBe(`${username}\n`);
    const state = await place.json('give', 'one', '--to', username, '--note', 'your PIN, please');
    expect(state.driver).toMatchObject({ name: username, holds: true, handed_by: username });
    await person.sees('handed it to you \\(your PIN, please\\)');
    const refused = await place.vtr(['send', 'one', 'x']);
    expect(refused).toMatchObject({
      status: 14,
      stderr: expect.stringContaining('(note: your PIN, please)'),
    });
    const other = await place.vtr(['give', 'one', '--to', 'bob']);
    expect(other.stderr).toContain(`here are: ${username} (in a terminal for `);
    await person.keys('ctrl+b', ':');
    await person.types('give\r');
    const driver = async () => (await place.json('info', 'one')).driver;
    await expect.poll(driver).toBe(null);
    expect(await place.ok('log', 'one')).toMatch(/ give .*to=\S/);
  });

  it('ends vtr wait --driver, which prints the note, and makes an older --epoch fail', async () => {
    const place = await shell();
    expect((await place.result(['wait', 'one', '--driver'])).stdout).toBe('');
    await place.ok('give', 'one');
    await place.ok('take', 'one');
    expect((await place.result(['wait', 'one', '--driver', '--timeout', '1ms'])).status).toBe(9);
    expect((await place.vtr(['give', 'one', '--epoch', '1'])).status).toBe(14);
    await place.ok('send', 'one', 'echo "by $((40+2))"', '-e', '--epoch', '2');
    await place.sees('one', 'by 42');
    const { ended } = await place.calling('Wait', ['wait', 'one', '--driver']);
    expect(await place.json('give', 'one', '--note', 'go on', '--epoch', '2')).toMatchObject({
      driver: null,
      epoch: 3,
      note: 'go on',
      mark: expect.any(String),
    });
    const { status, stdout, stderr } = await ended;
    expect({ status, stdout }).toEqual({ status: 0, stdout: 'go on\n' });
    expect(stderr).toMatch(/the epoch is 3; what was done: vtr read one --since r1-/);
    const old = await place.result(['send', 'one', 'lost', '--epoch', '1']);
    expect(old.status).toBe(14);
    const mark = /vtr read one --since (r1-\S+)/.exec(old.stderr)?.[1] ?? '';
    expect((await place.result(['read', 'one', '--since', mark])).stdout).toContain('by 42');
    const result = await place.json('send', 'one', ':', '-e', '--epoch', '3');
    expect(result).toMatchObject({ driver_epoch: 3 });
  });
});
