/** Text for people and models. */
export interface PlainText {
  readonly text: string;
  /** The number of code points that were removed. */
  readonly removed: number;
}

const pictograph = String.raw`\p{Extended_Pictographic}(?:\p{Emoji_Modifier}|[\uFE0E\uFE0F])?`;

/**
 * Emoji that are kept although they include invisible characters: pictographs combined by joiners,
 * each with at most one variation selector, and keycaps (UTS 51). Flags made of tag characters are
 * not included: tags can spell any invisible text.
 */
const emoji = String.raw`${pictograph}(?:\u200D${pictograph})*|[0-9#*]\uFE0F?\u20E3`;

/**
 * The removed characters: controls except line feed and tab, lone surrogates, default ignorable
 * code points (directional marks, tags, variation selectors, joiners, fillers), line and paragraph
 * separators, and annotation marks.
 */
const invisible = String.raw`[\u0000-\u0008\u000B-\u001F\u007F-\u009F\p{Surrogate}\p{Default_Ignorable_Code_Point}\u2028\u2029\uFFF9-\uFFFB]`;

/** Made when it is first needed: V8 takes half a millisecond for its tables. */
let kept: RegExp | undefined;

/** Text without any removed character: ASCII, Latin letters, and what draws boxes. */
const isPlain = /^[\t\n\x20-\x7E\xA0-\xAC\xAE-\u02FF\u2500-\u259F]*$/;

/**
 * Removes control and invisible characters and counts them, so that a person and a model read the
 * same text. All terminal text for people and models passes through this function; programs get it
 * unchanged.
 */
export function sanitize(text: string): PlainText {
  if (isPlain.test(text)) return { text, removed: 0 };
  kept ??= new RegExp(`(${emoji})|${invisible}`, 'gu');
  let removed = 0;
  const plain = text.replace(kept, (_all, whole: string | undefined) => {
    if (whole !== undefined) return whole;
    removed += 1;
    return '';
  });
  return { text: plain, removed };
}
