import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { connect as openConnection } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { connect, daemonStuck } from '#app/client';
import type { Coordinator } from '#model';
import { JsonCoordinator } from '#wire/service/short';
import { exitOf, servedBy } from '../support/command/running-daemon.ts';
import { Place, vtrFile } from '../support/command/vtr-command.ts';
import { isStopped } from '../support/pty/process-facts.ts';
import { provided } from '../support/run/needs.ts';

/** Calls that change a session. */
const changes = (client: Pick<Coordinator, keyof JsonCoordinator & keyof Coordinator>) => [
  client.sendText('one', 'typed'),
  client.sendText('one', 'typed', { wait: { match: ['typed'] } }),
  client.sendKeys('one', ['a', 'enter']),
  client.sendBytes('one', Uint8Array.of(0x74)),
  client.run('one', { line: 'echo typed' }),
  client.spawn({ program: 'cat' }),
  client.rename('one', 'two'),
  client.resize('one', { cols: 90, rows: 20 }),
  client.setLabels('one', { a: 'b' }),
  client.kill('one', 'KILL'),
  client.remove('one', { force: true }),
];

describe('a daemon that is suspended', () => {
  it('makes no call wait: each fails, names the process, and is not carried out when it continues', async () => {
    const place = new Place();
    await place.shell('one');
    const before = await place.json('info', 'one');
    const screen = await place.ok('screen', 'one');
    const connected = await connect({ socket: place.socket });
    // It tells why a daemon is silent. To load its sources can take longer than the calls wait.
    await import('#app/daemon');
    const { pid } = await place.json('serve', '--status');
    process.kill(pid, 'SIGSTOP');
    try {
      const verbs = [
        ['ls'],
        ['screen', 'one'],
        ['send', 'one', 'typed', '--timeout', '3s'],
        ['wait', 'one', '--timeout', '1m'],
        ['serve', '--status'],
        ['serve', '--daemon'],
        ['serve', '--restart'],
        ['serve', '--stop'],
        ['play', 'one'],
      ];
      const runs = verbs.map(async (words) => {
        const { status, stdout, stderr } = await place.vtr(words);
        expect([words, status, stdout]).toEqual([words, 3, '']);
        expect(stderr).toContain('does not respond');
        expect(stderr).toContain(`kill -CONT ${pid}`);
      });
      const short = new JsonCoordinator(place.socket, {
        isStuck: daemonStuck(place.socket),
      });
      const silent = { code: 'UNAVAILABLE', details: { reason: 'SILENT', process: 'stopped' } };
      await Promise.all([
        ...runs,
        expect(connect({ socket: place.socket })).rejects.toMatchObject(silent),
        expect(connected.list()).rejects.toMatchObject(silent),
        ...[connected, short].flatMap((client) =>
          changes(client).map((call) => expect(call).rejects.toMatchObject(silent)),
        ),
        expect(connected.subscribe('one')).rejects.toMatchObject(silent),
      ]);
      const { findings } = JSON.parse((await place.vtr(['doctor', '--json'])).stdout);
      // Other tests leave programs for a moment.
      const bad = findings.filter(
        ({ state, subject }: Record<string, string>) => state !== 'good' && subject !== 'leftovers',
      );
      expect(bad.map(({ subject }: { subject: string }) => subject)).toEqual(['daemon']);
      expect(bad[0].fix).toContain(`kill -CONT ${pid}`);
    } finally {
      process.kill(pid, 'SIGCONT');
    }
    expect((await connected.list()).map(({ name }) => name)).toEqual(['one']);
    await connected.close();
    expect(await place.ok('ls', '--names')).toBe('one\n');
    expect(await place.ok('screen', 'one')).toBe(screen);
    const { cols, rows, labels, status } = before;
    expect(await place.json('info', 'one')).toMatchObject({ cols, rows, labels, status });
  });
});

