import { sanitize } from '#base';
import type { Excerpt, Omitted, ReadGap } from '#model';

/** What a program wrote, as a model gets it, and what is to be known of it. */
export interface TerminalText {
  readonly content: string;
  readonly lines: number;
  readonly omitted?: { readonly lines: number; readonly bytes: number };
  /** Lines that were dropped before they were read. */
  readonly lost_lines?: number;
  /** The same of the view `new` with its ANSI codes. */
  readonly lost_bytes?: number;
  /** Controls and invisible characters that were taken out. */
  readonly removed?: number;
  readonly hidden_text?: boolean;
  readonly untrusted: true;
}

interface Facts {
  readonly omitted?: Pick<Omitted, 'lines' | 'bytes'> | null;
  readonly lostLines?: number;
  readonly lostBytes?: number;
  readonly hiddenText?: boolean;
}

export function plainText(text: string, facts: Facts = {}): TerminalText {
  const { text: content, removed } = sanitize(text);
  return { ...textOf(content, facts), ...(removed > 0 ? { removed } : {}) };
}

/** With its ANSI codes, as it was asked for. */
export function textOf(content: string, facts: Facts = {}): TerminalText {
  const { omitted = null, lostLines = 0, lostBytes = 0, hiddenText = false } = facts;
  return {
    content,
    lines: lineCount(content),
    ...(omitted === null ? {} : { omitted: { lines: omitted.lines, bytes: omitted.bytes } }),
    ...(lostLines > 0 ? { lost_lines: lostLines } : {}),
    ...(lostBytes > 0 ? { lost_bytes: lostBytes } : {}),
    ...(hiddenText ? { hidden_text: true } : {}),
    untrusted: true,
  };
}

/** The two ends of an excerpt, with a line between them where something was left out. */
export function joined({ head, tail, omitted }: Excerpt): string {
  if (omitted === null || head === '' || tail === '') return head + tail;
  return `${head}\n[... ${omitted.lines} ${omitted.lines === 1 ? 'line' : 'lines'} left out ...]\n${tail}`;
}

export const excerptFacts = ({ omitted }: Excerpt, gap: ReadGap): Facts => ({
  omitted,
  lostLines: gap.lines,
});

const lineCount = (text: string): number =>
  text === '' ? 0 : text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
