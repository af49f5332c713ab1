import { describe, expect, it } from 'vitest';
import type { Step } from '../port.ts';
import { ProgramOutput } from './program-output.ts';

const size = { cols: 10, rows: 2 };

/** Output with a reader that records what it receives, in order. */
function recorded() {
  const faults: unknown[] = [];
  const output = new ProgramOutput(1024, (error) => faults.push(error));
  const texts: string[] = [];
  const write = (text: string) => {
    output.room().set(Buffer.from(text));
    output.deliver(text.length);
  };
  const resize = () => output.addStep({ type: 'resize', offset: output.end, size });
  output.onStep(({ type, offset }: Step) => texts.push(`${type} at ${offset}`));
  const read = () =>
    output.read(0, ({ bytes }) => texts.push(Buffer.from(bytes).toString('latin1')));
  return { output, seen: texts, faults, write, resize, read };
}

describe('a step', () => {
  it('is delivered between the output before it and the output after it', () => {
    const { seen, write, resize, read } = recorded();
    read();
    write('ab');
    resize();
    write('c');
    expect(seen).toEqual(['ab', 'resize at 2', 'c']);
  });

  it('splits output that was read while the readers were paused', () => {
    const { output, seen, write, resize, read } = recorded();
    read();
    output.pause();
    write('ab');
    resize();
    write('c');
    resize();
    expect(seen).toEqual([]);
    output.resume();
    expect(seen).toEqual(['ab', 'resize at 2', 'c', 'resize at 3']);
  });

  it('is delivered after the output that a reader is receiving', () => {
    const { output, seen, write, resize } = recorded();
    let isFirst = true;
    output.read(0, ({ bytes }) => {
      if (isFirst) resize();
      isFirst = false;
      seen.push(Buffer.from(bytes).toString('latin1'));
    });
    write('ab');
    write('c');
    expect(seen).toEqual(['ab', 'resize at 2', 'c']);
  });

  it('is delivered before the exit', () => {
    const { output, seen, write, resize, read } = recorded();
    read();
    output.onExit(() => seen.push('exit'));
    output.pause();
    write('ab');
    resize();
    output.finish({ code: 0, signal: null });
    output.resume();
    expect(seen).toEqual(['ab', 'resize at 2', 'exit']);
  });

  it('does not stop the output if its listener throws', () => {
    const { output, seen, faults, write, resize, read } = recorded();
    output.onStep(() => {
      throw new Error('observer');
    });
    read();
    resize();
    write('a');
    resize();
    expect(seen).toEqual(['resize at 0', 'a', 'resize at 1']);
    expect(faults).toEqual([new Error('observer')]);
  });
});
