import { create } from '@bufbuild/protobuf';
import {
  type AgentEvidence as AgentEvidenceMessage,
  AgentEvidenceSchema,
  type Agent as AgentMessage,
  AgentSchema,
} from '#messages';
import type { AgentEvidence, AgentInfo } from '#model';
import { field } from '../field.ts';
import { fromMenu, toMenu } from '../output/menu.ts';
import { fromTimestamp, toTimestamp } from '../time.ts';
import { enumOf, wordOf } from '../words.ts';

export const toAgent = (agent: AgentInfo): AgentMessage =>
  create(AgentSchema, {
    kind: agent.kind,
    state: enumOf('AgentState', agent.state),
    since: toTimestamp(agent.sinceMs),
    turn: agent.turn,
    background: agent.background ?? 0,
    ...field('question', agent.question),
    ...field('menu', agent.menu && toMenu(agent.menu)),
    evidence: agent.evidence.map(toEvidence),
  });

export function fromAgent(message: AgentMessage): AgentInfo {
  const { kind, state, since, turn, background, question, menu, evidence } = message;
  return {
    kind,
    // A state of a later version.
    state: wordOf('AgentState', state) ?? 'unknown',
    sinceMs: fromTimestamp(since),
    turn,
    ...(background === 0 ? {} : { background }),
    ...field('question', question),
    ...(menu === undefined ? {} : { menu: fromMenu(menu) }),
    evidence: evidence.flatMap(fromEvidence),
  };
}

const toEvidence = ({ state, strength, rule, text }: AgentEvidence) =>
  create(AgentEvidenceSchema, {
    state: enumOf('AgentState', state),
    strong: strength === 'strong',
    ...{ rule, text },
  });

/** None for a state of a later version. */
function fromEvidence({ state, strong, rule, text }: AgentEvidenceMessage): AgentEvidence[] {
  const word = wordOf('AgentState', state);
  if (word === undefined || word === 'unknown') return [];
  return [{ state: word, strength: strong ? 'strong' : 'supports', rule, text }];
}
