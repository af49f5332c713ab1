import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Place } from '../../support/command/vtr-command.ts';
import { TermcpHost, termcpFile } from '../../support/mcp/termcp-host.ts';
import { needs, provided } from '../../support/run/needs.ts';

/** Runs the command until it exits, without a host. */
function termcp(place: Place, ...words: readonly string[]) {
  const env = { ...place.env };
  return new Promise<{ status: unknown; stdout: string; stderr: string }>((resolve) => {
    const args = [termcpFile, ...words];
    const child = execFile(
      process.execPath,
      args,
      { env, cwd: place.directory },
      (error, out, said) => {
        resolve({ status: error === null ? 0 : error.code, stdout: out, stderr: said });
      },
    );
    child.stdin?.end();
  });
}

describe('the command termcp', () => {
  it('[S4.05] runs COMMAND ARGS, with its own flags, in the configured terminal', async () => {
    const place = new Place();
    mkdirSync(join(place.directory, 'work'));
    const flags = [
      '--session-timeout',
      '30',
      '--rows=40',
      '--cols',
      '120',
      '--max-buffer-kb',
      '64',
    ];
    const more = ['--log-level', 'debug', '--workdir', 'work', '--strip-ansi'];
    const script = 'stty size; pwd; printf "<%s>" "$@"; printf "\\033[31mred\\n"; cat';
    const words = [...flags, ...more, 'sh', '-c', script, '--', '--rows', '1', '--help'];
    const server = await TermcpHost.start(words, { place });
    const read = await server.until('red');
    expect(read.split('\n').slice(0, 3)).toEqual([
      '40 120',
      realpathSync(join(place.directory, 'work')),
      '<--rows><1><--help>red',
    ]);
    expect(server.said).toContain('sessions end when unused for 30m, and after 24h');
    expect(server.said).toContain('512 MiB of memory, 50% of all processors');
    expect(server.said).toContain('read_output');
  });

  it('[S4.05] logs only errors, or everything, as configured', async () => {
    const quiet = await TermcpHost.start(['--log-level', 'error', 'cat']);
    await quiet.types('x', 'x\r\nx');
    expect(quiet.said).toBe('');
    const traced = await TermcpHost.start(['--log-level', 'trace', 'cat']);
    await traced.types('secret', 'secret\r\nsecret');
    expect(traced.said).toContain('write_stdin: ');
    expect(traced.said).not.toContain('secret');
  });

  it('[S4.05] has a session of 24 rows and 80 columns by default', async () => {
    const server = await TermcpHost.start(['sh', '-c', 'stty size; cat'], { era: '2026-07-28' });
    expect(await server.until('\n')).toBe('24 80\r\n');
  });

  it('[S4.05] prints its help and its version', async () => {
    const place = new Place();
    const help = await termcp(place, '--help');
    expect(help).toMatchObject({ status: 0, stderr: '' });
    const flags = ['session-timeout', 'rows', 'cols', 'max-buffer-kb', 'strip-ansi', 'log-level'];
    for (const flag of [...flags, 'workdir']) expect(help.stdout).toContain(`--${flag}`);
    expect((await termcp(place, '--version')).stdout).toMatch(/^termcp \d+\.\d+\.\d+/);
  });

  it.each([
    [2, [], 'missing COMMAND'],
    [2, ['--strip-ansi'], 'missing COMMAND'],
    [2, [''], 'COMMAND is empty'],
    [2, ['--rows', '0', 'cat'], '--rows 0: use a whole number from 1 to 500'],
    [2, ['--cols', '501', 'cat'], '--cols 501'],
    [2, ['--max-buffer-kb', '0', 'cat'], '--max-buffer-kb 0'],
    [2, ['--session-timeout', 'soon', 'cat'], '--session-timeout soon'],
    [2, ['--log-level', 'loud', 'cat'], 'use one of error, warn, info, debug, trace'],
    [2, ['--row', '3', 'cat'], 'unknown flag --row; did you mean --rows?'],
    [2, ['--rows'], '--rows needs a value'],
    [8, ['no-such-program'], 'program "no-such-program" was not found in PATH'],
    [8, ['/no/such/program'], 'does not exist'],
    [8, ['./plain'], 'is not executable'],
    [8, ['./directory'], 'is a directory'],
    [8, ['./script'], 'names the interpreter "/no/such/shell"'],
    [8, ['--workdir', 'nowhere', 'cat'], 'does not exist'],
    [8, ['--workdir', 'plain', 'cat'], 'is not a directory'],
  ])('[S4.05, S4.11] ends with status %i for %j, and says why', async (status, words, message) => {
    const place = new Place();
    writeFileSync(join(place.directory, 'plain'), 'text');
    writeFileSync(join(place.directory, 'script'), '#!/no/such/shell\n');
    chmodSync(join(place.directory, 'script'), 0o755);
    mkdirSync(join(place.directory, 'directory'));
    const run = await termcp(place, ...words);
    expect(run).toMatchObject({ status, stdout: '' });
    expect(run.stderr).toContain(message);
  });

  it('[S4.12] passes a minimal environment to COMMAND if configured', async () => {
    const env = { SHOWN: 'yes', API_TOKEN: 'secret' };
    const script = 'echo "<$SHOWN$API_TOKEN>"; cat';
    const words = ['sh', '-c', script];
    expect(await (await TermcpHost.start(words, { env })).until('>')).toBe('<yes>\r\n');
    const minimal = { ...env, VTR_ENVIRONMENT: 'minimal' };
    expect(await (await TermcpHost.start(words, { env: minimal })).until('>')).toBe('<>\r\n');
  });

  const isRoot = process.geteuid?.() === 0;
  provided(isRoot, 'only as root: checks the warning')(
    '[S4.12] warns if it runs as root',
    async () => {
      const server = await TermcpHost.start(['cat']);
      await server.types('x', 'x');
      expect(server.said).toContain('running as root');
    },
  );

  needs('bash', 'python3')('[S4.15] works with the host configuration of the design', async () => {
    const place = new Place();
    const bin = join(place.directory, 'bin');
    mkdirSync(bin);
    symlinkSync(termcpFile, join(bin, 'termcp'));
    const { mcpServers } = {
      mcpServers: {
        'termcp-bash': { command: 'termcp', args: ['bash'], env: {} },
        'termcp-python': {
          command: 'termcp',
          args: ['--session-timeout', '30', 'python3'],
          env: { PYTHONUNBUFFERED: '1' },
        },
      },
    };
    const start = ({ args, env }: { args: string[]; env: Record<string, string> }) => {
      const path = { PATH: `${bin}:${place.env['PATH']}` };
      return TermcpHost.start(args, { place, command: 'termcp', env: { ...path, ...env } });
    };
    const bash = await start(mcpServers['termcp-bash']);
    expect(await bash.types('echo $((6 * 7))', '42')).toContain('42');
    const python = await start(mcpServers['termcp-python']);
    await python.types('import os; print(os.environ["PYTHONUNBUFFERED"] * 3)', '111');
  });
});
