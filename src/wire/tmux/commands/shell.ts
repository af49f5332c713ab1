import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isTrue } from '../format/expand.ts';
import { globMatches } from '../format/matching.ts';
import { programEnvironment } from '../state/environment.ts';
import type { Target } from '../target/target.ts';
import { TextError, TmuxError } from '../tmux-error.ts';
import type { Arguments } from '../words/arguments.ts';
import { fileText } from './buffers.ts';
import type { Call, Commands } from './call.ts';

export const shellCommands: Commands = {
  'run-shell': {
    alias: 'run',
    usage: '[-bC] [-d delay] [-t target-pane] [shell-command]',
    flags: 'bd:Ct:',
    words: [0, 1],
    waits: true,
    run: runShell,
  },
  'if-shell': {
    alias: 'if',
    usage: '[-bF] [-t target-pane] shell-command command [command]',
    flags: 'bFt:',
    words: [2, 3],
    waits: true,
    run: ifShell,
  },
  'source-file': {
    alias: 'source',
    usage: '[-Fnqv] path ...',
    flags: 'Fnqt:v',
    words: [1, Number.POSITIVE_INFINITY],
    waits: true,
    run: sourceFiles,
  },
  'wait-for': {
    alias: 'wait',
    usage: '[-L|-S|-U] channel',
    flags: 'LSU',
    words: [1, 1],
    waits: true,
    run: async ({ server: { channels }, caller: { signal } }, args) => {
      const [name = ''] = args.words;
      if (args.has('S')) channels.signal(name);
      else if (args.has('L')) await channels.lock(name, signal);
      else if (args.has('U')) channels.unlock(name);
      else await channels.wait(name, signal);
    },
  },
};

async function runShell(call: Call, args: Arguments): Promise<void> {
  const target = call.targetOrNull(args, 'pane');
  const [given] = args.words;
  const waitSeconds = Number(args.value('d') ?? 0);
  if (Number.isNaN(waitSeconds)) throw new TmuxError(`invalid delay time: ${args.value('d')}`);
  const { signal } = call.caller;
  if (args.has('C')) {
    if (waitSeconds > 0) await delay(waitSeconds * 1000, undefined, { signal });
    if (given !== undefined) await call.runner.runText(await call.expand(given, target), call);
    return;
  }
  const line = given === undefined ? '' : await call.expand(given, target);
  const run = async () => {
    if (waitSeconds > 0) await delay(waitSeconds * 1000, undefined, { signal });
    return line === '' ? { status: 0, output: '' } : shellLine(call, target, line);
  };
  if (args.has('b')) {
    void run().catch(() => {});
    return;
  }
  const { status, output } = await run();
  call.output.stdout += output;
  if (output !== '' && !output.endsWith('\n')) call.output.stdout += '\n';
  if (status !== 0) {
    call.print(`'${line}' returned ${status}`);
    call.output.status = status;
  }
}

async function ifShell(call: Call, args: Arguments): Promise<void> {
  const target = call.targetOrNull(args, 'pane');
  const [given = '', yes = '', no] = args.words;
  const condition = await call.expand(given, target);
  const decide = async () =>
    args.has('F') ? isTrue(condition) : (await shellLine(call, target, condition)).status === 0;
  const act = async () => {
    const chosen = (await decide()) ? yes : no;
    if (chosen !== undefined) await call.runner.runText(chosen, call);
  };
  if (args.has('b')) void act().catch(() => {});
  else await act();
}

async function sourceFiles(call: Call, args: Arguments): Promise<void> {
  const target = call.targetOrNull(args, 'pane');
  for (const given of args.words) {
    const path = args.has('F') ? await call.expand(given, target) : given;
    if (path === '-') {
      await sourceText(call, args, call.caller.input ?? '', '-');
      continue;
    }
    const whole = resolve(call.caller.cwd, path);
    const paths = /[*?[]/.test(whole) ? filesLike(whole) : [whole];
    if (paths.length === 0 && !args.has('q')) {
      throw new TmuxError(`No such file or directory: ${path}`);
    }
    for (const each of paths) {
      try {
        await sourceText(call, args, fileText(each), each);
      } catch (error) {
        if (!args.has('q') || !/no such file/i.test(String(error))) throw error;
      }
    }
  }
}

/** The files whose names match a pattern in the last part of a path. */
function filesLike(path: string): string[] {
  try {
    const names = readdirSync(dirname(path)).filter((name) => globMatches(basename(path), name));
    return names.sort().map((name) => join(dirname(path), name));
  } catch {
    return [];
  }
}

async function sourceText(call: Call, args: Arguments, text: string, name: string): Promise<void> {
  if (args.has('n')) return void (await call.runner.parsed(text, call));
  try {
    await call.runner.runText(text, call);
  } catch (error) {
    if (!(error instanceof TextError)) throw error;
    // As tmux: on standard output.
    call.print(`${name}:${error.line}: ${error.message}`);
    call.output.status = 1;
  }
}

interface ShellEnd {
  readonly status: number;
  readonly output: string;
}

/** Runs a line with the shell of the server, and returns what it printed on stdout and stderr. */
function shellLine(call: Call, target: Target | null, line: string): Promise<ShellEnd> {
  const { server, caller } = call;
  const env = target
    ? programEnvironment(server.environment, target.session.environment)
    : Object.fromEntries(
        [...server.environment].flatMap(([name, { value }]) =>
          value === null ? [] : [[name, value] as const],
        ),
      );
  const child = spawn('/bin/sh', ['-c', line], {
    cwd: caller.cwd,
    env: {
      ...env,
      TMUX: `${server.socketPath},${server.programs.pid},${target?.session.id ?? -1}`,
      ...(target === null ? {} : { TMUX_PANE: `%${target.pane.id}` }),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  server.programs.own(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8');
    stream.on('data', (text: string) => {
      output += text;
    });
  }
  return new Promise((done, fail) => {
    child.once('error', (error) =>
      fail(new TmuxError(`failed to run command: ${line}: ${error.message}`)),
    );
    child.once('close', (code, signal) =>
      done({ status: code ?? 128 + (signal === null ? 0 : 1), output }),
    );
  });
}
