import { type Clock, type Disposable, defined, Utf8Decoder } from '#base';
import type { SessionEvent, TextMatch } from '#model';
import { type Mark, markNow, parseMark } from '../reading/read-mark.ts';
import { segmentAt } from '../reading/shown-rows.ts';
import { firstUnread, unreadPart, unreadParts } from '../reading/stretches.ts';
import { LineScanner, Slices } from '../searching/line-scanner.ts';
import type { Candidate, Found, PatternList } from '../searching/pattern.ts';
import type { Watched } from '../watched.ts';
import { EchoFilter, type EchoRange } from './echo/echo-filter.ts';
import { RawEcho } from './echo/raw-echo.ts';
import { Repaints, redrawMs } from './repaints.ts';
import type { QueryActivity } from './shared-activity.ts';
import type { Condition, ConditionCheck, ConditionMet } from './wait.ts';

/**
 * How far before the newest chunk a match in the raw output may begin, in UTF-16 code units. Up to twice as many are
 * kept.
 */
const windowUnits = 16 * 1024;
/** Raw output returned before and after a match, in UTF-16 code units each. */
const contextUnits = 80;
/** How long a match may turn out to be the echo of input before it counts, in ms. */
const unsureMs = 300;
/** How many lines are searched for a match from before a wait that times out. */
const maxLinesBefore = 300;
/** Archived lines that are read at once. A line may have 256 Ki characters. */
const linesAtOnce = 16;
/** The most lines kept that match while earlier ones are searched. */
const maxMeanwhile = 64;

export interface OutputOptions {
  /** Whether the next input of the session is sent with the wait. */
  readonly sendsInput: boolean;
  readonly activity: QueryActivity;
}

/**
 * Met when output makes a line match. Lines are matched as displayed: without escape sequences, and
 * unwrapped. In a line that existed before, a match must include text printed since. The echo of input
 * that is sent with the wait, or was sent since its mark, does not count.
 */
export function textCondition(
  patterns: PatternList,
  outcome: 'matched' | 'stopped',
  options: OutputOptions,
): Condition {
  return {
    start: (watched, clock, onMet, since) => {
      const onFound = (hit: Found, inEcho: boolean, redrawn = false) =>
        onMet({
          outcome,
          ...hit,
          ...defined({ inEcho: inEcho || undefined, redrawn: redrawn || undefined }),
        } satisfies ConditionMet);
      const isStop = outcome === 'stopped';
      return new TextCheck({ watched, clock, patterns, options, isStop, onFound }, since);
    },
  };
}

interface TextSearch {
  readonly watched: Watched;
  readonly clock: Clock;
  readonly patterns: PatternList;
  readonly options: OutputOptions;
  readonly isStop: boolean;
  readonly onFound: (hit: Found, inEcho: boolean, redrawn?: boolean) => void;
}

class TextCheck implements ConditionCheck {
  readonly #search: TextSearch;
  readonly #echo: EchoFilter;
  readonly #begin: Mark;
  /** Null if it is not known what was shown. */
  #repaints: Repaints | null;
  /** Whether it is not known what was shown at the mark. */
  #isShownUnknown = false;
  /** Lines with matches that may be echo, with the index at which their printed text begins. */
  readonly #unsureLines = new Map<number, number>();
  /** A match on the alternate screen that may be echo. */
  #unsureRow: Found | null = null;
  #timer: Disposable | null = null;
  #restTimer: Disposable | null = null;
  #asksModes: boolean;
  /** Whether the patterns matched in the echo. */
  #hasEcho = false;
  /** Whether the match that was found last may have been on the screen before. */
  #isMaybe = false;
  readonly searching: Promise<void> | null = null;
  #scanner: LineScanner | null = null;
  #isSearching = false;
  #isDisposed = false;
  /** Lines from this one on are not searched. */
  #endLine = Number.POSITIVE_INFINITY;
  /** New lines that matched during the search, as they were then. */
  #meanwhile: Candidate[] = [];

