import { execFile } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { runInNewContext } from 'node:vm';
import { build } from 'esbuild';
import { publint } from 'publint';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { root } from '../../scripts/root.mjs';
import { run, runNode } from '../../scripts/steps/run.mjs';
import { tools } from '../../scripts/steps/tools.mjs';
import { linksIn } from '../support/run/fenced-blocks.ts';

/**
 * The directories of the packages that the package needs, and of those that they need: the test
 * must not depend on a registry or on npm's cache.
 */
function dependencies(): string[] {
  const installed = (name: string) => join(root, 'node_modules', name);
  const needed = new Set<string>();
  const visit = (directory: string) => {
    const { dependencies, optionalDependencies } = JSON.parse(
      readFileSync(join(directory, 'package.json'), 'utf8'),
    );
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      // Binaries for other platforms are not installed.
      if (needed.has(installed(name)) || !existsSync(installed(name))) continue;
      needed.add(installed(name));
      visit(installed(name));
    }
  };
  visit(root);
  return [...needed];
}

const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];

async function npm(args: readonly string[], cwd: string): Promise<string> {
  const { status, stdout, output } = await run('npm', [...args, ...quiet], { cwd });
  if (status !== 0) throw new Error(`npm ${args[0]} failed:\n${output}`);
  return stdout;
}

/** Packing and installing takes long on a busy machine, in ms. */
const installMs = 300_000;

it('needs no package that runs a script when it is installed: pnpm fails for one, and npm 11 warns', () => {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const needed = Object.entries<{ dev?: boolean; hasInstallScript?: boolean }>(packages).filter(
    ([, { dev = false }]) => !dev,
  );
  expect(needed.length).toBeGreaterThan(10);
  const withScript = needed.filter(([, { hasInstallScript = false }]) => hasInstallScript);
  expect(withScript.map(([name]) => name)).toEqual([]);
});

