import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { connect } from '#wire/service';
import { served } from '../support/command/running-daemon.ts';
import { Place } from '../support/command/vtr-command.ts';
import { needs } from '../support/run/needs.ts';
import { EngineWindow, TmuxWindow, XtermWindow } from '../support/tty/attached-windows.ts';
import { windowDifferences } from '../support/tty/window-differences.ts';

/** Repaints its last lines as Ink does: erases them from below, and writes them again. */
const ink = `
const rows = 6;
let frame = 0;
const timer = setInterval(() => {
  const erase = frame === 0 ? '' : '\\x1b[2K\\x1b[1A'.repeat(rows) + '\\x1b[2K\\x1b[G';
  const lines = Array.from({ length: rows }, (_, at) => '\\x1b[3' + ((at + frame) % 7 + 1) + 'm│ step ' + frame + ' '.repeat((frame + at) % 9) + '✔ done 漢字\\x1b[39m');
  process.stdout.write((frame % 5 === 0 ? 'line ' + frame + ' above\\n' : '') + erase + lines.join('\\n') + '\\n');
  if (++frame === 150) { clearInterval(timer); console.log('ink ended'); }
}, 12);
`;

/** What is typed, and a pattern that the screen then shows. */
type Step = readonly [typed: string, sees: string];

const steps: readonly Step[] = [
  [
    'printf "\\033[1;38;2;9;99;199mblue\\033[4:3m 漢字 \\033[7m───\\033[m 😀 e\\314\\201 %s\\n" ok\r',
    'ok',
  ],
  ['seq -f %030g 200000\r', '0{24}200000'],
  ['node ink.js\r', 'ink ended'],
  ['vim -u NONE -c "syntax on" numbers\r', 'numbers'],
  ['50%ihello \u001b', 'hello'],
  [':vsplit | set number\r', 'numbers.*numbers'],
  ['\u0006\u0006\u0006', '99'],
  ['ggdG', 'No lines|--'],
  [':qa!\r', '\\$ $'],
  ['less numbers\r', '^1\\b'],
  ['   jjjkkk', '9\\d'],
  ['/4242\r', '4242'],
  ['Gq', '\\$ $'],
  ['htop -d 600\r', 'F10'],
  ['\u001b[15~', 'Main'],
  ['q', '\\$ $'],
  ['fzf < numbers\r', '>'],
  ['77', '77'],
  ['\u001b[A\u001b[A\u001b', '\\$ $'],
  ['yes "$(seq 1 9 | tr -d "\\n")" | head -c 3000000; echo flood ended\r', 'flood ended'],
];

const programs = ['tmux', 'Xvfb', 'xterm', 'vim', 'less', 'htop', 'fzf'];

needs(...programs)('vtr attach shows the same in vtr, tmux and xterm, cell by cell', async () => {
  const place = new Place();
  await served(place);
  const coordinator = await connect({ socket: place.socket });
  const size = { cols: 100, rows: 30 };
  writeFileSync(join(place.directory, 'ink.js'), ink);
  const numbers = Array.from({ length: 9000 }, (_, at) => `${at + 1} ${'word '.repeat(at % 17)}`);
  writeFileSync(join(place.directory, 'numbers'), `${numbers.join('\n')}\n`);
  const env = ['--env', 'TERM=xterm-256color', '--env', `PATH=${process.env['PATH']}`];
  await place.shell('work', '--size', `${size.cols}x${size.rows}`, ...env);
  const words = ['work', '--status', 'off'];
  const driving = await EngineWindow.open({ place, size, words });
  const watching = { place, size, words: [...words, '--watch'] };
  const windows = [driving, new TmuxWindow(watching), await XtermWindow.open(watching)];
  const same = async () => {
    const session = await coordinator.screen('work', { format: 'cells' });
    const problems: string[] = [];
    for (const window of windows) {
      problems.push(...windowDifferences(session, window, await window.screen()));
    }
    return problems;
  };
  await expect.poll(same, { timeout: 20_000 }).toEqual([]);
  for (const [typed, sees] of steps) {
    await driving.coordinator.sendBytes(driving.session, new TextEncoder().encode(typed));
    const { outcome } = await coordinator.wait('work', { screen: [sees], timeoutMs: 30_000 });
    expect([typed, outcome]).toEqual([typed, 'matched']);
    await coordinator.wait('work', { quietMs: 200, timeoutMs: 30_000 });
    await expect.poll(same, { timeout: 30_000, message: typed }).toEqual([]);
  }
  await coordinator.close();
});
