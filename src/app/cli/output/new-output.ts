import type { WaitResult } from '#model';

/** How much new output a wait prints that was sent with input. The rest is counted on stderr. */
export const newOutputBudget = { maxLines: 200, maxBytes: 16 * 1024 } as const;

/** The outcomes that tell where the output ends. After a match, only the line that matches is printed. */
const printed: readonly string[] = [
  ...['finished', 'prompt', 'awaiting_input', 'password', 'idle', 'agent'],
  ...['exited', 'timed_out'],
];

/**
 * Returns the output that a program printed after an input: without the echo of the input, which comes first,
 * without the prompt that follows, and without the question, which is printed by itself.
 *
 * @param typed the text that was sent
 */
export function newOutput({ outcome, output, question, menu }: WaitResult, typed: string): string {
  if (!printed.includes(outcome)) return '';
  const { omitted, tail } = output;
  const text = omitted === null ? withoutEcho(tail, typed) : tail;
  if (outcome === 'prompt') return text.slice(0, Math.max(0, text.lastIndexOf('\n')));
  // A menu of bash has its title below the options.
  const asked = menu ? [menu.title, ...menu.options] : [question?.trimEnd() ?? ''];
  const begins = asked.map((each) => (each === '' ? -1 : text.lastIndexOf(each)));
  const begin = Math.min(...begins.filter((at) => at >= 0), text.length);
  const end = begin === text.length ? begin : text.lastIndexOf('\n', begin) + 1;
  return text.slice(0, end).trimEnd();
}

/** A key with ctrl, as the terminal echoes it. */
const controlEcho = /^(?:\^[@-_?])+$/;

/** What shells and Python show for the rest of a command. */
const secondPrompt = /^(?:>|\.\.\.)$/;

function withoutEcho(output: string, typed: string): string {
  const [first = '', ...lines] = output.split('\n');
  const [begin = '', ...more] = typed.split(/\r\n?|\n/);
  const rest = behind(first, begin);
  // More right behind it is the program's own text, which begins like the input.
  if (rest === null || (begin.trim() !== '' && /^\S/.test(rest))) return output;
  // Further lines are behind prompts of their own.
  for (const each of more) {
    const shown = lines[0]?.trimEnd() ?? '';
    const isEcho = each.trim() === '' ? secondPrompt.test(shown) : shown.endsWith(each.trimEnd());
    if (isEcho) lines.shift();
    else if (each.trim() !== '') break;
  }
  // Nothing was typed before the blanks of the program, such as those left of a dialog.
  const own = begin.trim() === '' ? rest : rest.trimStart();
  const isNothing = rest.trim() === '' || controlEcho.test(rest.trim());
  return [...(isNothing ? [] : [own]), ...lines].join('\n');
}

/** Returns what follows a text at the beginning of a line, blanks aside; null if it does not begin with it. */
function behind(line: string, text: string): string | null {
  const wanted = [...text].filter((each) => each.trim() !== '');
  let at = 0;
  for (const each of wanted) {
    while (at < line.length && line.charAt(at).trim() === '') at++;
    if (!line.startsWith(each, at)) return null;
    at += each.length;
  }
  return line.slice(at);
}
