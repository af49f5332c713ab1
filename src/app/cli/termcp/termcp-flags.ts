import { maxRawBytes, minRawBytes } from '#model';
import { oneOf, text, toggle, wholeNumber } from '../arguments/flags.ts';

const minSide = 1;
const maxSide = 500;
const bytesPerKb = 1024;
/** A century is more than a timer takes, and than anybody means. */
const maxMinutes = 1_000_000;

/** What the termcp design has, with its names and defaults. */
export const termcpFlags = {
  'session-timeout': wholeNumber('MINUTES', 'ends what nobody uses; 20 if not given, 0: never', {
    to: maxMinutes,
  }),
  rows: wholeNumber('N', 'rows of the terminal, 24 if not given', { from: minSide, to: maxSide }),
  cols: wholeNumber('N', 'columns, 80 if not given', { from: minSide, to: maxSide }),
  'max-buffer-kb': wholeNumber('KB', 'output kept until it is read, 1024 if not given', {
    from: minRawBytes / bytesPerKb,
    to: maxRawBytes / bytesPerKb,
  }),
  'strip-ansi': toggle('take escape sequences out of what is read'),
  'log-level': oneOf(
    ['error', 'warn', 'info', 'debug', 'trace'],
    'LEVEL',
    'what is said on stderr; info if not given',
  ),
  workdir: text('FOLDER', 'where COMMAND starts; the current folder if not given', {
    completes: 'file',
  }),
};
