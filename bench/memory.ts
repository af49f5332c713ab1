import type { Benchmark } from './benchmark.ts';
import { MeasuredProcess } from './measuring/measured-process.ts';
import { median } from './measuring/statistics.ts';
import type { MemoryCost } from './measuring/task.ts';
import type { Headline, TableCell } from './reporting/report.ts';
import type { MemoryRequest } from './tasks/memory.ts';

type EngineName = MemoryRequest['engine'];
const engines: readonly EngineName[] = ['xterm, bytes', 'vtr'];

/** The subject, the number of terminals, and the unit of the figure per terminal. */
interface Subject {
  readonly title: string;
  readonly content: MemoryRequest['content'];
  readonly terminals: number;
  readonly unitBytes: number;
  readonly goal: number | null;
  readonly next: number;
}

const kib = 1024;
const mib = kib * kib;

// biome-ignore format: a table
const subjects: readonly Subject[] = [
  { title: 'idle, KB', content: 'nothing', terminals: 1_000, unitBytes: kib, goal: 40, next: 40 },
  { title: '10,000 plain lines, MB', content: 'plain', terminals: 5, unitBytes: mib, goal: null, next: 1.2 },
  { title: '10,000 coloured lines, MB', content: 'coloured', terminals: 5, unitBytes: mib, goal: 2, next: 2 },
];

/** Memory of a terminal, compared with @xterm/headless. */
export const memory: Benchmark = async ({ quick, progress }) => {
  const rows: TableCell[][] = [];
  const targets = [];
  const headlines: Headline[] = [];
  for (const subject of subjects) {
    const { title, goal, next } = subject;
    progress(`memory: ${title}`);
    const { vtr, 'xterm, bytes': xterm } = await measure(subject, quick);
    const ratio = xterm.heapBytes / vtr.heapBytes;
    rows.push([
      title,
      vtr.heapBytes,
      vtr.residentBytes,
      xterm.heapBytes,
      xterm.residentBytes,
      ratio,
    ]);
    const what = `memory of a terminal, ${title.replace(/, .B$/, '')}`;
    headlines.push({ what, against: 'xterm.js, headless', ratio, of: 'size' });
    targets.push({ what: title, bound: 'at most', goal, next, measured: vtr.heapBytes } as const);
  }
  return {
    name: 'memory',
    title: 'Memory of a terminal',
    notes: [
      'Memory that an 80x24 terminal adds to a process: JavaScript heap and external buffers, ' +
        'after garbage collection; and resident memory. For a thousand idle terminals, and for ' +
        'five terminals with lines of 80 columns; coloured lines have eight colours. KB and MB ' +
        'are multiples of 1,024. Medians of three processes each, interleaved.',
    ],
    tables: [
      {
        columns: ['a terminal', 'vtr', 'vtr, resident', 'xterm', 'xterm, resident', 'xterm : vtr'],
        rows,
      },
    ],
    targets,
    headlines,
  };
};

/** The memory of a terminal, in the unit of the subject. */
async function measure(
  { content, terminals, unitBytes }: Subject,
  quick: boolean,
): Promise<Record<EngineName, MemoryCost>> {
  const count = quick ? 2 : terminals;
  const samples: Record<EngineName, MemoryCost[]> = { vtr: [], 'xterm, bytes': [] };
  for (let round = 0; round < (quick ? 1 : 3); round++) {
    for (const engine of engines) {
      const lines = quick ? 100 : 10_000;
      samples[engine].push(await inFreshProcess({ task: 'memory', engine, content, lines }, count));
    }
  }
  const share = (engine: EngineName, what: keyof MemoryCost) =>
    median(samples[engine].map((sample) => sample[what])) / count / unitBytes;
  const of = (engine: EngineName): MemoryCost => ({
    heapBytes: share(engine, 'heapBytes'),
    residentBytes: share(engine, 'residentBytes'),
  });
  return { vtr: of('vtr'), 'xterm, bytes': of('xterm, bytes') };
}

async function inFreshProcess(request: MemoryRequest, terminals: number): Promise<MemoryCost> {
  const process = new MeasuredProcess<MemoryCost>(request);
  try {
    return await process.round(terminals);
  } finally {
    await process.stop();
  }
}
