import {
  asksExit,
  lostExit,
  noExit,
  notSubmittedExit,
  restartExit,
  unknownExit,
  waitExit,
} from '#app/cli';
import { errorTable } from '#model';

/** The results that have an exit status; the errors are added from their table. */
const results = [
  { exit: waitExit.matched, result: 'success; the condition was met' },
  {
    exit: noExit,
    result:
      '`grep`: no match; `mouse`: nothing was sent; `test`: a test failed; `doctor`: a problem was found; `web status`: not served; `tmux`: as tmux',
  },
  { exit: waitExit.exited, result: 'waits, `run`: the program ended first' },
  { exit: waitExit.timed_out, result: 'waits, `run`, `exec`: timed out' },
  { exit: waitExit.stopped, result: 'waits: `--stop` matched' },
  { exit: unknownExit, result: '`run`: the command ended with an unknown status' },
  { exit: asksExit, result: '`run`, `exec`: the program waits for input' },
  { exit: lostExit, result: '`grep`: no match, but part of the output is no longer kept' },
  { exit: notSubmittedExit, result: '`send --submit`: the program did not take the text' },
  {
    exit: restartExit,
    result: '`serve`: `serve --restart` ended it; its supervisor starts it again',
  },
];
const statuses = new Set([
  ...results.map(({ exit }) => exit),
  ...Object.values(errorTable).map(({ exit }) => exit),
]);

/**
 * The exit statuses, ascending: the results in Markdown, and the codes of errors.
 *
 * @returns {readonly { status: number, result: string, codes: readonly string[] }[]}
 */
export const exitStatuses = () =>
  [...statuses]
    .sort((a, b) => a - b)
    .map((status) => ({
      status,
      result: results.find(({ exit }) => exit === status)?.result ?? '',
      codes: Object.entries(errorTable)
        .filter(([, { exit }]) => exit === status)
        .map(([code]) => code),
    }));
