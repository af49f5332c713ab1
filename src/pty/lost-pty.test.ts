import { expect, test, vi } from 'vitest';
import { hungUp } from '#model';
import { LostPty } from '#pty';

test('a lost program has ended, without output', async () => {
  const pty = new LostPty({ offset: 42, exitedAtMs: 7 });
  const [onExit, disposed] = [vi.fn(), vi.fn()];
  pty.onExit(onExit);
  pty.onExit(disposed).dispose();
  expect(onExit).not.toHaveBeenCalled();
  expect(await pty.end()).toEqual(hungUp);
  expect(onExit.mock.calls).toEqual([[hungUp]]);
  expect(disposed).not.toHaveBeenCalled();
  expect([pty.outputStart, pty.outputEnd, pty.exitedAtMs]).toEqual([42, 42, 7]);
  expect(await pty.keptOutput()).toEqual([]);
});

test('a lost program accepts no input, size or signal', async () => {
  const pty = new LostPty({ offset: 0, exitedAtMs: 0 });
  const code = 'SESSION_NOT_RUNNING';
  await expect(pty.write()).rejects.toMatchObject({ code, details: { acceptedBytes: 0 } });
  await expect(pty.resize()).rejects.toMatchObject({ code });
  await expect(pty.signal()).rejects.toMatchObject({ code });
});
