import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { connect } from '#wire/service';
import { terminalsContract } from '../contract/terminals.ts';
import { vtrFile } from '../support/command/vtr-command.ts';

const directory = mkdtempSync(join(tmpdir(), 'vtr-daemon-'));
const socket = join(directory, 'vtr.sock');
let daemon: ChildProcess;

beforeAll(async () => {
  daemon = spawn(process.execPath, [vtrFile, 'serve', '--socket', socket], {
    env: { ...process.env, HOME: directory, XDG_CONFIG_HOME: directory },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  for await (const text of daemon.stderr ?? []) {
    said += text;
    if (said.includes('serving at')) break;
  }
});

afterAll(async () => {
  daemon.kill();
  await once(daemon, 'exit');
  rmSync(directory, { recursive: true, force: true });
});

/** One daemon for all; each test finds it without sessions. */
terminalsContract('a daemon', async () => {
  const coordinator = await connect({ socket });
  const end = async () => {
    const sessions = await coordinator.list();
    await Promise.all(sessions.map((each) => coordinator.remove(each, { force: true })));
    await coordinator.close();
  };
  return { coordinator, end };
});
