import { Emitter } from '#base';
import type { AgentInfo, Persistence, SessionInfo } from '#model';
import type { Session } from '#session';
import type { AgentSource } from '#watch';
import type { Drivers } from './driving/drivers.ts';
import type { Recorders } from './recording/recorders.ts';
import type { Registered } from './registry.ts';
import type { AgentCommands } from './watching/agent-commands.ts';
import type { Looks } from './watching/looks.ts';
import type { SessionAgents } from './watching/session-agents.ts';
import type { SessionReports } from './watching/session-reports.ts';

export interface SessionInfosParts {
  readonly agents: SessionAgents;
  readonly agentCommands: AgentCommands;
  readonly drivers: Drivers;
  readonly looks: Looks;
  readonly recorders: Recorders;
  readonly reports: SessionReports;
  /** Whether sessions are saved, and where. */
  readonly persistence: () => Persistence;
}

/** What callers are told of a session: its own facts, and those that the coordinator knows. */
export class SessionInfos {
  readonly #parts: SessionInfosParts;
  /** Ids of sessions. */
  readonly #agentChanges = new Emitter<string>();

  constructor(parts: SessionInfosParts) {
    this.#parts = parts;
  }

  of(session: Registered): SessionInfo {
    const { drivers, recorders, reports, persistence } = this.#parts;
    const recording = recorders.files.of(session.id);
    // One object for each session, because a list may have a thousand: spreading takes longer than all else.
    const info: { -readonly [Name in keyof SessionInfo]: SessionInfo[Name] } = session.info();
    drivers.of(session).addTo(info);
    const agent = this.agentOf(session);
    if (agent !== null) info.agent = agent;
    const programStatus = reports.statusOf(session);
    if (programStatus !== null) info.programStatus = programStatus;
    if (recording !== undefined) info.recording = recording;
    const isSaved = 'live' in session || session.saving !== null;
    if (!isSaved) return info;
    const persists = 'live' in session ? session.facts.persist : session.persists;
    info.persist = persists ? persistence() : { state: 'memory' };
    return info;
  }

  /** Returns the coding agent in the foreground of a session; null if there is none. */
  agentOf(session: Registered): AgentInfo | null {
    const { agents, agentCommands, looks } = this.#parts;
    const agent = looks.withDone(session, agents.of(session));
    const commands = agent && agentCommands.counts(session);
    return commands === null ? agent : { ...(agent as AgentInfo), commands };
  }

  /** Returns that agent for a wait, which follows its changes. */
  agentSource(session: Session): AgentSource {
    return {
      info: () => this.agentOf(session),
      onChange: (listener) => this.#agentChanges.on((id) => id === session.id && listener()),
    };
  }

  /** Must be called when the agent of a session has changed, or what was done with it. */
  agentChanged(id: string): void {
    this.#agentChanges.emit(id);
  }
}
