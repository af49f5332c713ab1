import fc from 'fast-check';
import { expect, test } from 'vitest';
import { encodeUtf8 } from '#base';
import {
  applyFrame,
  type Cell,
  cellsOfRuns,
  mergeFrames,
  type RowFrame,
  runsOfCells,
} from '#model';
import { runs } from '../../../test/support/run/runs.ts';
import { fakeTerminal } from '../../../test/support/session/fake-session.ts';
import { output as programOutput, screenSize } from '../../../test/support/vt/terminal-output.ts';
import { FrameMaker, SessionRows } from './session-rows.ts';

const steps = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ output: programOutput }) },
    { weight: 1, arbitrary: fc.record({ size: screenSize }) },
    {
      weight: 1,
      arbitrary: fc.record({
        output: fc.constantFrom('\x1b[?2026h', '\x1b[?2026l').map(encodeUtf8),
      }),
    },
    // One of the consumers takes a frame.
    { weight: 4, arbitrary: fc.record({ consumer: fc.nat({ max: 2 }) }) },
  ),
  { maxLength: 30 },
);

/** A viewer that sees frames at its own speed. */
class Consumer {
  readonly #frames: FrameMaker;
  #rows: readonly (readonly Cell[])[] = [];
  /** A frame that was made and is not shown yet, as over a connection. */
  #waiting: RowFrame | null = null;

  constructor(source: SessionRows) {
    this.#frames = new FrameMaker(source);
  }

  receive(): void {
    const frame = this.#frames.next();
    if (frame === null) return;
    this.#waiting = this.#waiting === null ? frame : mergeFrames(this.#waiting, frame);
  }

  show(): readonly (readonly Cell[])[] {
    this.receive();
    if (this.#waiting !== null) this.#rows = applyFrame(this.#rows, this.#waiting);
    this.#waiting = null;
    return this.#rows;
  }
}

test('[law 4] frames make the rows of the screen, at any speed of the consumers', () => {
  fc.assert(
    fc.property(screenSize, steps, (size, list) => {
      const terminal = fakeTerminal(size);
      const source = new SessionRows({ terminal });
      const consumers = [new Consumer(source), new Consumer(source), new Consumer(source)];
      const expectShown = (consumer: Consumer | undefined) =>
        expect(consumer?.show()).toEqual(terminal.screenCells().rows);
      for (const step of list) {
        if ('size' in step) terminal.resize(step.size);
        else if ('output' in step) terminal.feed(step.output);
        else if (step.consumer === 0) consumers[0]?.receive();
        else expectShown(consumers[step.consumer]);
      }
      for (const consumer of consumers) {
        expectShown(consumer);
        expect(consumer.show()).toBe(consumer.show());
      }
    }),
    runs(60),
  );
});

test('cells of runs of cells are the cells', () => {
  fc.assert(
    fc.property(screenSize, programOutput, (size, output) => {
      const terminal = fakeTerminal(size);
      terminal.feed(output);
      for (const row of terminal.screenCells().rows) {
        const runs = runsOfCells(row);
        expect(cellsOfRuns(runs, size.cols)).toEqual(row);
        // In as few runs as possible, so that frames are small.
        expect(runsOfCells(cellsOfRuns(runs, size.cols))).toEqual(runs);
      }
    }),
    runs(60),
  );
});
