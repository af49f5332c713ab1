import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type AgentCall, TmuxAgent, VtrAgent } from './agents.ts';
import type { PeerPackages } from './peer-packages.ts';
import type { Place } from './servers.ts';

/** A job that an agent does in a terminal, as scripted conversations. */
interface AgentTask {
  readonly name: string;
  /** Programs that it needs, in addition to tmux. */
  readonly needs: readonly string[];
  vtr(agent: VtrAgent, files: string): Promise<void>;
  /** The command of the first window. */
  first(files: string): readonly string[];
  tmux(agent: TmuxAgent, files: string): Promise<void>;
}

const atPrompt = { view: 'new', wait_for_prompt: true };
const settled = { view: 'new', wait_idle_ms: 200 };

/** Start; break, continue, print two variables, step, continue, quit. */
const pdb: AgentTask = {
  name: 'pdb',
  needs: ['python3'],
  async vtr(agent, files) {
    const args = ['-m', 'pdb', join(files, 'sum.py')];
    const session_id = await agent.create({ program: 'python3', args, wait_ready: true });
    const step = (text: string, expected: RegExp) =>
      agent.send({ session_id, text: `${text}\n` }, atPrompt, expected);
    await step('b 4', /Breakpoint 1 at/);
    await step('c', /total \+= n/);
    await step('p n', /1\n/);
    await step('p total', /0\n/);
    await step('n', /for n in/);
    await step('c', /total \+= n/);
    await agent.send({ session_id, text: 'q\n' }, { view: 'new', wait_for_exit: true }, /q/);
  },
  first: (files) => ['bash', '-c', `python3 -m pdb ${files}/sum.py; echo status $?; exec cat`],
  async tmux(agent) {
    await agent.until(/\(Pdb\)$/m);
    const step = (text: string, expected: RegExp) => agent.send([text, 'Enter'], expected);
    await step('b 4', /Breakpoint 1 at/);
    await step('c', /total \+= n\n\(Pdb\)/);
    await step('p n', /p n\n1/);
    await step('p total', /p total\n0/);
    await step('n', /-> for n in/);
    await step('c', /-> for n in[\s\S]*total \+= n/);
    await step('q', /^status 0/m);
  },
};

/** Open a file, change three lines, save and quit. */
const vim: AgentTask = {
  name: 'vim',
  needs: ['vim'],
  async vtr(agent, files) {
    const args = ['-u', 'NONE', join(files, 'settings.ini')];
    const session_id = await agent.create({ program: 'vim', args, wait_ready: true });
    const change = (text: string, expected: RegExp) =>
      agent.send({ session_id, text }, settled, expected);
    await change(':3s/8080/9090\n', /9090/);
    await change(':4s/2/4\n', /workers = 4/);
    await change(':12s/info/debug\n', /debug/);
    await agent.send({ session_id, text: ':wq\n' }, { view: 'new', wait_for_exit: true }, /^$/);
  },
  first: (files) => ['bash', '-c', `vim -u NONE ${files}/settings.ini; echo status $?; exec cat`],
  async tmux(agent) {
    await agent.until(/^level = info/m);
    await agent.send([':3s/8080/9090', 'Enter'], /^port = 9090/m);
    await agent.send([':4s/2/4', 'Enter'], /^workers = 4/m);
    await agent.send([':12s/info/debug', 'Enter'], /^level = debug/m);
    await agent.send([':wq', 'Enter'], /^status 0/m);
  },
};

const serve = 'python3 serve.py';
const request = 'curl -s localhost:$(cat port)/thing';

/** Start a server in a shell, wait for its line, request, read its log, stop it, read its status. */
const devServer: AgentTask = {
  name: 'dev server',
  needs: ['python3', 'curl'],
  async vtr(agent, files) {
    const bash = { program: 'bash', cwd: files };
    const session_id = await agent.create(bash);
    const listening = { view: 'new', wait_for: ['listening'] };
    await agent.send({ session_id, text: `${serve}\n` }, listening, /listening on/);
    const other = await agent.create(bash);
    await agent.call('run', { session_id: other, line: request });
    const ended = { view: 'new', wait_for_command: true };
    await agent.send({ session_id, key: 'ctrl+c' }, ended, /GET \/thing/);
  },
  first: (files) => ['-c', files, 'bash'],
  async tmux(agent, files) {
    await agent.send([serve, 'Enter'], /^listening/m);
    await agent.tmux('new-window', '-d', '-c', files, '-t', ':1', 'bash');
    await agent.send([request, 'Enter'], /^hello$/m, ':1');
    await agent.send(['C-c', 'echo "status $?"', 'Enter'], /^status \d/m);
  },
};

