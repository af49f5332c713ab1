import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { type SessionInfo, tmuxPopupOf } from '#model';
import { controlClient, coordinator, place } from '../../support/tmux/tmux-place.ts';

const isPopup = (info: SessionInfo): boolean => tmuxPopupOf(info) !== null;

describe('a control client', () => {
  it('gets an error for what cannot be read or done, and goes on', async () => {
    const { send, told } = await controlClient(place(), 'new-session', '-s', 'c', 'cat');
    await send(
      'display-message "\\UFFFFFFFF"',
      'has-session -t constructor',
      'refresh-client -C 999999999x24',
      'rename-window "a\\n%exit"',
      'display-message -p last',
    );
    const output = await told(/^last$/m);
    expect(output).toMatch(/^parse error: invalid \\U argument\n%error /m);
    expect(output).toMatch(/^can't find session: constructor\n%error /m);
    expect(output).toMatch(/^size too small or too big\n%error /m);
    expect(output).toMatch(/^%window-renamed @0 a\\n%exit$/m);
  });

  it('gives one window another size than its own, until it takes that back', async () => {
    const client = await controlClient(place(), 'new-session', '-s', 'c', 'cat');
    const sizes = "list-windows -F '#{window_width}x#{window_height}'";
    await client.send('new-window cat', 'refresh-client -C 80,24', 'refresh-client -C @0:40x10');
    await client.send(sizes, 'refresh-client -C @0:', sizes, 'display-message -p done');
    const output = await client.told(/^done$/m);
    expect(output.match(/^\d+x\d+$/gm)).toEqual(['40x10', '80x24', '80x24', '80x24']);
  });

  it('is told what a command caused after the answer to it, as by tmux', async () => {
    const client = await controlClient(place(), 'new-session', '-s', 'c', 'cat');
    await client.send('rename-window w', 'new-window -d -n named cat');
    await client.send('split-window cat', 'detach-client');
    const lines = (await client.told(/%exit/)).match(/^%(?!output|begin)\S+/gm);
    const order = lines?.filter((each) => each !== '%window-pane-changed');
    expect(order).toEqual([
      ...['%end', '%window-add', '%sessions-changed', '%session-changed'],
      ...['%end', '%window-renamed', '%end', '%window-add'],
      ...['%end', '%layout-change', '%end', '%exit'],
    ]);
  });

  it('is told of values to which it subscribes, when they change, as by tmux', async () => {
    const client = await controlClient(place(), 'new-session', '-s', 'c', 'cat');
    await client.send(
      "refresh-client -B 'own::#{session_name} #{window_index}'",
      "refresh-client -B 'all:%*:#{pane_index}' -B 'one:@0:#{window_panes}'",
      ...["refresh-client -B 'none:@7:x'", 'refresh-client -B malformed:x'],
    );
    const output = await client.told(/one \$0 @0 0 - : 1$/m);
    expect(output.match(/^%subscription-changed .*$/gm)).toEqual([
      '%subscription-changed all $0 @0 0 %0 : 0',
      '%subscription-changed one $0 @0 0 - : 1',
    ]);
    expect(await client.told(/own/)).toMatch(/^%subscription-changed own \$0 - - - : c 0$/m);
    await client.send('refresh-client -B all', 'split-window cat');
    const later = await client.told(/one \$0 @0 0 - : 2$/m);
    expect(later.match(/^%subscription-changed .*$/gm)).toHaveLength(4);
  });

  it('is told each pane that becomes active', async () => {
    const client = await controlClient(place(), 'new-session', '-s', 'c', 'cat');
    await client.send(
      ...['split-window cat', 'split-window -d cat', 'swap-pane -s 0 -t 1', 'rotate-window'],
      ...['break-pane -d', 'join-pane -d -s 1.0 -t 0.0', 'kill-pane', 'display-message -p done'],
    );
    const output = await client.told(/^done$/m);
    const notices = [...output.matchAll(/^%window-pane-changed (.*)$/gm)].map(([, about]) => about);
    // As by tmux 3.3a.
    expect(notices).toEqual(['@0 %1', '@0 %0', '@0 %1', '@0 %0']);
  });

  it('is told what happens while a command waits', async () => {
    const here = place();
    const client = await controlClient(here, 'new-session', '-s', 'c', 'cat');
    const waiting = client.send('wait-for go');
    await here.run('rename-window', '-t', 'c', 'meanwhile');
    expect(await client.told(/meanwhile/)).not.toMatch(/^%end .* 1$/m);
    await here.run('wait-for', '-S', 'go');
    await waiting;
  });

  it('that has gone waits for no channel any more', async () => {
    const here = place();
    const client = await controlClient(here, 'new-session', '-s', 'c', 'cat');
    const waiting = client.send('display-message -p waits ; wait-for go');
    await client.told(/^waits$/m);
    await client.gone();
    await waiting;
    await here.run('wait-for', '-S', 'go');
    expect(await here.run('wait-for', 'go')).toMatchObject({ status: 0 });
  });

  it('is told the output of a pane that was respawned, byte by byte', async () => {
    const client = await controlClient(place(), 'new-session', '-s', 'c', 'cat');
    const line = 'respawn-pane -k "read go; printf \'\\\\303\\\\251 \\\\377 done\'; exec cat"';
    await client.send(line, 'send-keys Enter');
    expect(await client.told(/done/)).toMatch(/^%output %0 .*é \\377 done/m);
  });

  it('whose caller has gone before its output is asked for ends', async () => {
    const client = await controlClient(place(), 'new-session', '-s', 'c', 'cat');
    await client.send('display-message -p answered');
    await client.told(/^answered$/m);
    expect(await client.gone()).toMatchObject({ ended: true });
  });

  it('lets others open a popup, which ends with its command, and leave the modes of panes', async () => {
    const here = place();
    const client = await controlClient(here, 'new-session', '-s', 'c', 'cat');
    await here.run('set-hook', '-g', 'pane-mode-changed', 'set-option -gF @mode "#{pane_mode}"');
    expect((await here.run('display-popup', '-E', 'pwd > popup')).status).toBe(0);
    expect(await readFile(join(here.directory, 'popup'), 'utf8')).toBe(`${here.directory}\n`);
    expect((await coordinator.list()).filter(isPopup)).toEqual([]);
    await here.run('choose-tree');
    await client.send('display-message -p "#{pane_mode} [#{@mode}]"');
    expect(await client.told(/^tree-mode/m)).toMatch(/^%pane-mode-changed %0$/m);
    await here.run('send-keys', 'x', 'q');
    await client.send('display-message -p "in #{pane_in_mode}"');
    expect(await client.told(/^in \d$/m)).toMatch(/^in 0$/m);
    expect((await here.run('command-prompt')).stderr).toMatch(
      /^vtr does not support command-prompt/,
    );
  });

  it('has one popup, whose size and status are those of tmux, and which does not outlive it', async () => {
    const here = place();
    const client = await controlClient(here, 'new-session', '-s', 'c', 'cat');
    const [begun, sized] = [here.fifo('begun'), join(here.directory, 'sized')];
    const line = `echo "$(stty size) $A" > ${sized}; exit 3`;
    expect((await here.run('display-popup', '-w', '50%', '-e', 'A=1', '-E', line)).status).toBe(3);
    expect(await readFile(sized, 'utf8')).toBe('10 38 1\n');
    expect((await here.run('display-popup', '-w', '81', '-E', 'true')).status).toBe(1);
    const waiting = () => here.run('display-popup', '-E', `echo > ${begun}; exec sleep 1000`);
    const first = waiting();
    await readFile(begun);
    // In lists, it is beside the panes of its session.
    const [popup] = (await coordinator.list()).filter(isPopup);
    expect(popup).toMatchObject({ name: 'c.popup', labels: { 'tmux/session': 'c' } });
    expect((await here.run('display-popup', '-E', 'false')).status).toBe(0);
    expect((await here.run('display-popup', '-C')).status).toBe(0);
    expect((await first).status).toBe(129);
    const second = waiting();
    await readFile(begun);
    await client.send('');
    expect((await second).status).toBe(129);
    expect((await coordinator.list()).filter(isPopup)).toEqual([]);
  });

  it('takes its popup along when the server ends', async () => {
    const here = place();
    const client = await controlClient(here, 'new-session', '-s', 'c', 'cat');
    const begun = here.fifo('begun');
    await client.send('display-message -p ready');
    const shown = here.run('display-popup', '-E', `echo > ${begun}; exec sleep 1000`);
    await readFile(begun);
    await here.run('kill-server');
    expect((await shown).status).toBe(129);
  });

  it('that does not take its output ends, and is told why', async () => {
    const here = place();
    const client = await controlClient(here, 'new-session', '-s', 'c', 'cat');
    await here.run('new-session', '-d', '-s', 'stays', 'cat');
    await here.run('set-hook', '-g', 'client-detached', 'wait-for -S gone');
    await here.run('new-window', '-d', '-t', 'c', 'head -c 6000000 /dev/zero | tr "\\0" x; cat');
    await client.send('display-message -p answered');
    await here.run('wait-for', 'gone');
    const output = await client.told(/%exit/);
    expect(output).toMatch(/^answered$/m);
    expect(output).toMatch(/^%exit too far behind$/m);
  });

  it('whose output was dropped before it was sent ends, and is told why', async () => {
    const subscribe = coordinator.subscribe.bind(coordinator);
    vi.spyOn(coordinator, 'subscribe').mockImplementationOnce(async (...request) => {
      const events = await subscribe(...request);
      const repeated = async function* () {
        for await (const event of events) {
          yield event;
          yield event;
        }
      };
      return Object.assign(repeated(), { dispose: () => events.dispose() });
    });
    const client = await controlClient(place(), 'new-session', '-s', 'c', 'cat');
    expect(await client.told(/%exit/)).toMatch(/^%exit too far behind$/m);
  });
});
