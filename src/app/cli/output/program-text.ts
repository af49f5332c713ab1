import { isShell, type RunResult } from '#model';

/** Follows the words for a question that only the text before the cursor shows. */
export const guessText = ' (a guess: only the text before the cursor shows it)';

/** Follows the name of a program at whose prompt a line was run. Said once per session. */
export const noStatusText =
  'reports no exit status for a line; 0 means that its prompt is back, so read the output for errors';

/** How programs that take over the terminal are left, by name. */
const waysOut: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'the key ctrl+x': 'nano pico',
    'the keys escape : q ! enter': 'vi vim vim.basic vim.tiny nvim view ex hx kak',
    'the keys ctrl+x ctrl+c': 'emacs emacsclient',
    'the key ctrl+c': 'joe watch',
    'the key ctrl+q': 'micro',
    'the key escape': 'mcedit dialog whiptail fzf sk',
    'the key q': 'less more most pager man moar info top htop btop tig lazygit ranger nnn',
    'the key f10': 'mc',
  }).flatMap(([way, names]) => names.split(' ').map((name) => [name, way] as const)),
);

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
  const named = program === undefined || isShell(program) ? null : program;
  if (asksForRest) {
    const rest = `type it with vtr send ${session}, or cancel the command with vtr key ${session} ctrl+c`;
    return `${named ?? 'the shell'} waits for the rest of a command: ${question}; ${rest}`;
  }
  const who = named ?? 'the program';
  const what = outcome === 'password' ? 'a password' : 'input';
  const wayOut = waysOut.get(program ?? '');
  const leave = wayOut === undefined ? '' : ` (leave it with ${wayOut})`;
  const see = session === null ? '' : `; to see it: vtr screen ${session}`;
  const where = question === '' ? see : `: ${question}`;
  return guess
    ? `${who} may wait for ${what}${guessText}${where}`
    : `${who} waits for ${what}${leave}${where}`;
}
