import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PersonTerminal } from '../../support/command/person-terminal.ts';
import { Place } from '../../support/command/vtr-command.ts';
import { testProgram } from '../../support/pty/pty-request.ts';

const asks =
  'for i in 1 2; do printf "Overwrite $i? [y/N] "; read x; echo "got $x"; done; sleep 60';

describe('vtr ui', () => {
  it('lists those that want somebody first, answers, filters, searches, attaches and removes', async () => {
    const place = new Place();
    const absent = join(place.directory, 'absent.sock');
    await place.ok('config', 'add', absent);
    await place.ok('spawn', 'flood', '--', 'sh', '-c', 'while :; do echo flood; sleep 0.01; done');
    await place.ok('spawn', 'failed', '--', 'sh', '-c', 'echo needle here; exit 3');
    await place.ok('spawn', 'asks', '--', 'sh', '-c', asks);
    const person = await PersonTerminal.run(place, ['ui'], { cols: 100, rows: 30 });

    const rows = await person.shows(
      'Overwrite 1.*',
      'exited 3',
      '  flood +running .* flood',
      'absent',
    );
    const listed = rows.filter((row) => /^[> ] . (asks|failed|flood)/.test(row));
    expect(listed.map((row) => row.slice(2, 11).trim())).toEqual(['? asks', '✗ failed', 'flood']);
    expect(rows.find((row) => row.includes('absent'))).toMatch(/does not answer/);

    await person.keys('down', 'up', 'y');
    await person.shows('Overwrite 2.*', 'sent y');
    await place.sees('asks', 'got y');

    await person.keys('/');
    await person.types('floo');
    await person.shows('^> +flood .*running', '^ /floo$');
    await person.keys('enter', 'g');
    await person.types('n[e]+dle');
    await person.keys('enter');
    await person.shows('^ 0 lines for');
    await person.keys('escape');
    await person.shows('Enter attach');
    await person.keys('escape', 'g');
    await person.types('n[e]+dle');
    await person.keys('enter');
    await person.shows('^> failed:0 +needle here', '^ 1 line in 1 session');
    await person.keys('q');

    await person.resize({ cols: 60, rows: 15 });
    await person.shows('^ failed exited 3');
    await person.keys('x');
    await person.shows('Remove failed\\?  y or n');
    await person.keys('y');
    await person.shows('removed failed');
    expect(await place.ok('ls', '--coordinator', 'default', '--names')).toBe('flood\nasks\n');

    // A question is recognised a moment after it is shown, and then comes first.
    await person.shows('^[> ] \\? asks');
    await person.keys('home', 'enter');
    await person.shows('^Overwrite 2\\? \\[y/N\\]$');
    await person.types('no\r');
    await place.sees('asks', 'got no');
    await person.keys('ctrl+b', 'd');
    await person.shows('^ vtr  2 sessions');
    await person.keys('q');
    expect(await person.ended()).toEqual({ code: 0, alternate: false });
  });

  it('answers an agent by the choice that means yes, and types nothing where there is none', async () => {
    const place = new Place();
    const program = testProgram('coding-agent.mjs');
    const agent = ['--', process.execPath, program, 'prompted'];
    await place.ok('spawn', 'api', '--agent', 'claude', ...agent);
    expect((await place.vtr(['wait', 'api', '--agent', 'idle'])).status).toBe(0);
    expect((await place.vtr(['prompt', 'api', 'ask', '--wait'])).status).toBe(13);
    const person = await PersonTerminal.run(place, ['ui'], { cols: 100, rows: 40 });
    await person.shows('^> \\? api .*npm publish|^> \\? api .*proceed');
    await person.keys('n');
    await person.shows('answered api with No');
    expect((await place.vtr(['wait', 'api', '--agent', 'idle'])).status).toBe(0);
    await place.sees('api', 'npm publish: 3');

    const menu = 'printf "Which one?\\n\\n> Lint\\n  Test\\n\\nEnter to confirm, Esc to cancel\\n"';
    await place.ok('spawn', 'menu', '--', 'sh', '-c', `stty -icanon -echo; ${menu}; cat`);
    await person.shows('^[> ] \\? menu');
    await person.keys('home');
    // A question that has just come is not answered.
    await person.shows('^> \\? menu +awaiting input +[1-9]\\d*s');
    // Whether it still asks is not known at once on a busy machine; nothing is typed then.
    const answered = async () => {
      await person.keys('y');
      // The next key would remove what the person is told.
      return (await person.shows('nothing was (?:sent|typed)')).join('\n');
    };
    await expect.poll(answered).toContain('no choice "yes"; nothing was typed');
    expect((await place.ok('screen', 'menu')).trimEnd()).toMatch(/Esc to cancel$/);
    await person.keys('q');
    expect(await person.ended()).toEqual({ code: 0, alternate: false });
  });

  it('takes the keys of the configuration, in the list and in the session', async () => {
    const place = new Place();
    mkdirSync(join(place.directory, 'config/vtr'), { recursive: true });
    writeFileSync(
      join(place.directory, 'config/vtr/config.toml'),
      `[attach]
leader = "ctrl+a"
[keys.attach]
detach = "x"
take = ["t", "f5"]
[keys.ui]
remove = "D"
help = ["f1", "?"]
[keys.confirm]
yes = "j"
[keys.panes]
bar = "v b"
[keys.direct]
bar = "alt+b"
`,
    );
    await place.shell('build');
    const person = await PersonTerminal.run(place, ['ui'], { cols: 130, rows: 40 });
    await person.shows('^> +build', ' D remove  F1 help  q leave');
    await person.keys('?');
    await person.shows(
      'Enter +attach to the session, in a pane; Ctrl\\+a d returns here',
      'D +end the program',
    );
    await person.keys('f1', 'enter');
    await person.shows('│\\$');
    await person.keys('alt+b');
    await person.shows('^─ 1 build ');
    await person.keys('ctrl+a', 'v');
    await person.shows('^ Ctrl\\+a v … +Esc leaves · b show or hide the side bar');
    await person.keys('b');
    await person.shows('│\\$');
    await person.keys('ctrl+a', 'u');
    await person.shows('no command: Ctrl\\+a \\? lists them');
    await person.keys('ctrl+a', '?', 'pagedown', 'pagedown');
    await person.shows('Ctrl\\+a t +hold the session');
    await person.keys('q', 'ctrl+a', 'd');
    await person.shows('^> +build', 'F1 help');
    await person.keys('D');
    await person.shows('Remove build, still running\\?  j or n');
    await person.keys('y', 'j');
    await person.shows('removed build');
    await person.keys('q');
    expect(await person.ended()).toEqual({ code: 0, alternate: false });
  });

  it('says that a suspended coordinator does not answer, until it continues', async () => {
    const place = new Place();
    await place.shell('build');
    const person = await PersonTerminal.run(place, ['ui'], { cols: 100, rows: 30 });
    await person.shows('^> +build');
    const { pid } = await place.json('serve', '--status');
    process.kill(pid, 'SIGSTOP');
    try {
      await person.shows('does not answer: its process is suspended, at work, or hangs');
    } finally {
      process.kill(pid, 'SIGCONT');
    }
    const rows = async () => (await person.shows('^ vtr ')).join('\n');
    await expect.poll(rows).not.toContain('does not answer');
    await person.keys('q');
    expect(await person.ended()).toEqual({ code: 0, alternate: false });
  });

  it('shows sessions in panes, which are remembered by name', async () => {
    const place = new Place();
    await place.shell('left');
    await place.shell('right');
    const size = { cols: 110, rows: 24 };
    const person = await PersonTerminal.run(place, ['ui', 'work'], size);
    await person.shows('^[> ] .* left ', '^[> ] .* right ');
    await person.keys('/');
    await person.types('left');
    await person.keys('enter', 'enter');
    await person.shows('│─ 1 left ', '│\\$');
    // The filter ends, and the last session is shown beside the first.
    await person.keys('ctrl+b', 's', 'escape', 'end', '%');
    await person.shows('─ 1 left .*┬─ 2 right ', '│\\$ +│\\$');
    await person.types('echo in-$((1+1))-right\r');
    await place.sees('right', 'in-2-right');

    // What is typed in a marked pane goes to all of them.
    await person.keys('ctrl+b', 'Y');
    await person.shows('goes to 2 of them');
    await person.types('echo both-$((2+1))\r');
    await place.sees('left', 'both-3');
    await place.sees('right', 'both-3');
    await person.keys('ctrl+b', 'Y', 'ctrl+b', 'left');
    await person.types('echo only-$((3+1))\r');
    await place.sees('left', 'only-4');

    await person.keys('ctrl+b', '"');
    await person.shows('├─ 2 [\\w.-]+ .*┤');
    await person.keys('ctrl+b', 'x', 'ctrl+b', 'b');
    await person.shows('^─ 1 left .*┬─ 2 right ');
    await person.keys('ctrl+b', 'q');
    expect(await person.ended()).toEqual({ code: 0, alternate: false });
    expect((await place.vtr(['ui', '--list'])).stdout).toBe('work\n');

    const again = await PersonTerminal.run(place, ['ui', 'work'], { cols: 80, rows: 20 });
    await again.shows('^─ 1 left .*┬─ 2 right ', 'in-2-right', 'only-4');
    await again.types('echo back-$((4+1))\r');
    await place.sees('left', 'back-5');
    await again.keys('ctrl+b', 'q');
    expect(await again.ended()).toEqual({ code: 0, alternate: false });

    expect((await place.vtr(['ui', 'work', '--remove'])).status).toBe(0);
    expect((await place.vtr(['ui', '--list'])).stdout).toBe('');
  });

  it('uses the mouse in panes', async () => {
    const place = new Place();
    await place.shell('one');
    await place.shell('two');
    const person = await PersonTerminal.run(place, ['ui'], { cols: 100, rows: 24 });
    const clickOn = async (text: string, button = 0) => {
      const rows = await person.shows(text);
      const row = rows.findIndex((each) => each.includes(text));
      const col = rows[row]?.indexOf(text) ?? 0;
      const report = (end: string) => `\x1b[<${button};${col + 1};${row + 1}${end}`;
      await person.types(`${report('M')}${report('m')}`);
    };
    await person.shows('^[> ] .* one ');
    await person.keys('enter');
    await person.shows('│─ 1 ');
    await clickOn(' two ');
    await person.shows('│─ 1 two ');
    await clickOn(' one ', 2);
    await clickOn('Open on the right');
    await person.shows('│─ 1 two .*┬─ 2 one ');
    await person.types('echo clicked-$((1+1))\r');
    await place.sees('one', 'clicked-2');
    await clickOn('1 two');
    await person.types('echo first-$((1+1))\r');
    await place.sees('two', 'first-2');
    await person.keys('ctrl+b', 'q');
    expect(await person.ended()).toEqual({ code: 0, alternate: false });
  });

  it('refuses names that are no layouts', async () => {
    const place = new Place();
    expect(await place.vtr(['ui', 'a', '--remove'])).toMatchObject({
      status: 2,
      stderr: 'vtr: there is no layout a; there are none\n',
    });
    expect(await place.vtr(['ui', 'a', '--list'])).toMatchObject({ status: 2 });
    expect(await place.json('ui', '--list')).toEqual({ layouts: [] });
  });

  it('fails without a terminal', async () => {
    const { status, stdout, stderr } = await new Place().vtr(['ui']);
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^vtr: vtr ui needs a terminal/);
  });
});
