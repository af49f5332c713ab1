import { describe, expect, it } from 'vitest';
import { SessionDriver } from '../support/command/session-driver.ts';
import { TermcpTools } from '../support/mcp/termcp-tools.ts';
import { needs } from '../support/run/needs.ts';

const mib = 1024 * 1024;
const minuteMs = 60_000;

describe('a session of termcp', () => {
  it('[S4.06] that is not used is removed, and the next write creates a new one', async () => {
    const tools = new TermcpTools('cat', [], { lifetime: { idleMs: 20 * minuteMs } });
    await tools.ok('write_stdin', { text: 'one\n' });
    await tools.until('one\r\none');
    const first = await tools.session();
    tools.clock.jump(20 * minuteMs);
    await expect.poll(() => tools.session()).toBeNull();
    expect(await tools.failure('read_output')).toMatchObject({
      text: expect.stringMatching(
        /^SESSION_TIMEOUT: session "default" .*write_stdin creates a new/,
      ),
      details: { code: -32003, timeout_seconds: 1200 },
    });
    expect((await tools.failure('send_keys', { key: 'enter' })).text).toMatch(/^SESSION_TIMEOUT: /);
    const written = await tools.ok('write_stdin', { text: 'two\n' });
    expect(written).toEqual({ sent: true, session_id: 'default', previous: { ended: 'unused' } });
    expect(await tools.until('two\r\ntwo')).not.toContain('one');
    expect((await tools.session())?.id).not.toBe(first?.id);
    expect((await tools.ok('write_stdin', { text: 'x' })).previous).toBeUndefined();
  });

  it('[S4.06] that is read repeatedly stays', async () => {
    const tools = new TermcpTools('cat', [], { lifetime: { idleMs: 20 * minuteMs } });
    await tools.ok('write_stdin', { text: 'x' });
    const { id } = (await tools.session()) ?? {};
    for (let round = 0; round < 5; round++) {
      tools.clock.jump(12 * minuteMs);
      await tools.ok('read_output', { timeout_ms: 0 });
    }
    const reading = tools.ok('read_output', { timeout_ms: 1000 });
    tools.clock.jump(30 * minuteMs);
    await reading;
    expect((await tools.session())?.id).toBe(id);
  });

  it('[S4.10] that has ended returns its final output and its exit code to every read', async () => {
    const tools = new TermcpTools('sh', ['-c', 'echo last words; exit 3']);
    expect(await tools.until('last words')).toBe('last words\r\n');
    await expect.poll(async () => (await tools.session())?.state).toBe('exited');
    for (const _ of [1, 2]) {
      expect(await tools.ok('read_output', { timeout_ms: 0 })).toMatchObject({
        output: '',
        exited: true,
        exit_code: 3,
      });
    }
  });

  it('returns its output once to simultaneous reads, also at its end', async () => {
    const tools = new TermcpTools('sh', ['-c', 'stty -echo; echo ready; read line; echo "$line"']);
    await tools.until('ready\r\n');
    const reads = [1, 2, 3].map(() => tools.ok('read_output', { timeout_ms: 30_000 }));
    await tools.ok('write_stdin', { text: 'last words\n' });
    const outputs = (await Promise.all(reads)).map(({ output }) => output);
    expect(outputs.join('')).toBe('last words\r\n');
  });

  it('[S4.07] that has ended refuses keys, with its exit code and its last output', async () => {
    const tools = new TermcpTools('sh', ['-c', 'read _; echo last words; exit 3']);
    await tools.ok('write_stdin', { text: 'go\n' });
    await expect.poll(async () => (await tools.session())?.state).toBe('exited');
    const { text, details } = await tools.failure('send_keys', { key: 'enter' });
    expect(text).toMatch(/^SESSION_TERMINATED: session "default" exited with status 3/);
    expect(details).toEqual({
      code: -32002,
      exit_code: 3,
      signal: null,
      output: 'go\nlast words\n'.replaceAll('\n', '\r\n'),
    });
    expect((await tools.failure('resize_terminal')).details).toMatchObject({ output: '' });
  });

  it('[S4.01, S4.07] that has ended is created again by a write, which reports how it ended', async () => {
    const tools = new TermcpTools('sh', ['-c', 'read _; echo last words; exit 3']);
    await tools.ok('write_stdin', { text: 'go\n' });
    await expect.poll(async () => (await tools.session())?.state).toBe('exited');
    expect((await tools.ok('write_stdin', { text: 'again\n' })).previous).toEqual({
      ended: 'exited',
      exit_code: 3,
      output: 'go\r\nlast words\r\n',
    });
    await tools.until('again\r\nlast words');
  });

  it('[S4.07] that ends during a write reports that', async () => {
    const tools = new TermcpTools('sh', ['-c', 'stty raw -echo; echo up; sleep 1; exit 4']);
    await tools.until('up');
    const writing = tools.failure('write_stdin', { text: 'x'.repeat(500_000) });
    expect(await writing).toMatchObject({
      text: expect.stringMatching(/^SESSION_TERMINATED: /),
      details: { code: -32002, exit_code: 4 },
    });
  });

  it('[S4.01, S4.07] that does not read makes a write fail after five seconds', async () => {
    const tools = new TermcpTools('sh', ['-c', 'stty raw -echo; echo deaf; exec sleep 1000']);
    await tools.until('deaf');
    const { text, details } = await tools.failure('write_stdin', { text: 'x'.repeat(500_000) });
    expect(text).toMatch(/^IO_ERROR: /);
    expect(details).toMatchObject({ code: -32000, accepted_bytes: expect.any(Number) });
  });

  it('[S4.07] that does not exist is not found by a read or a key', async () => {
    const tools = new TermcpTools('cat', []);
    await tools.ok('write_stdin', { session_id: 'build', text: 'x' });
    for (const name of ['read_output', 'resize_terminal']) {
      expect(await tools.failure(name, { session_id: 'biuld' })).toMatchObject({
        text: 'SESSION_NOT_FOUND: no session "biuld"; sessions: build; write_stdin creates one',
        details: { code: -32001, session_id: 'biuld' },
      });
    }
  });

  it.each([
    ['a missing program', '/no/such/program', 'INVALID_COMMAND', -32000],
    ['a program that may not be executed', '/etc/passwd', 'PERMISSION_DENIED', -32006],
    ['a directory', '/', 'PERMISSION_DENIED', -32006],
    ['a NUL in its name', 'a\0b', 'INVALID_COMMAND', -32000],
  ])('[S4.07] with %s fails with the words of the design', async (_what, program, word, code) => {
    const tools = new TermcpTools(program, []);
    const { text, details } = await tools.failure('write_stdin', { text: 'x' });
    expect(text).toMatch(new RegExp(`^${word}: `));
    expect(details).toEqual({ code });
  });

  it('[S4.07] with a missing directory, an invalid name or half a character fails in the same way', async () => {
    const lost = new TermcpTools('cat', [], { cwd: '/no/such/directory' });
    expect((await lost.failure('write_stdin', { text: 'x' })).text).toMatch(
      /^PTY_ERROR: .*does not exist/,
    );
    const tools = new TermcpTools('cat', []);
    expect((await tools.failure('write_stdin', { session_id: 'a/b', text: 'x' })).text).toMatch(
      /^INVALID_REQUEST: /,
    );
    expect((await tools.failure('write_stdin', { text: 'a\ud800' })).text).toMatch(/^UTF8_ERROR: /);
  });

  it('[S4.07, S4.09] that exceeds its memory limit is killed, which the next call reports once', async () => {
    const script = `echo up; read -r _; dd if=/dev/zero bs=${60 * mib} | sleep 1000 & cat; wait`;
    const tools = new TermcpTools('sh', ['-c', script], { limits: { memoryBytes: 40 * mib } });
    await tools.until('up');
    // Not by a tool, which could report the end.
    await tools.coordinator.sendText('default', '\n');
    await expect.poll(async () => (await tools.session())?.state).toBe('exited');
    const { text, details } = await tools.failure('write_stdin', { text: 'x' });
    expect(text).toMatch(/^RESOURCE_LIMIT_EXCEEDED: .* MiB of memory, the limit is 40 MiB/);
    expect(details).toMatchObject({
      code: -32005,
      limit: 'memory',
      allowed: 40 * mib,
      signal: 'SIGKILL',
      measured: expect.any(Number),
    });
    expect((await tools.ok('write_stdin', { text: 'x' })).previous).toMatchObject({
      ended: 'exited',
      signal: 'SIGKILL',
    });
  });

  it('[S4.07, S4.09] that exceeds its lifetime is ended, which a read reports', async () => {
    const tools = new TermcpTools('cat', [], { lifetime: { maxRunMs: 60 * minuteMs } });
    await tools.ok('write_stdin', { text: 'words\n' });
    await new SessionDriver(tools.coordinator).untilShown('default', /words\s+words/);
    tools.clock.jump(60 * minuteMs);
    await expect.poll(async () => (await tools.session())?.state).toBe('exited');
    expect(await tools.ok('read_output')).toMatchObject({
      output: 'words\r\nwords\r\n',
      exited: true,
      limit_exceeded: expect.stringContaining('it ran for 1h, the limit'),
    });
    expect((await tools.ok('write_stdin', { text: 'x' })).sent).toBe(true);
  });

  it('[S4.09] keeps the end of its output, and counts the removed bytes', async () => {
    const script = 'head -c 300000 /dev/zero | tr "\\0" x; echo end; cat';
    const tools = new TermcpTools('sh', ['-c', script], { maxBufferBytes: 8192 });
    await tools.ok('write_stdin', { text: '' });
    await tools.coordinator.wait('default', { match: ['end'] });
    const { output, lost_bytes } = await tools.ok('read_output', { max_bytes: 100_000 });
    expect(output.length).toBe(8192);
    expect(output.endsWith('end\r\n')).toBe(true);
    expect(output.length + lost_bytes).toBe(300_005);
  });

  needs('env')(
    '[S4.12] has next to nothing of the environment where that is asked for',
    async () => {
      const tools = new TermcpTools('env', [], { environment: 'minimal' });
      await tools.ok('write_stdin', { text: '' });
      await expect.poll(async () => (await tools.session())?.state).toBe('exited');
      const { output } = await tools.ok('read_output');
      const names = output
        .trim()
        .split('\r\n')
        .map((line: string) => line.split('=')[0]);
      expect(names).toEqual(expect.arrayContaining(['PATH', 'TERM']));
      const allowed =
        /^(PATH|HOME|USER|LOGNAME|SHELL|LANG|LC_\w+|TZ|TMPDIR|XDG_RUNTIME_DIR|PWD|TERM|COLORTERM|VTR_SESSION|VTR_SESSION_ID)$/;
      expect(names.filter((name: string) => !allowed.test(name))).toEqual([]);
    },
  );
});
