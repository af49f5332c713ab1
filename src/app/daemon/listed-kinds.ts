import { join } from 'node:path';
import type { AgentKind } from '#agents';
import { isExecutable } from '#trust';

/** Returns the kinds of coding agents for a list to choose from: those whose program is in PATH first. */
export function listedKinds(
  kinds: readonly AgentKind[],
  env: Readonly<Record<string, string | undefined>>,
): { readonly kind: string; readonly name: string; readonly inPath: boolean }[] {
  const directories = (env['PATH'] ?? '').split(':').filter((each) => each.startsWith('/'));
  const isInPath = ({ executables }: AgentKind) =>
    executables.some((name) => directories.some((each) => isExecutable(join(each, name))));
  return kinds
    .map((each) => ({ kind: each.kind, name: each.name, inPath: isInPath(each) }))
    .sort((a, b) => Number(b.inPath) - Number(a.inPath) || a.name.localeCompare(b.name));
}
