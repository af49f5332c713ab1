import { afterEach, describe, expect, it, vi } from 'vitest';
import { cellsText, VtrError } from '#model';
import type { Picture } from '#tty';
import { TmuxClient } from './tmux-client.ts';
import type { Tty } from './tty-screen/tty.ts';

afterEach(() => vi.useRealTimers());

describe('a client whose daemon has gone', () => {
  const client = (again: () => Promise<{ id: string | null; isStopped: boolean }>) => {
    let rows: readonly string[] = [];
    const tty = {
      size: { cols: 80, rows: 3 },
      onEvents: () => ({ dispose: () => {} }),
      onResize: () => ({ dispose: () => {} }),
      show: (draw: () => Picture) => {
        rows = draw().rows.map((row) => cellsText(row));
      },
    } as unknown as Tty;
    const control = () => Promise.reject(new VtrError('UNAVAILABLE', 'no daemon'));
    const end = new TmuxClient(tty, { id: 'c', control, again }).run();
    return { end, picture: () => rows };
  };

  it('says after a second what it waits for', async () => {
    vi.useFakeTimers();
    let give: (answer: { id: null; isStopped: boolean }) => void = () => {};
    const { end, picture } = client(() => new Promise((resolve) => (give = resolve)));
    await vi.advanceTimersByTimeAsync(999);
    expect(picture()).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(picture().at(-1)).toMatch(/^The daemon of vtr has gone; waiting/);
    give({ id: null, isStopped: false });
    expect(await end).toEqual({ message: 'server exited unexpectedly', status: 1 });
  });

  it('ends without a word about a failure when it was stopped', async () => {
    const { end } = client(async () => ({ id: null, isStopped: true }));
    expect(await end).toEqual({ message: 'server exited', status: 1 });
  });
});
