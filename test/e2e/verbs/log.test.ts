import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { createClient } from '@connectrpc/connect';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AuditEntry, readTrail } from '#audit';
import { auditDirectory } from '#config';
import { VTR } from '#messages';
import { connect } from '#wire/service';
import { Place, vtrFile } from '../../support/command/vtr-command.ts';
import { McpHost } from '../../support/mcp/mcp-client.ts';
import { canMount, withMounts } from '../../support/pty/mount-namespace.ts';
import { needs, provided } from '../../support/run/needs.ts';
import { wireTransport } from '../../support/service/wire-client.ts';
import { PageClient } from '../../support/web/page-client.ts';

/** One daemon for all tests. Its trail has the texts, so that a secret in it would be seen. */
const place = new Place(afterAll);

beforeAll(() => configure(place, 'audit_text = true\n'));

function configure({ directory }: Place, toml: string): void {
  mkdirSync(join(directory, 'config/vtr'), { recursive: true });
  writeFileSync(join(directory, 'config/vtr/server.toml'), toml);
}

const entriesOf = async (...words: string[]): Promise<readonly AuditEntry[]> =>
  (await place.json('log', ...words)).entries;

/** The newest entry of an action in a session; a later one may not be written yet. */
async function newest(session: string, action: string, client: string): Promise<AuditEntry> {
  const directory = auditDirectory({ env: place.env }, place.socket);
  const find = () =>
    readTrail(directory, { session }).entries.findLast(
      (each) => each.action === action && each.client === client,
    );
  await expect.poll(find, { timeout: 60_000, interval: 10 }).toBeDefined();
  return find() as AuditEntry;
}

