import { type Disposable, defined } from '#base';
import {
  type AgentInfo,
  type AgentState,
  menuText,
  type StatusState,
  type ToldStatus,
} from '#model';
import type { Condition, ConditionMet } from './wait.ts';

/** The coding agent in the foreground of a session. */
export interface AgentSource {
  /** Null if there is none, or it is not known. */
  info(): AgentInfo | null;
  /** Calls `listener` after each change. */
  onChange(listener: () => void): Disposable;
}

/**
 * Met while the agent is in one of these states.
 *
 * @param isAfterInput whether `idle` must have begun after the wait, which is sent with input
 * @param turn the fewest turns that must have ended for `idle`
 */
export function agentIs(
  source: AgentSource,
  states: readonly AgentState[],
  isAfterInput: boolean,
  turn = 0,
): Condition {
  return checked(source, (agent, beganMs) => {
    if (!states.includes(agent.state)) return null;
    const isIdle = agent.state === 'idle';
    if (isIdle && (agent.turn < turn || (isAfterInput && agent.sinceMs < beganMs))) return null;
    return agent.state === 'asks' ? asking(agent) : { outcome: 'agent', agent };
  });
}

/** Met when the agent asks, or is idle and waits for a prompt. */
export function agentAsks(source: AgentSource, isAfterInput: boolean): Condition {
  return agentIs(source, ['asks', 'idle'], isAfterInput);
}

const asking = (agent: AgentInfo): ConditionMet => {
  const { kind, question = '', menu } = agent;
  const text = menu === undefined ? question : menuText({ ...menu, title: menu.title || question });
  return {
    outcome: 'awaiting_input',
    question: text,
    program: kind,
    agent,
    ...defined({ menu }),
  };
};

/** Returns a condition that does not count while an agent is in the foreground, whose state tells more. */
export const withoutAgent = (condition: Condition, source: AgentSource): Condition => ({
  start: (watched, clock, onMet, since) =>
    condition.start(watched, clock, (met) => source.info() === null && onMet(met), since),
});

/** What the program in the foreground of a session says that it does. */
export interface StatusSource {
  /** Null if it says nothing. */
  status(): ToldStatus | null;
  /** Returns another text each time that it says something, also if it says the same again. */
  turn(): string;
  /** Calls `listener` after each change, and perhaps without one. */
  onChange(listener: () => void): Disposable;
}

/**
 * Met while the program says that it is in one of these states.
 *
 * @param isAfterInput whether what it said before the wait, which is sent with input, does not count
 */
export function statusIs(
  source: StatusSource,
  states: readonly StatusState[],
  isAfterInput: boolean,
): Condition {
  return {
    start(_watched, _clock, onMet) {
      const before = isAfterInput ? source.turn() : null;
      const check = () => {
        const programStatus = source.status();
        if (source.turn() === before) return;
        if (programStatus === null || !states.includes(programStatus.state)) return;
        onMet({ outcome: 'status', programStatus });
      };
      const changes = source.onChange(check);
      check();
      return { onEvent: () => {}, dispose: () => changes.dispose() };
    },
  };
}

function checked(
  source: AgentSource,
  met: (agent: AgentInfo, beganMs: number) => ConditionMet | null,
): Condition {
  return {
    start(_watched, clock, onMet) {
      const beganMs = clock.wallMs();
      const check = () => {
        const agent = source.info();
        const found = agent === null ? null : met(agent, beganMs);
        if (found !== null) onMet(found);
      };
      const changes = source.onChange(check);
      check();
      return { onEvent: () => {}, dispose: () => changes.dispose() };
    },
  };
}
