import * as z from 'zod/v4';
import { sanitize } from '#base';
import { sessionId } from '../fields.ts';
import { defineTool, looks } from '../tool.ts';

const matches = z.array(
  z.object({
    line: z.int(),
    text: z.string(),
    before: z.array(z.string()).optional(),
    after: z.array(z.string()).optional(),
  }),
);

export const search = defineTool({
  name: 'terminal__search',
  title: 'Search terminal history',
  description: 'Find lines by regex (RE2) in screen and scrollback, instead of reading all of it.',
  annotations: looks,
  isCore: false,
  input: z.strictObject({
    session_id: sessionId,
    pattern: z.string(),
    context: z.int().min(0).max(50).optional().describe('Lines around each match'),
    max_matches: z.int().min(1).optional().describe('Default 20'),
  }),
  output: z.object({ matches, truncated: z.boolean(), untrusted: z.literal(true) }),
  async run({ session_id, pattern, context = 0, max_matches = 20 }, caller, { signal }) {
    const coordinator = await caller.coordinatorOf(session_id);
    const found = await coordinator.search(session_id, {
      pattern,
      before: context,
      after: context,
      maxMatches: max_matches,
      signal,
    });
    return {
      matches: found.matches.map(({ line, text, before, after }) => ({
        line,
        text: plain(text),
        ...(context === 0 ? {} : { before: before.map(plain), after: after.map(plain) }),
      })),
      truncated: found.truncated,
      untrusted: true as const,
    };
  },
});

/** A line of a megabyte is one too. */
const maxLineChars = 1000;

const plain = (text: string): string => sanitize(text.slice(0, maxLineChars)).text;
