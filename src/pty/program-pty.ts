import type { Disposable } from '#base';
import type { ExitStatus } from '#model';
import type { ProgramOutput } from './io/program-output.ts';
import type { OutputChunk, ReadOutputOptions, Step } from './port.ts';

/** The members of a `Pty` that its {@link ProgramOutput} provides. */
export abstract class ProgramPty {
  protected readonly output: ProgramOutput;

  constructor(output: ProgramOutput) {
    this.output = output;
  }

  get outputStart(): number {
    return this.output.start;
  }

  get outputEnd(): number {
    return this.output.end;
  }

  get exitedAtMs(): number | null {
    return this.output.exitedAtMs;
  }

  get exit(): Promise<ExitStatus> {
    return this.output.exit;
  }

  get stepsDelivered(): number {
    return this.output.stepsDelivered;
  }

  readOutput(
    from: number,
    listener: (chunk: OutputChunk) => void,
    options?: ReadOutputOptions,
  ): Disposable {
    return this.output.read(from, listener, options);
  }

  outputAtHand(from: number): readonly OutputChunk[] {
    return this.output.chunksFrom(from);
  }

  onStep(listener: (step: Step) => void): Disposable {
    return this.output.onStep(listener);
  }

  onExit(listener: (status: ExitStatus) => void): Disposable {
    return this.output.onExit(listener);
  }
}
