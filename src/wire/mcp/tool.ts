import type { ToolAnnotations } from '@modelcontextprotocol/server';
import type * as z from 'zod/v4';
import type { Caller } from './caller.ts';

/** One call of a tool in progress. */
export interface Call {
  /** Aborted when the client cancels the call. */
  readonly signal: AbortSignal;
  /** Sends a progress notification; does nothing if the client requested none. */
  readonly report: (message: string) => void;
}

/** The declaration of a tool: tools/list and the check of arguments use it. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  /** For a model: when to use it, and what it returns. */
  readonly description: string;
  readonly annotations: ToolAnnotations;
  /** Whether hosts that hide tools until searched should always show this one. */
  readonly isCore: boolean;
  /** Whether it can be called, but is not listed, because another tool does the same. */
  readonly isUnlisted?: boolean;
  readonly input: z.ZodObject;
  readonly output: z.ZodObject;
  /** Fields of every answer. Lean answers leave out others that are null, false or empty. */
  readonly always?: readonly string[];
  /** Fields that lean answers never have, also in parts: the others say the same. */
  readonly never?: readonly string[];
  /** @throws VtrError */
  run(args: unknown, caller: Caller, call: Call): Promise<Record<string, unknown>>;
}

interface Definition<I extends z.ZodObject, O extends z.ZodObject> extends Omit<Tool, 'run'> {
  readonly input: I;
  readonly output: O;
  run(args: z.infer<I>, caller: Caller, call: Call): Promise<Answer<z.infer<O>>>;
}

/** Lean answers have fewer fields. */
type Answer<O> = { readonly [Name in keyof O]?: O[Name] | undefined };

/** Infers the types of `run` from the declared schemas. */
export function defineTool<const I extends z.ZodObject, const O extends z.ZodObject>(
  definition: Definition<I, O>,
): Tool {
  // Arguments are parsed with the same schema before `run` is called.
  return definition as unknown as Tool;
}

/** Annotations without their defaults, which cost tokens: not read-only, destructive, not idempotent, open. */
export const looks: ToolAnnotations = { readOnlyHint: true, openWorldHint: false };
export const makes: ToolAnnotations = { destructiveHint: false };
/** Input to a program can do anything. */
export const acts: ToolAnnotations = { destructiveHint: true };
export const ends: ToolAnnotations = { idempotentHint: true, openWorldHint: false };
export const changes: ToolAnnotations = {
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};
