import { expect } from 'vitest';
import { connect } from '#wire/service';
import { served } from '../support/command/running-daemon.ts';
import { Place } from '../support/command/vtr-command.ts';
import { needs } from '../support/run/needs.ts';
import { EngineWindow, TmuxWindow } from '../support/tty/attached-windows.ts';
import { windowDifferences } from '../support/tty/window-differences.ts';

needs('tmux', 'vim')('vtr attach shows the same in vtr and in tmux, cell by cell', async () => {
  const place = new Place();
  await served(place);
  const coordinator = await connect({ socket: place.socket });
  const size = { cols: 80, rows: 24 };
  await place.shell('work', '--size', '80x24', '--env', 'TERM=xterm-256color');
  const words = ['work', '--status', 'off'];
  const driving = await EngineWindow.open({ place, size, words });
  const windows = [driving, new TmuxWindow({ place, size, words: [...words, '--watch'] })];
  const same = async () => {
    const session = await coordinator.screen('work', { format: 'cells' });
    const differences = windows.map(async (window) =>
      windowDifferences(session, window, await window.screen()),
    );
    return (await Promise.all(differences)).flat();
  };
  const type = async (text: string, sees: string) => {
    await driving.coordinator.sendBytes(driving.session, new TextEncoder().encode(text));
    await coordinator.wait('work', { screen: [sees], timeoutMs: 60_000 });
    await expect.poll(same).toEqual([]);
  };
  await expect.poll(same).toEqual([]);
  await type('printf "\\033[1;38;2;9;99;199mblue\\033[m 漢字 ─── %s\\n" ok\r', 'ok');
  await type('seq -f %030g 30000\r', '0{25}30000');
  await type('vim -u NONE -c "syntax on" /etc/profile\r', 'profile');
  await type('ihello \u001b', 'hello');
  await type(':vsplit\r', 'profile.*profile');
  await type(':qa!\r', '\\$ $');
  await coordinator.close();
});
