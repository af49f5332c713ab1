import {
  type CommandChoice,
  type CommandOutput,
  type CommandOutputRequest,
  type CommandRecord,
  type Coordinator,
  VtrError,
  withoutStyles,
} from '#model';
import type { Context } from '../context.ts';
import { InvisibleCharacters, tellGap } from './excerpt.ts';
import { tellRedacted } from './plain-text.ts';

/** One call returns at most this much, so that the coordinator does other work between two of them. */
const page = { keep: 'head', maxLines: 4_000, maxBytes: 1024 * 1024 } as const;

/** How much of the output of a command comes with its end, in bytes. */
export const firstBytes = page.maxBytes;

/**
 * Prints all of the output of a command, of any length. What is lost is reported on stderr.
 *
 * @param first the beginning, if that is known: of {@link firstBytes}
 * @throws VtrError COMMAND_NOT_FOUND, SESSION_NOT_FOUND
 */
export async function printWhole(
  context: Context,
  coordinator: Pick<Coordinator, 'commandOutput'>,
  session: string,
  request: Pick<CommandOutputRequest, 'format' | 'redact'> & { readonly command: CommandChoice },
  first: Beginning | null = null,
): Promise<void> {
  const printed = new PrintedOutput(context);
  if (first !== null) printed.add(first);
  while (!printed.isWhole) {
    // The next calls are about the same command, also if another one has ended.
    const command = printed.command ?? request.command;
    const { skipLines } = printed;
    const asked = { ...request, ...page, command, skipLines };
    let read = await coordinator.commandOutput(session, asked);
    if (read.skippedLines === undefined) {
      if (skipLines > 0) throw unknownRest(session);
      read = await coordinator.commandOutput(session, request);
    }
    printed.add(read);
    await context.flushed();
  }
  printed.tell();
}

/** A part of an output, from a line on. */
type Beginning = Pick<CommandOutput, 'text' | 'gap' | 'openEnd' | 'redacted'> & {
  readonly command: CommandRecord | null;
};

class PrintedOutput {
  readonly #context: Context;
  readonly #invisible = new InvisibleCharacters();
  #redacted: number | undefined;
  command: number | null = null;
  /** Lines before the next one, those that are lost included. */
  skipLines = 0;
  isWhole = false;

  constructor(context: Context) {
    this.#context = context;
  }

  add({ command, text, gap, openEnd, redacted }: Beginning): void {
    const context = this.#context;
    this.command = command?.number ?? null;
    if (this.skipLines === 0) tellGap(context, gap);
    else {
      const { rows: _told, ...more } = gap;
      tellGap(context, { ...more, lines: Math.max(0, gap.lines - this.skipLines) });
    }
    this.isWhole = text.omitted === null;
    const lines = this.isWhole ? text.tail : text.head;
    context.out(lines + (this.isWhole && openEnd ? '' : '\n'));
    this.#invisible.add(withoutStyles(lines));
    if (redacted !== undefined) this.#redacted = (this.#redacted ?? 0) + redacted;
    this.skipLines = Math.max(this.skipLines, gap.lines) + lines.split('\n').length;
  }

  tell(): void {
    this.#invisible.tell(this.#context);
    tellRedacted(this.#context, this.#redacted === undefined ? {} : { redacted: this.#redacted });
  }
}

/** A coordinator that was replaced by one of an older version. */
const unknownRest = (session: string): VtrError =>
  new VtrError(
    'UNAVAILABLE',
    `session ${session}: the coordinator cannot return the rest of the output; use vtr serve --restart`,
  );
