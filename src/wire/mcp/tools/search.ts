import * as z from 'zod/v4';
import { defined } from '#base';
import { type Coordinator, hidesText, type SearchMatch, type SessionRef, VtrError } from '#model';
import { asInRead, foundFields, sessionId } from '../fields.ts';
import { hiddenInLines, maxLineChars, PlainLines } from '../reading/terminal-text.ts';
import { defineTool, looks } from '../tool.ts';

const matches = z.array(
  z.object({
    line: z.int(),
    in_output: z.boolean().optional(),
    text: z.string(),
    before: z.array(z.string()).optional(),
    after: z.array(z.string()).optional(),
  }),
);

export const search = defineTool({
  name: 'terminal__search',
  title: 'Search history',
  description: 'Find lines by RE2, oldest first',
  annotations: looks,
  isCore: false,
  input: z.strictObject({
    session_id: sessionId,
    pattern: z.string(),
    context: z.int().min(0).max(50).optional(),
    max_matches: z.int().min(1).optional().describe('Default 20, max 10000'),
    from_line: z.int().min(0).optional().describe('Last line + 1 goes on'),
    command: z.int().min(1).optional().describe('Only of this command'),
  }),
  output: z.object({
    matches,
    truncated: z.boolean(),
    lost_lines: z.int().optional().describe('Not searched: lost'),
    ...asInRead(foundFields),
    untrusted: foundFields.untrusted,
  }),
  always: ['matches'],
  async run(args, caller, { signal }) {
    const { session_id, pattern, context = 0, max_matches = 20, from_line: from, command } = args;
    if (from !== undefined && command !== undefined) {
      throw new VtrError('INVALID_ARGUMENT', 'give from_line or command, not both');
    }
    const coordinator = await caller.coordinatorOf(session_id);
    const { name, id } = await coordinator.info(session_id);
    const result = await coordinator.search(
      { name, id },
      {
        pattern,
        before: context,
        after: context,
        maxMatches: max_matches,
        signal,
        ...defined({ from, command }),
      },
    );
    const lines = new PlainLines();
    const plain = (line: string) => lines.plain(line);
    const shown = withinBudget(result.matches);
    const matches = shown.map(({ line, inOutput = false, text, before, after }) => ({
      line,
      ...defined({ in_output: inOutput || undefined }),
      text: plain(text),
      ...(context === 0 ? {} : { before: before.map(plain), after: after.map(plain) }),
    }));
    const ranges = shown
      .filter(({ inOutput }) => inOutput !== true)
      .map(({ line }) => ({ from: Math.max(0, line - context), to: line + context + 1 }));
    const isHidden =
      (await hiddenInLines(coordinator, { name, id }, ranges)) ||
      (ranges.length < shown.length && (await hiddenInOutput(coordinator, { name, id }, command)));
    const { untrusted, ...facts } = lines.facts(isHidden);
    return {
      matches,
      truncated: result.truncated || matches.length < result.matches.length,
      ...defined({ lost_lines: result.lostLines || undefined }),
      ...facts,
      untrusted: caller.isLean && matches.length === 0 ? undefined : untrusted,
    };
  },
});

/** More than the end of a command's output that is kept, with its styles. */
const maxStyledBytes = 256 * 1024;

/** Returns whether the output of a command that is no longer in the lines has invisible text. */
async function hiddenInOutput(
  coordinator: Coordinator,
  session: SessionRef,
  command: number | undefined,
): Promise<boolean> {
  if (command === undefined) return false;
  const request = { command, format: 'ansi', maxBytes: maxStyledBytes } as const;
  const { text } = await coordinator.commandOutput(session, request);
  return text.tail.split('\n').some(hidesText);
}

/** Hosts truncate or refuse longer answers. */
const maxChars = 30_000;

/** Returns the first matches that fit; always at least one. */
function withinBudget(matches: readonly SearchMatch[]): readonly SearchMatch[] {
  let chars = 0;
  const count = matches.findIndex(({ text, before, after }) => {
    for (const line of [text, ...before, ...after]) chars += Math.min(line.length, maxLineChars);
    return chars > maxChars;
  });
  return count === -1 ? matches : matches.slice(0, Math.max(1, count));
}
