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
    { state: 'asks', message: 'Bash: x' },
  ],
  [
    'claude',
    { hook_event_name: 'PermissionRequest', tool_name: 'Edit', tool_input: { file_path: 'x' } },
    { state: 'asks', message: 'Edit' },
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
  [
    'copilot',
    { hook_event_name: 'Notification', notification_type: 'permission_prompt', message: 'Run x' },
    { state: 'asks', message: 'Run x' },
  ],
  ['gemini', { hook_event_name: 'BeforeAgent' }, { state: 'busy' }],
  ['gemini', { hook_event_name: 'AfterAgent' }, { state: 'done' }],
  ['pi', { hook_event_name: 'busy' }, { state: 'busy' }],
  ['opencode', { hook_event_name: 'asks', message: 'bash' }, { state: 'asks', message: 'bash' }],
  ['mine', { hook_event_name: 'Stop' }, { state: 'done' }],
])('a hook of %s that gets %j reports %j', (kind, event, expected) => {
  expect(by(kind, event)).toEqual({ ...expected, conversation, agent: kind });
});

const bash = { tool_name: 'Bash', tool_input: { command: 'make test' }, cwd: '/src' };
const before = { ...bash, hook_event_name: 'PreToolUse', tool_use_id: 't-1' };
const after = { ...before, hook_event_name: 'PostToolUse', duration_ms: 120 };
const failure = { ...after, hook_event_name: 'PostToolUseFailure' };
const response = { stdout: 'x', stderr: '', interrupted: false };
const command = { line: 'make test', cwd: '/src', call: 't-1' };
const shell = { tool_name: 'run_shell_command', tool_input: { command: 'make test' }, cwd: '/src' };
const gemini = { line: 'make test', cwd: '/src' };
/** What Gemini CLI 0.61 tells its model of an output, and what it shows of it. */
const toldBy = (output: string, end: string, shown: readonly string[]) => ({
  ...shell,
  hook_event_name: 'AfterTool',
  tool_response: {
    llmContent: `<untrusted_context>\nOutput: ${output}${end}\nProcess Group PGID: 7\n</untrusted_context>`,
    returnDisplay: shown.map((text) => [{ text, bold: false }]),
  },
});
const failedBy = (kind: string, error: unknown) =>
  [kind, { ...shell, hook_event_name: 'PostToolUseFailure', tool_call_id: 't-1', error }] as const;
const ofCopilot = (textResultForLlm?: string) => ({
  cwd: '/src',
  toolName: 'bash',
  toolArgs: { command: 'make test' },
  ...(textResultForLlm && { toolResult: { resultType: 'success', textResultForLlm } }),
});
const ofQwen = 'Output: x\nError: (none)\nExit Code: 2\nSignal: (none)\nProcess Group PGID: 7';
const ofKimi = (text: string) => ({ code: 'internal', message: text, retryable: false });

// The first nine are as Claude Code 2.1.332 and Codex 0.171 wrote them.
it.each([
  ['claude', before, {}],
  [
    'claude',
    { ...after, tool_response: response },
    { outcome: 'succeeded', exitCode: 0, durationMs: 120 },
  ],
  [
    'claude',
    { ...after, tool_response: { ...response, returnCodeInterpretation: 'No matches found' } },
    { outcome: 'succeeded', durationMs: 120 },
  ],
  [
    'claude',
    { ...after, tool_response: { ...response, backgroundTaskId: 'b' } },
    { outcome: 'unknown' },
  ],
  [
    'claude',
    { ...failure, error: 'Exit code 3\nno' },
    { outcome: 'failed', exitCode: 3, durationMs: 120 },
  ],
  ['claude', { ...failure, error: 'x' }, { outcome: 'failed', durationMs: 120 }],
  ['codex', before, {}],
  ['codex', { ...after, tool_response: 'x' }, { outcome: 'unknown' }],
  ['codex', { ...after, tool_response: '{"exit_code": 0}' }, { outcome: 'unknown' }],
  ['claude', { ...after, tool_response: { interrupted: true } }, { outcome: 'unknown' }],
  [
    'mine',
    { ...after, tool_response: { exit_code: 2 } },
    { outcome: 'failed', exitCode: 2, durationMs: 120 },
  ],
  ['mine', { ...after, tool_response: response }, { outcome: 'unknown' }],
])('a hook of %s that gets %j reports the command with %j', (kind, event, end) => {
  expect(by(kind, event)).toEqual({ command: { ...command, ...end }, agent: kind });
});

