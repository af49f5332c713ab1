import { ownFileMark } from './hook-formats.ts';

/** The part that all plugins share: it passes an event to vtr, and never fails or waits. */
const sender = (vtr: readonly string[], kind: string): string => `
const vtr = ${JSON.stringify(vtr)};
let number = 0;
const send = (hook_event_name, session_id, message, command) => {
  if (!process.env.VTR_REPORT) return;
  // The processes may come in another order.
  number = Math.max(number + 1, Date.now() * 1000);
  try {
    const [program, ...args] = [...vtr, 'report', '--hook', '${kind}', '--sequence', String(number)];
    const child = spawn(program, args, { stdio: ['pipe', 'ignore', 'ignore'] });
    child.on('error', () => {});
    child.stdin.on('error', () => {});
    child.stdin.end(JSON.stringify({ hook_event_name, session_id, message, command }));
    child.unref();
  } catch {}
};
`;

const head = (vtr: readonly string[], kind: string): string =>
  `// ${ownFileMark} ${kind}. vtr agents install ${kind} --remove removes it.
import { spawn } from 'node:child_process';
${sender(vtr, kind)}`;

/** A plugin of OpenCode and Kilo. Sessions of sub-agents have a parent, and are not reported. */
export const openCodePlugin = (vtr: readonly string[], kind: string): string =>
  `${head(vtr, kind)}
const children = new Set();
let last = '';
const tell = (event, id, message) => {
  if (id && children.has(id)) return;
  const told = event + ' ' + id + ' ' + (message || '');
  if (told === last) return;
  last = told;
  send(event, id, message);
};

const lines = new Map();
const shell = (call, ended, metadata, args) => {
  const { command: line = lines.get(call), workdir: cwd } = args || {};
  if (ended) lines.delete(call);
  else lines.set(call, line);
  const exit_code = ended && metadata ? metadata.exit : undefined;
  if (line) send('command', undefined, undefined, { line, call, cwd, ended, exit_code });
};

export const VtrReport = async () => ({
  'tool.execute.before': async ({ tool, callID }, output) => {
    if (tool === 'bash') shell(callID, false, undefined, output && output.args);
  },
  'tool.execute.after': async ({ tool, callID, args }, output) => {
    if (tool === 'bash') shell(callID, true, output && output.metadata, args);
  },
  event: async ({ event }) => {
    const { type, properties = {} } = event || {};
    const { sessionID, info, status } = properties;
    if (type === 'session.created' || type === 'session.updated') {
      if (info && info.parentID) children.add(info.id);
      else if (info && type === 'session.created') tell('begun', info.id);
    } else if (type === 'session.status') {
      const word = status && status.type;
      if (word === 'idle') tell('done', sessionID);
      else if (word) tell('busy', sessionID);
    } else if (type === 'session.idle') tell('done', sessionID);
    else if (type === 'session.error') tell('error', sessionID, 'error');
    else if (type === 'permission.asked' || type === 'permission.updated')
      tell('asks', sessionID, String(properties.title || properties.permission || 'permission'));
    else if (type === 'permission.replied') tell('busy', sessionID);
  },
});
`;

/** An extension of Pi. */
export const piExtension = (vtr: readonly string[]): string =>
  `${head(vtr, 'pi')}
const idOf = (ctx) => {
  try {
    return ctx.sessionManager.getSessionId();
  } catch {
    return undefined;
  }
};

// Older versions of Pi tell the status in the last line of the text alone.
const statusOf = ({ structuredContent, content }, failed) => {
  if (structuredContent) return structuredContent.exit_code;
  const { text } = (failed && content && content.at(-1)) || {};
  const told = /(?:^|\\n)Command exited with code (\\d+)$/.exec(text || '');
  return told ? Number(told[1]) : undefined;
};

const lines = new Map();
const shell = ({ toolName, toolCallId: call, args, result, isError: failed }, ended) => {
  if (toolName !== 'bash') return;
  const line = ended ? lines.get(call) : args && args.command;
  if (ended) lines.delete(call);
  else lines.set(call, line);
  const exit_code = ended ? statusOf(result || {}, failed) : undefined;
  if (line) send('command', undefined, undefined, { line, call, ended, failed, exit_code });
};

export default function (pi) {
  pi.on('tool_execution_start', async (event) => shell(event, false));
  pi.on('tool_execution_end', async (event) => shell(event, true));
  pi.on('session_start', async (_event, ctx) => send('begun', idOf(ctx)));
  pi.on('agent_start', async (_event, ctx) => send('busy', idOf(ctx)));
  pi.on('agent_end', async (_event, ctx) => send('done', idOf(ctx)));
  pi.on('session_shutdown', async (_event, ctx) => send('clear', idOf(ctx)));
}
`;
