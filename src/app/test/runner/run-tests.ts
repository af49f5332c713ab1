import { readFileSync, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, resolve } from 'node:path';
import { wordOrQuoted } from '#base';
import { LocalCoordinator } from '#coordinator';
import { asVtrError, type Coordinator, ioErrors, VtrError } from '#model';
import { GoldenFiles } from '../golden/golden-file.ts';
import { parseTape } from '../tape/parse-tape.ts';
import { runTape } from '../tape/run-tape.ts';
import { TestFailure } from '../test-failure.ts';
import { runTranscript } from '../transcript/run-transcript.ts';
import type { TestResult } from './reporters.ts';

/** Tests run at a time for each processor: most of their time they wait for programs. */
const perProcessor = 4;

export interface TestsOptions {
  /** Paths of tapes (`.tape`) and Markdown files (`.md`), relative to the current directory. */
  readonly files: readonly string[];
  /** The directory in which shells start, and to which paths of outputs are relative. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether goldens and outputs are written instead of compared. */
  readonly update: boolean;
  /** How often each test runs. */
  readonly times: number;
  /** Reports what has no effect, once. */
  readonly warn: (message: string) => void;
  /** Called with each result, in the order of the files. */
  readonly onResult: (result: TestResult) => void;
  /** Ends the tests early: it fails with the reason of the signal. */
  readonly signal: AbortSignal;
}

/**
 * Runs tests in sessions of this process.
 *
 * @throws VtrError INVALID_ARGUMENT, before any test, for a file that is missing or neither a tape nor Markdown
 */
export async function runTests(options: TestsOptions): Promise<TestResult[]> {
  for (const file of options.files) checkFile(file);
  for (const file of options.files) await new GoldenFiles(file).clear();
  const coordinator = new LocalCoordinator();
  const end = () => void coordinator.close();
  options.signal.addEventListener('abort', end);
  try {
    return await new Runs(coordinator, options).all();
  } finally {
    options.signal.removeEventListener('abort', end);
    await coordinator.close();
  }
}

function checkFile(file: string): void {
  if (!/\.(tape|md)$/.test(file)) {
    const message = `${wordOrQuoted(file)} is not a test; give tapes (.tape) and Markdown files (.md)`;
    throw new VtrError('INVALID_ARGUMENT', message);
  }
  const stats = ioErrors(file, 'read', () => statSync(file, { throwIfNoEntry: false }));
  if (!stats?.isFile()) throw new VtrError('INVALID_ARGUMENT', `${file} does not exist`);
}

/** The runs of all files. */
class Runs {
  readonly #coordinator: Coordinator;
  readonly #options: TestsOptions;
  readonly #warned = new Set<string>();

  constructor(coordinator: Coordinator, options: TestsOptions) {
    this.#coordinator = coordinator;
    this.#options = options;
  }

  async all(): Promise<TestResult[]> {
    const { files, times, onResult } = this.#options;
    const runs = files.map(() => [] as Run[]);
    const results: TestResult[] = [];
    // Rounds, so that the runs of one file have different neighbours.
    const pending = Array.from({ length: times }, () => [...files.keys()]).flat();
    const work = async () => {
      for (let at = pending.shift(); at !== undefined; at = pending.shift()) {
        const file = files[at] as string;
        runs[at]?.push(await this.#once(file));
        for (; runs[results.length]?.length === times; ) {
          const result = resultOf(files[results.length] as string, runs[results.length] ?? []);
          results.push(result);
          onResult(result);
        }
      }
    };
    const working = Array.from({ length: availableParallelism() * perProcessor }, () =>
      work().catch((error: unknown) => {
        pending.length = 0;
        throw error;
      }),
    );
    // After an interruption, too, each test removes what it has left.
    await Promise.allSettled(working);
    await Promise.all(working);
    return results;
  }

  async #once(file: string): Promise<Run> {
    const { signal } = this.#options;
    const begin = performance.now();
    const failure = await this.#test(file).then(
      () => null,
      (error: unknown) => {
        signal.throwIfAborted();
        if (error instanceof TestFailure) return error;
        // A defect of vtr is not a failure of the test.
        const failure = asVtrError(error);
        if (failure.code === 'INTERNAL_ERROR') throw error;
        return new TestFailure(failure.message, { place: { file, line: 1 } });
      },
    );
    signal.throwIfAborted();
    return { failure, durationMs: performance.now() - begin };
  }

  async #test(file: string): Promise<void> {
    const { cwd, env, update, signal } = this.#options;
    const warn = (message: string) => {
      if (!this.#warned.has(message)) this.#options.warn(message);
      this.#warned.add(message);
    };
    const common = { coordinator: this.#coordinator, file, cwd, update, signal };
    if (file.endsWith('.md')) return runTranscript(common);
    const { commands, errors } = parseTape(
      file,
      ioErrors(file, 'read', () => readFileSync(file, 'utf8')),
      {
        readTape: (name) => readTape(name, cwd, dirname(file)),
      },
    );
    const [first, ...others] = errors;
    if (first === undefined) {
      await runTape(commands, { ...common, env, warn });
      const names = commands.flatMap(({ action }) =>
        action.type === 'match' ? [action.name] : [],
      );
      for (const path of await new GoldenFiles(file).obsolete(names)) {
        warn(`${path} is obsolete: no Match of the tape names it`);
      }
      return;
    }
    throw new TestFailure(first.message, {
      place: first.place,
      details: others.map(String).join('\n'),
    });
  }
}

interface Run {
  readonly failure: TestFailure | null;
  readonly durationMs: number;
}

function resultOf(file: string, runs: readonly Run[]): TestResult {
  const failures = runs.flatMap(({ failure }) => (failure === null ? [] : [failure]));
  const totalMs = runs.reduce((sum, { durationMs }) => sum + durationMs, 0);
  return { file, runs: runs.length, failures, durationMs: totalMs / runs.length };
}

/** A tape is looked for in the current directory, as VHS does, and beside the tape that sources it. */
function readTape(path: string, ...directories: readonly string[]): string {
  const candidates = directories.map((directory) => resolve(directory, path));
  const file = candidates.find((each) => statSync(each, { throwIfNoEntry: false })?.isFile());
  if (file === undefined) throw new Error('there is no such file');
  return readFileSync(file, 'utf8');
}
