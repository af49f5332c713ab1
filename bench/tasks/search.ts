import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { LocalCoordinator } from '#coordinator';
import type { SessionInfo } from '#model';
import { createXterm, xtermOfBytes } from '../engines/index.ts';
import { LoopDelays } from '../measuring/loop-delays.ts';
import type { Task } from '../measuring/task.ts';
import { chunksOf } from '../payloads/chunks.ts';
import { logLines } from '../payloads/log-lines.ts';

/** In the order of the table. They are valid in RE2 and in JavaScript. */
export const searchPatterns = {
  literal: 'billing\\.export\\] token dropped',
  'class and alternatives': '(WARN |ERROR).*(token|job) [a-f]+icted path=/[a-z]+(\\.js)?$',
  anchored: '^2026-03-14T2[0-3]:59:.*(ERROR|WARN )',
  'without case': 'BILLING\\.EXPORT\\] TOKEN DROPPED',
  'no match': 'panic: runtime error',
} as const;
export type SearchName = keyof typeof searchPatterns;

export interface SearchTaskRequest {
  readonly task: 'search';
  readonly engine: 'vtr' | 'xterm';
  readonly search: SearchName;
  readonly lines: number;
}

export interface SearchCost {
  /** CPU time of the process in all searches. */
  readonly seconds: number;
  /** Elapsed time. */
  readonly wallSeconds: number;
  /** The longest delay of the event loop, and the CPU time of the process in a delay. */
  readonly longestMs: number;
  readonly longestOwnMs: number;
  /** The number of lines found. */
  readonly matches: number;
}

const size = { cols: 80, rows: 24 };
/** The most matches of a search. */
const maxMatches = 10_000;

/** Searches a log once per pass: through the coordinator, or in every line of xterm's buffer. */
export class SearchTask implements Task<SearchCost> {
  readonly #search: Promise<Search>;

  constructor(request: SearchTaskRequest) {
    this.#search = request.engine === 'vtr' ? searchOfSession(request) : searchOfXterm(request);
  }

  async round(passes: number): Promise<SearchCost> {
    const { run } = await this.#search;
    let matches = 0;
    const delays = new LoopDelays();
    const wall = performance.now();
    const cpu = process.cpuUsage();
    for (let pass = 0; pass < passes; pass++) matches = await run();
    const { user, system } = process.cpuUsage(cpu);
    const wallSeconds = (performance.now() - wall) / 1000;
    const { longestMs, longestOwnMs } = delays.stop();
    return { seconds: (user + system) / 1e6, wallSeconds, longestMs, longestOwnMs, matches };
  }

  async close(): Promise<void> {
    await (await this.#search).close?.();
  }
}

interface Search {
  /** @returns the number of lines that match */
  run(): Promise<number> | number;
  close?(): Promise<void>;
}

async function searchOfSession({ search, lines }: SearchTaskRequest): Promise<Search> {
  const text = `${logLines(lines, size.cols).join('\n')}\n`;
  const scrollback = { maxLines: lines, maxBytes: 1024 ** 3 };
  const coordinator = new LocalCoordinator({ defaults: { scrollback } });
  const session = await sessionWith(text, coordinator);
  const pattern =
    search === 'without case' ? `(?i)${searchPatterns[search]}` : searchPatterns[search];
  return {
    async run() {
      const { matches } = await coordinator.search(session, { pattern, maxMatches });
      return matches.length;
    },
    close: () => coordinator.close(),
  };
}

/** A session with this output, whose program has exited. */
async function sessionWith(text: string, coordinator: LocalCoordinator): Promise<SessionInfo> {
  const directory = mkdtempSync(join(tmpdir(), 'vtr-bench-'));
  const file = join(directory, 'log');
  try {
    writeFileSync(file, text);
    const session = await coordinator.spawn({ program: 'cat', args: [file], size });
    await coordinator.wait(session, { timeoutMs: 600_000 });
    return session;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function searchOfXterm({ search, lines }: SearchTaskRequest): Promise<Search> {
  const terminal = createXterm(size);
  const engine = xtermOfBytes(terminal);
  const text = logLines(lines, size.cols).join('\r\n');
  for (const chunk of chunksOf(Buffer.from(text))) engine.feed(chunk);
  const pattern = new RegExp(searchPatterns[search], search === 'without case' ? 'i' : '');
  return { run: () => countLines(terminal.buffer.active, pattern) };
}

/** Each row is a line, because no line wraps. */
function countLines(
  buffer: ReturnType<typeof createXterm>['buffer']['active'],
  pattern: RegExp,
): number {
  let count = 0;
  for (let row = 0; row < buffer.length; row++) {
    if (pattern.test(buffer.getLine(row)?.translateToString(true) ?? '')) count++;
  }
  return count;
}
