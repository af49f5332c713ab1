import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { trailFiles, verifyTrail } from '#audit';
import { auditDirectory } from '#config';
import { PersonTerminal } from '../support/command/person-terminal.ts';
import { Place, vtrFile } from '../support/command/vtr-command.ts';
import { DatagramReceiver } from '../support/datagram-receiver.ts';
import { needs, needsSshd } from '../support/run/needs.ts';
import { Sshd } from '../support/sshd/sshd.ts';
import { tree } from '../support/tree.ts';

const directoryOf = (place: Place) => auditDirectory({ env: place.env }, place.socket);

it('--verify: a trail is whole across kill -9 and restarts of its daemon, and shows each change', async () => {
  const place = new Place();
  await place.ok('spawn', 'one', '--', 'cat');
  for (const round of ['a', 'b']) {
    for (const word of ['1', '2', '3']) await place.ok('send', 'one', `${round}${word}\r`);
    process.kill((await place.json('serve', '--status')).pid, 'SIGKILL');
    await place.ok('send', 'one', 'after the kill\r');
    expect((await place.result(['serve', '--restart'])).status).toBe(0);
  }
  await place.ok('rm', 'one');
  expect((await place.result(['serve', '--stop'])).status).toBe(0);
  const whole = await place.json('log', '--verify');
  expect(whole).toMatchObject({ intact: true, oldest: 1, lost: 0, breaks: [], contains: null });
  expect(whole.newest).toBe(whole.entries);
  const { stdout } = await place.vtr(['log', '--verify']);
  expect(stdout).toBe(
    `whole: ${whole.entries} entries, 1 to ${whole.newest}; the hash of the newest is ${whole.hash}\n`,
  );

  const [file = ''] = trailFiles(directoryOf(place));
  const text = readFileSync(file, 'utf8');
  const lines = text.split('\n');
  writeFileSync(file, lines.toSpliced(4, 2).join('\n'));
  const removed = await place.result(['log', '--verify']);
  expect([removed.status, removed.stdout]).toEqual([
    1,
    expect.stringMatching(
      /^broken: 000001\.jsonl line 5, entry 7 of .*Z: 2 entries before it are missing\n/,
    ),
  ]);
  // The newest entry, which only a hash that was kept elsewhere shows.
  writeFileSync(file, lines.toSpliced(-2, 1).join('\n'));
  expect((await place.result(['log', '--verify'])).status).toBe(0);
  const cut = await place.result(['log', '--verify', '--contains', whole.hash]);
  expect(cut).toMatchObject({
    status: 1,
    stdout: expect.stringContaining('no entry has the hash'),
  });
  writeFileSync(file, text);
  expect((await place.result(['log', '--verify', '--contains', whole.hash])).status).toBe(0);
  expect(verifyTrail(directoryOf(place)).breaks).toEqual([]);

  for (const words of [['one'], ['--last', '1'], ['--since', '1h'], ['--follow']]) {
    expect((await place.result(['log', '--verify', ...words])).status).toBe(2);
  }
  expect((await place.result(['log', '--contains', whole.hash])).stderr).toContain(
    'needs --verify',
  );
  expect((await place.result(['log', '--verify', '--contains', 'x'])).status).toBe(2);
  rmSync(file);
  const none = await place.result(['log', '--verify']);
  expect(none).toMatchObject({
    status: 10,
    stderr: expect.stringContaining('there is no audit trail'),
  });
});

