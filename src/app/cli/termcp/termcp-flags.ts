import { maxRawBytes, minRawBytes } from '#model';
import { oneOf, text, toggle, wholeNumber } from '../arguments/flags.ts';

const minSide = 1;
const maxSide = 500;
const bytesPerKb = 1024;
/** Almost two years. */
const maxMinutes = 1_000_000;

/** The flags of the termcp design, with its names and defaults. */
export const termcpFlags = {
  'session-timeout': wholeNumber(
    'MINUTES',
    'end sessions unused for MINUTES (default 20, 0: never)',
    {
      to: maxMinutes,
    },
  ),
  rows: wholeNumber('N', 'rows of the terminal (default 24)', { from: minSide, to: maxSide }),
  cols: wholeNumber('N', 'columns of the terminal (default 80)', { from: minSide, to: maxSide }),
  'max-buffer-kb': wholeNumber('KB', 'unread output kept per session (default 1024)', {
    from: minRawBytes / bytesPerKb,
    to: maxRawBytes / bytesPerKb,
  }),
  'strip-ansi': toggle('remove escape sequences from the output'),
  'log-level': oneOf(
    ['error', 'warn', 'info', 'debug', 'trace'],
    'LEVEL',
    'messages on stderr: error, warn, info, debug, trace (default info)',
  ),
  workdir: text('DIR', 'working directory of COMMAND (default: current)', {
    completes: 'file',
  }),
};
