import { format } from './format.mjs';
import { generated } from './generated.mjs';
import { idioms } from './idioms.mjs';
import { proto } from './proto.mjs';
import { requirements } from './requirements.mjs';
import { rooms } from './rooms.mjs';
import { sizes } from './sizes.mjs';
import { skips } from './skips.mjs';
import { types } from './types.mjs';
import { unused } from './unused.mjs';

/**
 * Every gate, in the order of `npm run check`: `types` compiles the files that `generated` runs.
 *
 * @type {readonly import('./gate.mjs').Gate[]}
 */
export const gates = [
  format,
  idioms,
  types,
  rooms,
  unused,
  generated,
  proto,
  requirements,
  skips,
  sizes,
];
