import { create } from '@bufbuild/protobuf';
import * as wire from '#messages';
import type { Menu } from '#model';
import { field } from '../field.ts';

export const toMenu = ({
  title,
  options,
  selected,
  multiple,
  checked,
  keys,
  button,
}: Menu): wire.Menu =>
  create(wire.MenuSchema, {
    ...{ title, options: [...options], multiple, keys, button: button ?? '' },
    ...field('selected', selected),
    ...{ checked: [...(checked ?? [])], checkedKnown: checked !== undefined },
  });

export const fromMenu = (message: wire.Menu): Menu => ({
  title: message.title,
  options: message.options,
  selected: message.selected ?? null,
  multiple: message.multiple,
  ...(message.checkedKnown ? { checked: message.checked } : {}),
  keys: message.keys,
  ...(message.button === '' ? {} : { button: message.button }),
});
