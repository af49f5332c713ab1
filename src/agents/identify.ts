import type { AgentKind } from './agent-kind.ts';

/** Programs that run a script, whose name then tells what runs. */
const interpreters = /^(?:node|nodejs|bun|deno|tsx|python[\d.]*|uv|ruby|sh|bash|zsh|dash|fish)$/u;
/** Programs that run the program that one of their arguments names, here or elsewhere. */
const wrappers =
  /^(?:npx|npm|pnpm|pnpx|yarn|bunx|bun|uvx?|pipx|nix|nix-shell|env|sudo|doas|su|run0|nice|ionice|chrt|taskset|nohup|setsid|timeout|stdbuf|unbuffer|script|expect|rlwrap|strace|time|caffeinate|bwrap|firejail|sandbox-exec|unshare|nsenter|chroot|proot|flatpak|systemd-run|docker|podman|nerdctl|distrobox|toolbox|kubectl|oc|ssh|autossh|mosh|devcontainer|mise|asdf|nvm|fnm|volta|direnv|devbox|op|doppler|vtr|termcp)$/u;
/** Programs whose first argument is a host or a user. */
const remote = /^(?:ssh|autossh|mosh|su)$/u;
/** Programs that name a container or a pod behind `exec`. */
const containers = /^(?:docker|podman|nerdctl|kubectl|oc)$/u;
/** What package managers do when they do not run a program. */
const manages =
  /^(?:install|i|ci|add|update|upgrade|up|remove|rm|uninstall|view|info|search|link)$/u;
/** Options with a value that names a user, a host or a file, and no program. */
const named =
  /^(?:-[uglpr]|--(?:user|group|login|name|hostname|container|require|import|loader|pod|namespace))$/u;
/** In front of the program in the line of a shell. */
const before = /^(?:\w+=.*|exec|command|env|time|nohup|spawn|-\S*)$/u;

/**
 * Returns the kind of the agent that a group of processes is; null if it is none.
 *
 * @param processes the arguments of each process of the group, with the program first, its leader first
 */
export function agentOf(
  kinds: readonly AgentKind[],
  processes: readonly (readonly string[])[],
): AgentKind | null {
  const programs = processes.map(programsOf);
  // A process that is the agent counts before one that names it.
  for (const names of [programs.map(({ is }) => is), programs.map(({ runs }) => runs)]) {
    const agentKind = kinds.find((kind) => names.flat().some((name) => isNamed(kind, name)));
    if (agentKind !== undefined) return agentKind;
  }
  return null;
}

const isNamed = ({ executables, packages }: AgentKind, name: string): boolean =>
  executables.includes(name) || packages.includes(name);

/**
 * Whether a word of a command line is the program of a kind, as a file, a script or a package.
 *
 * @param at the place of the word: what comes behind the first one is in no path with blanks
 */
export const isNamedBy = (kind: AgentKind, word: string, at: number): boolean => {
  if (at > 0 && (word.startsWith('-') || /\s/u.test(word))) return false;
  return [...scriptNames(word), ...wordNames(word)].some((name) => isNamed(kind, name));
};

/** The names of what a process is, and of what it may run for somebody. */
interface Programs {
  readonly is: readonly string[];
  readonly runs: readonly string[];
}

function programsOf(args: readonly string[]): Programs {
  // A program that has given its process a title has one argument with blanks.
  const [first = '', ...rest] = args.length === 1 ? (args[0] ?? '').split(' ') : args;
  const name = fileName(first);
  const words = rest.filter((_, at) => !named.test(rest[at - 1] ?? ''));
  const script = words.find((arg) => !arg.startsWith('-'));
  const isScript = interpreters.test(name) && script !== undefined;
  const is = [withoutTarget(name), ...packagesIn(first), ...(isScript ? scriptNames(script) : [])];
  const inside = isScript && !wrappers.test(name) ? fileName(script) : name;
  if (wrappers.test(inside)) return { is, runs: runBy(inside, words) };
  // `sh -c LINE`
  const isLine = isScript && rest[rest.indexOf(script) - 1]?.endsWith('c') === true;
  return { is, runs: isLine ? lineNames(script) : [] };
}

function runBy(wrapper: string, words: readonly string[]): string[] {
  const bare = words.filter((word) => !word.startsWith('-'));
  if (bare.some((word) => manages.test(word))) return [];
  const exec = containers.test(wrapper) ? bare.indexOf('exec') : -1;
  const host = remote.test(wrapper) ? bare[0] : exec < 0 ? undefined : bare[exec + 1];
  return without(words, host).flatMap(wordNames);
}

const without = (words: readonly string[], first: string | undefined): readonly string[] => {
  const at = first === undefined ? -1 : words.indexOf(first);
  return words.filter((_, index) => index !== at);
};

/** The first word of each command in the line of a shell. */
const lineNames = (line: string): string[] =>
  line.split(/&&|\|\||[;&|\n]/u).flatMap((command) => {
    const words = command.trim().split(/\s+/u);
    const program = words.find((word) => !before.test(word));
    return program === undefined ? [] : wordNames(program);
  });

/** `codex-x86_64-unknown-linux-musl` is `codex`. */
const withoutTarget = (name: string): string =>
  name.replace(/-(?:x86_64|x64|aarch64|arm64|amd64|linux|darwin|macos)(?:[-_]\S*)?$/u, '');

/** `/usr/lib/node_modules/@openai/codex/bin/codex.js` is `codex`, and `@openai/codex`. */
const scriptNames = (path: string): string[] => [
  fileName(path).replace(/\.(?:[cm]?js|ts|py)$/u, ''),
  ...packagesIn(path),
];

const packagesIn = (path: string): string[] =>
  [...path.matchAll(/\/node_modules\/((?:@[^/]+\/)?[^/]+)/gu)].map(([, name = '']) => name);

/** The names that an argument of a wrapper may be: `claude`, `@openai/codex@latest`, `VTR_AGENT=codex`. */
const wordNames = (word: string): string[] =>
  word.split(/[\s;&|#]+/u).flatMap((part) => {
    const name = part.replace(/^VTR_AGENT=/u, '').replace(/(?<=.)@[\w.^~-]+$/u, '');
    return [fileName(name), name];
  });

const fileName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