const hangs: Readonly<Record<string, readonly [code: string, state: string, hint: string]>> = {
  'computes for ever': [
    'for (;;);',
    'is at work',
    'is at work, or the machine is overloaded: wait, and try again',
  ],
  'waits for ever': [
    'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);',
    'hangs',
    'hangs; end it with kill -KILL',
  ],
};
const blocking = (code: string) =>
  `--import=data:text/javascript,${encodeURIComponent(`process.on('SIGUSR2', () => { ${code} });`)}`;

const verbsThatAsk = [
  ['ls'],
  ['screen', 'one'],
  ['spawn', '--', 'cat'],
  ['serve', '--daemon'],
  ['send', 'one', 'typed'],
];

/** Each verb fails with words that name the process, and `doctor` says the same. */
async function expectSilent(place: Place, state: string, hint: string): Promise<void> {
  const runs = verbsThatAsk.map(async (words) => {
    const { status, stdout, stderr } = await place.vtr(words);
    expect([words, status, stdout]).toEqual([words, 3, '']);
    // With little time of a processor, the limit of a list comes before it is known.
    const states = `(?:${state}|is suspended, at work, or hangs)`;
    expect(stderr).toMatch(new RegExp(`does not respond: its process ${states}$`, 'm'));
    expect(stderr).toContain(hint);
  });
  const doctor = place.vtr(['doctor', '--json']).then(({ stdout }) => {
    const { findings } = JSON.parse(stdout);
    const daemon = findings.find(({ subject }: Record<string, string>) => subject === 'daemon');
    expect(daemon).toMatchObject({ state: 'bad', fix: expect.stringContaining(hint) });
  });
  await Promise.all([...runs, doctor]);
}

describe('a daemon that hangs', () => {
  it.for(Object.entries(hangs))(
    'makes no call wait for ever: it %s',
    async ([, [code, state, hint]]) => {
      const place = new Place();
      const env = ['env', `NODE_OPTIONS=${blocking(code)}`];
      const daemon = await servedBy(place, [...env, process.execPath, vtrFile, 'serve']);
      await place.shell('one');
      daemon.kill('SIGUSR2');
      const { pid = 0 } = daemon;
      await expectSilent(place, state, `process ${pid} ${hint}`);
      const signalled = once(daemon, 'exit');
      daemon.kill('SIGKILL');
      await signalled;
      expect(await place.ok('ls', '--names')).toBe('one\n');
    },
  );
});

describe('a daemon that computes', () => {
  const linux = provided(process.platform === 'linux', 'only on Linux: reads /proc');

  linux('names the session and the kind of its work, and nobody is told to end it', async () => {
    const place = new Place();
    // It never returns from reading the clock while it applies output. The stack names this text, too.
    const code = `const { hrtime } = process;
      process.hrtime = Object.assign((...last) => {
        while (new Error().stack.includes('apply' + 'Output'));
        return hrtime(...last);
      }, hrtime);`;
    const env = ['env', `NODE_OPTIONS=${blocking(code)}`];
    const daemon = await servedBy(place, [...env, process.execPath, vtrFile, 'serve']);
    await place.shell('one');
    await place.ok('spawn', 'two', '--', 'sh', '-c', 'read line; echo done; cat');
    daemon.kill('SIGUSR2');
    await place.vtr(['send', 'two', 'go', '--enter']);
    const hint = `process ${daemon.pid} is at work (output of session two)`;
    const verbs = [
      ['screen', 'one'],
      ['serve', '--status'],
    ];
    for (const words of verbs) {
      const { status, stderr } = await place.vtr(words);
      expect([words, status]).toEqual([words, 3]);
      expect(stderr).toContain(`${hint}, or the machine is overloaded: wait, and try again`);
      expect(stderr).not.toContain('kill');
    }
    const { findings } = JSON.parse((await place.vtr(['doctor', '--json'])).stdout);
    const finding = findings.find(({ subject }: Record<string, string>) => subject === 'daemon');
    expect(finding.fix).toContain(hint);
    const connection = openConnection(place.socket).on('error', () => {});
    const stuck = await daemonStuck(place.socket)(connection, () => false);
    connection.destroy();
    expect(stuck).toEqual({ process: 'working', work: 'output of session two' });
    daemon.kill('SIGKILL');
    await exitOf(daemon);
  });
});

