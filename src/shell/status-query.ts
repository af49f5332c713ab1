/** A line that asks a shell for the exit status of the line before it. */
export interface StatusQuery {
  /** To be typed at the prompt, without Enter. */
  readonly line: string;
  /** RE2 that matches the answer in the raw output: the status and the process ID of the shell. */
  readonly answer: string;
}

/** Where the line is typed. */
export interface TypedPlace {
  /** The column of the cursor behind the prompt; 0-based. */
  readonly col: number;
  readonly cols: number;
  readonly rows: number;
  /** The rows of the prompt above the row of the cursor. */
  readonly rowsAbove: number;
  /** The column in which the prompt begins, behind output without a line end; 0-based. */
  readonly startCol: number;
  /** Whether the line stays in one row, and scrolls there, as in mksh. */
  readonly isOneRow: boolean;
}

/**
 * Returns a line that each POSIX shell and fish understand, and that leaves no trace: it erases itself from the
 * screen before the prompt is shown again, keeps `$?`, sets no variable, and removes itself from the history of bash. A blank
 * before it keeps it out of the history of fish, and of zsh with HIST_IGNORE_SPACE. Terminals ignore the answer, an
 * OSC without a meaning. Under `set -e`, `$?` becomes 0.
 *
 * Both languages see one `eval`. fish turns `\x23` into `#` and `\x0a` into a line end, so it reads a comment and then
 * its own line. In POSIX shells the same words are the name `x23` and the end of a comment.
 *
 * @param token that no other output contains; letters and digits
 * @returns null if the screen is too small to erase the line again
 */
export function statusQuery(token: string, place: TypedPlace): StatusQuery | null {
  const answer = `\\x1b\\]7717;${token};(\\d+);(\\d*)\\x07`;
  if (place.isOneRow) return { line: lineOf(token, 1 + place.rowsAbove, place.startCol), answer };
  for (let rows = 0; rows + 2 + place.rowsAbove <= place.rows; rows++) {
    const typed = lineOf(token, rows + 1 + place.rowsAbove, place.startCol);
    // At the end of a row, shells differ: they do not end there.
    const line = (place.col + typed.length) % place.cols === 0 ? ` ${typed}` : typed;
    if (Math.floor((place.col + line.length) / place.cols) <= rows) return { line, answer };
  }
  return null;
}

/** @param rowsUp from the row below the line to the first row of the prompt */
function lineOf(token: string, rowsUp: number, startCol: number): string {
  const right = startCol === 0 ? '' : `\\033[${startCol}C`;
  const format = `\\033]7717;${token};%s;%s\\007\\r\\033[${rowsUp}A${right}\\033[J`;
  const forget = `case \${BASH_VERSION-} in ?*) case $(history 1) in *${token}*) history -d $(history 1 | { read x23 x; echo $x23; });; esac;; esac`;
  const keep = 'case $- in *e*) unset x23;; *) eval "unset x23; (exit $x23)";; esac';
  const posix = `=$?; ${forget}; printf "${format}" $x23 $$; ${keep} #`;
  const fish = `begin; set -l s $status; printf "${format}" $s $fish_pid; sh -c "exit $s"; end`;
  return ` eval \\x23'${posix}'\\x0a'${fish}'`;
}
