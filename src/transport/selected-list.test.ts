import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { tree } from '../../test/support/tree.ts';
import { SelectedList } from './selected-list.ts';

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
});

/** A docker in PATH that lists the containers of a file. */
function dockerOf(names: string) {
  const bin = tree({ docker: '#!/bin/sh\nexec cat "$0.list"\n' });
  chmodSync(join(bin, 'docker'), 0o755);
  vi.stubEnv('PATH', `${bin}:${process.env['PATH']}`);
  const lists = (text: string) => writeFileSync(join(bin, 'docker.list'), `${text}\n`);
  lists(names);
  return lists;
}

describe('the list of a selector', () => {
  it('is the last one for up to 30 s, while the next one is made, and never an older one', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const lists = dockerOf('web-1');
    const list = new SelectedList('docker://web-*', () => 60_000);
    expect(await list.current()).toEqual({ addresses: ['docker://web-1'] });
    lists('web-2');
    vi.advanceTimersByTime(10_000);
    expect(await list.current()).toEqual({ addresses: ['docker://web-1'] });
    vi.advanceTimersByTime(20_000);
    // The age is 30 s: the next list is made, and this one is still given.
    expect(await list.current()).toEqual({ addresses: ['docker://web-1'] });
    vi.advanceTimersByTime(1);
    expect(await list.current()).toEqual({ addresses: ['docker://web-2'] });
  });

  it('is a new one where nobody has asked for an hour', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const lists = dockerOf('web-1');
    const list = new SelectedList('docker://web-*', () => 60_000);
    await list.current();
    lists('web-2');
    vi.advanceTimersByTime(3_600_000);
    expect(await list.current()).toEqual({ addresses: ['docker://web-2'] });
  });
});
