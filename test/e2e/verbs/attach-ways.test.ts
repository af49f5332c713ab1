import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Place } from '../../support/command/vtr-command.ts';
import { tree } from '../../support/tree.ts';
import { AttachedTerminal } from '../../support/tui/attached-terminal.ts';

const attach = (place: Place, words: readonly string[], options = {}) =>
  AttachedTerminal.start(place, ['attach', ...words], options);

const clean = { leftModes: [] };

/** Sessions that print their name, in this order. */
async function sessions(place: Place, ...names: readonly string[]): Promise<void> {
  for (const name of names)
    await place.ok('spawn', name, '--', 'sh', '-c', `echo "I am ${name}"; exec cat`);
}

describe('ways from an attached session', () => {
  it('to the next, the last, a numbered and a chosen session; to a new one and back', async () => {
    const place = new Place();
    await sessions(place, 'alpha', 'beta', 'gamma');
    const person = await attach(place, ['alpha']);
    await person.sees('^I am alpha');
    await person.keys('ctrl+b', ')');
    await person.sees('^I am beta');
    await person.keys('ctrl+b', 'L');
    await person.sees('^I am alpha');
    await person.keys('ctrl+b', '(');
    await person.sees('^I am gamma');
    await person.keys('ctrl+b', '1');
    await person.sees('^I am beta');
    await person.keys('ctrl+b', '7');
    await person.sees('no session 7; the last one is 2');
    await person.keys('ctrl+b', 's');
    await person.sees('go to:');
    await person.types('gam');
    await person.keys('enter');
    await person.sees('^I am gamma');
    // What is typed reaches it.
    await person.types('typed here\r');
    await person.sees('^typed here');
    await person.keys('ctrl+b', 's');
    await person.sees('go to:');
    await person.keys('escape');
    await person.sees('^typed here');
    await person.keys('ctrl+b', 'L');
    await person.sees('^I am beta');
    await person.keys('ctrl+b', ',', 'ctrl+u');
    await person.types('delta\r');
    await person.sees('renamed to delta');
    await person.keys('ctrl+b', 'X');
    await person.sees('end and remove delta');
    await person.keys('y');
    await person.sees('^typed here');
    await person.keys('ctrl+b', 'd');
    const end = await person.end();
    expect(end).toMatchObject({ status: { code: 0 }, ...clean });
    expect(end.rows.join('\n')).toContain('detached from gamma');
    const { sessions: left } = await place.json('ls');
    expect(left.map(({ name }: { name: string }) => name)).toEqual(['alpha', 'gamma']);
  });

  it('by keys without the leader in each encoding, and by sequences', async () => {
    const place = new Place();
    const config = tree({
      'vtr/config.toml': [
        '[keys.direct]',
        'next_session = "alt+right"',
        'session_before = "alt+,"',
        'detach = "f12"',
        '[keys.attach]',
        'last = "v l"',
        '',
      ].join('\n'),
    });
    await sessions(place, 'alpha', 'beta', 'gamma');
    const env = { XDG_CONFIG_HOME: config };
    const person = await attach(place, ['alpha'], { env, size: { cols: 100, rows: 60 } });
    await person.sees('^I am alpha');
    // xterm, then rxvt, then the kitty protocol with Num Lock.
    await person.bytes('\x1b[1;3C');
    await person.sees('^I am beta');
    await person.bytes('\x1b\x1b[C');
    await person.sees('^I am gamma');
    await person.bytes('\x1b[1;131C');
    await person.sees('^I am alpha');
    // Alt and a character: as ESC, with modifyOtherKeys, in the kitty protocol.
    await person.bytes('\x1b,');
    await person.sees('^I am gamma');
    await person.bytes('\x1b[27;3;44~');
    await person.sees('^I am beta');
    await person.bytes('\x1b[44;3u');
    await person.sees('^I am alpha');
    await person.keys('ctrl+b', 'v');
    await person.sees('Ctrl\\+b v … +Esc leaves · l back');
    await person.keys('escape');
    // What comes at once after it would be a key with Alt.
    await person.lacks('Ctrl\\+b v … ');
    await person.types('typed\r');
    await person.sees('^typed');
    await person.keys('ctrl+b', 'v', 'l');
    await person.sees('^I am beta');
    await person.keys('ctrl+b', '?');
    await person.sees('Ctrl\\+b v l +back');
    await person.sees('Without the leader');
    await person.sees('Alt\\+Right +the next session');
    await person.keys('q', 'f12');
    expect(await person.end()).toMatchObject({ status: { code: 0 }, ...clean });
  });

  it('by commands: completion, new sessions, verbs of vtr', async () => {
    const place = new Place();
    const directory = tree({ 'made/x': '' });
    await place.ok('spawn', 'home', '--cwd', join(directory, 'made'), '--', 'cat');
    const person = await attach(place, ['home']);
    await person.types('ready\r');
    await person.sees('^ready');
    await person.keys('ctrl+b', ':');
    await person.types('inf\t');
    await person.sees('^:info$');
    await person.types('ho\t');
    await person.sees('^:info home$');
    await person.keys('enter');
    await person.sees('info home · q leaves');
    await person.keys('q', 'ctrl+b', ':');
    await person.types('label project=web\r');
    await person.sees('project=web');
    await person.keys('ctrl+b', ':');
    await person.types('new side -- sh -c "pwd; exec cat"\r');
    await person.sees('/made$');
    expect((await place.json('info', 'side')).cwd).toContain('/made');
    await person.keys('ctrl+b', ':');
    await person.types('sned x\r');
    await person.sees('did you mean send');
    await person.keys('ctrl+b', 'N');
    await expect
      .poll(async () => (await place.vtr(['ls', '--names'])).stdout.split('\n'))
      .toContain('made');
    await person.keys('ctrl+b', 'd');
    expect(await person.end()).toMatchObject({ status: { code: 0 }, ...clean });
  });

  it('with the keys of tmux and a configuration; what is copied has a command, and is pasted', async () => {
    const place = new Place();
    const copied = join(place.directory, 'copied');
    const config = tree({
      'vtr/config.toml': [
        '[attach]',
        'status = "on"',
        `copy_command = "cat > '${copied}'"`,
        'status_left = " #{session_index}:#{session_name} "',
        'status_right = "%Y "',
        'mouse = "off"',
        '[keys]',
        'preset = "tmux"',
        '[keys.attach]',
        'clock = "T"',
        'take = "t"',
      ].join('\n'),
    });
    const env = { XDG_CONFIG_HOME: config };
    const options = { env };
    await sessions(place, 'one', 'two');
    const person = await attach(place, ['one'], options);
    await person.sees('^I am one');
    await person.sees(`^ 0:one .*${new Date().getFullYear()}$`);
    await person.keys('ctrl+b', 'n');
    await person.sees('^I am two');
    await person.sees('^ 1:two ');
    await person.keys('ctrl+b', 'l');
    await person.sees('^I am one');
    await person.keys('ctrl+b', 'o');
    await person.sees('vtr ui shows several');
    await person.keys('ctrl+b', '[');
    await person.sees('scroll');
    await person.keys('g', 'y');
    await person.sees('copied 8 characters$|copied 8 characters ');
    expect(readFileSync(copied, 'utf8')).toBe('I am one');
    await person.keys('ctrl+b', ']', 'enter');
    await person.sees('^I am one');
    await expect
      .poll(async () => (await place.json('screen', 'one')).lines.join('\n'))
      .toMatch(/I am one\nI am one\nI am one/);
    await person.keys('ctrl+b', 't');
    await person.sees('you hold it');
    await person.keys('ctrl+b', 'd');
    expect(await person.end()).toMatchObject({ status: { code: 0 }, ...clean });
  });

  it('the scrollback opens in an editor, which gets the terminal', async () => {
    const place = new Place();
    await place.ok('spawn', 'log', '--', 'sh', '-c', 'seq 1000 1099; exec cat');
    const editor = join(place.directory, 'editor');
    const file = join(place.directory, 'seen');
    // It reads a line of the terminal, and keeps what it was given.
    const lines = [
      '#!/bin/sh',
      `cp "$1" '${file}'`,
      'echo "editing"; read answer; echo "$answer" >>',
      '',
    ];
    writeFileSync(editor, `${lines.slice(0, 3).join('\n')} '${file}'\n`, { mode: 0o755 });
    const person = await attach(place, ['log'], { env: { EDITOR: editor, VISUAL: '' } });
    await person.sees('^1099');
    await person.keys('ctrl+b', 'e');
    await person.sees('^editing');
    await person.types('for the editor\r');
    await person.sees('^1099');
    const text = readFileSync(file, 'utf8');
    expect(text).toMatch(/^1000\n1001\n/);
    expect(text).toContain('\n1099\n');
    expect(text).toMatch(/for the editor\n$/);
    await person.types('back\r');
    await person.sees('^back');
    await person.keys('ctrl+b', 'd');
    expect(await person.end()).toMatchObject({ status: { code: 0 }, ...clean });
  });
});

