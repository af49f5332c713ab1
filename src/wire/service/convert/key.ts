import type { MessageInitShape } from '@bufbuild/protobuf';
import type { KeyPress } from '#model';
import type { KeySchema, SendKeyRequest } from '../gen/vtr.gen.ts';

export function fromKeys({ key, keys }: SendKeyRequest): (string | KeyPress)[] {
  if (key !== '') return [key];
  return keys.map(({ key: each }) => {
    if (each.case !== 'press') return each.value ?? '';
    const { $typeName: _, $unknown: __, ...press } = each.value;
    return press;
  });
}

export function toKey(key: string | KeyPress): MessageInitShape<typeof KeySchema> {
  if (typeof key === 'string') return { key: { case: 'shortForm', value: key } };
  return { key: { case: 'press', value: { ...key } } };
}
