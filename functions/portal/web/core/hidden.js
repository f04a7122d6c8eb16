// Characters that a reader does not see, or that change the direction of the text around them. Texts and names of other people
// can use them to look like something else.

const characters = String.raw`[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u115f\u1160\u180e\u3164\uffa0]`;

/** Hidden characters in a name, which has one line. */
export const hidden = new RegExp(characters, "gu");

/** Hidden characters in a text, which may have tabs and several lines. */
export const hiddenInText = new RegExp(`(?![\\t\\n])${characters}`, "gu");
