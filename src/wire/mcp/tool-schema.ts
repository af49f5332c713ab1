import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import * as z from 'zod/v4';
import { VtrError } from '#model';
import type { Tool } from './tool.ts';

/**
 * A schema as tools/list shows it. It is read by every model in every conversation, so what says
 * nothing to one is left out: the dialect, the bounds of safe integers, that nothing else may be there.
 *
 * Whatever is given is accepted here, and checked by {@link parsedArguments}: the library's refusal has no
 * code word.
 */
export function listedSchema(schema: z.ZodObject): StandardSchemaWithJSON {
  const shown = (io: 'input' | 'output') => () =>
    withoutNoise(z.toJSONSchema(schema, { io })) as Record<string, unknown>;
  return {
    '~standard': {
      version: 1,
      vendor: 'vtr',
      validate: (value) => ({ value }),
      jsonSchema: { input: shown('input'), output: shown('output') },
    },
  };
}

function withoutNoise(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNoise);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([name, each]) => !isNoise(name, each));
  return Object.fromEntries(kept.map(([name, each]) => [name, withoutNoise(each)]));
}

function isNoise(name: string, value: unknown): boolean {
  if (name === '$schema' || name === 'propertyNames') return true;
  if (name === 'additionalProperties') return value === false;
  if (name === 'description') return value === '';
  return name === 'minimum' ? value === 0 || isUnsafe(value) : isUnsafe(value);
}

const isUnsafe = (value: unknown): boolean =>
  typeof value === 'number' && !(Math.abs(value) < Number.MAX_SAFE_INTEGER);

/** @throws VtrError INVALID_ARGUMENT that names the field */
export function parsedArguments({ name, input }: Tool, args: unknown): unknown {
  const result = input.safeParse(withoutNulls(args ?? {}));
  if (result.success) return result.data;
  const problems = result.error.issues.map(problemOf).join('; ');
  throw new VtrError('INVALID_ARGUMENT', `${name} cannot be called so: ${problems}`);
}

/** Null is what the document has for what is not given. */
function withoutNulls(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const given = Object.entries(value).filter(([, each]) => each !== null);
  return Object.fromEntries(given.map(([name, each]) => [name, withoutNulls(each)]));
}

const problemOf = ({ path, message }: z.core.$ZodIssue): string =>
  path.length === 0 ? message : `${path.join('.')}: ${message}`;