describe('without a session, vtr attach', () => {
  it('shows several, in a terminal of 40x20; a group is all that is seen', async () => {
    const place = new Place();
    await sessions(place, 'web-1', 'web-2', 'other');
    await place.ok('label', 'web-*', 'project=web');
    const size = { cols: 40, rows: 20 };
    const person = await attach(place, [], { size });
    await person.sees('other');
    await person.types('oth');
    await person.keys('enter');
    await person.sees('^I am other');
    await person.keys('ctrl+b', 'd');
    expect(await person.end()).toMatchObject({ status: { code: 0 }, ...clean });

    const grouped = await attach(place, ['--label', 'project=web'], { size });
    const rows = await grouped.sees('web-2');
    expect(rows.join('\n')).toContain('project=web');
    expect(rows.join('\n')).not.toContain('other');
    await grouped.types('web-1');
    await grouped.keys('enter');
    await grouped.sees('^I am web-1');
    await grouped.keys('ctrl+b', ')');
    await grouped.sees('^I am web-2');
    await grouped.keys('ctrl+b', ')');
    await grouped.sees('^I am web-1');
    await grouped.keys('ctrl+b', 'd');
    expect(await grouped.end()).toMatchObject({ status: { code: 0 }, ...clean });
  });

  it('leaves without a choice; a group without sessions is an error', async () => {
    const place = new Place();
    await sessions(place, 'one', 'two');
    const person = await attach(place, []);
    await person.sees('two');
    await person.keys('escape');
    expect(await person.end()).toMatchObject({ status: { code: 0 }, ...clean });
    const none = await attach(place, ['--label', 'project=none']);
    const { status, rows } = await none.end();
    expect(status.code).toBe(4);
    expect(rows.join('')).toContain('no session is in the group project=none');
  });
});
