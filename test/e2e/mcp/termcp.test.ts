import { describe, expect, it } from 'vitest';
import { TermcpHost } from '../../support/mcp/termcp-host.ts';
import { provided } from '../../support/run/needs.ts';

const running = (words: readonly string[]) => TermcpHost.start(words);

describe('termcp', () => {
  it('[S4.01] writes to a session, and creates it if none exists', async () => {
    const server = await running(['cat']);
    expect(server.client.getServerVersion()?.name).toBe('termcp');
    expect(server.client.getInstructions()).toContain('write_stdin, then read_output');
    const { tools } = await server.client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      'write_stdin',
      'send_keys',
      'read_output',
      'resize_terminal',
    ]);
    expect(await server.ok('write_stdin', { text: 'grüße\n' })).toEqual({
      sent: true,
      session_id: 'default',
    });
    await server.ok('write_stdin', { session_id: 'other', text: 'elsewhere\n' });
    expect(await server.until('grüße\r\ngrüße\r\n')).not.toContain('elsewhere');
    expect(await server.until('elsewhere\r\n', { session_id: 'other' })).not.toContain('grüße');
    const deaf = await running(['sh', '-c', 'stty raw -echo; echo deaf; sleep 1000']);
    await deaf.until('deaf');
    expect(await deaf.failure('write_stdin', { text: 'x'.repeat(500_000) })).toMatch(/IO_ERROR/);
  });

  it('[S4.01] presses enter for a line end, also in a program that reads raw', async () => {
    const script = 'stty raw -echo; echo ready; dd bs=1 count=4 2>/dev/null | od -An -v -tx1';
    const server = await running(['sh', '-c', script]);
    await server.until('ready');
    await server.ok('write_stdin', { text: 'abc\n' });
    await server.until('61 62 63 0d');
  });

  it('[S4.02] presses every listed key, and refuses others', async () => {
    const keys = {
      ctrl_c: '03',
      ctrl_d: '04',
      ctrl_z: '1a',
      ctrl_l: '0c',
      enter: '0d',
      tab: '09',
      escape: '1b',
      up: '1b5b41',
      down: '1b5b42',
      right: '1b5b43',
      left: '1b5b44',
      home: '1b5b48',
      end: '1b5b46',
      pageup: '1b5b357e',
      pagedown: '1b5b367e',
      f1: '1b4f50',
      f2: '1b4f51',
      f3: '1b4f52',
      f4: '1b4f53',
      f5: '1b5b31357e',
      f6: '1b5b31377e',
      f7: '1b5b31387e',
      f8: '1b5b31397e',
      f9: '1b5b32307e',
      f10: '1b5b32317e',
      f11: '1b5b32337e',
      f12: '1b5b32347e',
    };
    const hex = Object.values(keys).join('');
    const script = `stty raw -echo; echo ready; dd bs=1 count=${hex.length / 2} 2>/dev/null | od -An -v -tx1`;
    const server = await running(['sh', '-c', script]);
    await server.until('ready');
    for (const key of Object.keys(keys)) await server.ok('send_keys', { key });
    let read = '';
    while (!read.includes(hex)) {
      read += (await server.ok('read_output')).output.replace(/\s/g, '');
    }
    expect(await server.failure('send_keys', { key: 'hyper' })).toMatch(/^true .*key: /);
  });

  it('[S4.03] reads new output, and splits no character', async () => {
    const server = await running(['sh', '-c', 'for i in $(seq 400); do printf äöü€; done; cat']);
    let read = '';
    while (read.length < 1600) {
      const { output } = await server.ok('read_output', { max_bytes: 1024 });
      expect(new TextEncoder().encode(output).length).toBeLessThanOrEqual(1024);
      read += output;
    }
    expect(read).toBe('äöü€'.repeat(400));
    expect(await server.ok('read_output', { timeout_ms: 0 })).toMatchObject({ output: '' });
    expect(await server.ok('read_output', { timeout_ms: 100 })).toMatchObject({ output: '' });
    expect(await server.failure('read_output', { timeout_ms: 30_001 })).toContain('timeout_ms');
    expect(await server.failure('read_output', { max_bytes: 1_048_577 })).toContain('max_bytes');
  });

  provided(
    process.platform === 'linux',
    'only on Linux: the system reports who reads the terminal',
  )('[S4.03] reads until the program needs input, however often it pauses', async () => {
    const server = await running(['sh', '-c', 'for i in 1 2 3; do echo $i; sleep 0.4; done; cat']);
    const { output } = await server.ok('read_output', { timeout_ms: 30_000 });
    expect(output).toBe('1\r\n2\r\n3\r\n');
  });

  it('names only its own tools to the model', async () => {
    const { client } = await running(['cat']);
    const { tools } = await client.listTools();
    const names = client.getInstructions()?.match(/\b[a-z]+_[a-z]+\b/g) ?? [];
    const words = [...tools.map(({ name }) => name), 'session_id', 'timeout_ms', 'more_bytes'];
    expect(words).toEqual(expect.arrayContaining(names));
    expect(client.getServerCapabilities()).not.toHaveProperty('prompts');
  });

  it('[S4.04] resizes, and signals the program', async () => {
    const server = await running([
      'sh',
      '-c',
      'trap "stty size" WINCH; echo ready; while :; do sleep 0.1; done',
    ]);
    await server.until('ready');
    await server.ok('resize_terminal', { rows: 30, cols: 100 });
    await server.until('30 100');
    expect(await server.failure('resize_terminal', { rows: 501 })).toContain('rows');
  });

  it('[S4.08] removes OSC sequences, and all sequences with --strip-ansi', async () => {
    const script = "printf '\\033]0;title\\007\\033[31mred\\033[0m\\n'; cat";
    const coloured = await running(['sh', '-c', script]);
    expect(await coloured.until('red')).toBe('\u001b[31mred\u001b[0m\r\n');
    const plain = await running(['--strip-ansi', 'sh', '-c', script]);
    expect(await plain.until('red')).toBe('red\n');
  });

  it('has the same tools as vtr mcp --toolset termcp', async () => {
    const server = await TermcpHost.byVtr(['--strip-ansi', '--session-timeout', '1', '--', 'cat']);
    await server.ok('write_stdin', { text: 'grüße\n' });
    expect(await server.until('grüße\ngrüße\n')).toBe('grüße\ngrüße\n');
  });
});
