import { isShell, type RunResult } from '#model';

/** Follows the words for a question that only the text shows. */
export const guessText = ' (a guess: only the text before the cursor shows it)';

/** Of a program at whose prompt a line was run. Said once for a session. */
export const noStatusText =
  'reports no exit status for a line; 0 means that its prompt is back, so read the output for errors';

/** How programs that take over the terminal are left, by name. */
const waysOut: Readonly<Record<string, string>> = {
  ...each(['nano', 'pico'], 'the key ctrl+x'),
  ...each(
    ['vi', 'vim', 'vim.basic', 'vim.tiny', 'nvim', 'view', 'ex'],
    'the keys escape : q ! enter',
  ),
  ...each(['emacs', 'emacsclient'], 'the keys ctrl+x ctrl+c'),
  joe: 'the key ctrl+c',
  micro: 'the key ctrl+q',
  ...each(['hx', 'kak'], 'the keys escape : q ! enter'),
  watch: 'the key ctrl+c',
  ...each(['mcedit', 'dialog', 'whiptail', 'fzf', 'sk'], 'the key escape'),
  ...each(['less', 'more', 'most', 'pager', 'man', 'top', 'htop', 'btop'], 'the key q'),
  mc: 'the key f10',
  ...each(['tig', 'lazygit', 'ranger', 'nnn', 'info', 'moar'], 'the key q'),
};

type Asked = Pick<RunResult, 'question' | 'guess' | 'program' | 'asksForRest'> & {
  readonly outcome: string;
};

/**
 * Tells which program waits for input, for what, and how it is left.
 *
 * @param session to look at if there is no question; null if it ends
 */
export function askedText(
  session: string | null,
  { outcome, question = '', guess, program, asksForRest }: Asked,
): string {
  const what = outcome === 'password' ? 'a password' : 'input';
  const who = program === undefined || isShell(program) ? 'the program' : program;
  const wayOut = waysOut[program ?? ''];
  const leave = wayOut === undefined ? '' : ` (leave it with ${wayOut})`;
  if (asksForRest) {
    const rest = `type it with vtr send ${session}, or cancel the command with vtr key ${session} ctrl+c`;
    return `${program === undefined || isShell(program) ? 'the shell' : program} waits for the rest of a command: ${question}; ${rest}`;
  }
  const see = session === null ? '' : `; to see it: vtr screen ${session}`;
  const where = question === '' ? see : `: ${question}`;
  return guess
    ? `${who} may wait for ${what}${guessText}${where}`
    : `${who} waits for ${what}${leave}${where}`;
}

function each(names: readonly string[], way: string): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, way]));
}
