import type { CommandRecord } from '#model';
import { type Step, step, type ViewState, withNotice } from '../view-state.ts';
import { shown } from './loading.ts';
import type { LedgerWish, Scroll } from './scroll.ts';

/** Jumps to a prompt, or copies the output below it; the ledger is read first. */
export function withWish(state: ViewState, scroll: Scroll, wish: LedgerWish): Step {
  const { commands } = scroll;
  if (commands !== null) return fulfilled(state, scroll, commands, wish);
  return step({ ...state, scroll: { ...scroll, wish } }, { type: 'commands' });
}

/** The ledger has been read. */
export function withCommands(
  state: ViewState,
  scroll: Scroll,
  commands: readonly CommandRecord[],
): Step {
  const known = { ...scroll, commands, wish: null };
  const { wish } = scroll;
  return wish === null
    ? step({ ...state, scroll: known })
    : fulfilled(state, known, commands, wish);
}

function fulfilled(
  state: ViewState,
  scroll: Scroll,
  commands: readonly CommandRecord[],
  wish: LedgerWish,
): Step {
  const refuse = (text: string) => step(withNotice({ ...state, scroll }, text));
  if (commands.length === 0) return refuse('no prompts: the shell does not report its commands');
  const { line } = scroll.cursor;
  if (wish === 'output') {
    const command = commands.findLast((one) => (promptLine(one) ?? Infinity) <= line);
    if (command === undefined) return refuse('no command here');
    return step(
      { ...told(state, command), scroll },
      { type: 'copyOutput', command: command.number },
    );
  }
  const prompts = commands.flatMap((one) => promptLine(one) ?? []);
  const prompt =
    wish === 'next' ? prompts.find((at) => at > line) : prompts.findLast((at) => at < line);
  if (prompt === undefined) return refuse(`no ${wish === 'next' ? 'later' : 'earlier'} prompt`);
  const cursor = { line: prompt, col: 0 };
  return shown(told(state, commands[0]), {
    ...scroll,
    cursor,
    goalCol: 0,
    top: { line: prompt, row: 0 },
    owed: 0,
  });
}

/** All commands of a session are verified, or none is. */
const told = (state: ViewState, command: CommandRecord | undefined): ViewState =>
  command?.unverified
    ? withNotice(state, 'unverified: any output can contain the marks of these prompts')
    : state;

/** Returns the line of a command's prompt, above its output; null on the alternate screen. */
function promptLine({ from: { line, col } }: CommandRecord): number | null {
  if (line === null) return null;
  return col === 0 ? Math.max(0, line - 1) : line;
}
