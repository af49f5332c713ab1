import { create } from '@bufbuild/protobuf';
import * as wire from '#messages';
import type { TmuxAnswer, TmuxRequest } from '#model';
import { field } from '../field.ts';

export const toTmuxFields = ({ size, configFiles, control, ...same }: TmuxRequest) => ({
  ...same,
  words: [...same.words],
  env: { ...same.env },
  configFiles: [...(configFiles ?? [])],
  cols: size?.cols ?? 0,
  rows: size?.rows ?? 0,
  control: control ?? false,
});

export const fromTmuxFields = (message: wire.RunTmuxRequest): TmuxRequest => {
  const { socketPath, words, cwd, env, configFiles, cols, rows, input, pid, control } = message;
  return {
    ...{ socketPath, words, cwd, env, pid, control },
    ...field('configFiles', configFiles.length === 0 ? null : configFiles),
    ...field('size', cols === 0 || rows === 0 ? null : { cols, rows }),
    ...field('input', input),
  };
};

export const toTmuxAnswer = (answer: TmuxAnswer): wire.RunTmuxResponse =>
  create(wire.RunTmuxResponseSchema, answer);

export const fromTmuxAnswer = (message: wire.RunTmuxResponse): TmuxAnswer => {
  const { stdout, stderr, status, attach, controlId } = message;
  return { stdout, stderr, status, ...field('attach', attach), ...field('controlId', controlId) };
};