it.each([
  ['gemini', { ...shell, hook_event_name: 'BeforeTool' }, gemini],
  [
    'gemini',
    { ...shell, hook_event_name: 'AfterTool', tool_response: { llmContent: 'Exit Code: 0' } },
    { ...gemini, outcome: 'unknown' },
  ],
  [
    'gemini',
    { ...shell, hook_event_name: 'AfterTool', tool_response: { error: { message: 'x' } } },
    { ...gemini, outcome: 'failed' },
  ],
  ['gemini', toldBy('x', '\nExit Code: 2', ['x ']), { ...gemini, outcome: 'failed', exitCode: 2 }],
  ['gemini', toldBy('x', '', ['x ']), { ...gemini, outcome: 'succeeded', exitCode: 0 }],
  [
    'gemini',
    toldBy('x', '\nBackground PIDs: 8', ['x']),
    { ...gemini, outcome: 'succeeded', exitCode: 0 },
  ],
  ['gemini', toldBy('x', '\nSignal: 9', ['x']), { ...gemini, outcome: 'unknown' }],
  // The last line of the output may be the program's.
  [
    'gemini',
    toldBy('a\nExit Code: 5', '', ['a', 'Exit Code: 5']),
    { ...gemini, outcome: 'unknown' },
  ],
  [...failedBy('qwen', ofQwen), { ...gemini, call: 't-1', outcome: 'failed', exitCode: 2 }],
  [...failedBy('qwen', `${ofQwen}\nx`), { ...gemini, call: 't-1', outcome: 'failed' }],
  [
    ...failedBy('kimi', ofKimi('x\nCommand failed with exit code: 2.')),
    { ...gemini, call: 't-1', outcome: 'failed', exitCode: 2 },
  ],
  [
    ...failedBy(
      'kimi',
      ofKimi('Command failed with exit code: 2.\nCommand killed by timeout (1s)'),
    ),
    { ...gemini, call: 't-1', outcome: 'failed' },
  ],
  [
    'droid',
    {
      ...shell,
      hook_event_name: 'PostToolUse',
      tool_name: 'Execute',
      tool_response: 'x\n\n\n[Process exited with code 0]',
    },
    { ...gemini, outcome: 'succeeded', exitCode: 0 },
  ],
  ['copilot:preToolUse', ofCopilot(), gemini],
  [
    'copilot:postToolUse',
    ofCopilot('x\n<shellId: 0 completed with exit code 2>'),
    { ...gemini, outcome: 'failed', exitCode: 2 },
  ],
  [
    'copilot:postToolUse',
    ofCopilot('<command with shellId: 2 is still running after 30 seconds>'),
    { ...gemini, outcome: 'unknown' },
  ],
  [
    'cursor-agent',
    { hook_event_name: 'afterShellExecution', command: 'make', output: 'x', duration: 1234 },
    { line: 'make', outcome: 'unknown', durationMs: 1234 },
  ],
  [
    'opencode',
    { hook_event_name: 'command', command: { line: 'make', call: 'c', cwd: '/x' } },
    { line: 'make', call: 'c', cwd: '/x' },
  ],
  [
    'opencode',
    { hook_event_name: 'command', command: { line: 'make', ended: true, exit_code: 1 } },
    { line: 'make', outcome: 'failed', exitCode: 1 },
  ],
  [
    'opencode',
    { hook_event_name: 'command', command: { line: 'make', ended: true } },
    { line: 'make', outcome: 'unknown' },
  ],
  [
    'pi',
    { hook_event_name: 'command', command: { line: 'make', ended: true, failed: false } },
    { line: 'make', outcome: 'succeeded' },
  ],
])('a hook of %s that gets %j reports the command %j', (kind, event, expected) => {
  expect(by(kind, event)).toEqual({ command: expected, agent: kind.replace(/:.*/, '') });
});

it.each([
  ['claude', { ...before, tool_name: 'Edit' }],
  ['claude', { ...before, tool_input: { command: 7 } }],
  ['claude', { ...before, tool_input: 'make' }],
  ['opencode', { hook_event_name: 'command', command: { call: 'c' } }],
  ['cursor-agent', { hook_event_name: 'afterShellExecution' }],
])('no command is reported by a hook of %s that gets %j', (kind, event) => {
  expect(by(kind, event)).toBeNull();
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
