import { expect, it } from 'vitest';
import { reportOfHook } from './hook-reports.ts';

const session_id = '0f6c-1';
const conversation = session_id;
const by = (hook: string, event: object) =>
  reportOfHook(hook, JSON.stringify({ session_id, ...event }));

it.each([
  ['claude', { hook_event_name: 'SessionStart', source: 'startup' }, {}],
  ['claude', { hook_event_name: 'UserPromptSubmit', prompt: 'secret' }, { state: 'busy' }],
  [
    'claude',
    { hook_event_name: 'PermissionRequest', tool_name: 'Bash', tool_input: { command: 'x' } },
    { state: 'asks', message: 'Bash' },
  ],
  [
    'claude',
    { hook_event_name: 'Notification', notification_type: 'permission_prompt', message: 'May I?' },
    { state: 'asks', message: 'May I?' },
  ],
  [
    'claude',
    { hook_event_name: 'Notification', notification_type: 'idle_prompt' },
    { state: 'idle' },
  ],
  ['claude', { hook_event_name: 'Stop' }, { state: 'done' }],
  [
    'claude',
    { hook_event_name: 'StopFailure', error: 'overloaded' },
    { state: 'error', message: 'overloaded' },
  ],
  ['claude', { hook_event_name: 'SessionEnd' }, { state: 'clear' }],
  ['codex', { hook_event_name: 'Stop' }, { state: 'done' }],
  ['gemini', { hook_event_name: 'BeforeAgent' }, { state: 'busy' }],
  ['gemini', { hook_event_name: 'AfterAgent' }, { state: 'done' }],
  ['pi', { hook_event_name: 'busy' }, { state: 'busy' }],
  ['opencode', { hook_event_name: 'asks', message: 'bash' }, { state: 'asks', message: 'bash' }],
  ['mine', { hook_event_name: 'Stop' }, { state: 'done' }],
])('a hook of %s that gets %j reports %j', (kind, event, expected) => {
  expect(by(kind, event)).toEqual({ ...expected, conversation, agent: kind });
});

it('the command of a hook may name the event, and the id may be spelled otherwise', () => {
  const input = JSON.stringify({ sessionId: 'a', timestamp: 1 });
  expect(reportOfHook('copilot:userPromptSubmitted', input)).toEqual({
    state: 'busy',
    conversation: 'a',
    agent: 'copilot',
  });
});

it.each([
  ['claude', ''],
  ['claude', 'no'],
  ['claude', '7'],
  ['claude', 'null'],
  ['claude', '{"hook_event_name":"PreToolUse"}'],
  ['claude', '{"hook_event_name":"toString"}'],
  ['claude', '{"hook_event_name":"SessionStart"}'],
  ['claude', '{"hook_event_name":"SessionStart","session_id":"--x"}'],
  ['claude', '{"hook_event_name":"Notification","notification_type":"auth_success"}'],
  ['No kind', '{"hook_event_name":"Stop"}'],
  ['', '{"hook_event_name":"Stop"}'],
])('nothing is reported by a hook of %j that gets %j', (kind, input) => {
  expect(reportOfHook(kind, input)).toBeNull();
});

it('an id that is no id is left out', () => {
  const input = JSON.stringify({ hook_event_name: 'Stop', session_id: '$(x)' });
  expect(reportOfHook('claude', input)).toEqual({ state: 'done', agent: 'claude' });
});
