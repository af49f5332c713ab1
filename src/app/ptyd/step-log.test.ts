import { describe, expect, it } from 'vitest';
import { StepLog } from './step-log.ts';

const page = Buffer.from('0123456789'.repeat(5000));
const now = () => ({ wallMs: 1, bootMs: 2 });
const size = { cols: 10, rows: 2 };

/** A log, and what it sends, as text. */
function logged() {
  let cost = 0;
  const log = new StepLog((change) => {
    cost += change;
  });
  const output = (offset: number, length: number) =>
    log.addOutput({ offset, bytes: page.subarray(offset, offset + length) }, now);
  const sendAll = () => {
    const sent: string[] = [];
    for (let step = log.unsent; step !== null; step = log.unsent) {
      log.send();
      const length = step.type === 'output' ? `+${step.bytes.length}` : '';
      sent.push(`${step.type} ${step.offset}${length}`);
    }
    return sent.join(', ');
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

  it('does not join output across a resize, or from different pages', () => {
    const { log, output, sendAll } = logged();
    output(0, 10);
    log.add({ type: 'resize', offset: 10, size, request: 1 });
    output(10, 5);
    log.addOutput({ offset: 15, bytes: Buffer.alloc(3) }, now);
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
});