needsSshd(
  'the trails of all machines are read as one, and verified; doctor and serve look there',
  async () => {
    const far = new Place();
    const bin = tree();
    symlinkSync(vtrFile, join(bin, 'vtr'));
    const path = `${bin}:${process.env['PATH']}`;
    const sshd = await Sshd.start({ ...far.env, PATH: path }, onTestFinished);
    const near = new Place(onTestFinished, { PATH: `${sshd.bin}:${path}` });
    onTestFinished(() => sshd.endShared(near.directory));
    // For the verbs that run in this process.
    vi.stubEnv('PATH', near.env['PATH'] ?? '');
    vi.stubEnv('HOME', near.directory);
    onTestFinished(() => void vi.unstubAllEnvs());
    await near.ok('config', 'add', sshd.address, '--name', 'far');
    await near.ok('spawn', 'here', '--', 'cat');
    await near.ok('spawn', 'there', '--coordinator', 'far', '--', 'cat');
    await near.ok('label', 'here', 'a=b');

    const actions = async (...words: string[]) =>
      (await near.json('log', ...words)).entries.map(
        ({ coordinator, action, session }: Record<string, string>) =>
          [coordinator, action, session].join(' '),
      );
    expect(await actions('--everywhere')).toEqual([
      'default spawn here',
      'far spawn there',
      'default label here',
    ]);
    expect(await actions('--everywhere', '--last', '2')).toEqual([
      'far spawn there',
      'default label here',
    ]);
    expect(await actions('there', '--everywhere')).toEqual(['far spawn there']);
    expect(await actions('far:there')).toEqual([' spawn there']);
    expect(await near.ok('log', '--everywhere')).toMatch(
      /^TIME +COORDINATOR +CLIENT.*\n.* default .*\n.* far /,
    );
    const none = await near.result(['log', 'nobody', '--everywhere']);
    expect(none).toMatchObject({
      status: 4,
      stderr: expect.stringContaining('no entry of session'),
    });

    const { trails } = await near.json('log', '--verify', '--everywhere');
    expect(trails).toMatchObject([
      { coordinator: 'default', intact: true, entries: 2 },
      { coordinator: 'far', intact: true, entries: 1 },
    ]);
    const [file = ''] = trailFiles(directoryOf(far));
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.replace('"cat"', '"dog"'));
    const broken = await near.result(['log', '--verify', '--everywhere']);
    expect(broken.status).toBe(1);
    expect(broken.stdout).toMatch(
      /^default: whole: .*\nfar: broken: .*: it is not as it was written\n/,
    );
    writeFileSync(file, text);

    const { findings } = await near.json('doctor', 'far');
    expect(findings).toContainEqual(expect.objectContaining({ subject: 'daemon', state: 'good' }));
    const { pid } = await near.json('serve', '--status', 'far');
    const restarted = await near.result(['serve', '--restart', 'far']);
    expect(restarted).toMatchObject({ status: 0, stderr: expect.stringContaining('serving at') });
    expect((await near.json('serve', '--status', 'far')).pid).not.toBe(pid);

    await near.ok('config', 'add', 'ssh://127.0.0.1:1', '--name', 'gone');
    const partly = await near.vtr(['log', '--everywhere', '--last', '1']);
    expect(partly).toMatchObject({ status: 0, stderr: expect.stringContaining('skipped: ssh://') });
    expect((await near.vtr(['log', '--verify', '--everywhere'])).status).toBe(3);
    const stopped = await near.result(['serve', '--stop', 'far']);
    expect(stopped).toMatchObject({ status: 0, stderr: expect.stringContaining('has ended') });
    expect((await near.result(['serve', '--status', 'far'])).status).toBe(3);
  },
);

needsSshd(
  '--follow --everywhere prints the entries of all machines, also after a connection broke, and ends there',
  async () => {
    const far = new Place();
    const bin = tree();
    symlinkSync(vtrFile, join(bin, 'vtr'));
    const path = `${bin}:${process.env['PATH']}`;
    const sshd = await Sshd.start({ ...far.env, PATH: path }, onTestFinished);
    const near = new Place(onTestFinished, { PATH: `${sshd.bin}:${path}` });
    onTestFinished(() => sshd.endShared(near.directory));
    await near.ok('config', 'add', sshd.address, '--name', 'far');
    await far.ok('spawn', 'there', '--', 'cat');
    const follow = (...flags: readonly string[]) => {
      const args = [vtrFile, 'log', '--follow', '--json', ...flags];
      const child = spawn(process.execPath, args, { env: near.env });
      onTestFinished(() => void child.kill('SIGKILL'));
      let [output, messages] = ['', ''];
      child.stdout.setEncoding('utf8').on('data', (text) => {
        output += text;
      });
      child.stderr.setEncoding('utf8').on('data', (text) => {
        messages += text;
      });
      const lines = () =>
        output
          .split('\n')
          .filter((line) => line !== '')
          .map((line) => JSON.parse(line))
          .map(({ coordinator = '', action, session }) => `${coordinator} ${action} ${session}`);
      return { child, lines, messages: () => messages };
    };
    const all = follow('--everywhere');
    await expect.poll(all.lines, { timeout: 60_000 }).toEqual(['far spawn there']);
    // Its trail is begun now.
    await near.ok('spawn', 'here', '--', 'cat');
    await expect.poll(all.lines, { timeout: 60_000 }).toContain('default spawn here');
    await far.ok('label', 'there', 'a=b');
    await expect.poll(all.lines, { timeout: 60_000 }).toContain('far label there');
    await sshd.endShared(near.directory);
    await expect
      .poll(all.messages, { timeout: 60_000 })
      .toMatch(/the connection to .* is broken: .*; trying again/);
    await far.ok('rename', 'there', 'other');
    await expect
      .poll(all.lines, { timeout: 60_000 })
      .toEqual(['far spawn there', 'default spawn here', 'far label there', 'far rename there']);

    const one = follow('--coordinator', sshd.address, '--last', '1');
    await expect.poll(one.lines, { timeout: 60_000 }).toEqual([' rename there']);
    const there = () =>
      execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' })
        .split('\n')
        .filter((each) => each.includes(`${bin}/vtr log --follow`));
    await expect.poll(there, { timeout: 60_000 }).toHaveLength(2);
    for (const { child } of [all, one]) {
      child.kill('SIGINT');
      expect(await once(child, 'exit')).toEqual([130, null]);
    }
    await expect.poll(there, { timeout: 60_000 }).toEqual([]);
    const none = await near.result(['log', '--follow', '--coordinator', 'ssh://127.0.0.1:1']);
    expect(none.status).toBe(3);
  },
);

