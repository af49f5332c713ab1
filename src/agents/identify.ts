import type { AgentKind } from './agent-kind.ts';

/** Programs that run a script, whose name then tells what runs. */
const interpreters = /^(?:node|nodejs|bun|deno|tsx|python[\d.]*|uv|ruby|sh|bash|zsh|dash|fish)$/u;
/** Programs that run the program that one of their arguments names, here or elsewhere. */
const wrappers =
  /^(?:npx|npm|pnpm|pnpx|yarn|bunx|bun|uvx?|pipx|nix|nix-shell|env|sudo|doas|nice|timeout|stdbuf|script|time|caffeinate|bwrap|firejail|sandbox-exec|systemd-run|docker|podman|kubectl|ssh|mosh|devcontainer|mise|asdf|direnv|vtr|termcp)$/u;

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
    const found = kinds.find((kind) => names.flat().some((name) => isNamed(kind, name)));
    if (found !== undefined) return found;
  }
  return null;
}

const isNamed = ({ executables, packages }: AgentKind, name: string): boolean =>
  executables.includes(name) || packages.includes(name);

/** The names of what a process is, and of what it may run for somebody. */
interface Programs {
  readonly is: readonly string[];
  readonly runs: readonly string[];
}

function programsOf(args: readonly string[]): Programs {
  // A program that has given its process a title has one argument with blanks.
  const [first = '', ...rest] = args.length === 1 ? (args[0] ?? '').split(' ') : args;
  const name = fileName(first);
  const script = rest.find((arg) => !arg.startsWith('-'));
  const isScript = interpreters.test(name) && script !== undefined;
  const is = [name, ...packagesIn(first), ...(isScript ? scriptNames(script) : [])];
  const inside = isScript ? fileName(script) : name;
  const runs = wrappers.test(name) || wrappers.test(inside) ? rest.flatMap(wordNames) : [];
  return { is, runs };
}

/** `/usr/lib/node_modules/@openai/codex/bin/codex.js` is `codex`, and `@openai/codex`. */
const scriptNames = (path: string): string[] => [
  fileName(path).replace(/\.(?:[cm]?js|ts|py)$/u, ''),
  ...packagesIn(path),
];

const packagesIn = (path: string): string[] =>
  [...path.matchAll(/\/node_modules\/((?:@[^/]+\/)?[^/]+)/gu)].map(([, name = '']) => name);

/** The names that an argument of a wrapper may be: `claude`, `@openai/codex@latest`, `VTR_AGENT=codex`. */
const wordNames = (word: string): string[] =>
  word.split(/[\s;&|]+/u).flatMap((part) => {
    const name = part.replace(/^VTR_AGENT=/u, '').replace(/(?<=.)@[\w.^~-]+$/u, '');
    return [fileName(name), name];
  });

const fileName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
