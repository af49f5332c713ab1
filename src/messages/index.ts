export type { AnswerJson, CallName, RequestJson, StreamName, UnaryName } from './json.ts';
export * from './vtr.gen.ts';
