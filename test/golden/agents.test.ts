import { describe, expect, it } from 'vitest';
import { type AgentKind, agentStateOn } from '#agents';
import { readAgentKinds } from '../../src/app/daemon/agent-kinds.ts';
import {
  type AgentScreen,
  agentScreens,
  kindOf,
  shownOn,
} from '../support/agents/agent-screens.ts';

const { kinds } = await readAgentKinds({ env: { HOME: '/nonexistent' } }, '0.0.0');
const screens = agentScreens();

/** Returns what an agent does by its screen alone, without time. */
function stateOf(screen: AgentScreen, kind: AgentKind | null, title: string | null = screen.title) {
  const watched = shownOn(screen);
  const { cursor } = watched.terminal;
  const rows = watched.screenRows();
  return agentStateOn(
    { rows, cells: (row) => watched.rowCells(row), cursor },
    { title: title || null, earlierTitles: title === null ? [] : screen.earlier },
    kind,
  );
}

const kindNamed = (name: string) => kinds.find(({ kind }) => kind === name) ?? null;

describe('the screens of real agents', () => {
  it('are those of ten kinds, in all states', () => {
    expect(new Set(screens.map(kindOf)).size).toBe(10);
    expect(new Set(screens.map(({ state }) => state))).toEqual(new Set(['idle', 'busy', 'asks']));
  });

  it.each(screens)('tell the state: $agent $stage', (screen) => {
    const { state, background } = stateOf(screen, kindNamed(kindOf(screen)));
    expect(state).toBe(screen.state);
    if (screen.background !== undefined) expect(background).toBe(screen.background);
  });

  it('tell it without the rules of a kind, which a new agent has not', () => {
    const wrong = screens.filter((screen) => stateOf(screen, null).state !== screen.state);
    expect(wrong.map(({ agent, stage }) => `${agent} ${stage}`)).toEqual([]);
  });

  it('tell it without a title, which can be switched off, unless the rows are the same', () => {
    const wrong = screens
      .filter(({ needs }) => needs !== 'title')
      .filter((screen) => stateOf(screen, kindNamed(kindOf(screen)), null).state !== screen.state);
    expect(wrong.map(({ agent, stage }) => `${agent} ${stage}`)).toEqual([]);
  });
});
