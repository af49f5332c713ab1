import { expect, it } from 'vitest';
import { defined, Emitter } from '#base';
import type { AgentEvidence, AgentInfo, AgentState, WaitRequest } from '#model';
import { waitFor } from '#watch';
import { WatchedTerminal } from '../../../test/support/session/watched-terminal.ts';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';

const menu = { title: '', options: ['1. Yes', '2. No'], selected: 0, multiple: false, keys: '' };

class Agent {
  readonly clock = new VirtualClock();
  readonly watched = new WatchedTerminal();
  readonly #changes = new Emitter<void>();
  #info: AgentInfo | null = null;

  is(state: AgentState, turn = 0, evidence: readonly AgentEvidence[] = []): void {
    const fields = state === 'asks' ? { question: 'Run it?', menu } : {};
    const sinceMs = this.clock.wallMs();
    this.#info = {
      kind: 'codex',
      state,
      sinceMs,
      turn,
      evidence,
      rules: 'vtr 0.0.0',
      ...fields,
    };
    this.#changes.emit();
  }

  async waits(request: WaitRequest, act: () => void, sendsInput = false, prompt?: string) {
    const agent = {
      info: () => this.#info,
      onChange: (listener: () => void) => this.#changes.on(listener),
    };
    const input = { sendsInput, written: Promise.resolve(), ...defined({ prompt }) };
    const context = { agent, ...(sendsInput && input) };
    const waiting = waitFor(this.watched, { timeoutMs: 60_000, ...request }, this.clock, context);
    await Promise.resolve();
    act();
    this.clock.advance(60_000);
    return waiting;
  }
}

it('a wait for a state ends at once if the agent is in it, and else when it is', async () => {
  const agent = new Agent();
  agent.is('idle');
  expect(await agent.waits({ agent: ['idle'] }, () => {})).toMatchObject({
    outcome: 'agent',
    agent: { kind: 'codex', state: 'idle' },
  });
  const { outcome } = await agent.waits({ agent: ['busy'] }, () => agent.is('busy'));
  expect(outcome).toBe('agent');
});

it('what an agent asks is the question of the wait', async () => {
  const agent = new Agent();
  expect(await agent.waits({ agent: ['idle', 'asks'] }, () => agent.is('asks'))).toMatchObject({
    outcome: 'awaiting_input',
    program: 'codex',
    question: 'Run it? > 1. Yes | 2. No',
    menu,
  });
});

it('a session without an agent is in no state', async () => {
  expect((await new Agent().waits({ agent: ['idle', 'unknown'] }, () => {})).outcome).toBe(
    'timed_out',
  );
});

it('a wait that is sent with a prompt ends with the turn of the prompt', async () => {
  const agent = new Agent();
  agent.is('idle');
  agent.clock.advance(10);
  const stays = await agent.waits({ agent: ['idle'], timeoutMs: 1_000 }, () => {}, true);
  expect(stays.outcome).toBe('timed_out');
  const turns = () => {
    agent.is('busy');
    agent.clock.advance(5_000);
    agent.is('idle', 1);
  };
  expect(await agent.waits({ agent: ['idle'] }, turns, true)).toMatchObject({
    outcome: 'agent',
    agent: { turn: 1 },
  });
});

it('a turn that leaves the screen as it was is stalled, unless a hook has reported its end', async () => {
  const request = { agent: ['idle'], agentTurn: 1 } as const;
  const by = (rule: string) => [{ state: 'idle', strength: 'supports', rule, text: '' }] as const;
  const turns = async (rule: string) => {
    const agent = new Agent();
    agent.is('idle', 0, by('report'));
    agent.clock.advance(10);
    return (await agent.waits(request, () => agent.is('idle', 1, by(rule)), true, 'again')).outcome;
  };
  expect(await turns('composer')).toBe('stalled');
  expect(await turns('report')).toBe('agent');
});

it('what a hook has reported of the turn before does not save one from being stalled', async () => {
  const agent = new Agent();
  const by = (rule: string) => [{ state: 'idle', strength: 'supports', rule, text: '' }] as const;
  agent.is('idle', 0, by('report'));
  agent.clock.advance(10);
  const turns = () => {
    agent.is('unknown');
    agent.is('idle', 0, by('report'));
    agent.is('idle', 1, by('composer'));
  };
  const request = { agent: ['idle'], agentTurn: 1 } as const;
  expect((await agent.waits(request, turns, true, 'again')).outcome).toBe('stalled');
});

it('a turn that has not ended is not idle', async () => {
  const agent = new Agent();
  agent.is('idle', 1);
  const request = { agent: ['idle'], agentTurn: 2 } as const;
  expect((await agent.waits(request, () => {})).outcome).toBe('timed_out');
  expect((await agent.waits(request, () => agent.is('idle', 2))).outcome).toBe('agent');
});

it('asks follows the agent: a busy one reads its terminal, too', async () => {
  const agent = new Agent();
  agent.is('busy');
  const asks = await agent.waits({ asks: true }, () => agent.is('asks'));
  expect(asks).toMatchObject({ outcome: 'awaiting_input', question: 'Run it? > 1. Yes | 2. No' });
  agent.is('busy');
  expect((await agent.waits({ asks: true }, () => agent.is('idle'))).outcome).toBe('agent');
});

it('after input, a question that was asked before does not count', async () => {
  const agent = new Agent();
  agent.is('asks');
  agent.clock.advance(10);
  const states = { agent: ['idle', 'asks'], timeoutMs: 1_000 } as const;
  expect((await agent.waits(states, () => {}, true)).outcome).toBe('timed_out');
  expect((await agent.waits(states, () => agent.is('asks'), true)).outcome).toBe('awaiting_input');
});

it('a state that the caller knows does not count', async () => {
  const agent = new Agent();
  agent.is('idle', 3);
  const agentAfterMs = agent.clock.wallMs();
  const states = { agent: ['idle', 'asks'], agentAfterMs, timeoutMs: 1_000 } as const;
  expect((await agent.waits(states, () => {})).outcome).toBe('timed_out');
  agent.clock.advance(1);
  expect((await agent.waits(states, () => agent.is('asks'))).outcome).toBe('awaiting_input');
});

it('a wait for an agent tells that there is none', async () => {
  const agent = new Agent();
  expect(await agent.waits({ agent: ['idle'] }, () => {})).toMatchObject({ noAgent: true });
  agent.is('busy');
  expect(await agent.waits({ agent: ['idle'] }, () => {})).not.toHaveProperty('noAgent');
});
