import type { Verb } from '../verb.ts';

type Loader = () => Promise<Verb>;

/**
 * All verbs by name, in the groups and the order of the help. Each is loaded on demand: loading all of them would
 * take half of the time of a short command.
 */
const groups: Readonly<Record<string, Readonly<Record<string, Loader>>>> = {
  'Begin, list and end sessions': {
    spawn: async () => (await import('./spawn.ts')).spawn,
    new: async () => (await import('./new.ts')).newVerb,
    exec: async () => (await import('./exec.ts')).exec,
    ls: async () => (await import('./ls.ts')).ls,
    info: async () => (await import('./info.ts')).info,
    label: async () => (await import('./naming.ts')).label,
    rename: async () => (await import('./naming.ts')).rename,
    watch: async () => (await import('./naming.ts')).watch,
    resize: async () => (await import('./resize.ts')).resize,
    kill: async () => (await import('./ending.ts')).kill,
    rm: async () => (await import('./ending.ts')).rm,
    revive: async () => (await import('./revive.ts')).revive,
  },
  'Type and wait': {
    send: async () => (await import('./send.ts')).send,
    key: async () => (await import('./key.ts')).key,
    raw: async () => (await import('./terminal-input.ts')).raw,
    mouse: async () => (await import('./terminal-input.ts')).mouse,
    run: async () => (await import('./run.ts')).run,
    wait: async () => (await import('./wait.ts')).wait,
    idle: async () => (await import('./idle.ts')).idle,
  },
  Read: {
    screen: async () => (await import('./screen.ts')).screen,
    read: async () => (await import('./read.ts')).read,
    grep: async () => (await import('./grep.ts')).grep,
    commands: async () => (await import('./commands.ts')).commands,
    output: async () => (await import('./output.ts')).output,
    screenshot: async () => (await import('./recordings.ts')).screenshot,
  },
  'Coding agents': {
    start: async () => (await import('./prompt.ts')).start,
    prompt: async () => (await import('./prompt.ts')).prompt,
    answer: async () => (await import('./prompt.ts')).answer,
    fork: async () => (await import('./revive.ts')).fork,
    report: async () => (await import('./report.ts')).report,
    agents: async () => (await import('./agents.ts')).agents,
    'agents explain': async () => (await import('./agents.ts')).agentsExplain,
    'agents update': async () => (await import('./agents.ts')).agentsUpdate,
    'agents save': async () => (await import('./agents.ts')).agentsSave,
    'agents install': async () => (await import('./agents-hooks.ts')).agentsInstall,
    'agents status': async () => (await import('./agents-hooks.ts')).agentsStatus,
  },
  'For people': {
    attach: async () => (await import('./attach.ts')).attach,
    ui: async () => (await import('./ui.ts')).ui,
    take: async () => (await import('./take.ts')).take,
    give: async () => (await import('./take.ts')).give,
    notify: async () => (await import('./notify.ts')).notify,
    web: async () => (await import('./web.ts')).web,
    'web status': async () => (await import('./web.ts')).webStatus,
    'web stop': async () => (await import('./web.ts')).webStop,
    'web share': async () => (await import('./web.ts')).webShare,
    'web shares': async () => (await import('./web.ts')).webShares,
    'web unshare': async () => (await import('./web.ts')).webUnshare,
    'web logins': async () => (await import('./web.ts')).webLogins,
    'web logout': async () => (await import('./web.ts')).webLogout,
  },
  'Recordings and tests': {
    'record save': async () => (await import('./record.ts')).recordSave,
    'record start': async () => (await import('./record.ts')).recordStart,
    'record stop': async () => (await import('./record.ts')).recordStop,
    'record ls': async () => (await import('./record.ts')).recordLs,
    'record rename': async () => (await import('./record.ts')).recordRename,
    'record rm': async () => (await import('./record.ts')).recordRm,
    marker: async () => (await import('./record.ts')).marker,
    play: async () => (await import('./recordings.ts')).play,
    export: async () => (await import('./recordings.ts')).exportVerb,
    redact: async () => (await import('./recordings.ts')).redact,
    test: async () => (await import('./test.ts')).test,
  },
  'For other programs': {
    mcp: async () => (await import('./mcp-acp.ts')).mcp,
    'mcp install': async () => (await import('./mcp-install.ts')).mcpInstall,
    acp: async () => (await import('./mcp-acp.ts')).acp,
    tmux: async () => (await import('./tmux.ts')).tmux,
    'shim install': async () => (await import('./tmux.ts')).shimInstall,
    'quick install': async () => (await import('./quick.ts')).quickInstall,
    publish: async () => (await import('./publish.ts')).publish,
    skill: async () => (await import('./skill.ts')).skill,
    completion: async () => (await import('./completion.ts')).completionOf(allVerbs),
    'completion install': async () => (await import('./completion-install.ts')).completionInstall,
  },
  'The daemon and other machines': {
    serve: async () => (await import('./serve.ts')).serve,
    doctor: async () => (await import('./doctor.ts')).doctor,
    log: async () => (await import('./log.ts')).log,
    metrics: async () => (await import('./metrics.ts')).metrics,
    install: async () => (await import('./install.ts')).install,
    connect: async () => (await import('./connect.ts')).connect,
    'config ls': async () => (await import('./config.ts')).configLs,
    'config add': async () => (await import('./config.ts')).configAdd,
    'config rm': async () => (await import('./config.ts')).configRm,
    'config resolve': async () => (await import('./config.ts')).configResolve,
  },
};

const loaders: Readonly<Record<string, Loader>> = Object.assign({}, ...Object.values(groups));

export const verbNames: readonly string[] = Object.keys(loaders);

export const allVerbs = (): Promise<Verb[]> =>
  Promise.all(Object.values(loaders).map((load) => load()));

/** All verbs under the headings of the help. */
export async function verbGroups(): Promise<(readonly [title: string, verbs: readonly Verb[]])[]> {
  const load = async (loads: readonly Loader[]) => Promise.all(loads.map((one) => one()));
  return Promise.all(
    Object.entries(groups).map(async ([title, group]) => [title, await load(Object.values(group))]),
  );
}

/** Undefined if no verb has that name. */
export async function findVerb(name: string): Promise<Verb | undefined> {
  return Object.hasOwn(loaders, name) ? loaders[name]?.() : undefined;
}
