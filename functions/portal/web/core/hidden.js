// Characters that a reader does not see, or that change the direction of the text around them. Texts and names of other people
// can use them to look like something else.

const characters = String.raw`[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2065\u2800\u3164\uffa0]`;

/** Hidden characters in a name, which has one line. */
export const hidden = new RegExp(characters, "gu");

/** Hidden characters in a text, which may have tabs and several lines. */
export const hiddenInText = new RegExp(`(?![\\t\\n])${characters}`, "gu");
