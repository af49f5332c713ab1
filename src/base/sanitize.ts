/** Text for people and models, and what it cost to make it so. */
export interface PlainText {
  readonly text: string;
  /** How many code points were taken out. */
  readonly removed: number;
}

const pictograph = String.raw`\p{Extended_Pictographic}(?:\p{Emoji_Modifier}|[\uFE0E\uFE0F])?`;

/**
 * What may stay although it is made of invisible characters: pictographs that joiners make one, each
 * with a variation selector at most, and keycaps (UTS 51). Flags by tag characters are not among it:
 * tags spell any text that nobody sees.
 */
const emoji = String.raw`${pictograph}(?:\u200D${pictograph})*|[0-9#*]\uFE0F?\u20E3`;

/**
 * What goes: controls but line end and tab, surrogates without their partner, and all that Unicode
 * says to draw nothing for (marks of direction, tags, variation selectors, joiners, fillers), with
 * the separators and annotation marks that it says nothing of.
 */
const invisible = String.raw`[\u0000-\u0008\u000B-\u001F\u007F-\u009F\p{Surrogate}\p{Default_Ignorable_Code_Point}\u2028\u2029\uFFF9-\uFFFB]`;

const kept = new RegExp(`(${emoji})|${invisible}`, 'gu');

/**
 * Takes out what a terminal would obey and what a reader would not see, so that neither a person nor
 * a model reads something that the other does not. The one place where terminal text becomes plain
 * text for one of the two; programs get it as it is.
 */
export function sanitize(text: string): PlainText {
  let removed = 0;
  const plain = text.replace(kept, (_all, whole: string | undefined) => {
    if (whole !== undefined) return whole;
    removed += 1;
    return '';
  });
  return { text: plain, removed };
}