describe('vtr log', () => {
  it('has what each kind of client did, with its process, name and size', async () => {
    await place.shell('walls');
    const text = 'echo hello\r';
    const input = { action: 'send', session: 'walls', bytes: text.length, text };
    const sha256 = expect.stringMatching(/^[0-9a-f]{64}$/);
    // Its terminal shows what is typed only while no line editor reads: dash has none.
    await place.ok('send', 'walls', 'echo hello', '-e');
    await expect
      .poll(() => newest('walls', 'send', 'cli'), { timeout: 60_000 })
      .toMatchObject({
        ...input,
        sha256,
        by: 'vtr send',
        pid: expect.any(Number),
      });

    const grpc = createClient(VTR, wireTransport(place));
    await grpc.sendText({ name: 'walls', text, by: 'script' });
    const entry = { ...input, pid: process.pid };
    await expect
      .poll(() => newest('walls', 'send', 'grpc'), { timeout: 60_000 })
      .toMatchObject({ ...entry, by: 'script' });

    const library = await connect({ socket: place.socket });
    await library.sendText('walls', text);
    await library.close();
    await expect
      .poll(() => newest('walls', 'send', 'library'), { timeout: 60_000 })
      .toMatchObject(entry);

    await postJson('SendText', { name: 'walls', text }, { 'vtr-client': 'ci' });
    await expect
      .poll(() => newest('walls', 'send', 'ci'), { timeout: 60_000 })
      .toMatchObject(entry);

    await place.ok('spawn', 'shell');
    const shell = await newest('shell', 'spawn', 'cli');
    expect(shell).toMatchObject({ text: '/bin/sh', details: { program: '/bin/sh' } });

    const host = await McpHost.start(place);
    const { sessions } = await host.call('list_sessions', {});
    expect(sessions.length).toBeGreaterThan(0);
    await host.call('create_session', { name: 'made', program: 'cat' });
    await expect
      .poll(() => newest('made', 'spawn', 'mcp'), { timeout: 60_000 })
      .toMatchObject({ by: 'test' });
    await host.call('send', { session_id: 'walls', text });
    await expect
      .poll(() => newest('walls', 'send', 'mcp'), { timeout: 60_000 })
      .toMatchObject({ ...input, by: 'test' });

    const page = await PageClient.open((await place.ok('web', '--port', '0')).trim());
    page.stream(1, 'View', { name: 'walls', cols: 80, rows: 24, as: 'VIEW_AS_TAKE' });
    const viewer = ((await page.message(1, ({ drives }) => drives)).json as { viewId: string })
      .viewId;
    await page.call('SendText', { name: 'walls', text, viewer });
    await expect
      .poll(() => newest('walls', 'send', 'web'), { timeout: 60_000 })
      .toMatchObject(input);
    await expect
      .poll(() => newest('walls', 'driver', 'vtr'), { timeout: 60_000 })
      .toMatchObject({
        details: { change: 'took over' },
      });

    const { url, id } = await place.json('web', 'share', 'walls', '--write');
    await expect
      .poll(() => newest('walls', 'share', 'cli'), { timeout: 60_000 })
      .toMatchObject({
        details: { write: true, share: id },
      });
    const visitor = await PageClient.open(url);
    visitor.stream(1, 'View', { cols: 80, rows: 24, as: 'VIEW_AS_FORCE' });
    const { json } = await visitor.message(1, ({ drives }) => drives === true);
    await visitor.call('SendText', { text, viewer: (json as { viewId: string }).viewId });
    await expect
      .poll(() => newest('walls', 'send', 'share'), { timeout: 60_000 })
      .toMatchObject(input);
    // What a share does not allow has an entry, and so have a wrong token and a page of another site.
    expect((await visitor.call('Remove', { name: 'walls' })).error.code).toBe('NOT_ALLOWED');
    const { origin } = new URL(url);
    const token = 'a'.repeat(43);
    const body = JSON.stringify({ token });
    await fetch(`${origin}/login`, { method: 'POST', body, headers: { origin } });
    await fetch(`${origin}/login`, {
      method: 'POST',
      body,
      headers: { origin: 'http://evil.example' },
    });
    const ofWeb = async () => (await entriesOf()).filter(({ action }) => action === 'web refused');
    await expect.poll(async () => (await ofWeb()).length, { timeout: 60_000 }).toBe(3);
    const common = { refused: 'NOT_ALLOWED' };
    expect(await ofWeb()).toMatchObject([
      { ...common, client: 'share', details: { lacks: 'scope', method: 'Remove', share: id } },
      { ...common, client: 'web', details: { lacks: 'token', path: '/login' } },
      { ...common, client: 'web', details: { lacks: 'origin', origin: 'http://evil.example' } },
    ]);
    expect(JSON.stringify(await ofWeb())).not.toContain(token);
    await place.ok('web', 'unshare', id);

    // A refused call has an entry, too.
    await place.ok('take', 'walls', '--force');
    await expect(grpc.sendText({ name: 'walls', text: 'lost and found' })).rejects.toThrow();
    const isRefused = async () => (await newest('walls', 'send', 'grpc')).refused;
    await expect.poll(isRefused, { timeout: 60_000 }).toBe('NOT_DRIVER');
    const refused = await newest('walls', 'send', 'grpc');
    expect(Object.keys(refused)).not.toContain('text');
    // Calls that only read have none.
    const actions = new Set((await entriesOf()).map(({ action }) => action));
    expect(actions).toContain('take');
    expect([...actions]).not.toContain('screen');
  });

  needs('bash')(
    'has neither text nor hash of a password, anywhere on the disk, and what is typed at a prompt',
    async () => {
      await place.ok('spawn', 'secret', '--env', 'PS1=$ ', '--', 'bash', '--norc');
      // After it, the shell is known to mark its prompts, at which its line editor shows what is typed.
      await place.ok('run', 'secret', '--', 'true');
      // It ends before the prompt.
      await place.ok('wait', 'secret', '--prompt');
      await place.ok('send', 'secret', 'read -s password; echo "[done]"', '-e');
      await expect
        .poll(() => newest('secret', 'send', 'cli'), { timeout: 60_000 })
        .toMatchObject({
          text: 'read -s password; echo "[done]"\r',
        });
      await place.vtr(['wait', 'secret', '--asks']);
      await place.ok('send', 'secret', 'correct horse', '-e');
      await place.sees('secret', '[done]');
      await place.ok('wait', 'secret', '--prompt');
      expect((await place.vtr(['run', 'secret', '--', 'echo $((6*7))'])).stdout).toBe('42\n');
      await expect
        .poll(() => newest('secret', 'run', 'cli'), { timeout: 60_000 })
        .toMatchObject({ text: 'echo $((6*7))' });
      const sends = (await entriesOf('secret')).filter(({ action }) => action === 'send');
      expect(sends.map(({ bytes, text, sha256 }) => [bytes, text, sha256])).toEqual([
        [32, expect.anything(), expect.anything()],
        [14, undefined, undefined],
      ]);
      const hash = (text: string) => createHash('sha256').update(text).digest('hex');
      for (const file of filesIn(place.state, place.directory)) {
        const content = contentOf(file);
        for (const each of ['correct horse', hash('correct horse'), hash('correct horse\r')]) {
          expect(content, file).not.toContain(each);
        }
      }
    },
  );

  needs('bash')(
    'has the text of the first input at a prompt after a restart and after a kill',
    async () => {
      await place.ok('spawn', 'again', '--', 'bash', '--norc');
      await place.ok('run', 'again', '--', 'echo one');
      await place.vtr(['serve', '--restart']);
      await place.ok('run', 'again', '--', 'echo two');
      await place.ok('run', 'again', '--', 'echo three');
      const texts = async () => (await entriesOf('again')).map(({ text }) => text).slice(1);
      const before = ['echo one', 'echo two', 'echo three'];
      // No call waits for the trail: a daemon that is killed loses what it has not written yet.
      await expect.poll(texts, { timeout: 60_000 }).toEqual(before);
      process.kill((await place.json('serve', '--status')).pid, 'SIGKILL');
      await place.ok('send', 'again', 'echo four', '--enter', '--wait', '^four');
      await expect.poll(texts, { timeout: 60_000 }).toEqual([...before, 'echo four\r']);
    },
  );

  it('[S2.10] reads a session that was removed, since a time, also while no daemon runs', async () => {
    const before = new Date(Date.now() + 1).toISOString();
    await place.ok('spawn', 'gone', '--', 'sh', '-c', 'true');
    await place.ok('rename', 'gone', 'went');
    await place.ok('rm', 'went');
    await place.vtr(['serve', '--stop']);
    const actions = (await entriesOf('gone')).map(({ action }) => action);
    expect(actions).toEqual(['spawn', 'rename', 'rm']);
    expect(await entriesOf('went', '--since', before)).toHaveLength(3);
    expect((await entriesOf('--last', '1'))[0]).toMatchObject({ action: 'stop', client: 'cli' });
    const { stdout, stderr } = await place.vtr(['log', 'went', '--since', '1h']);
    expect([stdout.split('\n').length, stderr]).toEqual([5, '']);
    expect(stdout).toMatch(/cli \d+ +rename +gone +new_name=went\n/);
    expect(await place.vtr(['log', 'went2'])).toMatchObject({
      status: 4,
      stderr: expect.stringContaining('did you mean went'),
    });
    for (const time of ['yesterday', '25:00', 'marker:x']) {
      const { status, stderr } = await place.vtr(['log', '--since', time]);
      const hint = 'use a duration such as 30m, or a time such as 10:32 or 2026-11-23T10:32:05Z';
      expect([status, stderr]).toEqual([2, `vtr: --since ${time}: ${hint}\n`]);
    }
    const [file = ''] = filesIn(join(place.state, 'vtr/audit'));
    expect(statSync(file).mode & 0o777).toBe(0o600);
    // A line that is not complete, and controls in a text.
    const bad = { time: before, client: 'cli', action: 'send', session: 'x\u001b[2J' };
    writeFileSync(file, `\n{"time":"20\n${JSON.stringify(bad)}\n`, { flag: 'a' });
    const shown = await place.vtr(['log', '--last', '1']);
    expect(shown.stdout).toContain('"x\\u001b[2J"');
    expect(shown.stderr).toContain('1 line of the audit trail is not complete');
  });

  /** Follows the entries of a session until one is about a label, and returns the actions. */
  async function followed(session: string, ...flags: readonly string[]): Promise<string[]> {
    const words = [vtrFile, 'log', session, '--follow', '--json', ...flags];
    const child = spawn(process.execPath, words, { env: place.env, stdio: ['ignore', 'pipe', 2] });
    let printed = '';
    try {
      child.stdout?.setEncoding('utf8').on('data', (text) => {
        printed += text;
      });
      await expect.poll(() => printed, { timeout: 60_000 }).toContain('\n');
      await place.ok('label', session, 'a=b');
      await expect.poll(() => printed, { timeout: 60_000 }).toContain('"label"');
    } finally {
      child.kill('SIGTERM');
    }
    expect(await once(child, 'exit')).toEqual([143, null]);
    const lines = printed.trim().split('\n');
    return lines.map((line) => (JSON.parse(line) as AuditEntry).action);
  }

  it('--follow prints entries as they are written', async () => {
    await place.shell('followed');
    expect(await followed('followed')).toEqual(['spawn', 'label']);
  });

  it('--follow --since prints all entries since then first', async () => {
    await place.shell('often');
    const keys = Array.from({ length: 12 }, () => 'key');
    for (const _ of keys) await place.ok('key', 'often', 'ctrl+l');
    expect(await followed('often', '--since', '1h')).toEqual(['spawn', ...keys, 'label']);
  });

  const fullDisk = (path: string) =>
    `mount -t tmpfs -o size=16k,mode=700 tmpfs ${path} && (head -c 1M /dev/zero > ${path}/full; true) 2> /dev/null`;

  provided(canMount(fullDisk('/mnt')), 'only where tmpfs can be mounted')(
    'on a full disk: sessions run on, the status says what is missing, and then the trail does',
    async () => {
      const other = new Place();
      configure(other, 'persist = "memory"\n');
      // A shell that runs vtr where the directory of the trail is on a full disk.
      const script = [
        `vtr() { "${process.execPath}" "${vtrFile}" "$@"; }`,
        'vtr spawn one -- sh > /dev/null',
        'vtr send one "echo hello" -e && vtr wait one --screen "^hello" > /dev/null && echo typed',
        'try() { tries=$((tries + 1)); [ $tries -lt 400 ] || exit 1; }',
        'until vtr serve --status --json | grep -q "losing\\": true"; do try; done; echo losing',
        'vtr doctor | grep -A1 "audit trail"',
        `rm "${other.state}/full"`,
        'vtr label one a=b',
        'until vtr serve --status --json | grep -q "losing\\": false"; do try; vtr label one a=c; done',
        'vtr log --json; vtr serve --stop',
      ].join('\n');
      const [program = '', ...args] = withMounts(fullDisk(other.state), 'sh', '-c', script);
      const { env } = other;
      const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 2] });
      let printed = '';
      child.stdout?.setEncoding('utf8').on('data', (text) => {
        printed += text;
      });
      await once(child, 'close');
      expect(printed).toMatch(/^typed\nlosing\n/);
      expect(printed).toMatch(/entr(?:y|ies) could not be written: .*no space left.*\n +fix: /);
      const { entries } = JSON.parse(printed.slice(printed.indexOf('{\n')));
      expect(entries[0]).toMatchObject({
        action: 'gap',
        client: 'vtr',
        details: { lost: expect.any(Number), reason: expect.stringContaining('ENOSPC') },
      });
      expect(entries[1]).toMatchObject({ action: 'label', session: 'one' });
    },
  );
});

const filesIn = (...directories: string[]): string[] =>
  directories.flatMap((directory) =>
    readdirSync(directory, { recursive: true, withFileTypes: true }).flatMap((entry) =>
      entry.isFile() ? join(entry.parentPath, entry.name) : [],
    ),
  );

/** A file may be replaced while it is looked for. */
function contentOf(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}

async function postJson(method: string, body: object, headers: object): Promise<void> {
  const posted = request({
    socketPath: place.socket,
    method: 'POST',
    path: `/vtr.VTR/${method}`,
    headers: { 'content-type': 'application/json', ...headers },
  });
  posted.end(JSON.stringify(body));
  const [answer] = await once(posted, 'response');
  expect(answer.statusCode).toBe(200);
  answer.resume();
}
