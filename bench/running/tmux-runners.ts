import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { TmuxWindow } from '../measuring/tmux-window.ts';
import { type Runner, type ShellPlace, size, type Told } from './runner.ts';

/**
 * The command of the shell before each prompt: with one client it puts the lines since `@start` and the
 * status into a tmux buffer, and signals. The prompt follows, so that it need not be cut off. After the
 * history is cleared, `@start` may be below the cursor.
 */
const hook = `
__ran() {
  local status=$?
  tmux run-shell -C -t "$TMUX_PANE" "
    capture-pane -J -b ran -t #{pane_id} -E #{cursor_y} -S #{?#{e|>:#{@start},#{e|+:#{history_size},#{cursor_y}}},-,#{e|-:#{@start},#{history_size}}} ;
    set-buffer -a -b ran $status ;
    wait-for -S ran"
  return $status
}
PROMPT_COMMAND=__ran
`;

/** The history of tmux; a longer output would remove the start of its command. */
const crowded = 5_000;

/**
 * The best way with tmux: the shell is prepared as ours are, the end is a signal, the start a line
 * number. One tmux client per line, and one in the window.
 */
export async function preparedRunner(place: ShellPlace): Promise<Runner> {
  const file = join(place.directory, 'prepared.bash');
  writeFileSync(file, `. ~/.bashrc\n${hook}`);
  const window = await startWindow(place, ['--rcfile', file]);
  await window.tmux('wait-for', 'ran');
  return runner(window, 1, async (line) => {
    const answer = await window.tmux(
      ...['if-shell', '-F', `#{e|>:#{history_size},${crowded}}`, 'clear-history', ';'],
      ...['set-option', '-pF', '@start', '#{e|+:#{history_size},#{cursor_y}}', ';'],
      ...['send-keys', '-l', '--', line, ';', 'send-keys', 'Enter', ';'],
      ...['wait-for', 'ran', ';', 'show-buffer', '-b', 'ran'],
    );
    const end = answer.lastIndexOf('\n');
    return {
      exitCode: Number(answer.slice(end + 1)),
      output: withoutEcho(answer.slice(0, end), line),
    };
  });
}

/**
 * Removes the typed lines from joined rows. They appear twice when the shell was not at its prompt: the
 * terminal echoes them, then the shell.
 */
function withoutEcho(captured: string, typed: string): string {
  const lines = captured.split('\n');
  const echoed = typed.split('\n');
  const isEcho = () => echoed.every((line, at) => lines[at]?.trimEnd().endsWith(line.trimEnd()));
  while (isEcho()) lines.splice(0, echoed.length);
  return lines.join('\n');
}

const loopMs = 100;
const patienceMs = 3_000;
const capture = ['capture-pane', '-p', '-J', '-S', '-2000'];

/** The usual way: prints a unique word after the command, and searches for it. */
export async function sentinelRunner(place: ShellPlace): Promise<Runner> {
  const window = await startWindow(place, []);
  while (!(await window.tmux(...capture)).includes('$')) await setTimeout(loopMs);
  return runner(window, 0, async (line) => {
    const sentinel = `__DONE_${randomUUID().slice(0, 8)}__`;
    const typed = `${line}; echo ${sentinel}:$?`;
    await window.tmux('send-keys', '-l', '--', typed, ';', 'send-keys', 'Enter');
    const end = new RegExp(`${sentinel}:(\\d+)`);
    for (const deadline = Date.now() + patienceMs; Date.now() < deadline; ) {
      const text = await window.tmux(...capture);
      const match = end.exec(text);
      if (match !== null) return toldBy(text, typed, match);
      await setTimeout(loopMs);
    }
    return { exitCode: null, output: '' };
  });
}

function toldBy(text: string, typed: string, { index, 1: status }: RegExpExecArray): Told {
  const lastLine = typed.slice(typed.lastIndexOf('\n') + 1);
  const echo = text.lastIndexOf(lastLine, index);
  const begin = echo < 0 ? 0 : text.indexOf('\n', echo) + 1;
  return { exitCode: Number(status), output: text.slice(begin, index) };
}

function startWindow({ directory, env }: ShellPlace, args: readonly string[]): Promise<TmuxWindow> {
  return TmuxWindow.start(size, ['-c', directory, 'bash', ...args], env);
}

/** @param inWindow programs that a line starts in the window, in addition to its own */
function runner(
  window: TmuxWindow,
  inWindow: number,
  run: (line: string) => Promise<Told>,
): Runner {
  window.programs.takeSpent();
  return {
    async run(line) {
      const result = await run(line);
      const { programs, bytes } = window.programs.takeSpent();
      return { ...result, programs: programs + inWindow, bytes };
    },
    close: () => window.stop(),
  };
}
