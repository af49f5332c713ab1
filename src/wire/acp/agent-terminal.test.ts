import { describe, expect, it } from 'vitest';
import { encodeUtf8, Queue } from '#base';
import { type Coordinator, type SubscriptionEvent, VtrError } from '#model';
import { AgentTerminal } from './agent-terminal.ts';
import { Transcript } from './transcript.ts';

const stamp = { revision: 1, atMs: 0 };
const size = { cols: 80, rows: 24 };

const snapshot = (offset: number): SubscriptionEvent => ({
  ...stamp,
  type: 'snapshot',
  size,
  dump: new Uint8Array(0),
  firstLine: 0,
  offset,
});
const output = (offset: number, text: string): SubscriptionEvent => ({
  ...stamp,
  type: 'output',
  offset,
  bytes: encodeUtf8(text),
});
const exit: SubscriptionEvent = { ...stamp, type: 'exit', status: { code: 3, signal: null } };

/** A session with the given events, and with the raw output that a coordinator still has. */
function terminalOf(
  events: readonly (SubscriptionEvent | Error)[],
  raw: { readonly offset: number; readonly text: string } = { offset: 0, text: '' },
): AgentTerminal {
  const waiting = new Queue<SubscriptionEvent | Error>();
  for (const event of events) waiting.push(event);
  const subscription = {
    [Symbol.asyncIterator]: () => subscription,
    async next() {
      const value = waiting.shift();
      if (value instanceof Error) throw value;
      return value === undefined ? { done: true, value } : { done: false, value };
    },
  };
  const coordinator = {
    subscribe: async () => subscription,
    read: async () => ({
      raw: { offset: raw.offset, bytes: encodeUtf8(raw.text), omittedBytes: 0 },
    }),
    info: async () => ({}),
  } as unknown as Coordinator;
  const session = { name: 'term_12345678', id: 'id' };
  const transcript = new Transcript(1000, 'strip');
  return new AgentTerminal({ coordinator, session, conversationId: 'conversation', transcript });
}

async function endOf(terminal: AgentTerminal) {
  const { status } = await terminal.exited;
  const { text, truncated } = await terminal.output();
  return { text, truncated, status };
}

const status = { code: 3, signal: null };

describe('a terminal', () => {
  it('has the output from before its subscription', async () => {
    const terminal = terminalOf([snapshot(6), output(6, 'later'), exit], {
      offset: 0,
      text: 'early ',
    });
    expect(await endOf(terminal)).toEqual({ text: 'early later', truncated: false, status });
  });

  it('does not repeat output that arrived while it caught up', async () => {
    const early = { offset: 0, text: 'early later' };
    const terminal = terminalOf([snapshot(6), output(6, 'later'), output(11, '!'), exit], early);
    expect(await endOf(terminal)).toEqual({ text: 'early later!', truncated: false, status });
  });

  it('reads output that a slow subscription missed, if the coordinator still has it', async () => {
    const events = [snapshot(0), output(0, 'one '), snapshot(8), output(8, 'three'), exit];
    const terminal = terminalOf(events, { offset: 2, text: 'e two ' });
    expect(await endOf(terminal)).toEqual({ text: 'one two three', truncated: false, status });
  });

  it('starts again and reports truncation if the output is lost', async () => {
    const events = [snapshot(0), output(0, 'one '), snapshot(90), output(90, 'three'), exit];
    const terminal = terminalOf(events, { offset: 86, text: 'two ' });
    expect(await endOf(terminal)).toEqual({ text: 'two three', truncated: true, status });
  });

  it.each([
    ['breaks', [new VtrError('UNAVAILABLE', 'the connection broke')], /^the connection broke/],
    ['ends', [], /^the connection to the coordinator was lost, and the program has ended/],
  ])('reports the loss to all callers if the connection %s', async (_how, events, message) => {
    const terminal = terminalOf([snapshot(0), output(0, 'text'), ...events]);
    await expect(terminal.exited).rejects.toThrow(message);
    await expect(terminal.output()).rejects.toThrow(message);
  });

  it('is lost too if it could not be subscribed to', async () => {
    const terminal = terminalOf([new VtrError('SESSION_NOT_FOUND', 'it was removed')]);
    await expect(terminal.output()).rejects.toThrow('it was removed');
    await expect(terminal.exited).rejects.toThrow('it was removed');
  });
});
