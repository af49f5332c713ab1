import { signal } from '@preact/signals';
import { describe, expect, it } from 'vitest';
import type { Menu, SessionInfo } from '#model';
import type { Calls, LinkState, StreamListener } from '../link/link.ts';
import { answer, askedBy } from './answering.ts';

const menu: Menu = {
  title: 'Run it?',
  options: ['1. Yes', '2. No'],
  selected: 0,
  multiple: false,
  keys: '',
};

/** A session that asks. @param canonical whether its program reads lines */
function asking(attention: object, { canonical = false, agent = {} } = {}): SessionInfo {
  return {
    name: 'one',
    id: 'id',
    size: { cols: 80, rows: 24 },
    exitStatus: null,
    attention: { kind: 'input', sinceMs: 1, evidence: 'Run it? [y/N]', ...attention },
    activity: { state: 'awaiting_input', sinceMs: 1, evidence: { canonical } },
    ...agent,
  } as unknown as SessionInfo;
}

const agentOf = (state: string, more: object = {}) => ({
  agent: { kind: 'codex', state, sinceMs: 1, ...more },
});

describe('[S3.32] what a tile asks', () => {
  it.each<[string, SessionInfo, object | null]>([
    ['choices', asking({ menu, questionId: 'q' }), { menu, id: 'q', keys: ['y', 'n'] }],
    ['a key', asking({}), { menu: null, keys: ['y', 'n'] }],
    ['a line, or a key of it', asking({}, { canonical: true }), { menu: null, keys: ['y', 'n'] }],
    ['a text', asking({ evidence: 'Your name:' }), { menu: null, keys: [] }],
    [
      'choices of an agent',
      asking({}, { agent: agentOf('asks', { menu, questionId: 'a' }) }),
      { menu, id: 'a' },
    ],
    ['what the screen of an agent does not tell', asking({}, { agent: agentOf('asks') }), null],
    ['nothing of an idle agent', asking({}, { agent: agentOf('idle') }), null],
    ['nothing of what has failed', asking({ kind: 'failed' }), null],
  ])('is %s', (_what, info, question) => {
    if (question === null) expect(askedBy(info)).toBe(null);
    else expect(askedBy(info)).toMatchObject(question);
  });
});

/** A coordinator that tells of a session, and has what was called. */
function coordinator(info: object, view: object = { viewId: 'v', drives: true }) {
  const calls: [string, Record<string, unknown>][] = [];
  const opened: unknown[] = [];
  const link = {
    state: signal<LinkState>('up'),
    onUp: () => () => {},
    async call(method: string, body: unknown) {
      calls.push([method, body as Record<string, unknown>]);
      return method === 'Info' ? { session: info } : {};
    },
    open(_method: string, body: unknown, listener: StreamListener<never>) {
      opened.push(body);
      queueMicrotask(() => void listener.message({ body: view as never, bytes: null }));
      return { close: () => {} };
    },
  } as unknown as Calls;
  return {
    link,
    opened,
    made: calls,
    sent: () => calls.filter(([method]) => method === 'SendText'),
  };
}

/** As the service tells of {@link asking}. */
const sessionWith = (evidence: string, canonical: boolean) => ({
  name: 'one',
  id: 'id',
  attention: { kind: 'ATTENTION_KIND_INPUT', since: '1970-01-01T00:00:00.001Z', evidence },
  activity: {
    activity: {
      state: 'ACTIVITY_STATE_AWAITING_INPUT',
      since: '1970-01-01T00:00:00.001Z',
      evidence: { canonical },
    },
  },
});

describe('[S3.32] an answer from a tile', () => {
  it('names the question, so that another one is not answered', async () => {
    const { link, made, opened, sent } = coordinator({});
    const info = asking({ menu, questionId: 'q' });
    const question = askedBy(info);
    if (question !== null) await answer({ app: { link }, info }, question, '2. No');
    expect(opened).toMatchObject([{ as: 'VIEW_AS_AUTO', sessionId: 'id', cols: 80, rows: 24 }]);
    expect(sent()).toMatchObject([
      ['SendText', { text: '2. No', answer: true, question: 'q', viewer: 'v' }],
    ]);
    expect(made.at(-1)).toEqual(['CloseView', { viewId: 'v' }]);
  });

  it.each([
    ['a key alone, where keys are read', false, 'y', 'y'],
    ['a text with Enter, where keys are read', false, 'yes', 'yes\r'],
    ['a line', true, 'y', 'y\r'],
  ])('is %s', async (_what, canonical, reply, text) => {
    const info = asking({}, { canonical });
    const { link, sent } = coordinator(sessionWith('Run it? [y/N]', canonical));
    const question = askedBy(info);
    if (question !== null) await answer({ app: { link }, info }, question, reply);
    expect(sent()).toMatchObject([['SendText', { text }]]);
  });

  it('is not sent when the question has changed', async () => {
    const info = asking({});
    const { link, sent } = coordinator(sessionWith('Push by force? [y/N]', false));
    const question = askedBy(info);
    const sending = question && answer({ app: { link }, info }, question, 'y');
    await expect(sending).rejects.toThrow('the question has changed');
    expect(sent()).toEqual([]);
  });

  it('is not sent while another person holds the session', async () => {
    const info = asking({ questionId: 'q' });
    const { link, sent } = coordinator({}, { viewId: 'v', state: { driver: { name: 'ann' } } });
    const question = askedBy(info);
    await expect(question && answer({ app: { link }, info }, question, 'y')).rejects.toThrow(
      'ann holds it',
    );
    expect(sent()).toEqual([]);
  });
});
