// `npm run bench [-- NAME...]`: measures, and prints the figures. Progress goes to stderr.
import { type Arguments, parseArguments } from './arguments.ts';
import { attach } from './attach.ts';
import type { Benchmark } from './benchmark.ts';
import { command } from './command.ts';
import { endToEnd } from './end-to-end.ts';
import { engine } from './engine.ts';
import { growth } from './growth.ts';
import { latency } from './latency.ts';
import { mcp } from './mcp.ts';
import { memory } from './memory.ts';
import { pictures } from './pictures.ts';
import { reads } from './reads.ts';
import { recording } from './recording.ts';
import { writeReports } from './reporting/document.ts';
import { thisMachine } from './reporting/machine.ts';
import { plainText } from './reporting/plain-text.ts';
import type { Report } from './reporting/report.ts';
import { restart } from './restart.ts';
import { running } from './running.ts';
import { search } from './search.ts';
import { service } from './service.ts';
import { sessions } from './sessions.ts';
import { termcp } from './termcp.ts';
import { waiting } from './waiting.ts';
import { web } from './web.ts';

/** In the order of docs/performance.md. */
const benchmarks: ReadonlyMap<string, Benchmark> = new Map(
  Object.entries({
    engine,
    memory,
    reads,
    search,
    'end-to-end': endToEnd,
    latency,
    recording,
    waiting,
    run: running,
    service,
    sessions,
    growth,
    restart,
    command,
    attach,
    web,
    pictures,
    mcp,
    termcp,
  }),
);

function chosen({ names }: Arguments): [string, Benchmark][] {
  const unknown = names.find((name) => !benchmarks.has(name));
  if (unknown !== undefined) {
    throw new Error(
      `no benchmark is named ${unknown}; there are ${[...benchmarks.keys()].join(', ')}`,
    );
  }
  return [...benchmarks].filter(([name]) => names.length === 0 || names.includes(name));
}

async function run(args: Arguments): Promise<void> {
  const date = new Date().toISOString().slice(0, 10);
  const machine = thisMachine();
  const progress = (message: string) => process.stderr.write(`${message}\n`);
  if (args.quick) progress('--quick: these figures mean nothing');
  const reports: Report[] = [];
  for (const [, benchmark] of chosen(args)) {
    const report = await benchmark({ quick: args.quick, progress });
    reports.push(report);
    if (!args.json) process.stdout.write(`${plainText(report)}\n`);
  }
  if (args.json) process.stdout.write(`${JSON.stringify({ date, machine, reports }, null, 2)}\n`);
  if (!args.write) return;
  writeReports(reports, machine, date);
}

try {
  await run(parseArguments(process.argv.slice(2)));
} catch (error) {
  // Without a stack: the message is of a wrong argument, or of a child that has explained its error.
  process.stderr.write(`bench: ${(error as Error).message}\n`);
  process.exitCode = 1;
}
