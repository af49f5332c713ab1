import { expandFormat, expandTimedFormat, type FormatSubject } from '#format';
import type { FormatContext } from './context.ts';
import { foundLine, loops, nameExists } from './loops.ts';
import { variable } from './variables.ts';

/** Expands a format. */
export const expand = (format: string, about: FormatContext): Promise<string> =>
  expandFormat(format, subjectOf(about));

/** Expands a format in which `%H` and others are parts of the time. */
export const expandWithTime = (format: string, about: FormatContext): Promise<string> =>
  expandTimedFormat(format, subjectOf(about));

const subjectOf = (about: FormatContext): FormatSubject => ({
  nowMs: () => about.server.nowMs(),
  variable: (name) => variable(name, about),
  turns: (kind) =>
    loops(about, kind).map((turn) => ({
      about: subjectOf(turn.about),
      isCurrent: turn.isCurrent,
    })),
  hasName: (of, name) => nameExists(about, of, name),
  foundRow: (flags, pattern) => foundLine(about, flags, pattern),
  commands: about.commands,
  log: about.log,
});