const bashrc = "PS1='dev@host:\\w\\$ '\n";

const files: Readonly<Record<string, string>> = {
  'sum.py': `def main():
    total = 0
    for n in (1, 2, 3):
        total += n
    print(total)
main()
`,
  'settings.ini': `[server]
host = 127.0.0.1
port = 8080
workers = 2
timeout = 30

[database]
path = /var/lib/app.db
pool = 5

[log]
level = info
`,
  'serve.py': `import http.server, time
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"hello\\n")
server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
open("port", "w").write(str(server.server_port))
print("app 1.4.0, mode development", flush=True)
time.sleep(0.5)
print("loaded 12 routes from routes/")
print("watching src/ for changes")
print(f"\\n  local:   http://localhost:{server.server_port}/")
print("  network: not exposed\\n")
print(f"listening on port {server.server_port}", flush=True)
try:
    server.serve_forever()
except KeyboardInterrupt:
    raise SystemExit(3)
`,
};

/** The costs of a task with one set of tools. */
interface TaskCosts {
  readonly calls: number;
  /** Characters that the model reads. */
  readonly characters: number;
  /** Tokens that the model reads and writes; null without a tokenizer. */
  readonly tokens: number | null;
}

export interface AgentTaskCosts {
  readonly task: string;
  readonly vtr: TaskCosts;
  /** Null without tmux. */
  readonly tmux: TaskCosts | null;
  /** See {@link VtrAgent.overheads}. */
  readonly overheads: readonly number[];
}

/** Tasks whose programs are missing are left out. @param flags of `vtr mcp` */
export async function measureAgentTasks(
  place: Place,
  peers: PeerPackages | null,
  flags: readonly string[] = [],
): Promise<readonly AgentTaskCosts[]> {
  const hasTmux = await isInstalled('tmux');
  const costs: AgentTaskCosts[] = [];
  for (const task of [pdb, vim, devServer]) {
    const installed = await Promise.all(task.needs.map(isInstalled));
    if (installed.includes(false)) continue;
    const { calls, overheads } = await doneWithVtr(task, place, flags);
    const tmux = hasTmux ? costsOf((await doneWithTmux(task, place)).calls, peers) : null;
    costs.push({ task: task.name, vtr: costsOf(calls, peers), tmux, overheads });
  }
  return costs;
}

const isInstalled = (program: string): Promise<boolean> =>
  promisify(execFile)('sh', ['-c', `command -v ${program}`]).then(
    () => true,
    () => false,
  );

async function doneWithVtr(task: AgentTask, place: Place, flags: readonly string[]) {
  const agent = await VtrAgent.start(place, flags);
  try {
    await task.vtr(agent, prepared(place));
    return agent;
  } finally {
    await agent.stop();
  }
}

async function doneWithTmux(task: AgentTask, place: Place) {
  const directory = prepared(place);
  const agent = await TmuxAgent.start(task.first(directory), place);
  try {
    await task.tmux(agent, directory);
    return agent;
  } finally {
    await agent.stop();
  }
}

/** Writes the files of the tasks again, because a task changes them. */
function prepared({ directory }: Place): string {
  const path = join(directory, 'tasks');
  mkdirSync(path, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(path, name), text);
  writeFileSync(join(directory, '.bashrc'), bashrc);
  return path;
}

const costsOf = (calls: readonly AgentCall[], peers: PeerPackages | null): TaskCosts => ({
  calls: calls.length,
  characters: sum(calls.map(({ read }) => read.length)),
  tokens:
    peers &&
    sum(calls.map(({ read, written }) => peers.countTokens(read) + peers.countTokens(written))),
});

const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);
