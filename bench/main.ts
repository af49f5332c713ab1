// `npm run bench [-- NAME...]`: measures, and prints the figures. Progress goes to stderr.
import { type Arguments, parseArguments } from './arguments.ts';
import type { Benchmark } from './benchmark.ts';
import { writeReport } from './reporting/document.ts';
import { thisMachine } from './reporting/machine.ts';
import { plainText } from './reporting/plain-text.ts';
import type { Report } from './reporting/report.ts';

/** In the order of docs/performance.md. Each is loaded on demand: all of them need a second. */
const benchmarks: ReadonlyMap<string, () => Promise<Benchmark>> = new Map(
  Object.entries({
    engine: async () => (await import('./engine.ts')).engine,
    memory: async () => (await import('./memory.ts')).memory,
    reads: async () => (await import('./reads.ts')).reads,
    search: async () => (await import('./search.ts')).search,
    'end-to-end': async () => (await import('./end-to-end.ts')).endToEnd,
    latency: async () => (await import('./latency.ts')).latency,
    recording: async () => (await import('./recording.ts')).recording,
    waiting: async () => (await import('./waiting.ts')).waiting,
    run: async () => (await import('./running.ts')).running,
    service: async () => (await import('./service.ts')).service,
    sessions: async () => (await import('./sessions.ts')).sessions,
    agents: async () => (await import('./agents.ts')).agents,
    growth: async () => (await import('./growth.ts')).growth,
    restart: async () => (await import('./restart.ts')).restart,
    command: async () => (await import('./command.ts')).command,
    fleet: async () => (await import('./fleet.ts')).fleet,
    attach: async () => (await import('./attach.ts')).attach,
    web: async () => (await import('./web.ts')).web,
    pictures: async () => (await import('./pictures.ts')).pictures,
    mcp: async () => (await import('./mcp.ts')).mcp,
    termcp: async () => (await import('./termcp.ts')).termcp,
  }),
);

function chosen({ names }: Arguments): (() => Promise<Benchmark>)[] {
  const unknown = names.find((name) => !benchmarks.has(name));
  if (unknown !== undefined) {
    throw new Error(
      `no benchmark is named ${unknown}; there are ${[...benchmarks.keys()].join(', ')}`,
    );
  }
  const isChosen = (name: string) => names.length === 0 || names.includes(name);
  return [...benchmarks].filter(([name]) => isChosen(name)).map(([, load]) => load);
}

async function run(args: Arguments): Promise<void> {
  const date = new Date().toISOString().slice(0, 10);
  const machine = thisMachine();
  const progress = (message: string) => process.stderr.write(`${message}\n`);
  if (args.quick) progress('--quick: these figures mean nothing');
  const reports: Report[] = [];
  for (const load of chosen(args)) {
    const benchmark = await load();
    const report = await benchmark({ quick: args.quick, progress });
    reports.push(report);
    if (!args.json) process.stdout.write(`${plainText(report)}\n`);
    // One that fails later loses nothing.
    if (args.write) writeReport(report, machine, date);
  }
  if (args.json) process.stdout.write(`${JSON.stringify({ date, machine, reports }, null, 2)}\n`);
}

try {
  await run(parseArguments(process.argv.slice(2)));
} catch (error) {
  // Without a stack: the message is of a wrong argument, or of a child that has explained its error.
  process.stderr.write(`bench: ${(error as Error).message}\n`);
  process.exitCode = 1;
}
