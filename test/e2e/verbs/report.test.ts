import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Place, vtrFile } from '../../support/command/vtr-command.ts';
import { testProgram } from '../../support/pty/pty-request.ts';

/** The words that run vtr in a shell of a session. */
const vtr = `'${process.execPath}' '${vtrFile}'`;

/** A shell in a session, and the value of VTR_REPORT in it. */
async function reporting(place: Place, name = 's') {
  await place.ok('spawn', name, '--wait', '--prompt', '--', 'bash', '--norc');
  const address = (await place.ok('run', name, '--', 'echo "$VTR_REPORT"')).trim();
  const [path = '', key = ''] = address.split('#');
  return { address, path, key };
}

interface Answer {
  readonly status: number | undefined;
  readonly body: string;
}

/** Makes an HTTP request at a socket. */
const post = (socketPath: string, body: string, path = '/vtr.VTR/Report', method = 'POST') =>
  new Promise<Answer>((resolve, reject) => {
    const headers = { 'content-type': 'application/json' };
    const outgoing = request({ socketPath, path, method, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode, body: text }));
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });

describe('vtr report', () => {
  it('of a script is what ls and info show, and what a wait ends with', async () => {
    const place = new Place();
    await place.ok('spawn', 'deploy', '--wait', '--prompt', '--', 'bash', '--norc');
    const steps = [
      `${vtr} report --state busy --progress 40 --message copying; read x`,
      `${vtr} report --state asks --message "Go live?"; read x`,
      `${vtr} report --state done --message live; read x`,
    ];
    writeFileSync(join(place.directory, 'deploy.sh'), steps.join('\n'));
    const waits = (...words: readonly string[]) => place.vtr([...words, '--timeout', '30s']);
    const script = join(place.directory, 'deploy.sh');
    const begun = await waits(
      'send',
      'deploy',
      `sh ${script}`,
      '--enter',
      '--wait',
      '--status',
      'working',
    );
    expect(begun).toMatchObject({
      status: 0,
      stderr: 'vtr: session deploy: working 40%: copying\n',
    });
    expect(await place.ok('ls')).toMatch(/^deploy +working 40% /m);
    expect((await place.json('info', 'deploy')).program_status).toMatchObject({
      state: 'working',
      progress: 40,
      message: 'copying',
    });
    await waits('send', 'deploy', '', '--enter', '--wait', '--status', 'blocked,done');
    expect(await place.ok('info', 'deploy')).toContain('says      blocked: Go live?');
    await waits('send', 'deploy', '', '--enter', '--wait', '--status', 'done,error');
    await place.ok('send', 'deploy', '', '--enter', '--wait', '--prompt');
    expect((await place.json('info', 'deploy')).program_status).toMatchObject({ state: 'done' });
    await place.ok('run', 'deploy', '--', 'true');
  });

  it('survives a daemon that is killed', async () => {
    const place = new Place();
    await place.ok('spawn', 's', '--', 'sleep', '60');
    await place.ok('report', 's', '--state', 'asks', '--message', 'Go?', '--conversation', 'c-1');
    process.kill((await place.json('serve', '--status')).pid, 'SIGKILL');
    await expect
      .poll(async () => (await place.json('info', 's')).program_status)
      .toMatchObject({ state: 'blocked', message: 'Go?' });
  });

  it('outside a session says so, and a hook there says nothing', async () => {
    const place = new Place();
    const { status, stderr } = await place.vtr(['report', '--state', 'busy']);
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: 'vtr: VTR_REPORT is not set: this is not a program of a session; name a session\n',
    });
    const silent = { status: 0, stdout: '', stderr: '' };
    const input = '{"hook_event_name":"Stop"}';
    expect(await place.vtr(['report', '--hook', 'claude'], { input })).toMatchObject(silent);
    const env = { VTR_REPORT: `${place.directory}/none#x.y` };
    expect(await place.vtr(['report', '--hook', 'claude'], { env, input })).toMatchObject(silent);
    expect(await place.vtr(['report', '--hook', 'x'], { env, input: 'no' })).toMatchObject(silent);
  });

  it('of a hook has the conversation of its agent, but not of one that its agent runs', async () => {
    const place = new Place();
    const hook = (id: string) => {
      const input = `{"hook_event_name":"SessionStart","session_id":"${id}"}`;
      return `echo '${input}' | ${vtr} report --hook gemini; echo $? >> hooks`;
    };
    const inner = `require('child_process').execFileSync('sh', ['-c', process.argv[1]])`;
    const program = [
      `import { spawn } from 'node:child_process';`,
      `import ${JSON.stringify(testProgram('coding-agent.mjs'))};`,
      `const other = ['-e', ${JSON.stringify(inner)}, ${JSON.stringify(hook('c-8'))}];`,
      `process.stdin.on('data', (data) => {`,
      `  if (String(data) === 'h') spawn('sh', ['-c', ${JSON.stringify(hook('c-7'))}]);`,
      `  if (String(data) === 'n') spawn(process.execPath, other, { detached: true });`,
      `});`,
    ];
    const file = join(place.directory, 'gemini.mjs');
    writeFileSync(file, program.join('\n'));
    await place.ok('spawn', 's', '--', process.execPath, file);
    await place.vtr(['wait', 's', '--agent', 'idle']);
    const statuses = () =>
      readFileSync(join(place.directory, 'hooks'), { encoding: 'utf8', flag: 'a+' });
    await place.ok('key', 's', 'h');
    await expect.poll(statuses).toBe('0\n');
    const agent = async () => (await place.json('info', 's')).agent;
    expect(await agent()).toMatchObject({ kind: 'gemini', state: 'idle', conversation: 'c-7' });
    await place.ok('key', 's', 'n');
    await expect.poll(statuses).toBe('0\n0\n');
    expect(await agent()).toMatchObject({ conversation: 'c-7' });
    await place.ok('key', 's', 'q');
    await place.vtr(['wait', 's', '--exit']);
    expect(await agent()).toBeNull();
  });
});

