import { shellQuoted } from '#base';
import { withTime } from '#format';
import type { Environment, Variable } from '../state/environment.ts';
import type { TmuxSession } from '../state/tmux-session.ts';
import { TmuxError } from '../tmux-error.ts';
import type { Arguments } from '../words/arguments.ts';
import type { Call, Commands } from './call.ts';

export const environmentCommands = {
  'set-environment': {
    usage: '[-Fhgru] [-t target-session] name [value]',
    words: [1, 2],
    run: setEnvironment,
  },
  'show-environment': {
    usage: '[-hgs] [-t target-session] [name]',
    words: [0, 1],
    run: showEnvironment,
  },
} satisfies Commands;

async function setEnvironment(call: Call, args: Arguments): Promise<void> {
  const [name = '', word] = args.words;
  if (name === '') throw new TmuxError('empty variable name');
  if (name.includes('=')) throw new TmuxError('variable name contains =');
  const environment = environmentFor(call, args);
  const target = call.targetOrNull(args, 'session');
  const value =
    word !== undefined && args.has('F')
      ? await call.expand(withTime(word, call.server.nowMs()), target)
      : word;
  if (args.has('u') || args.has('r')) {
    if (value !== undefined) {
      throw new TmuxError(`can't specify a value with -${args.has('u') ? 'u' : 'r'}`);
    }
    if (args.has('u')) environment.delete(name);
    else environment.set(name, { value: null, hidden: false });
    return;
  }
  if (value === undefined) throw new TmuxError('no value specified');
  environment.set(name, { value, hidden: args.has('h') });
}

function showEnvironment(call: Call, args: Arguments): void {
  // As in tmux, a session that is named must be there, also with -g.
  if (args.has('t')) sessionOf(call, args);
  const environment = environmentFor(call, args);
  const [name] = args.words;
  if (name !== undefined) {
    const variable = environment.get(name);
    if (variable === undefined) throw new TmuxError(`unknown variable: ${name}`);
    printVariable(call, args, name, variable);
    return;
  }
  const sorted = [...environment].sort(([one], [two]) => (one < two ? -1 : 1));
  for (const [each, variable] of sorted) printVariable(call, args, each, variable);
}

/** The environment of the server, or of a session. @throws TmuxError */
function environmentFor(call: Call, args: Arguments): Environment {
  if (args.has('g')) return call.server.environment;
  return sessionOf(call, args).environment;
}

/** @throws TmuxError */
function sessionOf(call: Call, args: Arguments): TmuxSession {
  const target = call.targetOrNull(args, 'session');
  if (target !== null) return target.session;
  throw new TmuxError(args.has('t') ? `no such session: ${args.value('t')}` : 'no current session');
}

function printVariable(call: Call, args: Arguments, name: string, variable: Variable): void {
  const { hidden } = variable;
  if (hidden !== args.has('h')) return;
  const value = variable.value && call.server.shown(variable.value, 'all');
  if (!args.has('s')) call.print(value === null ? `-${name}` : `${name}=${value}`);
  else if (value === null) call.print(`unset ${name};`);
  else {
    const escaped = value.replace(/[$`"\\]/g, '\\$&');
    call.print(`${name}="${escaped}"; export ${shellQuoted(name)};`);
  }
}
