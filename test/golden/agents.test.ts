import { describe, expect, it } from 'vitest';
import { type AgentKind, agentStateOn, draftIn, sceneOf } from '#agents';
import { readAgentKinds } from '../../src/app/daemon/agent-kinds.ts';
import {
  type AgentScreen,
  agentScreens,
  kindOf,
  questionOf,
  shownOn,
} from '../support/agents/agent-screens.ts';

const { kinds } = await readAgentKinds({ env: { HOME: '/nonexistent' } }, '0.0.0');
const screens = agentScreens();

function shownOf(screen: AgentScreen) {
  const watched = shownOn(screen);
  const { cursor } = watched.terminal;
  return { rows: watched.screenRows(), cells: (row: number) => watched.rowCells(row), cursor };
}

/** Returns what an agent does by its screen alone, without time. */
function stateOf(screen: AgentScreen, kind: AgentKind | null, title: string | null = screen.title) {
  return agentStateOn(
    shownOf(screen),
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

  it('tell a draft from a hint', () => {
    const drafts = screens.flatMap((screen) => {
      const shown = shownOf(screen);
      const { composer } = sceneOf(shown);
      const draft = composer === null ? '' : draftIn(shown, composer);
      return draft === '' ? [] : [`${screen.agent} ${screen.stage}: ${draft.split('\n')[0]}`];
    });
    const drafted = screens.filter(({ stage }) => stage.endsWith('draft'));
    expect(drafted.length).toBeGreaterThan(4);
    expect(drafts).toEqual(
      drafted.map(({ agent, stage }) => `${agent} ${stage}: Look at the project`),
    );
  });

  it('give a question about another command another id', () => {
    const asking = screens.filter(
      ({ agent, state, rows }) =>
        // OpenCode asks for access to a directory there, and its dialog does not show the command.
        agent !== 'opencode' && state === 'asks' && rows.some((row) => row.includes('touch')),
    );
    expect(asking.length).toBeGreaterThan(12);
    const equal = asking.filter((screen) => {
      const other = { ...screen, rows: screen.rows.map((row) => row.replaceAll('touch', 'erase')) };
      return questionOf(screen)?.id === questionOf(other)?.id;
    });
    expect(equal.map(({ agent, stage }) => `${agent} ${stage}`)).toEqual([]);
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
