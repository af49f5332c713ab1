import { describe, expect, it, vi } from 'vitest';
import type { SessionInfo } from '#model';
import { type Calls, LinkError } from '../link/link.ts';

const store = new Map<string, string>();
vi.stubGlobal('localStorage', {
  getItem: (key: string) => store.get(key) ?? null,
  setItem: (key: string, value: string) => void store.set(key, value),
});
const { givePrompt, PromptHistory } = await import('./prompting.ts');

/** A session whose page drives it already. @param answer of the call, or its error */
function session(answer: object | LinkError) {
  const bodies: Record<string, unknown>[] = [];
  const link = {
    async call(_method: string, body: object) {
      bodies.push(body as Record<string, unknown>);
      if (answer instanceof LinkError) throw answer;
      return answer;
    },
  } as unknown as Calls;
  const info = { name: 'api', id: 'id', size: { cols: 80, rows: 24 } } as SessionInfo;
  return { bodies, answering: { app: { link }, info, viewer: () => 'mine' } };
}

describe('[S3.32] a prompt from the page', () => {
  it.each([
    [{ submitted: true, turn: 3 }, undefined, { isSent: true, text: 'sent ✓ turn 3' }],
    [{ submitted: true, turn: 4 }, 'queue', { isSent: true, text: 'queued ✓' }],
    [{}, undefined, { isSent: false, text: 'Typed, but the agent has not taken it' }],
    [
      new LinkError('AGENT_NOT_IDLE', 'x'),
      undefined,
      { isSent: false, text: 'Not sent: it is busy', retry: 'queue' },
    ],
    [
      new LinkError('DRAFT_SHOWN', 'x'),
      undefined,
      { isSent: false, text: 'Not sent: its composer has another text', retry: 'replace' },
    ],
    [
      new LinkError('NOT_DRIVER', 'ann holds it'),
      undefined,
      { isSent: false, text: 'Not sent: ann holds it' },
    ],
  ] as const)('answered by %j is told', async (answer, way, result) => {
    const { answering, bodies } = session(answer);
    expect(await givePrompt(answering, 'Run it', way)).toEqual(result);
    expect(bodies[0]).toMatchObject({ text: 'Run it', submit: true, viewer: 'mine' });
    expect(bodies[0]?.['queue']).toBe(way === 'queue' ? true : undefined);
  });
});

describe('[S3.32] the prompts of a session', () => {
  it('are kept, and are gone through from the newest to what was being written', () => {
    const history = new PromptHistory('one');
    for (const each of ['a', 'b', 'a']) history.add(each);
    const again = new PromptHistory('one');
    expect([again.step(-1, 'new'), again.step(-1, 'a'), again.step(-1, 'b')]).toEqual([
      'a',
      'b',
      null,
    ]);
    expect([again.step(1, 'b'), again.step(1, 'a'), again.step(1, 'new')]).toEqual([
      'a',
      'new',
      null,
    ]);
    expect(new PromptHistory('two').step(-1, '')).toBe(null);
  });

  it('are not read from what another version kept', () => {
    store.set('vtr.prompts', '[["three",["x"]],["four",[1]],5]');
    expect(new PromptHistory('three').step(-1, '')).toBe('x');
    expect(new PromptHistory('four').step(-1, '')).toBe(null);
  });
});
