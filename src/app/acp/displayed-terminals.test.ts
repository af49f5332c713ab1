import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { displaysIn } from './displayed-terminals.ts';

const call = { sessionUpdate: 'tool_call_update', toolCallId: 'call' };
const base64 = (text: string) => Buffer.from(text).toString('base64');

describe('displaysIn', () => {
  it.each<[string, object, object]>([
    [
      'terminal_info',
      { title: 'npm test', _meta: { terminal_info: { terminal_id: 't', cwd: '/work' } } },
      { terminalId: 't', title: 'npm test', cwd: '/work' },
    ],
    [
      'what a tool call is called by now',
      { title: 'npm test', _meta: { other: {} } },
      { terminalId: 'call', newTitle: 'npm test' },
    ],
    [
      'that a tool call runs by now',
      { status: 'in_progress', _meta: { other: {} } },
      { terminalId: 'call', isRunning: true },
    ],
    ['that a tool call has failed', { status: 'failed' }, { terminalId: 'call', hasFailed: true }],
    [
      'the end of a command that was not run',
      { status: 'failed', _meta: { terminal_exit: { terminal_id: 't', exit_code: null } } },
      { terminalId: 't', hasFailed: true, exit: null },
    ],
    [
      'terminal_output',
      { _meta: { terminal_output: { terminal_id: 't', data: 'é\n' } } },
      { terminalId: 't', output: Buffer.from('é\n') },
    ],
    [
      'terminal_output_delta, without an id',
      { _meta: { terminal_output_delta: { data: 'x' } } },
      { terminalId: 'call', output: Buffer.from('x') },
    ],
    [
      'terminal_exit with a code',
      { _meta: { terminal_exit: { terminal_id: 't', exit_code: 3, signal: null } } },
      { terminalId: 't', exit: { code: 3, signal: null } },
    ],
    [
      'terminal_exit with a signal',
      { _meta: { terminal_exit: { terminal_id: 't', exit_code: null, signal: 'KILL' } } },
      { terminalId: 't', exit: { code: null, signal: 'SIGKILL' } },
    ],
    [
      'terminal_exit with a code of another system',
      { _meta: { terminal_exit: { terminal_id: 't', exit_code: -1073741510 } } },
      { terminalId: 't', exit: { code: 255, signal: null } },
    ],
    [
      'terminal_exit that does not say how',
      { _meta: { terminal_exit: { terminal_id: 't' } } },
      { terminalId: 't', exit: null },
    ],
    [
      'terminal_update',
      {
        sessionUpdate: 'terminal_update',
        terminalId: 't',
        command: 'top',
        cwd: '/',
        size: { cols: 100, rows: 30 },
        output: { data: base64('all') },
        exitStatus: null,
      },
      {
        terminalId: 't',
        isRunning: true,
        title: 'top',
        cwd: '/',
        size: { cols: 100, rows: 30 },
        snapshot: Buffer.from('all'),
      },
    ],
    [
      'the end in a terminal_update',
      { sessionUpdate: 'terminal_update', terminalId: 't', exitStatus: { exitCode: 0 } },
      { terminalId: 't', isRunning: true, exit: { code: 0, signal: null } },
    ],
    [
      'that output is cleared',
      { sessionUpdate: 'terminal_update', terminalId: 't', output: null },
      { terminalId: 't', isRunning: true, snapshot: new Uint8Array() },
    ],
    [
      'a size that no terminal has',
      { sessionUpdate: 'terminal_update', terminalId: 't', size: { cols: 0, rows: 1e9 } },
      { terminalId: 't', isRunning: true },
    ],
    [
      'terminal_output_chunk',
      { sessionUpdate: 'terminal_output_chunk', terminalId: 't', data: base64('\x1b[1m') },
      { terminalId: 't', output: Buffer.from('\x1b[1m') },
    ],
  ])('reads %s', (_name, update, step) => {
    expect(displaysIn({ ...call, ...update })).toEqual([step]);
  });

  it('reads a complete command from one update, in order', () => {
    const _meta = {
      terminal_exit: { terminal_id: 't', exit_code: 0 },
      terminal_output: { terminal_id: 't', data: 'x' },
      terminal_info: { terminal_id: 't' },
    };
    const kinds = displaysIn({ ...call, _meta }).map((step) => Object.keys(step).at(-1));
    expect(kinds).toEqual(['terminalId', 'output', 'exit']);
  });

  it('accepts any value, and finds no terminals in it', () => {
    const property = fc.property(fc.jsonValue(), (update) => {
      expect(Array.isArray(displaysIn(update))).toBe(true);
    });
    fc.assert(property);
    expect(displaysIn({ ...call, content: [], _meta: { other: {} } })).toEqual([]);
    expect(
      displaysIn({ ...call, _meta: { terminal_output: { terminal_id: 7, data: 'x' } } }),
    ).toEqual([]);
  });
});
