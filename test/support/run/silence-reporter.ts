import { execFileSync } from 'node:child_process';
import type { Reporter, TestModule, Vitest } from 'vitest/node';

/**
 * Ends a run that hangs. A test that blocks its process is not ended by its own time limit, and vitest waits for it
 * forever. If no test and no file ends within `VTR_TEST_SILENCE_MS` milliseconds (default: three times the limit of a
 * test), this names the files that have not ended and kills the processes that run them, with their descendants.
 * vitest counts each as a failure and goes on with the other files.
 */
export default class SilenceReporter implements Reporter {
  #silenceMs = Number.POSITIVE_INFINITY;
  readonly #modules = new Map<string, TestModule>();
  #timer: NodeJS.Timeout | undefined;

  onInit({ config }: Vitest): void {
    // A test and the hooks around it have a limit each.
    this.#silenceMs = Number(process.env['VTR_TEST_SILENCE_MS'] ?? 3 * config.testTimeout);
  }

  onTestRunStart(): void {
    this.#listen();
  }

  onTestModuleQueued(module: TestModule): void {
    this.#modules.set(module.id, module);
    this.#listen();
  }

  onTestCaseResult(): void {
    this.#listen();
  }

  onTestModuleEnd(module: TestModule): void {
    this.#modules.delete(module.id);
    this.#listen();
  }

  onTestRunEnd(): void {
    clearTimeout(this.#timer);
  }

  #listen(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#endWorkers(), this.#silenceMs);
    this.#timer.unref();
  }

  #endWorkers(): void {
    const seconds = Math.round(this.#silenceMs / 1000);
    const processes = descendants(process.pid);
    const lines = [
      `no test has ended for ${seconds} s; these files have not ended, and their processes are killed:`,
      ...[...this.#modules.values()].map(
        (module) => `  ${module.relativeModuleId}${unfinished(module)}`,
      ),
      ...processes.map(({ pid, parent, command }) => `  process ${pid} of ${parent}: ${command}`),
    ];
    process.stderr.write(`${lines.join('\n')}\n`);
    // Descendants come after their parents. A parent that lost its child first could start another one.
    for (const { pid } of processes) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It has ended meanwhile.
      }
    }
    this.#listen();
  }
}

/** The titles of the first tests that have no result. */
function unfinished(module: TestModule): string {
  const titles = [...module.children.allTests('pending')].map((test) => test.fullName);
  return titles.length === 0 ? '' : `: ${titles.slice(0, 3).join(', ')}`;
}

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly command: string;
}

function descendants(ancestor: number): Process[] {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,args='], {
    encoding: 'utf8',
    timeout: 10_000,
  });
  const all = lines.split('\n').flatMap((line): Process[] => {
    const [, pid, parent, command = ''] = /^\s*(\d+)\s+(\d+)\s+(.*)/.exec(line) ?? [];
    return pid === undefined
      ? []
      : [{ pid: Number(pid), parent: Number(parent), command: command.slice(0, 200) }];
  });
  const family: Process[] = [];
  const parents = new Set([ancestor]);
  for (let before = 0; before < parents.size; ) {
    before = parents.size;
    for (const each of all) {
      if (!parents.has(each.parent) || parents.has(each.pid)) continue;
      parents.add(each.pid);
      family.push(each);
    }
  }
  return family.filter(({ command }) => !/^ps /.test(command));
}
