import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createPtyHost } from '#pty';
import { collectOutput } from '../../test/support/pty/collect-output.ts';
import { ptyRequest } from '../../test/support/pty/pty-request.ts';
import { provided } from '../../test/support/run/needs.ts';
import { tree } from '../../test/support/tree.ts';
import { SessionProcesses } from './processes/session-processes.ts';

provided(process.platform === 'linux', 'only on Linux: calls the C library')(
  'the foreground is told with the modes of the terminal',
  async () => {
    const host = createPtyHost();
    onTestFinished(() => host.close());
    const pty = await host.spawn(ptyRequest('sh', ['-c', 'stty -echo; echo ready; exec cat']));
    await collectOutput(pty).untilText('ready');
    expect((await pty.foreground()).modes).toEqual({ echo: false, canonical: true });
  },
);

provided(process.platform === 'linux', 'only on Linux: calls the C library')(
  'the modes that are told are those of the program that is told',
  async () => {
    const [go, done] = ['go', 'done'].map((name) => join(tree(), name)) as [string, string];
    const host = createPtyHost();
    onTestFinished(() => host.close());
    const script = `echo ready; until [ -e ${go} ]; do sleep 0.01; done; stty raw; : > ${done}; sleep 100`;
    const pty = await host.spawn(ptyRequest('sh', ['-c', script]));
    await collectOutput(pty).untilText('ready');
    const programs = ['before', 'after'].map((name, pid) => ({ pid, name }));
    const looks = vi
      .spyOn(SessionProcesses.prototype, 'foreground')
      .mockImplementation(async () => {
        writeFileSync(go, '');
        while (!existsSync(done)) spawnSync('sleep', ['0.01']);
        const program = programs[Math.min(looks.mock.calls.length, 2) - 1] ?? null;
        return { program, isLeader: false, readsTerminal: false, alsoWaits: false };
      });
    onTestFinished(() => void vi.restoreAllMocks());
    const { program, modes } = await pty.foreground();
    expect([program?.name, modes?.canonical]).toEqual(['after', false]);
  },
);

it('a program is reported to read only after what it has printed before', async () => {
  const printed = join(tree(), 'printed');
  const host = createPtyHost();
  onTestFinished(() => host.close());
  const script = `read -r _; printf 'name? '; : > ${printed}; read -r _`;
  const pty = await host.spawn(ptyRequest('sh', ['-c', script]));
  const output = collectOutput(pty);
  await pty.write(Buffer.from('\n'));
  // This process is busy until the program has printed: it has read nothing of it.
  vi.spyOn(SessionProcesses.prototype, 'foreground').mockImplementation(async () => {
    while (!existsSync(printed)) spawnSync('sleep', ['0.1']);
    spawnSync('sleep', ['0.1']);
    return { program: null, isLeader: true, readsTerminal: true, alsoWaits: false };
  });
  onTestFinished(() => void vi.restoreAllMocks());
  expect((await pty.foreground()).readsTerminal).toBe(true);
  expect(output.text).toBe('\r\nname? ');
});