describe('the socket of VTR_REPORT', () => {
  it('takes reports with a key of its session, and nothing else', async () => {
    const place = new Place();
    await place.ok('spawn', 'other', '--', 'sleep', '60');
    const { path, key } = await reporting(place);
    expect(key).toMatch(/^[0-9a-f-]{36}\.[\w-]{22}$/);
    const report = { key, state: 'REPORT_STATE_DONE', message: 'x' };
    expect(await post(path, JSON.stringify(report))).toEqual({
      status: 200,
      body: '{"late":false}',
    });
    // The session of the key, whatever the request names.
    const named = { ...report, name: 'other', state: 'REPORT_STATE_ERROR' };
    await post(path, JSON.stringify(named));
    expect((await place.json('info', 'other')).program_status).toBeNull();
    expect((await place.json('info', 's')).program_status).toMatchObject({ state: 'error' });

    const { id } = await place.json('info', 'other');
    const secret = key.slice(key.indexOf('.'));
    for (const wrong of ['', 'x', `${id}${secret}`, `${id}.`, key.slice(0, -1), `${key}x`]) {
      const { status, body } = await post(path, JSON.stringify({ ...report, key: wrong }));
      expect([status, body]).toEqual([400, expect.stringContaining('permission_denied')]);
    }
    for (const body of [
      '',
      '[]',
      '{',
      'null',
      '{"state":"x"}',
      `{"key":"${key}"}`,
      'x'.repeat(20_000),
    ])
      expect((await post(path, body)).status).toBe(400);
    for (const [other, method] of [
      ['/vtr.VTR/List', 'POST'],
      ['/metrics', 'GET'],
      ['/vtr.VTR/SendText', 'POST'],
      ['/', 'GET'],
    ] as const)
      expect((await post(path, '{}', other, method)).status).toBe(404);
  });

  it('drops a report that is sent again', async () => {
    const place = new Place();
    const { path, key } = await reporting(place);
    await place.ok('send', 's', 'read x', '--enter');
    const report = JSON.stringify({ key, state: 'REPORT_STATE_BUSY', sequence: '7' });
    const next = JSON.stringify({ key, state: 'REPORT_STATE_ASKS', sequence: '8' });
    expect((await post(path, report)).body).toBe('{"late":false}');
    expect((await post(path, next)).body).toBe('{"late":false}');
    expect((await post(path, report)).body).toBe('{"late":true}');
    expect((await place.json('info', 's')).program_status).toMatchObject({ state: 'blocked' });
  });

  it('answers while somebody keeps many connections open and sends garbage', async () => {
    const place = new Place();
    const { path, key } = await reporting(place);
    const idle = Array.from({ length: 200 }, () => connect(path));
    for (const each of idle) {
      each.on('error', () => {});
      each.write(Buffer.from([0, 255, 13, 10, 71]));
    }
    const report = JSON.stringify({ key, state: 'REPORT_STATE_DONE' });
    const answers = await Promise.all(Array.from({ length: 20 }, () => post(path, report)));
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    for (const each of idle) each.destroy();
    expect((await place.json('info', 's')).program_status).toMatchObject({ state: 'done' });
  });

  it('is alone in a directory, which stays when the daemon restarts, and goes with it', async () => {
    const place = new Place();
    const { path, address } = await reporting(place);
    expect(dirname(path)).toBe(`${place.socket}.report`);
    expect((await place.vtr(['serve', '--restart'])).status).toBe(0);
    const env = { VTR_REPORT: address };
    const after = await place.vtr(['report', '--state', 'error'], { env });
    expect(after).toMatchObject({ status: 0, stderr: '' });
    expect((await place.json('info', 's')).program_status).toMatchObject({ state: 'error' });
    await place.vtr(['serve', '--stop']);
    expect(place.files().filter((name) => name.includes('report'))).toEqual([]);
  });

  it('is not inherited by a session that is started in a session', async () => {
    const place = new Place();
    const { address } = await reporting(place);
    await place.vtr(['spawn', 'inner', '--wait', '--prompt', '--', 'bash', '--norc'], {
      env: { VTR_REPORT: address },
    });
    const own = (await place.ok('run', 'inner', '--', 'echo "$VTR_REPORT"')).trim();
    expect(own).not.toBe(address);
    expect(own.split('#')[0]).toBe(address.split('#')[0]);
  });
});