describe('a daemon that hangs while it starts', () => {
  const linux = provided(process.platform === 'linux', 'only on Linux: reads /proc');

  linux('is named with what to do, and no second one takes its sessions', async () => {
    const place = new Place();
    // It has claimed its socket, and is suspended once before it listens there.
    const code = `import net from 'node:net';
      const { listen } = net.Server.prototype;
      if (process.argv.includes('serve')) net.Server.prototype.listen = function (...args) {
        net.Server.prototype.listen = listen;
        process.kill(process.pid, 'SIGSTOP');
        return listen.apply(this, args);
      };`;
    const options = `--import=data:text/javascript,${encodeURIComponent(code)}`;
    const daemon = spawn(process.execPath, [vtrFile, 'serve'], {
      cwd: place.directory,
      env: { ...place.env, NODE_OPTIONS: options },
      stdio: 'ignore',
    });
    onTestFinished(() => void daemon.kill('SIGKILL'));
    const { pid = 0 } = daemon;
    await expect.poll(() => isStopped(pid)).toBe(true);
    const hint = `process ${pid} is suspended; continue it with kill -CONT ${pid}`;
    const verbs = [
      ['spawn', '--', 'cat'],
      ['serve', '--status'],
      ['serve', '--stop'],
    ];
    const runs = verbs.map(async (words) => {
      const { status, stdout, stderr } = await place.vtr(words);
      expect([words, status, stdout]).toEqual([words, 3, '']);
      expect(stderr).toContain(hint);
    });
    const doctor = place.vtr(['doctor', '--json']).then(({ stdout }) => {
      const { findings } = JSON.parse(stdout);
      const finding = findings.find(({ subject }: Record<string, string>) => subject === 'daemon');
      expect(finding).toMatchObject({ state: 'bad', fix: expect.stringContaining(hint) });
    });
    await Promise.all([...runs, doctor]);
    daemon.kill('SIGCONT');
    await expect.poll(() => existsSync(place.socket)).toBe(true);
    await place.ok('spawn', 'one', '--', 'cat');
    expect((await place.json('serve', '--status')).pid).toBe(pid);
    expect((await place.vtr(['serve', '--stop'])).status).toBe(0);
    expect(place.files()).toEqual([]);
  });
});

describe('a process that is not a daemon, and answers nothing', () => {
  it('is named by each verb', async () => {
    const place = new Place();
    const code = `process.umask(0o177); require('node:net').createServer(() => {}).listen(${JSON.stringify(place.socket)}, () => console.log('ready'));`;
    const child = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'pipe', 'inherit'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    await once(child.stdout, 'data');
    await expectSilent(
      place,
      'hangs',
      `process ${child.pid} listens there, and is not a daemon of vtr`,
    );
  });
});

describe('a daemon that is ending', () => {
  it('delays a spawn, which then starts the next one', async () => {
    const place = new Place();
    const [text, go] = [join(place.directory, 'asked'), join(place.directory, 'go')];
    // Ends when it may, and not before.
    const script = `trap 'touch ${text}; until [ -e ${go} ]; do sleep 0.02; done; exit' TERM HUP; while :; do sleep 0.02; done`;
    await place.ok('spawn', 'slow', '--', 'sh', '-c', script);
    const stopped = place.vtr(['serve', '--stop']);
    onTestFinished(() => writeFileSync(go, ''));
    await expect.poll(() => existsSync(text)).toBe(true);
    expect(await place.vtr(['ls'])).toMatchObject({ status: 3 });
    const { ended } = await place.calling('Spawn', ['spawn', 'next', '--', 'cat']);
    // Its first try is answered before this call is. On a slow machine, the daemon may have killed the program.
    await place.vtr(['ls']);
    writeFileSync(go, '');
    expect((await ended).stderr).toBe('');
    await stopped;
    expect(await place.ok('ls', '--names')).toBe('next\n');
  });
});
