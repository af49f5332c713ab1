import { create } from '@bufbuild/protobuf';
import { type PublishedSession, PublishedSessionSchema } from '#messages';
import type { PublishRequest } from '#model';
import { field } from '../field.ts';
import { labelsField } from './labels.ts';
import { fromEnds, toEnds } from './lifetime.ts';

export function toPublishedSession(request: PublishRequest): PublishedSession {
  const { name = '', by, program = '', args = [], cwd = '', size, fromPipe = false } = request;
  return create(PublishedSessionSchema, {
    ...{ name, by, program, args: [...args], workingDir: cwd, fromPipe },
    ...field('size', size && { ...size }),
    ...toEnds(request),
    labels: { ...request.labels },
  });
}

export function fromPublishedSession(message: PublishedSession): PublishRequest {
  const { name, by, program, args, workingDir: cwd, size, fromPipe } = message;
  return {
    ...field('name', name === '' ? null : name),
    ...{ by, program, args, cwd, fromPipe },
    ...field('size', size && { cols: size.cols, rows: size.rows }),
    ...fromEnds(message),
    ...labelsField(message.labels),
  };
}
