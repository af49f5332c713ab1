import type { MessageJsonType } from '@bufbuild/protobuf';
import type { VTR } from './vtr.gen.ts';

export * from './vtr.gen.ts';

// The calls of the service and their messages in JSON, as types only: the web page has no code of them.

type Methods = (typeof VTR)['method'];

type NameOf<Kind extends string> = {
  [Name in keyof Methods]: Methods[Name]['methodKind'] extends Kind ? Capitalize<Name> : never;
}[keyof Methods];

/** The names of the calls with one request and one answer. */
export type UnaryName = NameOf<'unary'>;

/** The names of the calls with one request and a stream of answers. */
export type StreamName = NameOf<'server_streaming'>;

/** The names of all calls. */
export type CallName = NameOf<string>;

type MethodOf<Name extends CallName> = Methods[Uncapitalize<Name> & keyof Methods];

/** The request of a call in JSON. Numbers of 64 bits are strings. */
export type RequestJson<Name extends CallName> = MessageJsonType<MethodOf<Name>['input']>;

/** An answer of a call in JSON. Fields with their default values are absent. */
export type AnswerJson<Name extends CallName> = MessageJsonType<MethodOf<Name>['output']>;
