import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import * as z from 'zod/v4';
import { halfCharacterText, nearMisses, quoted } from '#base';
import { VtrError } from '#model';
import type { Tool } from './tool.ts';

/**
 * Returns a schema as tools/list shows it. Every model reads it in every conversation, so keywords
 * that do not help a model are removed: the dialect, the bounds of safe integers, `additionalProperties`.
 *
 * It accepts any value. {@link parsedArguments} checks arguments instead, because the library's error
 * has no code word.
 */
export function listedSchema(
  schema: z.ZodObject,
  change: (json: unknown) => unknown = (json) => json,
): StandardSchemaWithJSON {
  const shown = (io: 'input' | 'output') => () =>
    change(withoutNoise(z.toJSONSchema(schema, { io }))) as Record<string, unknown>;
  return {
    '~standard': {
      version: 1,
      vendor: 'vtr',
      validate: (value) => ({ value }),
      jsonSchema: { input: shown('input'), output: shown('output') },
    },
  };
}

/** Returns the JSON of a schema of this module. */
export const jsonOf = (schema: StandardSchemaWithJSON, io: 'input' | 'output') =>
  schema['~standard'].jsonSchema[io]({ target: 'draft-2020-12' }) as { type: 'object' };

/**
 * Returns the schema of a tool's lean answers: only the fields of `always` are required, and no field
 * is null.
 */
export function leanSchema({ output, always = [], never = [] }: Tool): StandardSchemaWithJSON {
  const required = always.filter((name) => output.shape[name]?.isOptional() === false);
  return listedSchema(output, (json) => ({
    ...(optional(json, never) as object),
    ...(required.length === 0 ? {} : { required }),
  }));
}

/**
 * Returns a JSON schema whose fields are optional and not null, at any depth, without those of `never`.
 * Objects in fields, such as `dimensions` and the elements of `sessions`, are listed without their own
 * fields.
 */
function optional(schema: unknown, never: readonly string[]): unknown {
  if (Array.isArray(schema)) return schema.map((each) => optional(each, never));
  if (typeof schema !== 'object' || schema === null) return schema;
  const { anyOf, required: _, ...rest } = schema as Record<string, unknown>;
  const other = Array.isArray(anyOf) ? anyOf.find((each) => each?.type !== 'null') : {};
  const { required: __, ...merged } = { ...rest, ...other } as Record<string, unknown>;
  const entries = Object.entries(merged)
    .filter(([name]) => !never.includes(name))
    .map(([name, value]) => {
      if (isTypes(name, value)) return [name, value[0]];
      return [name, name === 'properties' ? fieldsOf(value, never) : optional(value, never)];
    });
  return Object.fromEntries(entries);
}

function fieldsOf(fields: unknown, never: readonly string[]): unknown {
  const entries = Object.entries(fields as object).filter(([name]) => !never.includes(name));
  return Object.fromEntries(
    entries.map(([name, value]) => [name, withoutFields(optional(value, never))]),
  );
}

function withoutFields(schema: unknown): unknown {
  const { properties: _, additionalProperties: __, ...rest } = schema as Record<string, unknown>;
  const { items } = rest;
  return items === undefined ? rest : { ...rest, items: withoutFields(items) };
}

const isTypes = (name: string, value: unknown): value is readonly unknown[] =>
  name === 'type' && Array.isArray(value);

function withoutNoise(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNoise);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([name, each]) => !isNoise(name, each));
  return Object.fromEntries(entries.map(([name, each]) => [name, withoutNoise(each)]));
}

function isNoise(name: string, value: unknown): boolean {
  if (name === '$schema' || name === 'propertyNames') return true;
  if (typeof value === 'object' && value !== null && 'isUnlisted' in value) return true;
  if (name === 'additionalProperties') return value === false || isEmptyObject(value);
  if (name === 'description') return value === '';
  if (name === 'const') return value === true;
  return name === 'minimum' ? value === 0 || value === 1 || isUnsafe(value) : isUnsafe(value);
}

const isEmptyObject = (value: unknown): boolean => JSON.stringify(value) === '{}';

const isUnsafe = (value: unknown): boolean =>
  typeof value === 'number' && !(Math.abs(value) < Number.MAX_SAFE_INTEGER);

