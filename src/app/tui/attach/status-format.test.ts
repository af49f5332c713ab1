import { hostname } from 'node:os';
import { expect, it, vi } from 'vitest';
import { cellsText, type SessionInfo } from '#model';
import { sessionInfo } from '../../../../test/support/tui/overview-model.ts';
import { ViewedSession } from '../../../../test/support/tui/viewed-session.ts';
import { wakeAtMs } from '../view/view.ts';
import { StatusFormat } from './status-format.ts';

const size = { cols: 60, rows: 5 };
const sessions: SessionInfo[] = [
  { ...sessionInfo('api', { id: '1', createdAtMs: 1 }), labels: { project: 'web' } },
  sessionInfo('build', { id: '2', createdAtMs: 2, directory: '/home/me/src', attention: 'input' }),
];

/** A session in view with a format, and a row for the status line. */
function viewed(statusLeft: string | null, statusRight: string | null = null, id = '1') {
  const session = new ViewedSession({ window: { ...size, rows: 6 }, size, status: 'on' });
  session.act({ type: 'session', name: id === '1' ? 'api' : 'build', activity: 'at prompt' });
  const tell = vi.fn();
  const format = new StatusFormat(
    { statusLeft, statusRight },
    {
      sessions: () => sessions,
      id: () => id,
      tell: (text) => {
        tell(text);
        session.act({ type: 'status', text });
      },
    },
  );
  format.follow(session.state);
  return { session, format, told: tell };
}

it.each([
  ['#{session_name}', 'api'],
  ['#S #{session_state}', 'api at prompt'],
  ['#{session_index}/#{server_sessions}', '0/2'],
  ['#{@project}#{@none}', 'web'],
  ['#{?client_prefix,wait,#{host}}', hostname()],
  ['#{S:#{session_index}:#{session_name} ,*#{session_name}* }', '*api* 1:build'],
  ['#{=2:session_name}', 'ap'],
  ['#{?#{==:#{others_needing},1},one,none}', 'one'],
  ['#{none}x', 'x'],
])('%s shows %s', async (format, shown) => {
  const { session, told } = viewed(format);
  await vi.waitFor(() => expect(told).toHaveBeenCalled());
  expect(session.rows().at(-1)?.trim()).toBe(shown);
});

it('the directory is that of the session', async () => {
  const { session, told } = viewed('#{b:pane_current_path}', null, '2');
  await vi.waitFor(() => expect(told).toHaveBeenCalled());
  expect(session.rows().at(-1)?.trim()).toBe('src');
});

it('styles are those of tmux; the other side is the usual one', async () => {
  const { session, told } = viewed(null, '#[fg=red,bold]x#[default]y');
  await vi.waitFor(() => expect(told).toHaveBeenCalled());
  const row = session.picture().rows.at(-1) ?? [];
  expect(cellsText(row)).toMatch(/^ api .*xy$/);
  expect(row.at(-2)?.style).toMatchObject({ fg: 1, bold: true, inverse: false });
  expect(row.at(-1)?.style).toMatchObject({ fg: null, bold: false, inverse: true });
});

it('a clock changes once a minute, and nothing is told while nothing changes', async () => {
  const { session, format, told } = viewed(null, '%H:%M');
  await vi.waitFor(() => expect(told).toHaveBeenCalledTimes(1));
  const minute = Math.floor(session.nowMs / 60_000);
  expect(wakeAtMs(session.state)).toBe((minute + 1) * 60_000);
  session.nowMs += 1;
  await session.press('a');
  format.follow(session.state);
  session.nowMs = (minute + 1) * 60_000;
  session.act({ type: 'time' });
  format.follow(session.state);
  await vi.waitFor(() => expect(told).toHaveBeenCalledTimes(2));
});

it('without a time, it does not wake', async () => {
  const { session, told } = viewed('#S');
  await vi.waitFor(() => expect(told).toHaveBeenCalled());
  expect(wakeAtMs(session.state)).toBeNull();
});
