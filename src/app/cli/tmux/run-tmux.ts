import { isatty, WriteStream } from 'node:tty';
import { styledText } from '#base';
import { isVtrError, type TmuxRequest } from '#model';
import type { JsonCoordinator } from '#wire/service/short';
import type { Context } from '../context.ts';
import { clientOf, oneCoordinator } from '../coordinators/known-coordinators.ts';
import { withDaemon } from '../coordinators/with-daemon.ts';
import { readGlobalFlags } from './global-flags.ts';
import { openOwnFiles, startsServer } from './own-files.ts';

/** The version of tmux whose commands are answered. */
const version = 'tmux 3.3a';

/** After the end of the input, a line that runs for longer than this, in ms, is not awaited. */
const lastLinesMs = 5_000;

/**
 * Runs `tmux` with these arguments.
 *
 * @returns its exit status
 * @throws VtrError if the daemon cannot be reached
 */
export async function runTmux(context: Context, given: readonly string[]): Promise<number> {
  const read = readGlobalFlags(given, context);
  if ('problem' in read) {
    context.err(read.problem);
    return 1;
  }
  if (read.version) {
    context.out(`${version}\n`);
    return 0;
  }
  const { words, control, socketPath } = read;
  const own = await oneCoordinator(context, undefined);
  const print = printer(context);
  // In control mode, standard input has commands.
  const files = control > 0 ? { words, print } : await openOwnFiles(context, words, print);
  const mayStart = control > 0 || startsServer(words);
  const coordinator = clientOf(context, own);
  const request: TmuxRequest = {
    ...{ socketPath, words: files.words, cwd: context.cwd, pid: process.pid },
    env: definedOnly(context.env),
    ...(read.configFiles === null ? {} : { configFiles: read.configFiles }),
    ...terminalSize(),
    ...('input' in files && { input: files.input }),
    ...(control > 0 && { control: true }),
  };
  const run = () => coordinator.runTmux(request);
  try {
    const answer = await (mayStart ? withDaemon(context, own, true, run) : run());
    await files.print(answer.stdout);
    context.err(answer.stderr);
    if (answer.controlId !== undefined) {
      return await runControl(context, coordinator, answer.controlId, control === 2);
    }
    if (answer.attach === undefined) return answer.status;
    return await attachTo(context, answer.attach, own.socket);
  } catch (error) {
    if (!isVtrError(error) || error.code !== 'UNAVAILABLE') throw error;
    if (!['ENOENT', 'ECONNREFUSED'].includes(String(error.details['reason']))) throw error;
    context.err(`no server running on ${socketPath}\n`);
    return 1;
  }
}

/** Returns what prints the answers of commands: to a terminal only with colours and links, to a program as they are. */
const printer =
  (context: Context) =>
  (text: string): void =>
    context.isTerminal ? context.draw(styledText(text)) : context.out(Buffer.from(text));

const definedOnly = (env: Context['env']): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).filter((each): each is [string, string] => each[1] !== undefined),
  );

/** The size of the terminal in which the command runs. */
function terminalSize(): Pick<TmuxRequest, 'size'> | null {
  if (!isatty(0) || !isatty(1)) return null;
  const [cols, rows] = new WriteStream(1).getWindowSize();
  return { size: { cols, rows } };
}

async function attachTo(context: Context, name: string, socket: string): Promise<number> {
  const { attach } = await import('../verbs/attach.ts');
  const { parseArguments } = await import('../arguments/parse-arguments.ts');
  const input = parseArguments(attach, [name, '--coordinator', socket]);
  return (await attach.run(context, input)) ?? 0;
}

/**
 * Passes lines of standard input to a control client, and prints what it answers, until one of them
 * ends.
 *
 * @param isWrapped whether the output is for a terminal that shows windows itself (`-CC`)
 */
async function runControl(
  context: Context,
  coordinator: JsonCoordinator,
  id: string,
  isWrapped: boolean,
): Promise<number> {
  const print = printer(context);
  if (isWrapped) context.draw('\x1bP1000p');
  const { createInterface } = await import('node:readline');
  const input = createInterface({ input: process.stdin });
  let isOver = false;
  let isStuck = false;
  let giveUp: () => void = () => {};
  let timer: NodeJS.Timeout | undefined;
  const limit = () => {
    clearTimeout(timer);
    timer = setTimeout(() => giveUp(), lastLinesMs).unref();
  };
  // One call after the other: lines run in their order.
  let last = Promise.resolve();
  const run = (line: string): Promise<void> => {
    if (isStuck) return Promise.resolve();
    return new Promise((resolve) => {
      giveUp = () => {
        isStuck = true;
        resolve();
      };
      if (isOver) limit();
      coordinator.controlTmux(id, [line]).then(() => resolve(), resolve);
    });
  };
  input.on('line', (line) => {
    if (line === '') input.close();
    // Those that were read together with an empty line are emitted after the end.
    else if (!isOver) last = last.then(() => run(line));
  });
  // The end of the input is an empty line, which ends the client, also while a line waits.
  input.once('close', () => {
    isOver = true;
    limit();
    void last.then(() => coordinator.controlTmux(id, [''])).catch(() => {});
  });
  for (;;) {
    const { output, ended } = await coordinator.controlTmux(id, null);
    print(output);
    if (ended) break;
  }
  if (isWrapped) context.draw('\x1b\\');
  input.close();
  return 0;
}
