import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { version } from '#model';
import { root } from '../../../scripts/root.mjs';
import { Place, vtrFile } from '../../support/command/vtr-command.ts';
import { parseOpenMetrics, sampleOf } from '../../support/metrics/open-metrics.ts';
import { scraped } from '../../support/metrics/scrape.ts';
import { hasProc } from '../../support/pty/process-facts.ts';
import { needs, provided } from '../../support/run/needs.ts';

/** The tests share its daemon. */
const place = Place.forAll();

type Labels = Readonly<Record<string, string>>;

const sample = async (name: string, labels: Labels = {}) =>
  sampleOf(await scraped(place.socket), name, labels) ?? 0;

/** Adds a second coordinator to the configuration. */
function configure(path: string): void {
  const directory = join(place.directory, 'config/vtr');
  mkdirSync(directory, { recursive: true });
  const file = join(directory, 'config.toml');
  writeFileSync(file, `[[coordinators]]\nname = "other"\npath = "${path}"\n`);
  onTestFinished(() => writeFileSync(file, ''));
}

/** So that its metrics are among them. */
beforeAll(() => {
  const directory = join(place.directory, 'config/vtr');
  mkdirSync(directory, { recursive: true });
  const file = join(place.directory, 'forwarded.jsonl');
  writeFileSync(join(directory, 'server.toml'), `audit_forward = "file:${file}"\n`);
});