describe('the packed package', () => {
  let directory: string;
  let tarball: string;
  /** An empty project into which the package was installed. */
  let project: string;

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'vtr-package-'));
    await npm(['pack', '--pack-destination', directory], root);
    tarball = join(directory, readdirSync(directory)[0] ?? '');
    project = join(directory, 'project');
    mkdirSync(project);
    writeFileSync(join(project, 'package.json'), '{ "private": true, "type": "module" }');
    // npm keeps the packages that it finds there and that fit. To pack and unpack them takes 10 s.
    for (const installed of dependencies()) {
      cpSync(installed, join(project, relative(root, installed)), { recursive: true });
    }
    const npmCache = ['--offline', '--cache', join(directory, 'npm-cache')];
    await npm(['install', ...npmCache, tarball], project);
  }, installMs);

  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  it('follows the rules of package managers and bundlers', async () => {
    const pack = { tarball: new Uint8Array(readFileSync(tarball)).buffer };
    const { messages } = await publint({ pack, strict: true });
    expect(messages).toEqual([]);
  });

  it('contains every file that its documents link or show', () => {
    const packed = join(project, 'node_modules/vtr');
    const files = readdirSync(packed, { encoding: 'utf8', recursive: true });
    const documents = files.filter(
      (name) => name.endsWith('.md') && !name.includes('node_modules/'),
    );
    const links = documents.flatMap((document) =>
      linksIn(readFileSync(join(packed, document), 'utf8')).map(
        (target) => [document, target] as const,
      ),
    );
    const broken = links.filter(
      ([document, target]) => !existsSync(join(packed, dirname(document), target)),
    );
    expect(links.length).toBeGreaterThan(50);
    expect(broken).toEqual([]);
  });

  it('has types that match its code, for every compiler that supports ES modules', async () => {
    const args = [tarball, '--profile', 'esm-only', '--no-emoji', '--no-color'];
    const { status, output } = await runNode(tools.attw, args, { cwd: root });
    expect([status, output]).toEqual([0, expect.stringContaining('OK (ESM)')]);
  });

  it('runs in a project without other packages', async () => {
    writeFileSync(
      join(project, 'main.mjs'),
      `import { connect, LocalCoordinator, VtrError } from 'vtr';
      const coordinator = new LocalCoordinator();
      const session = await coordinator.spawn({ program: 'echo', args: ['hello'] });
      await coordinator.wait(session);
      console.log((await coordinator.screen(session)).text[0]);
      await coordinator.close();
      const failed = await connect({ socket: '/no/such/socket' }).catch((error) => error);
      console.log(failed instanceof VtrError, failed.code);
      const { TerminalProvider, toRpcError } = await import('vtr/acp');
      const { signal } = new AbortController();
      const refused = await new TerminalProvider(coordinator)
        .answer('terminal/kill', { sessionId: '', terminalId: 'x' }, signal)
        .catch(toRpcError);
      console.log(refused.code);`,
    );
    const { output } = await runNode('main.mjs', [], { cwd: project });
    expect(output).toBe('hello\ntrue UNAVAILABLE\n-32002\n');
  });

  it('has the engine alone, for Node and for programs without anything of Node', async () => {
    const source = `import { isVtrError, restoreTerminal, saveLines, saveTerminal, Terminal, textWidth } from 'vtr/vt';
      const size = { cols: 20, rows: 3 };
      const terminal = new Terminal({ size });
      terminal.feed(Uint8Array.from('one\\r\\ntwo\\r\\nthree\\r\\n\\x1b[1mfour\\x1b[6n', (each) => each.charCodeAt(0)));
      const saved = restoreTerminal({ size }, saveTerminal(terminal), [saveLines(terminal, 0)]).terminal;
      let code = '';
      try { new Terminal({ size: { cols: 0, rows: 0 } }); } catch (error) { if (isVtrError(error)) code = error.code; }
      const shown = [terminal.screenText(), String.fromCharCode(...terminal.takeReplies()), saved.scrollbackRows()];
      globalThis.result = JSON.stringify([...shown, saved.readRow(2).cells()[0].style.bold, textWidth('漢'), code]);`;
    const expected = [['two', 'three', 'four'], '\x1b[3;5R', ['one'], true, 2, 'INVALID_SIZE'];
    writeFileSync(join(project, 'engine.mjs'), `${source}\nconsole.log(globalThis.result);`);
    const { output } = await runNode('engine.mjs', [], { cwd: project });
    expect(JSON.parse(output)).toEqual(expected);
    const { outputFiles } = await build({
      stdin: { contents: source, resolveDir: project },
      bundle: true,
      write: false,
      format: 'iife',
      platform: 'neutral',
      logLevel: 'silent',
    });
    const bare: Record<string, unknown> = { TextDecoder, TextEncoder };
    runInNewContext(outputFiles[0]?.text ?? '', bare);
    expect(JSON.parse(String(bare['result']))).toEqual(expected);
  });

  /** Starts a bash from the project, with a coordinator or without; resolves at its first mark. */
  async function firstMark(...socket: string[]): Promise<string> {
    writeFileSync(
      join(project, 'shells.mjs'),
      `import { connect, LocalCoordinator } from 'vtr';
      const [, , socket] = process.argv;
      const coordinator = socket ? await connect({ socket }) : new LocalCoordinator();
      const session = await coordinator.spawn({ program: 'bash', env: { HOME: '/nowhere' } });
      const events = await coordinator.subscribe(session);
      // For another prompt, because the first may precede the subscription.
      await coordinator.sendText(session, '\\r');
      for await (const { mark } of events) {
        if (mark === 'promptEnd') break;
      }
      console.log('prompt');
      await coordinator.remove(session, { force: true });
      await coordinator.close();`,
    );
    return (await runNode('shells.mjs', socket, { cwd: project })).output;
  }

  it('contains the scripts of shell integration', async () => {
    expect(await firstMark()).toBe('prompt\n');
  });

  it('contains the command, which starts a coordinator if needed', async () => {
    const place = { PATH: process.env['PATH'], HOME: project, VTR_SOCKET: join(project, 's') };
    const vtr = (...args: string[]) =>
      promisify(execFile)(join(project, 'node_modules/.bin/vtr'), args, { env: place });
    await vtr('spawn', 'one', '--', 'sh', '-c', 'echo hello; exec cat');
    try {
      await vtr('idle', 'one', '--idle', '0.1s');
      expect((await vtr('grep', 'one', 'hel+o')).stdout).toContain('hello');
      expect(await firstMark(place.VTR_SOCKET)).toBe('prompt\n');
      expect((await vtr('skill')).stdout).toMatch(/^---\nname: vtr\n/);
    } finally {
      await vtr('serve', '--stop');
    }
  });

  it('contains what draws pictures, and the licences of its fonts', async () => {
    const header = JSON.stringify({ version: 2, width: 120, height: 40 });
    const rows = (letter: string) => `\x1b[H${letter.repeat(120 * 40)}`;
    // So many pixels that a second thread is used; one character is in the second font.
    const events = [...'abc漢'].map((letter, at) => JSON.stringify([at, 'o', rows(letter)]));
    writeFileSync(join(project, 'a.cast'), `${[header, ...events].join('\n')}\n`);
    const vtr = join(project, 'node_modules/.bin/vtr');
    await promisify(execFile)(vtr, ['export', 'a.cast', '-o', 'a.gif'], { cwd: project });
    const gif = readFileSync(join(project, 'a.gif'));
    expect(gif.toString('latin1', 0, 6)).toBe('GIF89a');
    const dist = join(project, 'node_modules/vtr/dist');
    expect(existsSync(join(dist, 'vtr-gif-worker.cjs'))).toBe(true);
    const licence = readFileSync(join(dist, 'image/fonts/LICENSE.txt'), 'utf8');
    for (const text of ['The JetBrains Mono Project Authors', 'Unifont', 'SIL OPEN FONT LICENSE']) {
      expect(licence).toContain(text);
    }
  });

  it('compiles in a project without other packages, without the types of Node', async () => {
    const options = { strict: true, module: 'nodenext', target: 'es2023', noEmit: true };
    const bare = { lib: ['es2023'], types: [], skipLibCheck: false };
    writeFileSync(
      join(project, 'main.ts'),
      `import { mountTerminals, TerminalProvider } from 'vtr/acp';
      import { type Reader, Terminal } from 'vtr/vt';
      import { type Coordinator, connect, type ErrorCode, LocalCoordinator, VtrError, type WaitOutcome } from 'vtr';
       export const own: Coordinator = new LocalCoordinator();
      const coordinator: Coordinator = await connect({ socket: 'vtr.sock' });
      const outcome: WaitOutcome = (await coordinator.wait('build', { match: ['done'] })).outcome;
      export const code: ErrorCode | string = outcome === 'idle' ? new VtrError('NO_INPUT', '').code : '';
      // @ts-expect-error there is no such operation
      coordinator.explode();
      export const terminals = new TerminalProvider(coordinator, { maxTerminals: 1 });
      export const mount: typeof mountTerminals = mountTerminals;
      export const row: Reader = new Terminal({ size: { cols: 80, rows: 24 } }).readRow(0);`,
    );
    const config = { compilerOptions: { ...options, ...bare }, files: ['main.ts'] };
    writeFileSync(join(project, 'tsconfig.json'), JSON.stringify(config));
    const { output } = await runNode(tools.tsc, ['-p', '.'], { cwd: project });
    expect(output).toBe('');
  });
});
