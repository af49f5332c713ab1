// Prints src/vt/cells/grapheme-table.gen.ts: how characters join into grapheme clusters (UAX #29).
//
// Classes of Grapheme_Cluster_Break that make no difference in a terminal are omitted: controls;
// Prepend, because a printed character is not moved to join the next one; the vowels and finals of
// Hangul, which take no cell and always join.

import emoji from '@unicode/unicode-18.0.0/Binary_Property/Emoji/code-points.mjs';
import modifier from '@unicode/unicode-18.0.0/Binary_Property/Emoji_Modifier/code-points.mjs';
import modifierBase from '@unicode/unicode-18.0.0/Binary_Property/Emoji_Modifier_Base/code-points.mjs';
import emojiPresentation from '@unicode/unicode-18.0.0/Binary_Property/Emoji_Presentation/code-points.mjs';
import pictographic from '@unicode/unicode-18.0.0/Binary_Property/Extended_Pictographic/code-points.mjs';
import spacing from '@unicode/unicode-18.0.0/General_Category/Spacing_Mark/code-points.mjs';
import extend from '@unicode/unicode-18.0.0/Grapheme_Cluster_Break/Extend/code-points.mjs';
import leading from '@unicode/unicode-18.0.0/Grapheme_Cluster_Break/L/code-points.mjs';
import syllable from '@unicode/unicode-18.0.0/Grapheme_Cluster_Break/LV/code-points.mjs';
import closedSyllable from '@unicode/unicode-18.0.0/Grapheme_Cluster_Break/LVT/code-points.mjs';
import regional from '@unicode/unicode-18.0.0/Grapheme_Cluster_Break/Regional_Indicator/code-points.mjs';
import spacingMarks from '@unicode/unicode-18.0.0/Grapheme_Cluster_Break/SpacingMark/code-points.mjs';
import vowel from '@unicode/unicode-18.0.0/Grapheme_Cluster_Break/V/code-points.mjs';
import { rangesLiteral } from './code-point-ranges.mjs';

/** @param {string} ranges */
function parsed(ranges) {
  return ranges.split(/\s+/).flatMap((range) => {
    const [first, last = first] = range.split('-').map((point) => Number.parseInt(point, 16));
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  });
}

// Indic_Conjunct_Break (DerivedCoreProperties.txt, Unicode 17), which is not in the packages.
const linker = parsed(
  '94d 9cd acd b4d c4d d4d 1039 17d2 1a60 1b44 1bab a9c0 aaf6 10a3f 11133 113d0 1193e 11a47 11a99 11f42',
);
const consonant = parsed(
  `
  915-939 958-95f 978-97f 995-9a8 9aa-9b0 9b2 9b6-9b9 9dc-9dd 9df 9f0-9f1 a95-aa8 aaa-ab0 ab2-ab3
  ab5-ab9 af9 b15-b28 b2a-b30 b32-b33 b35-b39 b5c-b5d b5f b71 c15-c28 c2a-c39 c58-c5a d15-d3a
  1000-102a 103f 1050-1055 105a-105d 1061 1065-1066 106e-1070 1075-1081 108e 1780-17b3 1a20-1a54
  1b0b-1b0c 1b13-1b33 1b45-1b4c 1b83-1ba0 1bae-1baf 1bbb-1bbd a989-a98b a98f-a9b2 a9e0-a9e4
  a9e7-a9ef a9fa-a9fe aa60-aa6f aa71-aa73 aa7a aa7e-aa7f aae0-aaea abc0-abda 10a00 10a10-10a13
  10a15-10a17 10a19-10a35 11103-11126 11144 11147 11380-11389 1138b 1138e 11390-113b5 11900-11906
  11909 1190c-11913 11915-11916 11918-1192f 11a00 11a0b-11a32 11a50 11a5c-11a83 11f04-11f10
  11f12-11f33
`.trim(),
);
// Wide emoji with a narrow form (emoji-variation-sequences.txt, 17.0). All narrow emoji have a wide
// form (UTS #51, section 2.1).
const wideWithTextForm = parsed(
  `
  231a-231b 23e9-23ec 23f0 23f3 25fd-25fe 2614-2615 2648-2653 267f 2693 26a1 26aa-26ab 26bd-26be
  26c4-26c5 26ce 26d4 26ea 26f2-26f3 26f5 26fa 26fd 2705 270a-270b 2728 274c 274e 2753-2755 2757
  2795-2797 27b0 27bf 2b1b-2b1c 2b50 2b55 1f004 1f21a 1f22f 1f30d-1f30f 1f315 1f31c 1f378 1f393
  1f3a7 1f3ac-1f3ae 1f3c2 1f3c4 1f3c6 1f3ca 1f3e0 1f3ed 1f408 1f415 1f41f 1f426 1f442 1f446-1f449
  1f44d-1f44e 1f453 1f46a 1f47d 1f4a3 1f4b0 1f4b3 1f4bb 1f4bf 1f4cb 1f4da 1f4df 1f4e4-1f4e6
  1f4ea-1f4ed 1f4f7 1f4f9-1f4fb 1f508 1f50d 1f512-1f513 1f550-1f567 1f610 1f687 1f68d 1f691 1f694
  1f698 1f6ad 1f6b2 1f6b9-1f6ba 1f6bc
`.trim(),
);

// Spacing marks that are viramas (IndicSyllabicCategory.txt, Unicode 17) and not linkers: they take
// no cell either.
const spacingViramas = parsed('111c0 11235 1134d 116b6');

const zeroWidthJoiner = 0x200d;
const hangulEnd = 0xe000;
const not = (/** @type {number[][]} */ ...lists) => {
  const all = new Set(lists.flat());
  return (/** @type {number} */ point) => !all.has(point);
};

const isIn = (/** @type {number[]} */ list) => {
  const all = new Set(list);
  return (/** @type {number} */ point) => all.has(point);
};

/** By name in src/vt/cells/graphemes.ts. No character has two kinds. */
const kinds = {
  mark: extend.filter(not(linker, modifier, spacing)),
  linker: [...linker, ...spacingViramas],
  spacingMark: spacing.filter(not(linker, spacingViramas, extend)),
  extendingSpacingMark: spacing.filter(not(linker, spacingViramas)).filter(isIn(extend)),
  joiningLetter: spacingMarks.filter(not(spacing)),
  joiner: [zeroWidthJoiner],
  regional,
  leading,
  syllable: [...syllable, ...closedSyllable],
  // Only Kirat Rai vowels; those of Hangul take no cell.
  vowel: vowel.filter((point) => point > hangulEnd),
  pictographic: pictographic.filter(not(modifierBase)),
  modifierBase,
  modifier,
  consonant,
};

const variationBases = [...emoji.filter(not(emojiPresentation)), ...wideWithTextForm];

process.stdout.write(`// Generated by scripts/generate-grapheme-table.mjs; do not edit.

/** Code points by kind, as inclusive hexadecimal ranges. */
export const graphemeRanges = {
${Object.entries(kinds)
  .map(([name, points]) => `  ${name}:\n${rangesLiteral(points)},`)
  .join('\n')}
};

/** Code points that U+FE0F makes wide and U+FE0E makes narrow. */
export const variationBaseRanges =
${rangesLiteral(variationBases)};
`);