describe('vtr metrics', () => {
  it('fails with status 3 if no coordinator answers', async () => {
    const none = new Place();
    for (const words of [[], ['--json'], ['--prometheus'], ['--coordinator', none.socket]]) {
      const { status, stdout, stderr } = await none.result(['metrics', ...words]);
      expect([words, status, stdout]).toEqual([words, 3, '']);
      expect(stderr).toContain(none.socket);
    }
  });

  it('counts programs that have ended by their result, once each, also after their session was removed', async () => {
    const results = ['success', 'failed', 'ended'] as const;
    const counts = () =>
      Promise.all(results.map((result) => sample('vtr_programs_ended_total', { result })));
    await place.ok('spawn', 'first', '--', 'cat');
    const before = await counts();
    await place.ok('spawn', 'good', '--', 'true');
    await place.ok('spawn', 'bad', '--', 'false');
    await place.ok('spawn', 'crash', '--cmd', 'kill -SEGV $$');
    for (const name of ['killed', 'removed']) await place.ok('spawn', name, '--', 'cat');
    for (const name of ['good', 'bad', 'crash']) await place.result(['wait', name, '--exit']);
    await place.ok('kill', 'killed');
    await place.ok('rm', 'removed', 'good');
    const [good = 0, bad = 0, ended = 0] = before;
    await expect.poll(counts).toEqual([good + 1, bad + 2, ended + 2]);
  });

  it('counts sessions by state', async () => {
    await place.shell('zebra');
    await place.ok(
      'spawn',
      'asks',
      '--label',
      'stripes=yes',
      '--cmd',
      'printf "name? "; read name',
    );
    await place.ok('spawn', 'gone', '--', 'true');
    const states = async () => {
      const families = await scraped(place.socket);
      const { samples = [] } = families.get('vtr_sessions') ?? {};
      return Object.fromEntries(samples.map(({ labels, value }) => [labels['state'], value]));
    };
    await expect.poll(states).toEqual({
      running: 0,
      at_prompt: 1,
      awaiting_input: 1,
      password: 0,
      full_screen: 0,
      exited: 1,
      unknown: 0,
    });
    // A monitoring system does not show what runs here.
    const text = await place.ok('metrics');
    for (const secret of ['zebra', 'stripes', 'printf', place.directory]) {
      expect(text).not.toContain(secret);
    }
  });

  it('counts the bytes of sessions, also of those that are removed', async () => {
    const bytes = async () => [
      await sample('vtr_output_bytes_total'),
      await sample('vtr_input_bytes_total'),
    ];
    const [output = 0, input = 0] = await bytes();
    await place.ok('spawn', 'one', '--', 'sh', '-c', 'stty -echo -opost; printf %s ready; cat >&2');
    await place.ok('wait', 'one', 'ready', '--since', 'start');
    await place.ok('send', 'one', 'four');
    await place.ok('key', 'one', 'enter', '--wait', '--screen', 'readyfour');
    const after = [output + 'readyfour\n'.length, input + 'four\r'.length];
    await expect.poll(bytes).toEqual(after);
    await place.ok('rm', 'one', '--force');
    expect(await bytes()).toEqual(after);
  });

  it('counts waits by outcome', async () => {
    await place.ok('spawn', 'one', '--', 'cat');
    const outcomes = async () => [
      await sample('vtr_waits_ended_total', { outcome: 'matched' }),
      await sample('vtr_waits_ended_total', { outcome: 'timed_out' }),
      await sample('vtr_waits'),
    ];
    const [matched = 0, late = 0] = await outcomes();
    const waiting = place.result(['wait', 'one', '^here', '--timeout', '1h']);
    await expect.poll(outcomes).toEqual([matched, late, 1]);
    await place.result(['wait', 'one', 'never', '--timeout', '1ms']);
    await place.ok('send', 'one', 'here', '--enter', '--wait', '--idle', '1ms');
    expect((await waiting).status).toBe(0);
    await expect.poll(outcomes).toEqual([matched + 1, late + 1, 0]);
    expect(await sample('vtr_waits_ended_total', { outcome: 'idle' })).toBeGreaterThan(0);
  });

  it('counts calls that fail', async () => {
    const labels = { method: 'Info', code: 'SESSION_NOT_FOUND' };
    const before = await sample('vtr_calls_total', labels);
    await place.result(['info', 'nothing']);
    expect(await sample('vtr_calls_total', labels)).toBe(before + 1);
  });

  it('describes the daemon, in the metrics that docs/metrics.md lists', async () => {
    await place.ok('spawn', 'one', '--', 'cat');
    const families = await scraped(place.socket);
    expect(sampleOf(families, 'vtr_build_info', { version })).toBe(1);
    expect(sampleOf(families, 'vtr_persistence', { vtr_persistence: 'disk' })).toBe(1);
    const memory = 'vtr_process_resident_memory_bytes';
    expect(sampleOf(families, memory, { process: 'daemon' })).toBeGreaterThan(10_000_000);
    const { started_at: startedAt } = await place.json('serve', '--status');
    const startedS = Date.parse(startedAt) / 1000;
    expect(sampleOf(families, 'vtr_start_time_seconds')).toBe(startedS);
    expect(sampleOf(families, 'vtr_output_bytes_created')).toBe(startedS);
    const document = readFileSync(join(root, 'docs/metrics.md'), 'utf8');
    const rows = [...document.matchAll(/^\| `(vtr_\w+)` \| (\w+) \|/gm)].map(
      ([, name, type]) => `${type} ${name}`,
    );
    const lines = [...families.values()].map(({ name, type }) => `${type} ${name}`);
    expect(rows.sort()).toEqual([...lines, 'gauge vtr_up'].sort());
  });

  provided(hasProc, 'only on Linux: reads /proc')('tells the memory of the PTY host', async () => {
    await place.ok('spawn', 'one', '--', 'cat');
    const labels = { process: 'pty_host' };
    expect(await sample('vtr_process_resident_memory_bytes', labels)).toBeGreaterThan(10_000_000);
  });

  it('begins to count again with the next daemon, which says so', async () => {
    const own = new Place();
    await own.ok('spawn', 'one', '--', 'sh', '-c', 'echo ready; cat');
    await own.ok('wait', 'one', 'ready', '--since', 'start');
    await own.ok('send', 'one', 'here', '--enter');
    const before = await scraped(own.socket);
    await own.vtr(['serve', '--restart']);
    await own.ok('screen', 'one');
    const after = await scraped(own.socket);
    expect(sampleOf(before, 'vtr_calls_total', { method: 'SendText', code: 'OK' })).toBe(1);
    expect(sampleOf(after, 'vtr_calls_total', { method: 'SendText', code: 'OK' })).toBeNull();
    expect(sampleOf(before, 'vtr_input_bytes_total')).toBe('here\r'.length);
    expect(sampleOf(after, 'vtr_input_bytes_total')).toBe(0);
    for (const name of ['vtr_input_bytes_created', 'vtr_start_time_seconds']) {
      expect(sampleOf(after, name) ?? 0).toBeGreaterThan(sampleOf(before, name) ?? 0);
    }
    expect(sampleOf(after, 'vtr_sessions', { state: 'exited' })).toBe(0);
  });

  it('tells several coordinators apart, and says which one does not answer', async () => {
    const other = new Place();
    await place.ok('spawn', 'one', '--', 'cat');
    configure(other.socket);
    const { status, stdout, stderr } = await place.result(['metrics']);
    expect([status, stderr]).toEqual([0, expect.stringMatching(/^vtr: skipped: /)]);
    expect(stderr).toContain(other.socket);
    const ups = (families: ReturnType<typeof parseOpenMetrics>) =>
      ['default', 'other'].map((coordinator) => sampleOf(families, 'vtr_up', { coordinator }));
    expect(ups(parseOpenMetrics(stdout))).toEqual([1, 0]);

    await other.ok('spawn', 'two', '--', 'cat');
    const both = parseOpenMetrics(await place.ok('metrics'));
    expect(ups(both)).toEqual([1, 1]);
    for (const coordinator of ['default', 'other']) {
      const labels = { coordinator, version };
      expect(sampleOf(both, 'vtr_build_info', labels)).toBe(1);
    }
    // The metrics of one coordinator are printed as it reports them.
    const one = parseOpenMetrics(await place.ok('metrics', '--coordinator', 'other'));
    expect(one.get('vtr_build')?.samples[0]?.labels).toEqual({ version });
    expect(one.has('vtr_up')).toBe(false);
  });

  it('tells a daemon without metrics to be replaced', async () => {
    const old = new Place();
    const server = createServer((connection) => {
      connection.once('data', () => connection.end('HTTP/1.1 404 Not Found\r\n\r\n'));
    }).listen(old.socket);
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const { status, stderr } = await old.result(['metrics']);
    expect(status).toBe(3);
    expect(stderr).toContain(`has no call for metrics; if it is a daemon of another version`);
  });

  it('prints JSON, and the format of Prometheus', async () => {
    await place.ok('spawn', 'one', '--', 'cat');
    const { metrics } = await place.json('metrics', '--coordinator', 'default');
    const named = (name: string) =>
      metrics.find((each: { readonly name: string }) => each.name === name);
    expect(named('vtr_output_bytes')).toEqual({
      name: 'vtr_output_bytes',
      type: 'counter',
      unit: 'bytes',
      help: expect.any(String),
      created_at: expect.stringMatching(/Z$/),
      points: [{ labels: {}, value: expect.any(Number) }],
    });
    const [{ count, buckets }] = named('vtr_call_duration_seconds').points;
    expect(buckets.at(-1)).toEqual({ le: null, count });
    const text = await place.ok('metrics', '--prometheus');
    expect(text).toContain('# TYPE vtr_output_bytes_total counter\n');
    expect(text).not.toMatch(/EOF|_created/);
    const { status, stderr } = await place.result(['metrics', '--json', '--prometheus']);
    expect([status, stderr]).toEqual([2, expect.stringContaining('cannot be used together')]);
  });

  needs('promtool')(
    "prints what Prometheus's own checker accepts without a complaint",
    async () => {
      await place.ok('spawn', 'checked', '--', 'cat');
      await place.ok('screen', 'checked');
      const input = await place.ok('metrics', '--prometheus');
      const check = (text: string) =>
        spawnSync('promtool', ['check', 'metrics'], { input: text, encoding: 'utf8' });
      expect(check('# TYPE vtr_x counter\nvtr_x 1\n').status).not.toBe(0);
      expect(check(input)).toMatchObject({ status: 0, stdout: '', stderr: '' });
    },
  );

  it('serves the metrics over TCP, and nothing else of the coordinator', async () => {
    await place.ok('spawn', 'one', '--', 'cat');
    const { env, directory: cwd } = place;
    const words = [vtrFile, 'metrics', '--listen', '0'];
    const child = spawn(process.execPath, words, { env, cwd, stdio: ['ignore', 'ignore', 'pipe'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    const [line] = await once(child.stderr.setEncoding('utf8'), 'data');
    const [, url = ''] =
      /serving metrics at (http:\/\/127\.0\.0\.1:\d+\/metrics)\n$/.exec(line) ?? [];
    const page = await fetch(url);
    expect(page.headers.get('content-type')).toContain('application/openmetrics-text');
    const families = parseOpenMetrics(await page.text());
    expect(sampleOf(families, 'vtr_up', { coordinator: 'default' })).toBe(1);
    const port = url.replace('/metrics', '');
    const call = await fetch(`${port}/vtr.VTR/List`, {
      method: 'POST',
      body: '{}',
      headers: { 'content-type': 'application/json' },
    });
    expect([call.status, await call.text()]).toEqual([404, 'the metrics are at /metrics\n']);
    expect((await fetch(url, { method: 'DELETE' })).status).toBe(405);

    const taken = await place.vtr(['metrics', '--listen', new URL(url).port]);
    expect([taken.status, taken.stderr]).toEqual([3, expect.stringContaining('another program')]);
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    expect(await ended).toEqual([128 + 15, null]);
  });

  it.each(['x', '', '70000', '::1:9464', 'a:b'])('refuses to listen at %j', async (address) => {
    const { status, stderr } = await place.vtr(['metrics', '--listen', address]);
    expect([status, stderr]).toEqual([2, expect.stringContaining('--listen')]);
  });
});
