import { ownFileMark } from './hook-formats.ts';

/** The part that all plugins share: it passes an event to vtr, and never fails or waits. */
const sender = (vtr: readonly string[], kind: string): string => `
const vtr = ${JSON.stringify(vtr)};
const send = (hook_event_name, session_id, message) => {
  if (!process.env.VTR_REPORT) return;
  try {
    const [program, ...args] = [...vtr, 'report', '--hook', '${kind}'];
    const child = spawn(program, args, { stdio: ['pipe', 'ignore', 'ignore'] });
    child.on('error', () => {});
    child.stdin.on('error', () => {});
    child.stdin.end(JSON.stringify({ hook_event_name, session_id, message }));
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

export const VtrReport = async () => ({
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

export default function (pi) {
  pi.on('session_start', async (_event, ctx) => send('begun', idOf(ctx)));
  pi.on('agent_start', async (_event, ctx) => send('busy', idOf(ctx)));
  pi.on('agent_end', async (_event, ctx) => send('done', idOf(ctx)));
  pi.on('session_shutdown', async (_event, ctx) => send('clear', idOf(ctx)));
}
`;