describe('vtr agents install', () => {
  it('shows the change, writes it on request, once, and removes it to the byte', async () => {
    const place = new Place();
    const file = join(place.directory, '.claude', 'settings.json');
    const before = '{\n  // mine\n  "model": "opus"\n}\n';
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, before);
    const shown = await place.vtr(['agents', 'install', 'claude']);
    expect(shown).toMatchObject({
      status: 1,
      stderr: 'vtr: nothing was written; --yes writes it\n',
    });
    expect(shown.stdout).toContain('+   "hooks": {');
    const tried = await place.vtr(['agents', 'install', 'claude', '--dry-run', '--yes']);
    expect(tried).toEqual({ ...shown, status: 0, stderr: '' });
    expect(readFileSync(file, 'utf8')).toBe(before);
    expect(await place.ok('agents', 'status', 'claude')).toMatch(/claude +absent/);
    await place.vtr(['agents', 'install', 'claude', '--yes']);
    expect(readFileSync(file, 'utf8')).toContain('  // mine\n  "model": "opus",');
    const again = await place.vtr(['agents', 'install', 'claude', '--yes']);
    expect(again).toMatchObject({
      status: 0,
      stdout: '',
      stderr: `vtr: ${file}: nothing to change\n`,
    });
    expect(await place.ok('agents', 'status', 'claude')).toMatch(/claude +installed/);
    await place.vtr(['agents', 'install', 'claude', '--remove', '--yes']);
    expect(readFileSync(file, 'utf8')).toBe(before);
  });

  it('leaves a file that it cannot read, and says where it is wrong', async () => {
    const place = new Place();
    const file = join(place.directory, '.gemini', 'settings.json');
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, '{\n  "a": ,\n}\n');
    const { status, stderr } = await place.vtr(['agents', 'install', 'gemini', '--yes']);
    expect([status, stderr]).toEqual([
      2,
      `vtr: ${file}: line 2, column 8: this is not JSON; it is not changed\n`,
    ]);
    const other = await place.vtr(['agents', 'install', 'emacs']);
    expect([other.status, other.stderr]).toEqual([
      2,
      expect.stringContaining('it has them for claude'),
    ]);
  });
});

describe('vtr mcp install', () => {
  it('shows the change, writes it on request, with the mode of the file, and removes it', async () => {
    const place = new Place();
    const file = join(place.directory, '.codex', 'config.toml');
    const before = '# mine\nmodel = "x"\n';
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, before, { mode: 0o640 });
    const shown = await place.vtr(['mcp', 'install', 'codex']);
    expect(shown).toMatchObject({ status: 1, stderr: expect.stringContaining('--yes writes it') });
    expect(shown.stdout).toContain('+ [mcp_servers.terminal]');
    expect((await place.vtr(['mcp', 'install', 'codex', '--dry-run'])).status).toBe(0);
    expect(readFileSync(file, 'utf8')).toBe(before);
    const { status, stderr } = await place.vtr(['mcp', 'install', 'codex', '--yes', '--approve']);
    expect([status, stderr]).toEqual([0, expect.stringContaining(`vtr: wrote ${file}\n`)]);
    expect(statSync(file).mode & 0o777).toBe(0o640);
    expect(readFileSync(file, 'utf8')).toContain('default_tools_approval_mode = "approve"');
    await place.vtr(['mcp', 'install', 'codex', '--remove', '--yes']);
    expect(readFileSync(file, 'utf8')).toBe(before);
  });
});

describe('vtr agents status', () => {
  it('tells which hooks are there, of another vtr, and not trusted yet', async () => {
    const place = new Place();
    await place.vtr(['agents', 'install', 'codex', '--yes']);
    await place.vtr(['agents', 'install', 'opencode', '--yes']);
    const plugin = join(place.directory, 'config', 'opencode', 'plugins', 'vtr.js');
    writeFileSync(plugin, readFileSync(plugin, 'utf8').replace('vtr.cjs', 'old.cjs'));
    const { hooks } = await place.json('agents', 'status');
    const states = Object.fromEntries(
      hooks.map((each: { kind: string; state: string }) => [each.kind, each.state]),
    );
    expect(states).toMatchObject({ claude: 'absent', codex: 'untrusted', opencode: 'outdated' });
    // As Codex 0.171 writes it when a person trusts them.
    const trusted = (events: readonly string[]) =>
      events.map((event) => `[hooks.state."${file}:${event}:0:0"]\ntrusted_hash = "sha256:0"\n`);
    const config = join(place.directory, '.codex', 'config.toml');
    const file = join(place.directory, '.codex', 'hooks.json');
    const first = [
      'session_start',
      'user_prompt_submit',
      'permission_request',
      'pre_tool_use',
      'post_tool_use',
    ];
    writeFileSync(config, trusted(first).join(''));
    expect(await place.ok('agents', 'status', 'codex')).toMatch(/codex +untrusted/);
    writeFileSync(config, trusted([...first, 'stop']).join(''));
    expect(await place.ok('agents', 'status', 'codex')).toMatch(/codex +installed/);
  });
});
