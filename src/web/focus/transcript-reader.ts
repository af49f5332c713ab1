import { signal } from '@preact/signals';
import type { SessionInfo } from '#model';
import { type Calls, errorText } from '../link/link.ts';

/** A row that a full-screen program has shown. */
export interface TranscriptLine {
  readonly text: string;
  /** Whether rows may be missing before it, or it may repeat others. */
  readonly isUncertain: boolean;
}

/** The most lines that are read at once, and that are shown. */
const maxLines = 5_000;
/** The rows that a full-screen program has shown, in order and without repeats, as far as they were read. */
export class TranscriptReader {
  readonly lines = signal<readonly TranscriptLine[]>([]);
  /** Why there are none, or no more; empty if nothing is wrong. */
  readonly problem = signal('');
  readonly #link: Pick<Calls, 'call'>;
  readonly #session: { readonly name: string; readonly sessionId: string };
  #mark: string | undefined;
  #reading: Promise<void> | null = null;

  constructor(link: Pick<Calls, 'call'>, { name, id }: Pick<SessionInfo, 'name' | 'id'>) {
    this.#link = link;
    this.#session = { name, sessionId: id };
  }

  /** Reads what was shown since the last reading. */
  read(): Promise<void> {
    this.#reading ??= this.#readOn().finally(() => {
      this.#reading = null;
    });
    return this.#reading;
  }

  async #readOn(): Promise<void> {
    const budget = { maxLines: String(maxLines), keep: 'KEPT_PART_TAIL' } as const;
    const since = this.#mark === undefined ? {} : { since: this.#mark };
    try {
      // A person sees what is there.
      const how = { transcript: true, redact: false, budget, ...since };
      const answer = await this.#link.call('Read', { ...this.#session, ...how });
      const { kind, text = {}, mark, uncertain = [] } = answer;
      if (kind === 'READ_KIND_LINES') {
        this.problem.value = 'The program no longer has the whole screen.';
        return;
      }
      this.problem.value = '';
      this.#mark = mark;
      if (kind !== 'READ_KIND_UNCHANGED') this.#add(text, new Set(uncertain));
    } catch (error) {
      this.problem.value = errorText(error);
    }
  }

  #add(
    { tail = '', omitted }: { readonly tail?: string; readonly omitted?: { lines?: string } },
    uncertain: ReadonlySet<number>,
  ): void {
    const left = Number(omitted?.lines ?? 0);
    const added = (tail === '' ? [] : tail.split('\n')).map((text, at) => ({
      text,
      isUncertain: uncertain.has(left + at) || (at === 0 && left > 0),
    }));
    this.lines.value = [...this.lines.value, ...added].slice(-maxLines);
  }
}

/** Returns the next line with a text, from one on, around the end; -1 if no line has it. */
export function lineWith(lines: readonly TranscriptLine[], text: string, from: number): number {
  const needle = text.toLowerCase();
  const has = ({ text: line }: TranscriptLine) => line.toLowerCase().includes(needle);
  const at = lines.findIndex((line, index) => index >= from && has(line));
  return at >= 0 ? at : lines.findIndex(has);
}
