import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { tree } from '../../../test/support/tree.ts';
import { OtherCoordinators } from './other-coordinators.ts';

let home: string;
let bin: string;
let lines: string[];
let others: OtherCoordinators;

const runs = (names: string) => {
  writeFileSync(join(bin, 'docker'), `#!/bin/sh\nprintf '${names}'\n`);
  chmodSync(join(bin, 'docker'), 0o755);
};
const configure = (text: string) => writeFileSync(join(home, 'vtr/config.toml'), text);
const coordinator = (address: string, name: string) =>
  `[[coordinators]]\naddress = "${address}"\nname = "${name}"\n`;
const selector = (address: string) => `[[coordinators]]\naddress = "${address}"\n`;
const names = async () => [...(await others.look()).calls.keys()];

/** The next look shows what the look before has begun to list. */
async function later(): Promise<void> {
  vi.setSystemTime(0);
  vi.advanceTimersByTime(10_001);
  await names();
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
  home = tree();
  bin = tree();
  mkdirSync(join(home, 'vtr'));
  vi.stubEnv('PATH', `${bin}:${process.env['PATH']}`);
  lines = [];
  const user = { env: { HOME: home, XDG_CONFIG_HOME: home } };
  const log = (line: string) => lines.push(line);
  others = new OtherCoordinators({ socket: join(home, 'own.sock'), user, log });
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.useRealTimers();
});

it('are those that are configured and selected, as they come and go', async () => {
  runs('web-1\\nweb-2\\ndb\\n');
  configure(`${coordinator('ssh://gpu1', 'gpu')}${selector('docker://web-*')}`);
  expect(await names()).toEqual(['gpu', 'web-1', 'web-2']);
  expect(others).toMatchObject({ isChanging: true, problems: [] });
  const before = new Map(others.calls);
  runs('web-2\\nweb-3\\n');
  expect(await names()).toEqual(['gpu', 'web-1', 'web-2']);
  await later();
  await expect.poll(names).toEqual(['gpu', 'web-2', 'web-3']);
  // Its connection goes on.
  for (const name of ['gpu', 'web-2']) expect(others.calls.get(name)).toBe(before.get(name));
  configure(coordinator('ssh://gpu2', 'gpu'));
  expect(await names()).toEqual(['gpu']);
  expect(others.calls.get('gpu')).not.toBe(before.get('gpu'));
  expect(others.isChanging).toBe(false);
});

it('have names that say which is meant: a configured one goes before a container', async () => {
  runs('gpu\\nown\\nweb\\n');
  const twice = `${coordinator('ssh://a', 'two')}${coordinator('ssh://b', 'two')}`;
  configure(`${coordinator('ssh://gpu1', 'gpu')}${twice}${selector('docker://*')}`);
  expect(await names()).toEqual(['gpu', 'web']);
});

it('are told about once if they cannot be listed, and hide no other', async () => {
  writeFileSync(join(bin, 'docker'), '#!/bin/sh\necho "no daemon" >&2\nexit 1\n');
  chmodSync(join(bin, 'docker'), 0o755);
  configure(`${selector('docker://*')}${coordinator('ssh://gpu1', 'gpu')}`);
  expect([await names(), await names()]).toEqual([['gpu'], ['gpu']]);
  const problem = 'the containers of docker://* cannot be listed: no daemon';
  expect(others.problems).toEqual([problem]);
  expect(lines).toEqual([`warning: the web page: ${problem}`]);
  configure('[[');
  expect(await names()).toEqual([]);
  expect(others.problems).toEqual([expect.stringContaining('config.toml')]);
});
