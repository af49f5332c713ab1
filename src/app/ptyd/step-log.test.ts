import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../test/support/run/runs.ts';
import { type KeptStep, StepLog } from './step-log.ts';

const maxStepBytes = 16 * 1024;

const page = Buffer.from('0123456789'.repeat(20_000));
const readAt = { wallMs: 1, bootMs: 2 };
const size = { cols: 10, rows: 2 };

/** A log, and what it sends, as text. */
function logged() {
  let cost = 0;
  const log = new StepLog((change) => {
    cost += change;
  });
  const output = (offset: number, length: number) =>
    log.addOutput({ offset, bytes: page.subarray(offset, offset + length) }, readAt, maxStepBytes);
  const sendAll = () => {
    const texts: string[] = [];
    for (let step = log.unsent; step !== null; step = log.unsent) {
      log.send();
      const length = step.type === 'output' ? `+${step.bytes.length}` : '';
      texts.push(`${step.type} ${step.offset}${length}`);
    }
    return texts.join(', ');
  };
  return { log, output, sendAll, cost: () => cost };
}

describe('StepLog', () => {
  it('joins adjacent output until it is sent, up to 16 KiB', () => {
    const { output, sendAll } = logged();
    output(0, 2048);
    output(2048, 100);
    expect(sendAll()).toBe('output 0+2148');
    output(2148, 2048);
    for (let at = 4196; at < 24_000; at += 2048) output(at, 2048);
    expect(sendAll()).toBe('output 2148+16384, output 18532+6144');
  });

  /** A log of programs that print a byte every so often while no coordinator is there. */
  const dripped = (everyMs: number, untilMs: number) => {
    const log = new StepLog();
    const bytes = new Uint8Array(untilMs / everyMs);
    const before = { wallMs: 0, bootMs: 0 };
    log.addOutput({ offset: 0, bytes: new Uint8Array(1) }, before, maxStepBytes);
    log.send();
    log.rewind();
    for (let at = 0; at < bytes.length; at++) {
      const chunk = { offset: at + 1, bytes: bytes.subarray(at, at + 1) };
      log.addOutput(chunk, { wallMs: at * everyMs, bootMs: at * everyMs }, maxStepBytes);
    }
    return log;
  };

  it('joins no output that was read more than 10 ms later: commands end at its time', () => {
    const log = dripped(4, 1_000);
    let lateMs = 0;
    log.send();
    for (let step = log.unsent; step?.type === 'output'; step = log.unsent) {
      // The last byte of the step.
      const readMs = (step.offset + step.bytes.length - 2) * 4;
      lateMs = Math.max(lateMs, readMs - step.bootMs);
      expect(step.wallMs).toBe(step.bootMs);
      log.send();
    }
    expect(lateMs).toBe(8);
  });

  it('joins more the longer no coordinator is there, so that a spinner is read for a day', () => {
    const dayMs = 24 * 60 * 60 * 1000;
    expect(dripped(80, dayMs).cost).toBeLessThan(8 * 1024 * 1024);
  });

  it('does not join output across a resize, or from different pages', () => {
    const { log, output, sendAll } = logged();
    output(0, 10);
    log.add({ type: 'resize', offset: 10, size, request: 1 });
    output(10, 5);
    log.addOutput({ offset: 15, bytes: Buffer.alloc(3) }, readAt, maxStepBytes);
    expect(sendAll()).toBe('output 0+10, resize 10, output 10+5, output 15+3');
  });

  it('sends the same steps again, with the notes of the coordinator in their places', () => {
    const { log, output, sendAll } = logged();
    output(0, 10);
    sendAll();
    output(10, 10);
    sendAll();
    output(20, 10);
    log.addNote('frame_end', { offset: 10, steps: 0 });
    expect(sendAll()).toBe('output 20+10');
    log.rewind();
    expect(sendAll()).toBe('output 0+10, note 10, output 10+10, output 20+10');
  });

  it('does not join output to a step that another coordinator had', () => {
    const { log, output, sendAll } = logged();
    output(0, 10);
    sendAll();
    log.rewind();
    output(10, 10);
    output(20, 10);
    expect(sendAll()).toBe('output 0+10, output 10+20');
  });

  it('drops steps before an offset, but none that were not sent', () => {
    const { log, output, sendAll, cost } = logged();
    output(0, 10);
    sendAll();
    output(10, 10);
    sendAll();
    log.trim(9);
    log.rewind();
    expect(sendAll()).toBe('output 0+10, output 10+10');
    log.trim(15);
    output(20, 10);
    log.trim(100);
    log.rewind();
    expect(sendAll()).toBe('output 20+10');
    log.trim(100);
    expect([log.cost, cost()]).toEqual([0, 0]);
  });

  it('replays what a coordinator applied after any state that it saved', () => {
    const event = fc.oneof(
      fc.record({ output: fc.integer({ min: 1, max: 3_000 }) }),
      fc.constant('resize' as const),
      fc.constant('send' as const),
      fc.constant('handle' as const),
      fc.constant('note' as const),
      fc.constant('note before' as const),
      fc.constant('save' as const),
    );
    const property = fc.property(fc.array(event, { maxLength: 60 }), fc.nat(3), (events, lag) => {
      const log = new StepLog();
      const steps: KeptStep[] = [];
      /** What the coordinator has applied, in its order. */
      const applied: string[] = [];
      /** The coordinator's position, and the steps that it applied when it made its states. */
      let handled = 0;
      let at = { offset: 0, steps: 0 };
      const states: { at: typeof at; applied: number }[] = [];
      let saved = { at, applied: 0 };
      const handle = () => {
        const step = steps[handled];
        if (step === undefined) return;
        handled++;
        applied.push(textOf(step));
        if (step.type === 'output') at = { ...at, offset: step.offset + step.bytes.length };
        else at = { ...at, steps: at.steps + 1 };
      };
      for (const each of events) {
        const { end: offset } = log;
        if (typeof each === 'object') {
          log.addOutput(
            { offset, bytes: page.subarray(offset, offset + each.output) },
            readAt,
            maxStepBytes,
          );
        } else if (each === 'resize') {
          log.add({ type: 'resize', offset, size, request: 0 });
        } else if (each === 'send' && log.unsent !== null) {
          steps.push(log.unsent);
          log.send();
        } else if (each === 'handle') {
          handle();
        } else if (each === 'note') {
          log.addNote('frame_end', at);
          applied.push(`note ${at.offset}`);
          at = { ...at, steps: at.steps + 1 };
        } else if (each === 'note before') {
          // It is made while a step is applied, so no state was saved after that.
          const isSaved = states.at(-1)?.applied === applied.length;
          if (isSaved || !/^(?:resize|note)/.test(applied.at(-1) ?? '')) continue;
          log.addNote('erase 1 0', { ...at, steps: at.steps - 1 });
          applied.splice(-1, 0, `note ${at.offset}`);
          at = { ...at, steps: at.steps + 1 };
        } else if (each === 'save') {
          states.push({ at, applied: applied.length });
          // An older state can be saved later.
          saved = states.at(-1 - lag) ?? saved;
          log.trimTo(saved.at);
        }
      }
      while (handled < steps.length) handle();
      expect(log.base).toEqual(saved.at);
      log.rewind();
      const replayed: string[] = [];
      for (let step = log.unsent; step !== null; step = log.unsent) {
        replayed.push(textOf(step));
        log.send();
      }
      const rest = applied.slice(saved.applied);
      expect(replayed.slice(0, rest.length)).toEqual(rest);
    });
    fc.assert(property, runs(1_000));
  });
});

const textOf = (step: KeptStep): string =>
  step.type === 'output'
    ? `output ${step.offset}+${step.bytes.length}`
    : `${step.type} ${step.offset}`;
