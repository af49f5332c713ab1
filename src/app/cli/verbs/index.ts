import type { Verb } from '../verb.ts';

/**
 * All verbs by name, in the order of the help. Each is loaded on demand: loading all of them would
 * take half of the time of a short command.
 */
const loaders: Readonly<Record<string, () => Promise<Verb>>> = {
  spawn: async () => (await import('./spawn.ts')).spawn,
  new: async () => (await import('./new.ts')).newVerb,
  start: async () => (await import('./prompt.ts')).start,
  ls: async () => (await import('./ls.ts')).ls,
  agents: async () => (await import('./agents.ts')).agents,
  'agents explain': async () => (await import('./agents.ts')).agentsExplain,
  'agents update': async () => (await import('./agents.ts')).agentsUpdate,
  'agents save': async () => (await import('./agents.ts')).agentsSave,
  watch: async () => (await import('./naming.ts')).watch,
  notify: async () => (await import('./notify.ts')).notify,
  info: async () => (await import('./info.ts')).info,
  rename: async () => (await import('./naming.ts')).rename,
  attach: async () => (await import('./attach.ts')).attach,
  ui: async () => (await import('./ui.ts')).ui,
  revive: async () => (await import('./revive.ts')).revive,
  fork: async () => (await import('./revive.ts')).fork,
  report: async () => (await import('./report.ts')).report,
  'agents install': async () => (await import('./agents-hooks.ts')).agentsInstall,
  'agents status': async () => (await import('./agents-hooks.ts')).agentsStatus,
  label: async () => (await import('./naming.ts')).label,
  screen: async () => (await import('./screen.ts')).screen,
  read: async () => (await import('./read.ts')).read,
  'record save': async () => (await import('./record.ts')).recordSave,
  'record start': async () => (await import('./record.ts')).recordStart,
  'record stop': async () => (await import('./record.ts')).recordStop,
  'record ls': async () => (await import('./record.ts')).recordLs,
  'record rm': async () => (await import('./record.ts')).recordRm,
  grep: async () => (await import('./grep.ts')).grep,
  send: async () => (await import('./send.ts')).send,
  prompt: async () => (await import('./prompt.ts')).prompt,
  answer: async () => (await import('./prompt.ts')).answer,
  key: async () => (await import('./key.ts')).key,
  mouse: async () => (await import('./terminal-input.ts')).mouse,
  raw: async () => (await import('./terminal-input.ts')).raw,
  wait: async () => (await import('./wait.ts')).wait,
  idle: async () => (await import('./idle.ts')).idle,
  run: async () => (await import('./run.ts')).run,
  commands: async () => (await import('./commands.ts')).commands,
  output: async () => (await import('./output.ts')).output,
  exec: async () => (await import('./exec.ts')).exec,
  resize: async () => (await import('./resize.ts')).resize,
  take: async () => (await import('./take.ts')).take,
  give: async () => (await import('./take.ts')).give,
  kill: async () => (await import('./ending.ts')).kill,
  rm: async () => (await import('./ending.ts')).rm,
  screenshot: async () => (await import('./recordings.ts')).screenshot,
  test: async () => (await import('./test.ts')).test,
  play: async () => (await import('./recordings.ts')).play,
  export: async () => (await import('./recordings.ts')).exportVerb,
  redact: async () => (await import('./recordings.ts')).redact,
  web: async () => (await import('./web.ts')).web,
  'web stop': async () => (await import('./web.ts')).webStop,
  'web status': async () => (await import('./web.ts')).webStatus,
  'web share': async () => (await import('./web.ts')).webShare,
  'web shares': async () => (await import('./web.ts')).webShares,
  'web unshare': async () => (await import('./web.ts')).webUnshare,
  log: async () => (await import('./log.ts')).log,
  publish: async () => (await import('./publish.ts')).publish,
  serve: async () => (await import('./serve.ts')).serve,
  metrics: async () => (await import('./metrics.ts')).metrics,
  connect: async () => (await import('./connect.ts')).connect,
  install: async () => (await import('./install.ts')).install,
  mcp: async () => (await import('./mcp-acp.ts')).mcp,
  acp: async () => (await import('./mcp-acp.ts')).acp,
  tmux: async () => (await import('./tmux.ts')).tmux,
  'shim install': async () => (await import('./tmux.ts')).shimInstall,
  'config ls': async () => (await import('./config.ts')).configLs,
  'config add': async () => (await import('./config.ts')).configAdd,
  'config rm': async () => (await import('./config.ts')).configRm,
  'config resolve': async () => (await import('./config.ts')).configResolve,
  skill: async () => (await import('./skill.ts')).skill,
  doctor: async () => (await import('./doctor.ts')).doctor,
  completion: async () => (await import('./completion.ts')).completionOf(allVerbs),
};

export const verbNames: readonly string[] = Object.keys(loaders);

export const allVerbs = (): Promise<Verb[]> =>
  Promise.all(Object.values(loaders).map((load) => load()));

/** Undefined if no verb has that name. */
export async function findVerb(name: string): Promise<Verb | undefined> {
  return Object.hasOwn(loaders, name) ? loaders[name]?.() : undefined;
}