/** Checks the arguments of a call. @throws VtrError INVALID_ARGUMENT that names the fields */
export function parsedArguments({ name, input }: Tool, args: unknown): unknown {
  const named = withoutNulls(args ?? {});
  const first = input.safeParse(named);
  const values = first.success ? named : fitted(named, first.error.issues);
  const result = first.success ? first : input.safeParse(values);
  const half = halfIn(values);
  if (result.success && half === null) return result.data;
  const issues = result.error?.issues.map((issue) => problemOf(issue, input)) ?? [];
  const problems = (half === null ? issues : [half, ...issues]).join('; ');
  throw new VtrError('INVALID_ARGUMENT', `invalid arguments of ${name}: ${problems}`);
}

/** A number of these has lost how it was written: 1.0 is 1. It may be a password. */
const typed = new Set<PropertyKey>(['text', 'line']);

/**
 * Returns arguments with the values that models write in another form: one string for a list of them, numbers and
 * booleans in quotes, and whole numbers without quotes, such as the number of an answer.
 */
function fitted(value: unknown, issues: readonly z.core.$ZodIssue[]): unknown {
  return issues.reduce((whole, issue) => {
    if (issue.code !== 'invalid_type') return whole;
    const isTyped = typed.has(issue.path.at(-1) ?? '');
    return withPart(whole, issue.path, (part) => asType(part, issue.expected, isTyped));
  }, value);
}

function asType(value: unknown, expected: string, isTyped: boolean): unknown {
  if (expected === 'string' && Number.isSafeInteger(value) && !isTyped) return String(value);
  if (typeof value !== 'string') return value;
  if (expected === 'array') return [value];
  if (expected === 'boolean') return value === 'true' || (value === 'false' ? false : value);
  const isNumber = expected === 'number' || expected === 'int';
  return isNumber && /^-?\d+(?:\.\d+)?$/.test(value) ? Number(value) : value;
}

/** Returns a value in which the part at a path is changed. */
function withPart(
  value: unknown,
  [first, ...rest]: readonly PropertyKey[],
  change: (part: unknown) => unknown,
): unknown {
  if (first === undefined) return change(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const part = withPart(value[Number(first)], rest, change);
    return Number(first) < value.length ? value.with(Number(first), part) : value;
  }
  const part = (value as Record<PropertyKey, unknown>)[first];
  return part === undefined ? value : { ...value, [first]: withPart(part, rest, change) };
}

/** The specification has null for fields that are not given. */
function withoutNulls(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const entries = Object.entries(value).filter(([, each]) => each !== null);
  return Object.fromEntries(entries.map(([name, each]) => [name, withoutNulls(each)]));
}

function problemOf(issue: z.core.$ZodIssue, input: z.ZodType): string {
  const { path } = issue;
  const isMissing = issue.code === 'invalid_type' && /received undefined$/.test(issue.message);
  const problem = isMissing ? 'it is missing' : issue.message;
  const message = issue.code === 'unrecognized_keys' ? unknownText(issue, input) : problem;
  return path.length === 0 ? message : `${path.join('.')}: ${message}`;
}

/** Text for arguments that a tool does not have. */
function unknownText({ keys, path }: z.core.$ZodIssueUnrecognizedKeys, input: z.ZodType): string {
  const names = namesAt(input, path);
  return keys
    .map((key) => {
      const owner = names.find((each) => namesAt(input, [...path, each]).includes(key));
      if (owner !== undefined) return `${quoted(key)} is a field of ${owner}: give it there`;
      const near = nearMisses(key, names);
      const guess = near.length === 0 ? '' : `; did you mean ${near.join(' or ')}?`;
      return `there is no ${quoted(key)}${guess}; it has ${names.join(', ')}`;
    })
    .join('; ');
}

/** The names of the fields of the object at a path. */
function namesAt(type: z.ZodType, path: readonly PropertyKey[]): string[] {
  const object = type instanceof z.ZodOptional ? (type.unwrap() as z.ZodType) : type;
  const [first, ...rest] = path;
  if (object instanceof z.ZodArray) return namesAt(object.element as z.ZodType, rest);
  if (!(object instanceof z.ZodObject)) return [];
  const field = first === undefined ? undefined : object.shape[String(first)];
  return field === undefined ? Object.keys(object.shape) : namesAt(field as z.ZodType, rest);
}

/** What is not text in the strings of a value; null if everything is. */
function halfIn(value: unknown, at = ''): string | null {
  if (typeof value === 'string') {
    const problem = halfCharacterText(value);
    return problem === null ? null : `${at}: ${problem}`;
  }
  if (typeof value !== 'object' || value === null) return null;
  for (const [name, each] of Object.entries(value)) {
    const problem = halfIn(each, at === '' ? name : `${at}.${name}`);
    if (problem !== null) return problem;
  }
  return null;
}
