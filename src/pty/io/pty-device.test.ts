import { closeSync, fstatSync, openSync } from 'node:fs';
import { expect, it, vi } from 'vitest';
import { deferred } from '../../../test/support/deferred.ts';
import { loadBinding } from '../start/native-binding.ts';
import { PtyDevice } from './pty-device.ts';

/** A device with `cat`, which ends when the device is closed. */
function openDevice() {
  const { native, helperPath } = loadBinding();
  const resize = vi.fn(native.resize);
  const exited = deferred();
  const onExit = () => exited.resolve();
  const forked = native.fork('/bin/cat', [], [], '/', 9, 9, -1, -1, true, helperPath, onExit);
  const sink = { room: () => new Uint8Array(100), onRead: () => {} };
  return { device: new PtyDevice({ ...native, resize }, forked, sink), forked, resize, exited };
}

it('has no effect after it was closed, though its fds are reused', async () => {
  const { device, forked, resize, exited } = openDevice();
  expect(device.write(Buffer.from('text'))).toBe(4);
  device.resize({ cols: 10, rows: 10 });
  expect(resize).toHaveBeenCalledTimes(1);

  device.close();
  expect(() => fstatSync(forked.fd)).toThrow('EBADF');
  const reused = [openSync('/dev/zero', 'r+'), openSync('/dev/zero', 'r+')];
  expect(reused).toContain(forked.fd);

  expect(device.write(Buffer.from('text'))).toBe(0);
  expect(device.read(new Uint8Array(10))).toBe(0);
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
  const { native, helperPath } = loadBinding();
  const exited = deferred();
  const onExit = () => exited.resolve();
  const forked = native.fork('/bin/cat', [], [], '/', 9, 9, -1, -1, true, helperPath, onExit);
  const sink = { room: () => new Uint8Array(100), onRead: () => {} };
  const noSlave = { ...forked, pty: '/no/such/slave' };
  expect(() => new PtyDevice(native, noSlave, sink)).toThrow('ENOENT');
  expect(() => fstatSync(forked.fd)).toThrow('EBADF');
  await exited.promise;
});