needs('python3')(
  'audit_forward: entries that a service did not get reach it later, also after kill -9 of the daemon',
  async () => {
    const place = new Place();
    const config = join(place.directory, 'config/vtr');
    mkdirSync(config, { recursive: true });
    const log = join(place.directory, 'log');
    writeFileSync(join(config, 'server.toml'), `audit_forward = "syslog:${log}"\n`);
    await place.ok('spawn', 'one', '--', 'cat');
    await place.ok('label', 'one', 'a=b');
    const forward = async () => (await place.json('serve', '--status')).audit.forward;
    await expect.poll(forward, { timeout: 60_000 }).toEqual({
      to: `syslog:${log}`,
      waiting: 2,
      lost: 0,
      failing: true,
      reason: `${log} cannot be written: connect ENOENT`,
    });
    expect(await place.ok('serve', '--status')).toMatch(
      /^forward {3}syslog:.*; 2 entries not forwarded: /m,
    );
    expect(await place.result(['doctor'])).toMatchObject({
      status: 1,
      stdout: expect.stringMatching(/^problem +audit trail: .*; 2 entries not forwarded: /m),
    });
    process.kill((await place.json('serve', '--status')).pid, 'SIGKILL');

    const receiver = await DatagramReceiver.start(log, onTestFinished);
    await place.ok('label', 'one', 'c=d');
    const entries = () =>
      receiver.datagrams.map((each) => JSON.parse(String(each).split(' - ')[1] ?? ''));
    await expect
      .poll(() => entries().map(({ action, seq }) => `${action} ${seq}`), { timeout: 60_000 })
      .toEqual(['spawn 1', 'label 2', 'label 3']);
    await expect.poll(forward, { timeout: 60_000 }).toMatchObject({ waiting: 0, failing: false });
    const { hash } = await place.json('log', '--verify');
    expect(entries().at(-1).chain).toBe(hash);
    expect((await place.result(['serve', '--stop'])).status).toBe(0);
    await expect.poll(() => entries().at(-1).action, { timeout: 60_000 }).toBe('stop');
  },
);

it('what a person types in vtr attach is a row for each line', async () => {
  const place = new Place();
  const config = join(place.directory, 'config/vtr');
  mkdirSync(config, { recursive: true });
  writeFileSync(join(config, 'server.toml'), 'audit_text = true\n');
  await place.ok('spawn', 'typed', '--', 'sh', '-c', 'echo ready; cat');
  await place.ok('wait', 'typed', 'ready', '--since', 'start');
  const person = await PersonTerminal.run(place, ['attach', 'typed'], { cols: 80, rows: 24 });
  await person.shows('ready');
  for (const key of ['m', 'a', 'k', 'e', '\r', 'o', 'k', '\r']) await person.types(key);
  await person.shows('ok', 'ok');
  await person.keys('ctrl+b', 'd');
  await person.ended();
  await expect
    .poll(async () => (await place.json('log', 'typed')).entries.at(-1).action)
    .toBe('leave');
  const printed = await place.ok('log', 'typed');
  const texts = [...printed.matchAll(/ \((\S+)\) +key +typed +\d+ +text="(.*)"\n/g)].map(
    ([, login, keys]) => {
      expect(login).toBe(userInfo().username);
      return keys;
    },
  );
  expect(texts.join(' ')).toBe('m a k e enter o k enter');
  const { entries } = await place.json('log', 'typed');
  const keys = entries.filter(({ action }: { action: string }) => action === 'key');
  // Keys that were sent together can be those of two lines.
  expect(texts.length).toBeLessThanOrEqual(Math.min(2, keys.length));
});
