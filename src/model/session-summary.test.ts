import { describe, expect, it } from 'vitest';
import { type AgentInfo, commandText, type SessionInfo } from '#model';
import { sessionInfo } from '../../test/support/tui/overview-model.ts';

const agent: AgentInfo = {
  kind: 'claude',
  state: 'busy',
  sinceMs: 0,
  turn: 0,
  evidence: [],
  rules: 'vtr 0.0.0',
};

/** As Claude Code starts a teammate in a pane of tmux. */
const teammate =
  "cd /home/me/src && env CLAUDECODE=1 CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS=1 /opt/claude --agent-id 'web@team' --agent-name web";

describe('the command of a session for people', () => {
  it.each([
    ['a teammate', teammate, 'claude (web)'],
    ['variables before the program', 'FOO=1 claude --verbose', 'claude'],
    ['a pipe', 'cat todo.md | claude -p', 'claude'],
    ['a plain line', 'claude --model opus', 'claude --model opus'],
  ])('of an agent that was started by %s', (_, command, shown) => {
    expect(commandText({ ...sessionInfo('web', { command }), agent })).toBe(shown);
  });

  it('of an agent that is the whole line of the session', () => {
    const info = sessionInfo('web', { command: null });
    expect(commandText({ ...info, args: ['-c', teammate], agent })).toBe('claude (web)');
  });

  it('of a shell that runs one line is the line, whatever program has the terminal', () => {
    const { activity, ...info } = sessionInfo('web', { command: null });
    const args = ['-c', 'make test'];
    const foreground = { pid: 7, name: 'make' };
    const evidence = { ...activity?.evidence, leaderInForeground: false, foreground };
    const running = { ...info, args, activity: { ...activity, evidence } } as SessionInfo;
    expect(commandText({ ...running, program: '/tmp/command-session.sh' })).toBe('make test');
    expect(commandText({ ...running, program: '/usr/bin/env' })).toBe('make');
  });

  it('is the line itself without an agent', () => {
    const command = 'cd src && make';
    expect(commandText(sessionInfo('web', { command }))).toBe(command);
  });
});