  constructor(search: TextSearch, since: Mark | null) {
    this.#search = search;
    const { watched, clock, patterns, options } = search;
    this.#begin = since ?? parseMark(watched, markNow(watched));
    const { shownRevision, alternate } = watched.terminal;
    const isNow = this.#begin.revision === shownRevision;
    const rows = watched.shownAt(this.#begin.revision);
    const shown = rows ?? (isNow ? watched.shownRows() : undefined);
    this.#isShownUnknown = shown === undefined && alternate;
    this.#repaints = shown ? new Repaints(watched, clock, patterns, shown) : null;
    if (!isNow) this.#repaints?.onOutput();
    this.#asksModes = options.sendsInput;
    this.#echo = new EchoFilter(watched, echoRange(watched, options, since?.offset ?? null));
    if (since === null) return;
    const first = Math.max(firstUnread(watched, since), watched.all.terminal.firstLine);
    if (first < watched.terminal.firstLine) {
      this.#isSearching = true;
      // After the constructor: the wait asks this check for the lost lines when it ends.
      this.searching = Promise.resolve().then(() => this.#searchFrom(first, since));
    } else this.#check(printedSince(watched, since));
    this.#isShownUnknown = false;
    if (shown === undefined)
      this.#repaints = new Repaints(watched, clock, patterns, watched.shownRows());
  }

  onEvent({ type }: SessionEvent): void {
    if (type === 'output') this.#repaints?.onOutput();
    if (this.#isSearching) {
      if (type === 'output') this.#keepMatches();
      return;
    }
    if (type === 'output') this.#check(this.#search.watched.printedText());
    if (type === 'output' || type === 'mark' || type === 'exit') this.#checkUnsure(type === 'exit');
  }

  onTimeout(): Pick<ConditionMet, 'inEcho' | 'matchedBefore'> {
    if (this.#search.isStop) return {};
    const before = this.#matchBefore();
    return defined({ inEcho: this.#hasEcho || undefined, matchedBefore: before });
  }

  get lostLines(): number {
    return this.#scanner?.lostLines ?? 0;
  }

  onDeadline(): void {
    this.#endLine = Math.min(this.#endLine, this.#search.watched.terminal.endLine);
  }

  /**
   * Searches the lines that have left the scrollback, and then the others. More lines leave it meanwhile, so the
   * search goes on until it has reached the scrollback.
   */
  async #searchFrom(first: number, since: Mark): Promise<void> {
    const { watched, clock, patterns } = this.#search;
    const { all, terminal } = watched;
    const scanner = new LineScanner(all.terminal, patterns.finders);
    this.#scanner = scanner;
    const slices = new Slices(clock);
    let line = first;
    let isFound = false;
    for (;;) {
      const end = Math.min(terminal.firstLine, this.#endLine);
      if (line >= end || isFound || this.#isDisposed) break;
      if (this.#echo.mayBeIn(line)) {
        const from = line;
        line = Math.min(line + linesAtOnce, end);
        isFound = this.#check(this.#archivedLines(scanner, since, from, line));
      } else {
        const scan = scanner.next(line, end);
        line = scan.mayMatch ? scan.line + 1 : scan.line;
        if (scan.mayMatch)
          isFound = this.#check(this.#archivedLines(scanner, since, scan.line, line));
      }
      if (slices.over) await slices.next();
    }
    this.#isSearching = false;
    if (this.#isDisposed || isFound) return;
    // At the deadline, output that goes on may be ahead of the search: what it shows now does not count.
    if (line < this.#endLine && this.#check(printedSince(watched, since, line))) return;
    if (this.#check(this.#meanwhile)) return;
    if (watched.exitStatus !== null) this.#checkUnsure(true);
  }

  /** Yields lines that the scrollback has dropped. Counts those that cannot be read. */
  *#archivedLines(scanner: LineScanner, since: Mark, from: number, to: number) {
    let next = from;
    for (const read of this.#search.watched.all.lineTexts(from, to, 'spaced')) {
      scanner.lostLines += read.line - next;
      next = read.line + 1;
      const part = unreadPart(since, read);
      yield { ...part, to: part.text.length };
    }
    scanner.lostLines += to - next;
  }

  /** Keeps new lines that match: they may be written over before the search reaches them. */
  #keepMatches(): void {
    const { watched, patterns } = this.#search;
    for (const printed of watched.printedText()) {
      if (this.#meanwhile.length >= maxMeanwhile) return;
      if (patterns.find([printed]) !== null) this.#meanwhile.push(printed);
    }
  }

  /** Returns the newest match that is not echo: output since the beginning has none. */
  #matchBefore(): TextMatch | null {
    const { watched, patterns } = this.#search;
    const { endLine, alternate } = watched.terminal;
    const from = Math.max(watched.startLine, endLine - maxLinesBefore);
    const all = alternate ? rowsOf(watched) : linesOf(watched, from, endLine);
    for (const candidate of [...all].reverse()) {
      const isOld = candidate.line !== null && candidate.line < this.#begin.line;
      const hit = patterns.find(isOld ? [candidate] : this.#echo.split(candidate).real);
      if (hit !== null && !(alternate && this.#echo.isSent(hit.match.matched))) {
        return hit.match;
      }
    }
    return null;
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#timer?.dispose();
    this.#restTimer?.dispose();
  }

  /** Returns whether there was a match. */
  #check(printed: Iterable<Candidate>): boolean {
    const { onFound } = this.#search;
    for (const candidate of printed) {
      const hit = this.#findNew(candidate);
      if (hit === null) continue;
      onFound(hit, false, this.#isMaybe);
      return true;
    }
    return false;
  }

  /** Returns a match that was not on the screen before. */
  #findNew(candidate: Candidate): Found | null {
    this.#isMaybe = this.#isShownUnknown && candidate.line === null;
    const part = this.#repaints?.mayBeOld ? this.#newPart(candidate, this.#repaints) : candidate;
    const mayBeEcho = this.#echo.mayBeIn(candidate.line);
    if (part !== null) return mayBeEcho ? this.#findReal(part) : this.#search.patterns.find([part]);
    // The echo must be found in every line, because the next one continues it.
    if (mayBeEcho) this.#echo.split(candidate);
    return null;
  }

  /** Returns the part of a row that has no match from before: another column of it may have a new one. */
  #newPart(candidate: Candidate, repaints: Repaints): Candidate | null {
    const { text, to } = candidate;
    let { from } = candidate;
    do {
      const part = { ...candidate, from };
      const hit = this.#search.patterns.find([part]);
      if (hit === null) return part;
      const { matched } = hit.match;
      const at = Math.max(0, text.indexOf(matched, Math.max(0, from - matched.length + 1)));
      const novelty = repaints.noveltyOf(part, segmentAt(text, at).text);
      this.#isMaybe ||= novelty === 'maybe';
      if (novelty === 'open') this.#awaitRest(candidate);
      else if (novelty !== 'old') return part;
      from = Math.max(segmentAt(text, at).end, at + matched.length, from + 1);
    } while (from < to);
    return null;
  }

  /** Returns a match outside the echo, and notes an unsure one. */
  #findReal(candidate: Candidate): Found | null {
    const { patterns } = this.#search;
    const { line, from } = candidate;
    if (patterns.find([candidate]) === null) {
      // The echo must be found in every line, because the next one continues it.
      this.#echo.split(candidate);
      return null;
    }
    const { real, unsure } = this.#echo.split(candidate);
    const hit = patterns.find(real);
    if (hit !== null) return this.#isUnsureRow(hit) ? null : hit;
    if (line === null || patterns.find(unsure) === null) {
      this.#hasEcho = true;
      this.#askModes();
      return null;
    }
    this.#unsureLines.set(line, Math.min(this.#unsureLines.get(line) ?? from, from));
    this.#delay();
    return null;
  }

  /** On the alternate screen, the text that was sent can appear anywhere. */
  #isUnsureRow(hit: Found): boolean {
    if (hit.match.line !== null || !this.#echo.isSent(hit.match.matched)) return false;
    this.#unsureRow ??= hit;
    this.#delay();
    return true;
  }

  /** Checks a row again in which an old text seems to be drawn. */
  #awaitRest({ line, row = null }: Candidate): void {
    this.#restTimer ??= this.#search.clock.schedule(redrawMs + 1, () => {
      this.#restTimer = null;
      const { watched } = this.#search;
      const isIt = (each: Candidate) => (row === null ? each.line === line : each.row === row);
      const shown = row === null ? linesOf(watched, line ?? 0, (line ?? 0) + 1) : rowsOf(watched);
      this.#check([...shown].filter(isIt));
    });
  }

  #delay(): void {
    this.#timer ??= this.#search.clock.schedule(unsureMs, () => {
      // Timers fire before I/O: output that arrived meanwhile may show that it was echo.
      this.#timer = this.#search.clock.afterPendingIo(() => {
        this.#timer = null;
        this.#checkUnsure(true);
      });
    });
  }

  /** Checks the lines again that had unsure matches. @param isFinal whether to decide now */
  #checkUnsure(isFinal: boolean): void {
    for (const [line, from] of this.#unsureLines) this.#checkLine(line, from, isFinal);
    if (isFinal && this.#unsureRow !== null) this.#search.onFound(this.#unsureRow, true);
  }

  #checkLine(line: number, from: number, isFinal: boolean): void {
    const { watched, patterns, onFound } = this.#search;
    const text = watched.all.linePart(line, {});
    const candidate = { line, text, from, to: text.length };
    const { real, unsure } = this.#echo.split(candidate);
    const hit = patterns.find(real);
    if (hit !== null) {
      onFound(hit, false);
      return;
    }
    const maybe = unsure.find((each) => patterns.find([each]) !== null);
    if (maybe === undefined) {
      this.#unsureLines.delete(line);
      this.#hasEcho ||= patterns.find([candidate]) !== null;
    } else if (isFinal) onFound(patterns.find([maybe]) as Found, maybe.mayBeEcho);
  }

  /** If the only match so far is taken for the echo, asks once whether the terminal echoes. */
  #askModes(): void {
    const { patterns, watched, options } = this.#search;
    if (!this.#asksModes || watched.commands.typing !== null) return;
    this.#asksModes = false;
    whenEchoIsOff(options.activity, () => {
      const hit = patterns.find(printedSince(watched, this.#begin));
      if (hit !== null) this.#search.onFound(hit, false);
    });
  }
}

/**
 * Returns what was printed since a mark, as far as the scrollback and the screen have it. Includes all rows of
 * the alternate screen if any changed: changes of single rows are not tracked.
 */
function* printedSince(watched: Watched, since: Mark, atLeast = 0): Generator<Candidate> {
  for (const part of unreadParts(watched, since, atLeast)) yield { ...part, to: part.text.length };
  if (watched.terminal.alternate && watched.terminal.changedRows(since.revision).length > 0)
    yield* rowsOf(watched);
}

function* linesOf({ all }: Watched, from: number, to: number): Generator<Candidate> {
  for (const { line, text } of all.lineTexts(from, to)) {
    yield { line, text, from: 0, to: text.length };
  }
}

function* rowsOf(watched: Watched): Generator<Candidate> {
  for (const [row, text] of watched.screenRows().entries())
    yield { line: null, text, from: 0, to: text.length, row };
}

/** Met when the raw output matches, escape sequences included. The output is decoded as UTF-8. */
export function rawCondition(
  patterns: PatternList,
  outcome: 'matched' | 'stopped',
  options: OutputOptions,
): Condition {
  return {
    start: (watched, _clock, onMet, since) => {
      const onFound = ({ match, ...rest }: Found, text: string, inEcho: boolean) => {
        const shown = { ...match, text: around(text, match.matched) };
        onMet({ outcome, ...rest, ...defined({ inEcho: inEcho || undefined }), match: shown });
      };
      return new RawCheck({ watched, patterns, options, onFound }, since);
    },
  };
}

interface RawSearch {
  readonly watched: Watched;
  readonly patterns: PatternList;
  readonly options: OutputOptions;
  readonly onFound: (hit: Found, text: string, inEcho: boolean) => void;
}

class RawCheck implements ConditionCheck {
  readonly #search: RawSearch;
  readonly #echo: RawEcho;
  readonly #decoder = new Utf8Decoder();
  #lastText = '';
  #asksModes: boolean;

  constructor(search: RawSearch, since: Mark | null) {
    this.#search = search;
    const { watched, options } = search;
    this.#asksModes = options.sendsInput;
    this.#echo = new RawEcho(watched, echoRange(watched, options, since?.offset ?? null));
    if (since === null) return;
    for (const { bytes } of watched.rawOutput(since.offset)) this.#check(bytes);
  }

  onEvent(event: SessionEvent): void {
    if (event.type === 'output') this.#check(event.bytes);
  }

  dispose(): void {}

  #check(bytes: Uint8Array): void {
    const { patterns, onFound } = this.#search;
    const text = this.#lastText + this.#decoder.push(bytes);
    const printed = { line: null, text, from: this.#lastText.length, to: text.length };
    // Its beginning stays for a while: a text that only grows is tested faster.
    this.#lastText = text.length > 2 * windowUnits ? text.slice(-windowUnits) : text;
    const hit = patterns.find(this.#echo.real(printed));
    if (hit !== null) onFound(hit, text, this.#echo.mayBeEcho(hit.match.matched));
    else this.#askModes(printed);
  }

  #askModes(printed: Candidate): void {
    const { patterns, options, onFound } = this.#search;
    const hit = this.#asksModes ? patterns.find([printed]) : null;
    if (hit === null) return;
    this.#asksModes = false;
    whenEchoIsOff(options.activity, () => onFound(hit, printed.text, false));
  }
}

/**
 * Calls back if the terminal does not echo. A program that reads lines without echo can print the line
 * itself.
 */
function whenEchoIsOff(activity: QueryActivity, onOff: () => void): void {
  const onActivity = ({ evidence }: Awaited<ReturnType<QueryActivity>>) => {
    if (evidence.canonical === true && evidence.echo === false) onOff();
  };
  activity().then(onActivity, () => {});
}

/** Returns the inputs whose echo a wait ignores: those since its mark, and its own. */
function echoRange(
  watched: Watched,
  { sendsInput }: OutputOptions,
  since: number | null,
): EchoRange {
  const none = Number.POSITIVE_INFINITY;
  return {
    sinceOffset: since ?? (sendsInput ? watched.outputEnd : none),
    lastInput: watched.inputCount + (sendsInput ? 1 : 0),
  };
}

function around(text: string, matched: string): string {
  const at = text.lastIndexOf(matched);
  return text.slice(Math.max(0, at - contextUnits), at + matched.length + contextUnits);
}
