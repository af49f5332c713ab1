import { describe, expect, it, onTestFinished } from 'vitest';
import { PersonTerminal } from '../../support/command/person-terminal.ts';
import { Place } from '../../support/command/vtr-command.ts';
import { tree } from '../../support/tree.ts';

/** A place with a server of tmux of its own: the session work, with two panes in its first window. */
async function workPlace() {
  const place = new Place(onTestFinished, { TMUX_TMPDIR: tree({}) });
  const tmux = (...words: readonly string[]) => place.ok('tmux', ...words);
  await tmux('new-session', '-d', '-s', 'work', '-n', 'edit', 'echo first; exec cat');
  await tmux('split-window', '-h', '-t', 'work', 'echo second; exec cat');
  const panes = async (format = '#{pane_active} #{pane_width}x#{pane_height}') =>
    (await tmux('list-panes', '-t', 'work', '-F', format)).trim().split('\n');
  return { place, tmux, panes };
}

describe('sessions of tmux in vtr ui', () => {
  it('are shown as their server lays them out, and follow what it does', async () => {
    const { place, tmux } = await workPlace();
    const person = await PersonTerminal.run(place, ['ui', 'tmux:work'], { cols: 111, rows: 20 });
    await person.shows(
      '^ tmux work:0 edit ',
      '│─ tmux work ',
      '│first +│second',
      '\\[work\\] 0:edit',
    );
    // The person is a client, whose size the window has.
    const client = '#{session_name} #{client_width}x#{client_height}';
    await expect.poll(() => tmux('list-clients', '-F', client)).toBe('work 80x19\n');
    const about = '#{session_attached} #{window_width}x#{window_height}';
    const window = () => tmux('display-message', '-p', '-t', 'work', about);
    await expect.poll(window).toBe('1 80x18\n');

    await tmux('split-window', '-v', '-t', 'work', 'echo third; exec cat');
    await person.shows('│third$', '├─{39}$');
    await tmux('resize-pane', '-t', 'work', '-Z');
    await person.shows('│third$', '0:edit\\*Z');
    await tmux('resize-pane', '-t', 'work', '-Z');
    await tmux('swap-pane', '-s', 'work:0.0', '-t', 'work:0.2');
    await person.shows('│third +│second');
    await tmux('select-layout', '-t', 'work', 'even-vertical');
    await person.shows('│second$', '│first$');
    await tmux('new-window', '-t', 'work', '-n', 'logs', 'echo fourth; exec cat');
    await person.shows('│fourth', '^ tmux work  ', '^  0 edit', '^  1 logs\\*');
    await tmux('rename-session', '-t', 'work', 'job');
    await person.shows('│─ tmux job ', '^ tmux job ');
    await tmux('kill-session', '-t', 'job');
    await person.shows('no sessions');
    await person.keys('q');
    expect(await person.ended()).toEqual({ code: 0, alternate: false });
  });

  it('do what the person does there: there is one layout', async () => {
    const { place, tmux, panes } = await workPlace();
    const person = await PersonTerminal.run(place, ['ui'], { cols: 111, rows: 20 });
    // The one that has asked for the longest time comes first.
    await person.shows(' work.0');
    await person.keys('/');
    await person.types('work.0\r');
    await person.shows('^> . work.0');
    await person.keys('enter');
    await person.shows('│first +│second');
    await expect.poll(() => panes()).toEqual(['1 40x18', '0 39x18']);
    await person.types('typed\r');
    await person.shows('│typed +│');
    await person.keys('ctrl+b', 'right');
    await expect.poll(() => panes('#{pane_active}')).toEqual(['0', '1']);
    await person.keys('ctrl+b', '"');
    await expect.poll(() => panes()).toEqual(['0 40x18', '0 39x9', '1 39x8']);
    await person.keys('ctrl+b', 'z');
    await person.shows('0:\\S+\\*Z');
    expect(await tmux('display-message', '-p', '-t', 'work', '#{window_zoomed_flag}')).toBe('1\n');
    await person.keys('ctrl+b', 'z', 'ctrl+b', 'x');
    await person.shows('kill-pane 2\\? \\(y/n\\)');
    await person.keys('y');
    await expect.poll(() => panes()).toEqual(['0 40x18', '1 39x18']);

    // A click gives the focus, and dragging moves the border, whatever the option mouse is.
    const mouse = (button: number, col: number, end = 'M') =>
      person.types(`\x1b[<${button};${col};5${end}`);
    await mouse(0, 40);
    await mouse(0, 40, 'm');
    await expect.poll(() => panes('#{pane_active}')).toEqual(['1', '0']);
    await mouse(0, 72);
    await mouse(32, 60);
    await mouse(0, 60, 'm');
    await expect.poll(() => panes()).toEqual(['1 28x18', '0 51x18']);

    // The keys of the window of vtr ui are its own; the tab and the session go on.
    await person.keys('ctrl+b', 'd');
    await person.shows('^ vtr  2 sessions');
    await person.keys('q');
    expect(await person.ended()).toEqual({ code: 0, alternate: false });
    await expect.poll(() => tmux('list-clients')).toBe('');
    expect(await panes()).toHaveLength(2);
  });

  it('want somebody until their pane is the active one', async () => {
    const { place, tmux } = await workPlace();
    await place.ok('watch', 'work.0', '--activity');
    const person = await PersonTerminal.run(place, ['ui', 'tmux:work'], { cols: 111, rows: 20 });
    await person.shows('│first +│second', '^▌ . work.1');
    await tmux('pipe-pane', '-I', '-t', 'work:0.0', 'echo more');
    await person.shows('│more', '^  \\+ work.0 ');
    await person.keys('ctrl+b', 'left');
    await person.shows('^▌ [^+] work.0 ');
    await person.keys('ctrl+b', 'q');
    expect(await person.ended()).toEqual({ code: 0, alternate: false });
  });

  it('are remembered in a layout, and come back with the next daemon', async () => {
    const { place, tmux } = await workPlace();
    const size = { cols: 111, rows: 20 };
    const first = await PersonTerminal.run(place, ['ui', 'mine'], size);
    await first.shows(' work.0');
    await first.keys('/');
    await first.types('work.0\r');
    await first.shows('^> . work.0');
    await first.keys('enter');
    await first.shows('│first +│second');
    expect((await place.vtr(['serve', '--restart'])).status).toBe(0);
    await tmux('send-keys', '-t', 'work:0.1', 'after', 'Enter');
    await first.shows('│first +│second', '│after');
    await first.keys('ctrl+b', 'q');
    expect(await first.ended()).toEqual({ code: 0, alternate: false });
    const again = await PersonTerminal.run(place, ['ui', 'mine'], size);
    await again.shows('^ mine', '│first +│second');
    await again.keys('ctrl+b', 'q');
    expect(await again.ended()).toEqual({ code: 0, alternate: false });

    // As after a restart of the machine.
    await tmux('kill-server');
    await place.vtr(['serve', '--stop']);
    const later = await PersonTerminal.run(place, ['ui', 'mine'], size);
    await later.shows('Enter attaches to the session, or makes it');
    await later.keys('enter');
    await later.shows('\\[work\\] 0:');
    expect(await tmux('list-sessions', '-F', '#{session_name} #{session_attached}')).toBe(
      'work 1\n',
    );
    await later.keys('ctrl+b', 'q');
    expect(await later.ended()).toEqual({ code: 0, alternate: false });
  });

  it('say which there are, if there is none of a name', async () => {
    const { place } = await workPlace();
    const person = await PersonTerminal.run(place, ['ui', 'tmux:nope'], { cols: 111, rows: 20 });
    await person.shows('there is no session nope of tmux; there are work');
    await person.keys('ctrl+b', 'q');
    expect(await person.ended()).toEqual({ code: 0, alternate: false });
  });
});
