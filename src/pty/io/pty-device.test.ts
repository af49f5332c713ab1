import { closeSync, fstatSync, openSync } from 'node:fs';
import { describe, expect, it, vi } from 'vitest';
import type { Size } from '#model';
import { deferred } from '../../../test/support/deferred.ts';
import { loadBinding } from '../start/load-binding.ts';
import { NodePtyBinding } from '../start/node-pty-binding.ts';
import type { PtyBinding } from '../start/pty-binding.ts';
import { PtyDevice } from './pty-device.ts';

const cat = {
  file: '/bin/cat',
  args: [],
  env: [],
  cwd: '/',
  size: { cols: 9, rows: 9 },
  mark: null,
};

describe.each([
  ['the binding of this system', loadBinding],
  ['node-pty', () => new NodePtyBinding()],
])('PtyDevice with %s', (_, load) => {
  const sink = { room: () => new Uint8Array(100), onRead: () => {} };

  /** `cat`, which ends when its terminal is closed. */
  function startCat() {
    const binding = load();
    const exited = deferred();
    const started = binding.start(cat, () => exited.resolve());
    return { binding, started, exited };
  }

  function openDevice() {
    const { binding, started, exited } = startCat();
    const resize = vi.fn((master: number, size: Size) => binding.resize(master, size));
    const spied: PtyBinding = {
      tasksNeeded: 0,
      canMark: false,
      name: 'spied',
      start: binding.start,
      modes: (master) => binding.modes(master),
      unread: (slave) => binding.unread(slave),
      resize,
      masterClosed: (master) => binding.masterClosed(master),
    };
    return { device: new PtyDevice(spied, started, sink), started, resize, exited };
  }

  it('has no effect after it was closed, though its fds are reused', async () => {
    const { device, started, resize, exited } = openDevice();
    expect(device.write(Buffer.from('text'))).toBe(4);
    device.resize({ cols: 10, rows: 10 });
    expect(resize).toHaveBeenCalledTimes(1);

    device.close();
    expect(() => fstatSync(started.master)).toThrow('EBADF');
    const reused = [openSync('/dev/zero', 'r+'), openSync('/dev/zero', 'r+')];
    expect(reused).toContain(started.master);

    expect(device.write(Buffer.from('text'))).toBe(0);
    expect(device.read(new Uint8Array(10))).toBe(0);
    expect(device.modes()).toBeNull();
    device.resize({ cols: 11, rows: 11 });
    expect(resize).toHaveBeenCalledTimes(1);
    device.pause();
    device.resume();
    device.close();
    for (const file of reused) closeSync(file);
    await exited.promise;
  });

  it('accepts no bytes if the program does not read', async () => {
    const { device, exited } = openDevice();
    const line = Buffer.from(`${'x'.repeat(1_000)}\n`);
    let calls = 0;
    while (device.write(line) > 0 && calls < 10_000) calls++;
    expect(calls).toBeLessThan(10_000);
    device.close();
    await exited.promise;
  });

  it('closes the master if the slave cannot be opened', async () => {
    const { binding, started, exited } = startCat();
    if (started.slave !== null) closeSync(started.slave);
    const noSlave = { ...started, slave: null, terminal: '/no/such/slave' };
    expect(() => new PtyDevice(binding, noSlave, sink)).toThrow('ENOENT');
    expect(() => fstatSync(started.master)).toThrow('EBADF');
    await exited.promise;
  });
});
